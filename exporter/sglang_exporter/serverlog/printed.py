"""When the lines of a log were printed, and nothing else of them: a fifth of the work of decoding them."""

from sglang_exporter.serverlog.envelope import open_envelope
from sglang_exporter.serverlog.heads import behind_head
from sglang_exporter.serverlog.wrappers import Unwrapper


class PrintedTimes:
    """Reads the times of one log, out of whatever wrapper it is in."""

    def __init__(self) -> None:
        self._unwrapper = Unwrapper({})

    def read(self, line: bytes) -> str | None:
        """Return the last time that a line prints, as printed; None where it prints none."""
        stamps = [stamp for unwrapped in self._unwrapper.feed(line) if (stamp := _stamp(unwrapped.text))]
        return stamps[-1] if stamps else None


def _stamp(text: bytes) -> str | None:
    envelope = open_envelope(text)
    if envelope.prefixed or envelope.time:
        return envelope.time
    inner = behind_head(envelope.message)
    return inner.time if inner else None
