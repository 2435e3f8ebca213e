"""Pages in one of prometheus_client's formats, where only lines whose sample has changed are formatted again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

Encode = Callable[[Collector], bytes]
"""Formats a whole page, as prometheus_client's `generate_latest` does."""


class _Families:
    """Metric families, handed over as prometheus_client wants them."""

    def __init__(self, *families: Metric) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        """Return the families."""
        return self._families


class _Formatted(NamedTuple):
    """A family with its lines: those of its head, and one for each sample."""

    family: Metric
    head: Sequence[bytes]
    lines: Sequence[bytes]


class Format:
    """Formats pages by `encode`, on many threads at once, to the byte as `encode` would.

    It keeps the lines of the last page with their samples: most say the same at the next scrape, of which formatting
    took three quarters of the time. Each sample has one line, which OpenMetrics's `_created` would not have in text.
    """

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._end = encode(_Families())
        self._kept: Mapping[str, _Formatted] = {}

    def page(self, collector: Collector) -> bytes:
        """Return the page of what is collected now."""
        before = self._kept
        page = [self._formatted(family, before.get(family.name)) for family in collector.collect()]
        self._kept = {formatted.family.name: formatted for formatted in page}
        lines = [line for _, head, rest in page for line in (*head, *rest)]
        return b"\n".join((*lines, self._end))

    def _formatted(self, family: Metric, before: _Formatted | None) -> _Formatted:
        if before is None or len(before.lines) != len(family.samples):
            return self._anew(family)
        if family == before.family:
            return before
        pairs = zip(family.samples, before.family.samples, strict=True)
        changed = [place for place, (sample, old) in enumerate(pairs) if sample != old]
        part = Metric(family.name, family.documentation, family.type, family.unit)
        part.samples = [family.samples[place] for place in changed]
        _, head, fresh = self._anew(part)
        lines = list(before.lines)
        for place, line in zip(changed, fresh, strict=True):
            lines[place] = line
        return _Formatted(family, head, lines)

    def _anew(self, family: Metric) -> _Formatted:
        lines = self._encode(_Families(family)).removesuffix(self._end).split(b"\n")[:-1]
        head = len(lines) - len(family.samples)
        return _Formatted(family, lines[:head], lines[head:])
