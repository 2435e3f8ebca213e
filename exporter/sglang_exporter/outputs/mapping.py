"""One declarative mapping, compiled: JSON values in, records out. Nothing is walked from text per record."""

from collections.abc import Sequence
from functools import cached_property

from msgspec import json
from msgspec.structs import replace

from sglang_exporter.outputs.answers import Answers, find_answers, find_finish_reasons, find_latencies
from sglang_exporter.outputs.conditions import holds
from sglang_exporter.outputs.failures import find_failures
from sglang_exporter.outputs.fields import Fields, compile_fields
from sglang_exporter.outputs.identity import find_key
from sglang_exporter.outputs.paths import Path, compile_path
from sglang_exporter.outputs.plain import Plain, compile_plain
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.shape import shape_decoder
from sglang_exporter.outputs.texts import only_other
from sglang_exporter.outputs.tokens import Spent, find_counts, spend, total
from sglang_exporter.outputs.typed import Alike, compile_typed
from sglang_exporter.outputs.values import timestamp

_MOST_SHAPES = 64


class Mapping:
    """A compiled scheme, one for all files that are read by it; SchemeError when the scheme cannot be compiled."""

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self._fields = compile_fields(scheme)
        self._records = compile_records(scheme)
        self._default = Answers(0) if scheme.stream else Answers()
        self._once = scheme.duplicates == "ignore"
        self._shapes: dict[tuple[object, ...], tuple[Plain | None, Fields]] = {}

    @property
    def nests(self) -> bool:
        """Tell whether one JSON value holds many records."""
        return bool(self._records)

    @cached_property
    def decoder(self) -> json.Decoder[object]:
        """A decoder that decodes no more of a line than this mapping looks at."""
        return json.Decoder(object) if self._records else shape_decoder(self._fields.routes())

    def records(self, value: object) -> list[dict[str, object]]:
        """Return the records in one JSON value: itself, or those that it holds by the mapping."""
        return records_in(value, self._records)

    def fails(self, record: dict[str, object]) -> bool:
        """Tell whether a record is of a request that failed."""
        return holds(record, self._fields.error)

    def read(self, record: dict[str, object], scope: str) -> Record:
        """Return what a record counts as; an id gives another key in another scope."""
        plain, fields = self._shapes.get(tuple(record)) or self._narrow(record)
        if plain and (read := plain(record, scope)):
            return read
        scheme = self.scheme
        if fields.left_out and holds(record, fields.left_out):
            return Record(skipped=True, settles=True, key=find_key(record, fields.id, scope), live=scheme.live)
        if fields.skip and holds(record, fields.skip):
            return Record(skipped=True, live=scheme.live)
        answers = find_answers(record, fields.completions, self._default)
        failures = find_failures(record, fields.error, fields.error_words, answers)
        if failures.whole:
            return Record(
                settles=True,
                key=find_key(record, fields.id, scope),
                once=self._once,
                live=scheme.live,
                errors=failures.errors,
                failed_output_tokens=total(find_counts(record, fields.output_tokens)) or 0,
                timestamp=_time(record, fields),
            )
        spent = _spent(record, fields, answers)
        return Record(
            settles=True,
            key=find_key(record, fields.id, scope),
            once=self._once,
            live=scheme.live,
            completions=answers.completions,
            errors=failures.errors,
            output_tokens=spent.output_tokens,
            lengths=spent.lengths,
            uncounted=spent.uncounted,
            failed_output_tokens=spent.failed_output_tokens,
            input_tokens=total(find_counts(record, fields.input_tokens)),
            cached_tokens=total(find_counts(record, fields.cached_tokens)) if fields.cached_tokens else None,
            finish_reasons=find_finish_reasons(record, fields.finish_reason, answers),
            latencies=find_latencies(record, fields.latency, answers),
            timestamp=_time(record, fields) if fields.timestamp else None,
        )

    def typed(self, record: dict[str, object], scope: str) -> Alike | None:
        """Return what reads lines that hold a record like this one, None where it is no plain one."""
        plain, _ = self._shapes.get(tuple(record)) or self._narrow(record)
        return compile_typed(self._fields, self.scheme, record, scope) if plain and plain(record, scope) else None

    def _narrow(self, record: dict[str, object]) -> tuple[Plain | None, Fields]:
        """Return the alternatives that a record with these keys can have, and keep them: files hold few shapes."""
        narrowed = self._fields.narrowed(record)
        shape = compile_plain(narrowed, self.scheme), narrowed
        if len(self._shapes) < _MOST_SHAPES:
            self._shapes[tuple(record)] = shape
        return shape


def compile_records(scheme: Scheme) -> list[Path]:
    """Return where the records are in a JSON value that holds many; nothing where a value is a record."""
    return [compile_path(text) for text in (scheme.records or "").split("|") if text]


def records_in(value: object, places: Sequence[Path]) -> list[dict[str, object]]:
    """Return the records at these places of a JSON value; without any, the value itself."""
    found = [path.get(value) for path in places] if places else [[value]]
    return [item for items in found if isinstance(items, list) for item in items if isinstance(item, dict)]


def _spent(record: object, fields: Fields, answers: Answers) -> Spent:
    spent = spend(find_counts(record, fields.output_tokens, fields.text), answers)
    if spent.uncounted and only_other(record, fields.text):
        return replace(spent, uncounted=0)
    return spent


def _time(record: object, fields: Fields) -> float | None:
    for path in fields.timestamp:
        if (time := timestamp(path.get(record), path.scale)) is not None:
            return time
    return None
