"""What `backfill` prints, as pages by their times."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from sglang_exporter.cli import main
from support.exporter import Samples


def pages(text: str) -> dict[float, Samples]:
    """Return the samples of an OpenMetrics exposition by time; fail where it is none."""
    in_order(text)
    return {at: _page(page) for at, page in sorted(_by_time(text).items())}


def in_order(text: str) -> None:
    """Fail unless families and their series lie together, heads first, each series at rising times, and an EOF ends it."""
    *lines, end = text.splitlines()
    assert end == "# EOF"
    assert text.endswith("\n")
    families = [line.split(" ")[2] for line in lines if line.startswith("# TYPE")]
    assert len(set(families)) == len(families)
    series: dict[str, list[float]] = {}
    metrics = []
    for line in lines:
        if line.startswith("#"):
            metrics.append(line)
            continue
        name, _, time = line.rpartition(" ")
        name = name.rpartition(" ")[0]
        series.setdefault(name, []).append(float(time))
        if "le=" not in name and not name.partition("{")[0].endswith(("_count", "_sum")):
            metrics.append(name)
    assert all(before < after for times in series.values() for before, after in pairwise(times))
    runs = [metric for metric, before in zip(metrics, ["", *metrics], strict=False) if metric != before]
    assert len(set(runs)) == len(runs)


def backfilled(capsys: pytest.CaptureFixture[str], *flags: str | Path) -> dict[float, Samples]:
    """Run `backfill` without labels of a target and return its pages."""
    assert main(["backfill", "--label", "job=", "--label", "instance=", *map(str, flags)]) == 0
    return pages(capsys.readouterr().out)


def _by_time(text: str) -> dict[float, list[str]]:
    """Return for each time the lines of an exposition of its own: the client's parser loses histograms of several."""
    heads: list[str] = []
    found: dict[float, list[str]] = {}
    told: dict[float, int] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            heads.append(line)
            continue
        at = float(line.rpartition(" ")[2])
        page = found.setdefault(at, [])
        page.extend(head for head in heads[told.get(at, 0) :] if head != "# EOF")
        told[at] = len(heads)
        page.append(line)
    return found


def _page(lines: list[str]) -> Samples:
    text = "\n".join([*lines, "# EOF", ""])
    return dict(_samples(text))


def _samples(text: str) -> Iterator[tuple[tuple[str, tuple[tuple[str, str], ...]], float]]:
    for family in text_string_to_metric_families(text):  # type: ignore[no-untyped-call]
        for sample in family.samples:
            yield (sample.name, tuple(sorted(sample.labels.items()))), sample.value
