"""The place of one output file, through its rotations and rewritings."""

from msgspec import Struct, field

from sglang_exporter.state.content import Content
from sglang_exporter.state.rewriting import Rewriting


class Slot(Struct, dict=True):
    """What the file at a place holds now, and what those hold that were rotated away from it."""

    current: Content = field(default_factory=Content)
    older: Content = field(default_factory=Content)

    def __post_init__(self) -> None:
        self.rewriting: Rewriting | None = None

    @property
    def done(self) -> int:
        """Records (or completions) that are over with."""
        return self.current.done + self.older.done

    @property
    def good(self) -> int:
        """What of it is done well."""
        return self.current.good + self.older.good

    def stored(self) -> "Slot":
        """Return what is to be stored of it."""
        return Slot(self.current.stored(), self.older.stored())

    def recalled(self) -> None:
        """End to take in ids again after a restart: those that were not found are lost."""
        self.current.recalled()
        self.older.recalled()

    def rotate(self) -> None:
        """Begin a file after the one that was rotated away."""
        self.older.absorb(self.current)
        self.current = Content()

    def rewrite(self) -> None:
        """Begin to read a content in the place of the present one, which counts until it is decided what that is."""
        if self.current.counts:
            self.rewriting = Rewriting(self.current)
        else:
            self.current = Content()
