"""What one line of a server log says."""

from collections.abc import Mapping
from typing import NamedTuple

Value = float | int | bool | str | dict[str, float] | None


class Event(NamedTuple):
    """One recognised line.

    `kind` is one of `grammar.KINDS`; `fields` stand under the label that SGLang prints, in SGLang's unit.
    `time` is as printed (`2025-06-06T08:08:47`, `08:08:47` before SGLang 0.3.4), local time, None where there is none.
    `ranks` are in lower case (`{"dp": 3, "tp": 5}`); `engine` is set only under a wrapper that tells engines apart.
    `repeated` lines like it were swallowed by the wrapper (Ray), so that counters are lower bounds.
    """

    kind: str
    fields: Mapping[str, Value]
    time: str | None
    ranks: dict[str, int]
    engine: str | None = None
    repeated: int = 0

    @property
    def dp_rank(self) -> str:
        """The data-parallel rank as a label value, empty where the line carries none."""
        rank = self.ranks.get("dp")
        return "" if rank is None else str(rank)

    @property
    def rank(self) -> str:
        """All ranks of the line as one word, empty where it carries none."""
        return " ".join(f"{name}{rank}" for name, rank in self.ranks.items())
