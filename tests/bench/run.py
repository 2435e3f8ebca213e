"""`make bench`: measure the exporter beside its peers, print a table, and keep it in results.csv with the commit.

`PYTHONPATH=tests python -m bench.run [NAME[=MEGABYTES] ...]`; without names, all of them.
"""

import compileall
import csv
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import sglang_exporter
from bench.benchmarks import BENCHMARKS, missing
from bench.figure import Figure

RESULTS = Path(__file__).with_name("results.csv")
_COLUMNS = ("date", "commit", "load", "what", "value", "unit", "beside", "peer", "ratio", "bound")


def main(arguments: list[str]) -> int:
    """Run the benchmarks named and return the exit status."""
    if lacking := missing():
        print(f"missing: {', '.join(lacking)}", file=sys.stderr)
        return 1
    wanted = dict(argument.partition("=")[::2] for argument in arguments or BENCHMARKS)
    if unknown := wanted.keys() - BENCHMARKS.keys():
        print(f"no benchmark {', '.join(unknown)}: there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    compileall.compile_dir(Path(sglang_exporter.__file__).parent, quiet=1)  # as pip does when it installs
    figures: list[Figure] = []
    for name, megabytes in wanted.items():
        measure, usual = BENCHMARKS[name]
        figures += measure(int(megabytes or usual))
        print(f"{name}: done", file=sys.stderr)
    show(figures)
    keep(figures)
    return 0


def show(figures: list[Figure]) -> None:
    """Print the figures as a Markdown table."""
    print("| what | measured | beside | ratio | at most |\n|---|---|---|---|---|")
    for figure in figures:
        beside = f"{figure.beside} {figure.peer:.2f}" if figure.beside else ""
        print(f"| {figure.what} | {figure.value:.2f} {figure.unit} | {beside} | {ratio(figure)} | {figure.bound} |")


def keep(figures: list[Figure]) -> None:
    """Add the figures to results.csv."""
    described = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True)
    now, load = datetime.now(UTC).date().isoformat(), f"{os.getloadavg()[0]:.1f}"
    is_new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerows([_COLUMNS] if is_new else [])
        for figure in figures:
            value, peer = f"{figure.value:.3f}", f"{figure.peer:.3f}" if figure.beside else ""
            measured = (figure.what, value, figure.unit, figure.beside, peer, ratio(figure), figure.bound)
            rows.writerow((now, described.stdout.strip(), load, *measured))


def ratio(figure: Figure) -> str:
    """Return the measured figure as a share of the peer's."""
    return f"{figure.value / figure.peer:.2f}" if figure.peer else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
