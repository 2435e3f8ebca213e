"""Lines that a container runtime cut into pieces, put together again."""

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

S = TypeVar("S", bound=Hashable)

_MANY_SOURCES = 64


class Joiner(Generic[S]):
    """Unfinished lines, one for each source, of `max_held` bytes together.

    Beyond that the longest is dropped, beyond 64 sources the oldest; `dropped` counts each as `long_line`.
    """

    def __init__(self, dropped: dict[str, int], max_held: int) -> None:
        self._dropped = dropped
        self._max_held = max_held
        self._size = 0
        self._crlf = True
        self._held: dict[S, bytearray | None] = {}

    @property
    def holds(self) -> bool:
        """Whether there is an unfinished line."""
        return bool(self._held)

    def join(self, source: S, text: bytes, *, complete: bool) -> bytes | None:
        """Return the whole line that `text` completes, None if it goes on or was dropped."""
        if complete:
            self._crlf = text.endswith(b"\r")
        elif self._crlf:
            text = text.rstrip(b"\r")  # the file's own, as at the end of its other lines
        if source not in self._held:
            if complete:
                return text
            self._begin(source)
        held = self._held[source]
        if held is not None:
            held += text
            self._size += len(text)
            self._keep_within_bounds()
        return self._take(source) if complete else None

    def flush(self) -> Iterator[tuple[S, bytes]]:
        """Yield the unfinished lines with their sources, and forget them."""
        for source in list(self._held):
            text = self._take(source)
            if text is not None:
                yield source, text

    def _begin(self, source: S) -> None:
        if len(self._held) >= _MANY_SOURCES:
            oldest = next(iter(self._held))
            self._drop(oldest)
            del self._held[oldest]
        self._held[source] = bytearray()

    def _take(self, source: S) -> bytes | None:
        held = self._held.pop(source)
        if held is None:
            return None
        self._size -= len(held)
        return bytes(held)

    def _keep_within_bounds(self) -> None:
        while self._size > self._max_held:
            self._drop(max(self._held, key=lambda source: len(self._held[source] or b"")))

    def _drop(self, source: S) -> None:
        held = self._held[source]
        if held is not None:
            self._size -= len(held)
            self._held[source] = None
            self._dropped["long_line"] = self._dropped.get("long_line", 0) + 1
