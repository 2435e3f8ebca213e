"""The table of what holds the throughput down and what to try: `advice.yaml`, one source for report and runbooks."""

from functools import cache
from importlib.resources import files

import msgspec
import yaml
from msgspec import Struct

from sglang_exporter.report.findings import Advice


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """One change to try: of a `flag` of SGLang, or another `change`; not `unless` an argument has a value already."""

    direction: str
    cost: str
    flag: str = ""
    change: str = ""
    unless: dict[str, str] = {}

    def done(self, arguments: dict[str, str]) -> bool:
        """Tell whether the arguments of a start have it already."""
        return any(value in arguments.get(name, "") for name, value in self.unless.items())

    def advice(self) -> Advice:
        """Return it in words."""
        return Advice(self.flag or self.change, self.direction.replace("`", ""), self.cost)


class Factor(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that holds the throughput down; `runbook` is a file of prometheus/runbooks."""

    title: str
    means: str
    changes: list[Change]
    runbook: str | None = None


@cache
def factors() -> dict[str, Factor]:
    """Return the table by name."""
    text = (files("sglang_exporter.report") / "advice.yaml").read_text(encoding="utf-8")
    return msgspec.convert(yaml.safe_load(text), type=dict[str, Factor])
