"""All output files of a data set, each in its place."""

from msgspec import Struct

from sglang_exporter.state.ids import Ids
from sglang_exporter.state.slot import Slot


class Slots(Struct):
    """Slots by the path that their file is known by."""

    files: dict[str, Slot] = {}

    def at(self, file: str) -> Slot:
        """Return the slot of a file."""
        slot = self.files.get(file)
        if slot is None:  # as but once: to make one takes as long as to fold a record
            slot = self.files[file] = Slot()
        return slot

    def others(self, file: str, *, shared: bool) -> list[Ids]:
        """Return the ids of files that may hold the same ids as this one: those rotated away or, if shared, all."""
        slots = [slot for path, slot in self.files.items() if shared and path != file]
        return [self.at(file).older.ids, *(ids for slot in slots for ids in (slot.current.ids, slot.older.ids))]

    def rename(self, file: str, new: str) -> None:
        """Know a file by another path."""
        self.files[new] = self.files.pop(file, Slot())

    def stored(self) -> "Slots":
        """Return what is to be stored of them."""
        return Slots({path: slot.stored() for path, slot in self.files.items()})

    @property
    def done(self) -> int:
        """Records (or completions) that are over with."""
        return sum(slot.done for slot in self.files.values())

    @property
    def good(self) -> int:
        """What of it is done well."""
        return sum(slot.good for slot in self.files.values())
