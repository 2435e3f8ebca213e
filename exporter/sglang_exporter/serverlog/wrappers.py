"""Lines as people's tools keep them to lines as SGLang printed them: each wrapper is found by looking at the line."""

from typing import NamedTuple

from sglang_exporter.follow.chunk import MAX_LINE
from sglang_exporter.serverlog.cleaning import clean
from sglang_exporter.serverlog.joining import Joiner
from sglang_exporter.serverlog.learnt import UnwrapperState
from sglang_exporter.serverlog.opened import Opened
from sglang_exporter.serverlog.openers import BY_FIRST
from sglang_exporter.serverlog.ray import split_behind_bar

# How SGLang's own lines begin, with and without its prefix, the frequent ones first.
_BARE = (b"[2", b"[1", b"[0", *(b"[%d" % digit for digit in range(3, 10)), b"[gpu", b"Decode batch", b"Prefill batch")
_BARE += (b"INFO:  ", b"new fill batch", b"#running-req", b"Rank ", b"server_args=")
_DEEPEST = 8
_NUL, _LF, _CR, _ESCAPE, _CARET = b"\0\n\r\x1b^"


class Unwrapped(NamedTuple):
    """One line that SGLang printed, without the carriage return or line feed at its end.

    `engine` is set only by a wrapper that tells engines apart, Ray: `123@10.0.0.1`, or `123` without an address.
    `repeated` is how many lines like this one the wrapper swallowed.
    """

    text: bytes
    engine: str | None = None
    repeated: int = 0


class _Around(NamedTuple):
    """What the wrappers around a text have said so far."""

    sources: tuple[bytes, ...] = ()
    engine: str | None = None
    repeated: int = 0

    def within(self, opened: Opened) -> "_Around":
        engine = opened.engine or self.engine
        return _Around((*self.sources, opened.source), engine, self.repeated + opened.repeated)


_OUTSIDE = _Around()
_new = tuple.__new__  # at half the cost of Unwrapped(...), for the line that is almost every line


class Unwrapper:
    """The wrappers of one followed log.

    Pieces of lines are held until the line is complete, `max_held` bytes of them. `dropped` counts the lines that were
    longer (`long_line`), and those that ended in a hole of NUL bytes (`torn_line`).
    """

    def __init__(
        self, dropped: dict[str, int], *, max_held: int = MAX_LINE, learnt: UnwrapperState | None = None
    ) -> None:
        self._dropped = dropped
        self._pieces: Joiner[_Around] = Joiner(dropped, max_held)
        self._bare = learnt.bare if learnt else False
        self._proven: set[str] = set(learnt.proven) if learnt else set()

    @property
    def learnt(self) -> UnwrapperState:
        """What has been learnt of the log so far."""
        return UnwrapperState(self._bare, sorted(self._proven))

    @property
    def holds(self) -> bool:
        """Whether pieces of an unfinished line are held."""
        return self._pieces.holds

    def feed(self, line: bytes) -> list[Unwrapped]:
        """Return what SGLang printed in `line`, which is without its line feed; a carriage return ends a line too."""
        if line.startswith(_BARE):
            self._bare = True
            if not (_CR in line or _ESCAPE in line or _NUL in line or _CARET in line):
                return [_new(Unwrapped, (line, None, 0))]
        return self._open(line, _OUTSIDE)

    def flush(self) -> list[Unwrapped]:
        """Return the lines that are not complete, where nothing more will be written."""
        return [unwrapped for around, text in self._pieces.flush() for unwrapped in self._open(text, around)]

    def _open(self, text: bytes, around: _Around, depth: int = 0) -> list[Unwrapped]:
        text = clean(text)
        opened = self._opened(text) if depth < _DEEPEST else None
        if opened is None:
            return self._split(text, around, depth)
        if opened.text is None:
            return []
        inner = around.within(opened)
        whole = self._pieces.join(inner, opened.text, complete=opened.complete)
        return [] if whole is None else self._open(whole, inner, depth + 1)

    def _opened(self, text: bytes) -> Opened | None:
        for wrapper in BY_FIRST.get(text[:1], ()):
            opened = wrapper.open(text)
            if opened and (not wrapper.doubtful or self._believes(wrapper.name, opened)):
                return opened
        return None

    def _believes(self, doubtful: str, opened: Opened) -> bool:
        """Tell whether it is a wrapper: in a log with bare lines only once one of SGLang's lines was seen in it."""
        if opened.text and opened.text.startswith(_BARE):
            self._proven.add(doubtful)
        return not self._bare or doubtful in self._proven

    def _split(self, text: bytes, around: _Around, depth: int) -> list[Unwrapped]:
        """Split at carriage returns and behind progress bars, where a wrapper may begin anew."""
        *others, last = _parts(text)
        if not others:
            return self._without_hole(last, around, depth)
        once = around._replace(repeated=0)
        lines = [line for part in others for line in self._open(part, once, depth + 1)]
        return lines + self._open(last, around, depth + 1)

    def _without_hole(self, text: bytes, around: _Around, depth: int) -> list[Unwrapped]:
        """Return what stands behind a hole of NUL bytes; what stands before it is torn."""
        if _NUL not in text:
            return [Unwrapped(text, around.engine, around.repeated)]
        torn, _, text = text.rstrip(b"\0").rpartition(b"\0")
        if torn.strip(b"\0"):
            self._dropped["torn_line"] = self._dropped.get("torn_line", 0) + 1
        return self._open(text, around, depth + 1)


def _parts(text: bytes) -> list[bytes]:
    if _CR in text or _LF in text:
        return [part for line in text.splitlines() if line for part in _parts(line)] or [b""]
    return [text] if text.startswith(_BARE) else split_behind_bar(text)
