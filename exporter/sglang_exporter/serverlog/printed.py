"""When the lines of a log were printed, and nothing else of them: a fraction of the work of decoding them."""

from collections.abc import Iterator

from sglang_exporter.serverlog.glued import parts_of
from sglang_exporter.serverlog.heads import behind_head
from sglang_exporter.serverlog.wrappers import Unwrapper


class PrintedTimes:
    """Reads the times of one log, out of whatever wrapper it is in."""

    def __init__(self) -> None:
        self._unwrapper = Unwrapper({})

    def read(self, line: bytes) -> str | None:
        """Return the last time that a line prints, as printed; None where it prints none."""
        stamps = [stamp for unwrapped in self._unwrapper.feed(line) for stamp in _stamps(unwrapped.text)]
        return stamps[-1] if stamps else None


def _stamps(text: bytes) -> Iterator[str]:
    for envelope, _ in parts_of(text):
        if envelope.time:
            yield envelope.time
        elif not envelope.prefixed and (inner := behind_head(envelope.message)) and inner.time:
            yield inner.time
