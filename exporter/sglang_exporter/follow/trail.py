"""What is kept of the bytes that were read, so that it is seen whether they are still there."""

from sglang_exporter.follow.position import KEPT, Place


class Trail:
    """The place that has been read up to, and the bytes around it: at most 1 KiB of each.

    `offset` is after the last complete line, `scanned` is where the search for the next line feed goes on, `torn` the
    last bytes between the two, which are an unfinished line. `first` are the first bytes of a file that was not read,
    behind the NULs that a writer which does not append leaves after copytruncate. The unfinished line begins behind
    `hole` NULs that are no part of it, and with `leading` ones that are.
    """

    def __init__(self, place: Place) -> None:
        self.offset = self.scanned = place.offset
        self.head, self.first = (place.before, place.head) if place.is_start else (place.head, b"")
        self.before = place.before
        self.torn = b""
        self.hole = self.leading = 0

    @property
    def place(self) -> Place:
        """The place after the last complete line."""
        return Place(self.offset, self.first if self.is_at_start else self.head[: self.offset], self.before)

    @property
    def scanned_place(self) -> Place:
        """The place that has been scanned up to, or one from which more is known to follow."""
        if self.is_at_start and len(self.first) >= self.unfinished:
            return self.place
        return Place(self.scanned, self.head, (self.before + self.torn)[-KEPT:])

    @property
    def is_at_start(self) -> bool:
        """Whether there were but NULs so far."""
        return not self.before or (not self.before[-1] and not self.before.strip(b"\0"))

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known of the content."""
        return not self.first and not self.unfinished and self.is_at_start

    @property
    def unfinished(self) -> int:
        """Bytes of the unfinished line."""
        return self.scanned - self.offset - self.hole

    def look_past(self, block: bytes) -> None:
        """Note that a block without a line feed has been looked at."""
        if self.leading == self.unfinished:
            self.leading += _nuls(block)
        self.torn = (self.torn + block[-KEPT:])[-KEPT:]
        self._scan(block)

    def advance(self, block: bytes, cut: int) -> int:
        """Move behind the line feed at `cut` of the block; return the bytes of the lines that this completes."""
        before = block[max(0, cut - KEPT) : cut]
        self.before = before if len(before) == KEPT else (self.before + self.torn + before)[-KEPT:]
        self.torn = block[max(cut, len(block) - KEPT) :]
        completed = self.unfinished + cut
        self.offset = self.scanned + cut
        self.hole, self.leading = 0, _nuls(block[cut:])
        self._scan(block)
        return completed

    def forget_unfinished(self) -> None:
        """Go back to where the unfinished line begins."""
        self.scanned = self.offset
        self.head = self.head[: self.offset]
        self.torn = self.first = b""
        self.hole = self.leading = 0

    def leave_out_nuls(self) -> None:
        """Have the unfinished line begin behind its leading NULs."""
        self.hole += self.leading
        self.leading = 0

    def go_on_in_hole(self, length: int) -> None:
        """Move over so many NULs in front of an unfinished line that has not begun."""
        self.scanned += length
        self.hole += length

    def skip_hole(self, length: int) -> None:
        """Move over so many NULs."""
        self.offset = self.scanned = self.scanned + length
        self.head = self.before = bytes(min(KEPT, self.offset))
        self.first = b""

    def _scan(self, block: bytes) -> None:
        if self.scanned < KEPT:
            self.head = (self.head + block[:KEPT])[:KEPT]
        self.scanned += len(block)


def _nuls(block: bytes) -> int:
    """Return how many NULs a block begins with."""
    return len(block) - len(block.lstrip(b"\0"))
