"""The pictures of README and docs, and the simulation that they are drawn from."""

import re
import struct
from pathlib import Path
from statistics import mean

from grafana.committed import GRAFANA
from support.worked_example import RUNS, Simulation

ROOT = GRAFANA.parent
WIDTH = 1440
MOST_BYTES = 200_000


def test_the_simulation_has_the_figures_of_the_worked_example() -> None:
    lines = [one for one in Simulation(0.0).deliveries() if b"Decode batch" in one.line]
    for run, running, speed in zip(RUNS, (46, 150), (600, 1351), strict=True):
        steady = [one.line for one in lines if run.ends - 3600 < one.after < run.ends]
        said = {
            label: mean(float(re.search(rb"%s: ([0-9.]+)" % label, line)[1]) for line in steady)  # type: ignore[index]
            for label in (b"#running-req", rb"gen throughput \(token/s\)", b"token usage")
        }
        assert abs(said[b"#running-req"] / running - 1) < 0.05, said
        assert abs(said[rb"gen throughput \(token/s\)"] / speed - 1) < 0.05, said
        assert 0.9 < said[b"token usage"] < 0.96, said


def shown(page: Path) -> set[Path]:
    """Return the pictures that a page shows."""
    return {(page.parent / path).resolve() for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text())}


def test_readme_and_dashboards_show_small_pictures() -> None:
    first, more = shown(ROOT / "README.md"), shown(ROOT / "docs/dashboards.md")
    assert len(first) == 3
    assert first | more == {*GRAFANA.resolve().glob("*.png"), ROOT.resolve() / "docs/page.png"}
    for picture in first | more:
        assert _size(picture)[0] == WIDTH
        assert picture.stat().st_size < MOST_BYTES


def _size(picture: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    return width, height
