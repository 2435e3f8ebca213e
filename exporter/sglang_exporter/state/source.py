"""What is known of one source: its files, and what came out of them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class SourceState:
    """One source: a server's log, or the output files of a data set; sizes in bytes."""

    up: bool = False
    trouble: str = ""
    """Why one of its files cannot be read, in the system's words."""
    caught_up: bool = False
    files: int = 0
    behind: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    unrecognised: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, int] = field(default_factory=dict)
    """What lines that were not understood look like, masked, and how many look so."""
    paths: list[str] = field(default_factory=list)
    read: int = 0
    rotations: int = 0
    truncations: int = 0
    lost: int = 0

    def count_fault(self) -> None:
        """Count a line that a fault of ours has cost."""
        self.unrecognised["internal_error"] = self.unrecognised.get("internal_error", 0) + 1
