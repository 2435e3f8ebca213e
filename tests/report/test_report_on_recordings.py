"""Recorded runs of real servers: the steady window is stated, holds when its edges move, and agrees with the outputs."""

from functools import cache
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import pytest

from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.report import analysis, command
from sglang_exporter.report.findings import Epoch, Report
from sglang_exporter.report.history import Run, Span
from support.recordings import RECORDINGS, unpack

NAMES = sorted(path.name for path in RECORDINGS.iterdir() if (path / "server.log.gz").exists())
WITH_OUTPUTS = [name for name in NAMES if (RECORDINGS / name / "raw_responses.jsonl.gz").exists()]


@cache
def reported(name: str) -> tuple[Report, dict[int, Run]]:
    """Return the report of a recording, and its runs by number."""
    kept: dict[int, Run] = {}
    with TemporaryDirectory() as folder:
        log = unpack(name, "server.log", Path(folder))
        jobs = []
        if name in WITH_OUTPUTS:
            unpack(name, "raw_responses.jsonl", Path(folder))
            jobs = [JobConfig(files=str(Path(folder) / "raw_responses.jsonl"), name="job")]
        config = Config(servers=[ServerConfig(logs=str(log), name="server", timezone="UTC")], jobs=jobs)
        with pytest.MonkeyPatch.context() as patch:
            epoch = analysis._epoch

            def keeping(number: int, run: Run, *rest: object) -> Epoch:
                kept[number] = run
                return epoch(number, run, *rest)  # type: ignore[arg-type]

            patch.setattr(analysis, "_epoch", keeping)
            report = command.read(config, command.Choice(Span()))
    return report, kept


@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_moving_the_edges_of_the_window_changes_the_mean_by_less_than_the_interval(name: str) -> None:
    report, runs = reported(name)
    steady = [epoch for epoch in report.engines[0].epochs if epoch.work and epoch.work.window.phase == "steady"]
    assert steady
    for epoch in steady:
        assert epoch.work is not None
        throughput = epoch.work.throughput
        assert throughput is not None
        if throughput.mean.half is None:
            continue
        window = epoch.work.window
        tenth = (window.end - window.begin) / 10
        for begin, end in ((tenth, 0.0), (0.0, -tenth), (tenth, -tenth), (-tenth, 0.0)):
            moved = runs[epoch.number].rows.between(window.begin + begin, window.end + end)
            assert abs(fmean(moved.speeds()) - throughput.mean.mean) < throughput.mean.half


@pytest.mark.parametrize("name", WITH_OUTPUTS)
def test_what_the_outputs_prove_is_what_the_log_generated(name: str) -> None:
    report, _ = reported(name)
    for epoch in report.engines[0].epochs:
        if epoch.work and epoch.work.window.phase == "steady" and epoch.proven and epoch.proven.tokens_per_second:
            assert epoch.proven.source == "output records"
            assert epoch.work.generated is not None
            assert epoch.proven.tokens_per_second.mean == pytest.approx(epoch.work.generated.mean, rel=0.1)


def test_a_server_that_was_killed_is_down_from_its_last_line() -> None:
    second = reported("0.5.23-batch")[0].engines[0].epochs[1]
    assert second.phases["down"] == pytest.approx(49, abs=1)
    assert "stalled" not in second.phases


def test_an_idle_server_that_is_stopped_was_idle() -> None:
    first = reported("0.5.23-batch")[0].engines[0].epochs[0]
    assert first.phases["idle"] == pytest.approx(76, abs=2)  # 8 s before the first job, 37 between, 31 behind
    assert first.phases["drain"] == pytest.approx(8, abs=1)


def test_epochs_that_differ_by_less_than_chance_are_not_distinguishable() -> None:
    verdicts = [one.verdict for one in reported("0.5.23-batch")[0].engines[0].comparisons]
    assert verdicts == ["not distinguishable", "faster"]
