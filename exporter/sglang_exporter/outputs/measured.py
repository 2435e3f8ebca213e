"""A mapping that estimates the tokens of completions without a count by what was said."""

from functools import cached_property

from msgspec import json
from msgspec.structs import replace

from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.measure import Measure
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.shape import Route, shape_decoder
from sglang_exporter.outputs.spoken import alternatives, spoken


class MeasuredMapping(Mapping):
    """A compiled scheme whose texts are measured; the chunks of a stream are not, for each holds but a piece."""

    def __init__(self, scheme: Scheme, measure: Measure) -> None:
        super().__init__(scheme)
        self._measure = measure
        self._texts = () if scheme.stream else alternatives(scheme)

    @cached_property
    def decoder(self) -> json.Decoder[object]:
        """A decoder that decodes no more of a line than this mapping looks at."""
        if self.nests:
            return json.Decoder(object)
        texts: list[Route] = [
            (route, "text") for alternative in self._texts for path in alternative for route in path.routes
        ]
        return shape_decoder([*self._fields.routes(), *texts])

    def read(self, record: dict[str, object], scope: str) -> Record:
        """Return what a record counts as; an id gives another key in another scope."""
        read = super().read(record, scope)
        if read.uncounted <= 0 or not (texts := spoken(record, self._texts)):
            return read
        tokens = self._measure.tokens(texts) * read.uncounted / max(read.completions, read.uncounted)
        return replace(read, measured=read.uncounted, estimated_tokens=tokens)
