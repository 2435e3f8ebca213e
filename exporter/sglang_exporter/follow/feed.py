"""What a source reads from: a stream that is followed, or one of the past, handed on as it was written."""

from typing import Protocol

from sglang_exporter.follow.chunk import BUDGET, Chunk, Counts
from sglang_exporter.follow.position import Position


class Feed(Protocol):
    """The lines of a stream, and what is told of it; `Stream` says what each means."""

    counts: Counts

    @property
    def path(self) -> str:
        """Where the file that is written now lies."""
        ...

    @property
    def up(self) -> bool:
        """Whether the file is there and can be read."""
        ...

    @property
    def error(self) -> str | None:
        """What keeps a file from being read, as one phrase."""
        ...

    @property
    def behind(self) -> int:
        """Bytes that the next reads can get at."""
        ...

    @property
    def caught_up(self) -> bool:
        """Whether all history has been read."""
        ...

    @property
    def position(self) -> Position | None:
        """What has been read so far; None where that is not kept."""
        ...

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the next lines, about `budget` bytes of them."""
        ...

    def finish(self) -> list[bytes]:
        """Return the last line if it has no line feed; it counts as read."""
        ...

    def move(self, path: str) -> None:
        """Go on at another path."""
        ...

    def close(self) -> None:
        """Close all files."""
        ...
