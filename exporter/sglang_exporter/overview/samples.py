"""The samples of /metrics, by what they are about, and readings that are made of them."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from prometheus_client.metrics_core import Metric

_ABOUT = ("server", "dataset", "source")


class Reading(NamedTuple):
    """A number, and what of /metrics it is: `sum of NAME`, or `max of NAME{window="2m"}`."""

    value: float
    origin: str

    def plus(self, other: "Reading | None") -> "Reading":
        """Return the sum of both."""
        return Reading(self.value + other.value, f"{self.origin} + {other.origin}") if other else self


class Said:
    """The samples about one server, data set or source, or about the exporter."""

    def __init__(self) -> None:
        self._samples: dict[str, list[tuple[dict[str, str], float]]] = {}

    def add(self, name: str, labels: dict[str, str], value: float) -> None:
        """Take a sample."""
        self._samples.setdefault(name, []).append((labels, value))

    def total(self, name: str, **labels: str) -> Reading | None:
        """Return the sum of the samples that have these labels, None where there is none."""
        return self._reading("sum", sum, name, labels)

    def highest(self, name: str, **labels: str) -> Reading | None:
        """Return the largest of the samples that have these labels, None where there is none."""
        return self._reading("max", max, name, labels)

    def highest_but(self, name: str, **labels: str) -> Reading | None:
        """Return the largest of the samples that have none of these labels, None where there is none."""
        others = [value for has, value in self._samples.get(name, ()) if not labels.items() & has.items()]
        left_out = ",".join(f'{label}!="{value}"' for label, value in labels.items())
        return Reading(max(others), f"max of {name}{{{left_out}}}") if others else None

    def by(self, name: str, label: str) -> dict[str, float]:
        """Return the sums of a metric by the value of a label, that of the first sample first."""
        found: dict[str, float] = {}
        for labels, value in self._samples.get(name, ()):
            found[labels.get(label, "")] = found.get(labels.get(label, ""), 0.0) + value
        return found

    def starts_with(self, prefix: str) -> bool:
        """Tell whether there is a sample of a metric that is called so."""
        return any(name.startswith(prefix) for name in self._samples)

    def _reading(
        self, how: str, fold: Callable[[list[float]], float], name: str, wanted: dict[str, str]
    ) -> Reading | None:
        values = [value for labels, value in self._samples.get(name, ()) if wanted.items() <= labels.items()]
        chosen = ",".join(f'{label}="{value}"' for label, value in wanted.items())
        return (
            Reading(fold(values), f"{how} of {name}{{{chosen}}}" if chosen else f"{how} of {name}") if values else None
        )


class Page(NamedTuple):
    """All samples of a page: of each server, data set and source by its name, and of the exporter."""

    servers: dict[str, Said]
    jobs: dict[str, Said]
    sources: dict[str, Said]
    exporter: Said


def sorted_out(families: Iterable[Metric]) -> Page:
    """Return the samples of metric families; histograms are left out."""
    page = Page({}, {}, {}, Said())
    for family in families:
        if family.type == "histogram" or not family.name.startswith("sglang_"):
            continue
        for sample in family.samples:
            _about(page, sample.labels).add(sample.name, sample.labels, sample.value)
    return page


def _about(page: Page, labels: dict[str, str]) -> Said:
    for label, group in zip(_ABOUT, page[:3], strict=True):
        if label in labels:
            name = labels[label]
            if name not in group:
                group[name] = Said()
            return group[name]
    return page.exporter
