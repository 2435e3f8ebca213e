"""A page of samples in the making, held to the catalogue."""

from collections.abc import Iterator

from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample

from sglang_exporter.metrics.catalogue import CATALOGUE
from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.row import Row


class Page:
    """Samples by metric; `families` gives them back in the catalogue's order, metrics without samples left out."""

    def __init__(self) -> None:
        self._samples: dict[str, list[Sample]] = {row.name: [] for row in CATALOGUE}

    def add(self, name: str, labels: Labels, value: float, /, **more: str) -> None:
        """Add one sample of a metric of the catalogue; labels with an empty value are left out."""
        self._samples[name].append(labels.sample(name, value, more))

    def add_histogram(
        self, name: str, labels: Labels, bounds: tuple[float, ...], counts: list[int], total: float
    ) -> None:
        """Add a histogram; `counts` holds a number per bound and one for what is over the last, not cumulated."""
        samples = self._samples[name]
        seen = 0
        for bound, count in zip((*bounds, float("inf")), counts, strict=True):
            seen += count
            limit = "+Inf" if bound == float("inf") else f"{bound:g}"
            samples.append(labels.sample(f"{name}_bucket", seen, {"le": limit}))
        samples.append(labels.sample(f"{name}_count", seen, {}))
        samples.append(labels.sample(f"{name}_sum", total, {}))

    def families(self) -> Iterator[Metric]:
        """Yield the metric families that have samples."""
        for row in CATALOGUE:
            if samples := self._samples[row.name]:
                yield _family(row, samples)


def _family(row: Row, samples: list[Sample]) -> Metric:
    name = row.name.removesuffix("_total") if row.type == "counter" else row.name
    family = Metric(name, row.help, row.type)
    family.samples = samples
    return family
