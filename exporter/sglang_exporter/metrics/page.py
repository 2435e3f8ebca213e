"""A page of samples in the making, held to the catalogue."""

from collections.abc import Iterator, Mapping

from prometheus_client.metrics_core import Metric

from sglang_exporter.metrics.catalogue import CATALOGUE
from sglang_exporter.metrics.row import Row


class Page:
    """Samples by metric; `families` gives them back in the catalogue's order, metrics without samples left out."""

    def __init__(self) -> None:
        self._samples: dict[str, list[tuple[str, dict[str, str], float]]] = {row.name: [] for row in CATALOGUE}

    def add(self, name: str, labels: Mapping[str, str], value: float) -> None:
        """Add one sample of a metric of the catalogue; labels with an empty value are left out."""
        self._samples[name].append((name, {k: v for k, v in labels.items() if v}, value))

    def add_histogram(
        self, name: str, labels: Mapping[str, str], bounds: tuple[float, ...], counts: list[int], total: float
    ) -> None:
        """Add a histogram; `counts` holds a number per bound and one for what is over the last, not cumulated."""
        samples = self._samples[name]
        seen = 0
        for bound, count in zip((*bounds, float("inf")), counts, strict=True):
            seen += count
            limit = "+Inf" if bound == float("inf") else f"{bound:g}"
            samples.append((f"{name}_bucket", {**labels, "le": limit}, seen))
        samples.append((f"{name}_count", dict(labels), seen))
        samples.append((f"{name}_sum", dict(labels), total))

    def families(self) -> Iterator[Metric]:
        """Yield the metric families that have samples."""
        for row in CATALOGUE:
            if samples := self._samples[row.name]:
                yield _family(row, samples)


def _family(row: Row, samples: list[tuple[str, dict[str, str], float]]) -> Metric:
    name = row.name.removesuffix("_total") if row.type == "counter" else row.name
    family = Metric(name, row.help, row.type)
    for sample_name, labels, value in samples:
        family.add_sample(sample_name, labels, value)
    return family
