"""What one line of a server log says."""

from collections.abc import Mapping

import msgspec

from sglang_exporter.serverlog.grammar import GENERATING_HANDLERS, HANDLERS, METHODS
from sglang_exporter.serverlog.ranks import Ranks

Value = float | int | bool | str | dict[str, float] | None


class Request(dict[str, Value]):
    """The fields of an access line. Familiar lines share theirs, so that what each is asked for is worked out once.

    `labels` are method, path and status, the first two from closed lists: what it counts under. `generates` tells
    whether the server generates tokens for it.
    """

    def __init__(self, fields: Mapping[str, Value]) -> None:
        super().__init__(fields)
        method, path = self["method"], self["path"]
        self.labels = (
            str(method) if method in METHODS else "other",
            str(path) if path in HANDLERS else "other",
            str(self["status"]),
        )
        self.generates = method == "POST" and path in GENERATING_HANDLERS


class Event(msgspec.Struct, frozen=True):
    """One recognised line.

    `kind` is one of `grammar.KINDS`; `fields` stand under the label that SGLang prints, in SGLang's unit.
    `time` is as printed (`2025-06-06T08:08:47`, `08:08:47` before SGLang 0.3.4), local time, None where there is none.
    `ranks` are in lower case (`{"dp": 3, "tp": 5}`); `engine` is set only under a wrapper that tells engines apart.
    `repeated` lines like it were swallowed by the wrapper (Ray), so that counters are lower bounds.
    """

    kind: str
    fields: Mapping[str, Value]
    time: str | None
    ranks: Ranks
    engine: str | None = None
    repeated: int = 0

    @property
    def rank(self) -> str:
        """All ranks of the line as one word, empty where it carries none."""
        return self.ranks.word
