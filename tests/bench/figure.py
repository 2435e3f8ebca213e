"""What a benchmark finds."""

from typing import NamedTuple


class Figure(NamedTuple):
    """One measured figure; `peer` is that of the `beside`, in the same unit; `bound` is what issue or README promise."""

    what: str
    value: float
    unit: str
    beside: str = ""
    peer: float = 0.0
    bound: str = ""
