"""When the lines of a log were printed, and nothing else of them: a fraction of the work of decoding them."""

import re
from collections.abc import Iterator

from sglang_exporter.serverlog.glued import parts_of
from sglang_exporter.serverlog.heads import behind_head
from sglang_exporter.serverlog.stamps import possible
from sglang_exporter.serverlog.wrappers import Unwrapper

# Nearly every line: no wrapper, nothing glued to it, and no byte in it that is cleaned away.
_PLAIN = re.compile(rb"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?: [A-Z]{2,8}\d{1,4}){0,4}\] [^\[\r\n\0\x1b^]*\Z")


class PrintedTimes:
    """Reads the times of one log, out of whatever wrapper it is in."""

    def __init__(self) -> None:
        self._unwrapper = Unwrapper({})
        self._plain = False

    def read(self, line: bytes) -> str | None:
        """Return the last time that a line prints, as printed; None where it prints none."""
        plain = _PLAIN.match(line)
        if plain and self._plain and possible(stamp := plain[1].decode().replace(" ", "T")):
            return stamp
        self._plain |= plain is not None  # the unwrapper must see one, to doubt other wrappers from then on
        stamps = [stamp for unwrapped in self._unwrapper.feed(line) for stamp in _stamps(unwrapped.text)]
        return stamps[-1] if stamps else None


def _stamps(text: bytes) -> Iterator[str]:
    for envelope, _ in parts_of(text):
        if envelope.time:
            yield envelope.time
        elif not envelope.prefixed and (inner := behind_head(envelope.message)) and inner.time:
            yield inner.time
