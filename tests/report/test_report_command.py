"""`report` as a command: spans of time, epochs, logs that have no start, several engines, files that are not there."""

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sglang_exporter.build import build
from sglang_exporter.cli import main
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, ServerConfig
from sglang_exporter.once import Nobody
from sglang_exporter.report.progress import read_all
from support.servers import access, decode, prefill, start
from support.worked import write

START = 1_795_946_400  # 2026-11-29 10:00:00 UTC
READY = "[2026-11-29 10:00:30] The server is fired up and ready to roll!"


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> "Told":
    monkeypatch.setenv("TZ", "UTC")
    return Told(tmp_path, capsys)


class Told:
    """The report on a log, as JSON."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def log(self, *lines: str, name: str = "node.log") -> Path:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    def report(self, *flags: str | Path) -> dict[str, Any]:
        assert main(["report", "--format", "json", *map(str, flags)]) == 0
        found: dict[str, Any] = json.loads(self.capsys.readouterr().out)
        return found

    def epochs(self, *flags: str | Path) -> list[dict[str, Any]]:
        epochs: list[dict[str, Any]] = self.report(*flags)["engines"][0]["epochs"]
        return epochs


def minutes(begin: int, number: int, **said: Any) -> list[str]:  # noqa: ANN401
    return [decode(f"10:{begin + s // 60:02}:{s % 60:02}", **said) for s in range(0, number * 60, 2)]


def test_since_and_until_leave_out_what_is_outside(told: Told) -> None:
    log = told.log(*minutes(0, 10, speed=100.0), *minutes(10, 10, speed=300.0))
    whole, late = told.epochs("--log", log)[0], told.epochs("--log", log, "--since", "2026-11-29T10:10:00")[0]
    early = told.epochs("--log", log, "--until", "2026-11-29T11:09:00+01:00")[0]
    assert whole["work"]["throughput"]["mean"]["mean"] == pytest.approx(200, abs=1)
    assert late["work"]["throughput"]["mean"]["mean"] == 300
    assert early["work"]["throughput"]["mean"]["mean"] == 100
    assert early["end"] == whole["begin"] + 540


def test_a_log_that_begins_in_the_middle_has_its_capacity_from_its_usage(told: Told) -> None:
    epoch = told.epochs("--log", told.log(*minutes(0, 5, usage=0.5)))[0]
    assert epoch["started"] is False
    assert epoch["capacity_tokens"] == 1000
    assert epoch["capacity_source"] == "#token / token usage"
    assert epoch["ready_after"] is None


def test_one_epoch_of_several(told: Told) -> None:
    log = told.log(start("10:00:00"), *minutes(1, 2), start("10:10:00", tp_size=2), *minutes(11, 2))
    assert [epoch["number"] for epoch in told.epochs("--log", log)] == [1, 2]
    for flag in ("2", "-1"):
        [only] = told.epochs("--log", log, "--epoch", flag)
        assert only["number"] == 2
        assert only["changes"] == [{"argument": "tp_size", "before": "1", "after": "2"}]
    assert told.epochs("--log", log, "--epoch", "7") == []


def test_a_crash_loop_is_an_epoch_each(told: Told) -> None:
    crash = "[2026-11-29 10:00:05 TP0] Scheduler hit an exception: Traceback (most recent call last):"
    epochs = told.epochs("--log", told.log(*[start("10:00:00"), crash] * 50))
    assert len(epochs) == 50
    assert epochs[3]["errors"] == {"exception": 1}
    assert epochs[3]["work"] is None
    assert epochs[3]["limit"] is None
    assert main(["report", "--log", str(told.folder / "node.log")]) == 0
    text = told.capsys.readouterr().out
    assert "40 epochs before these 10: --epoch shows one, JSON all" in text
    assert "Epoch 50" in text
    assert "Epoch 40:" not in text


def test_data_parallel_ranks_are_one_engine_and_their_speeds_add_up(told: Told) -> None:
    lines = [
        decode(f"10:{s // 60:02}:{s % 60:02}", ranks=f" DP{dp}", speed=100.0 * (dp + 1), running=3 + dp)
        for s in range(0, 300, 2)
        for dp in (0, 1)
    ]
    work = told.epochs("--log", told.log(*lines))[0]["work"]
    assert work["throughput"]["mean"]["mean"] == 300
    assert work["running"]["mean"]["mean"] == 7


def test_a_server_that_only_prefills_has_figures_but_no_throughput(told: Told) -> None:
    lines = [prefill(f"10:{s // 60:02}:{s % 60:02}", queue=5, new=2000) for s in range(0, 300, 2)]
    [epoch] = told.epochs("--log", told.log(*lines))
    assert epoch["work"]["throughput"] is None
    assert epoch["work"]["queued"]["mean"]["mean"] == 5
    assert epoch["work"]["prefilled_per_second"] == pytest.approx(1000, rel=0.02)
    assert epoch["limit"]["factor"] == "prefill"
    assert main(["report", "--log", str(told.folder / "node.log")]) == 0
    assert "1,000 tokens computed a second" in told.capsys.readouterr().out


def test_engines_under_ray_are_told_apart_from_their_first_line_on(told: Told) -> None:
    lines = [
        f"(SGLangEngine pid={pid}, ip=10.0.0.1) {line}"
        for both in zip(*((start("10:00:00"), *minutes(1, 2, speed=float(pid))) for pid in (11, 12)), strict=True)
        for pid, line in zip((11, 12), both, strict=True)
    ]
    engines = told.report("--log", told.log(decode("09:59:00"), *lines))["engines"]
    assert [engine["engine"] for engine in engines] == ["", "0", "1"]
    assert [engine["epochs"][0]["started"] for engine in engines] == [False, True, True]
    assert engines[2]["epochs"][0]["work"]["throughput"]["mean"]["mean"] == 12


def test_without_a_steady_state_the_figures_say_so(told: Told) -> None:
    lines = [start("10:00:00"), READY, *[prefill("10:01:00", running=i) for i in range(40)]]
    [epoch] = told.epochs("--log", told.log(*lines, *minutes(1, 1, running=40)))
    assert epoch["work"]["window"]["phase"] == "warmup"
    assert epoch["burst"] is None


def test_request_lines_prove_what_access_lines_only_count(told: Told) -> None:
    lines = [line for s in range(0, 300, 2) for line in (decode(f"10:{s // 60:02}:{s % 60:02}"), access("10:00:00"))]
    proven = told.epochs("--log", told.log(*lines))[0]["proven"]
    assert proven["source"] == "access lines"
    assert proven["tokens_per_second"] is None
    finish = "[2026-11-29 10:00:01] Finish: obj=GenerateReqInput(), out={'meta_info': {'prompt_tokens': 10, 'completion_tokens': 200}}"
    lines = [line for s in range(0, 300, 2) for line in (decode(f"10:{s // 60:02}:{s % 60:02}"), finish)]
    proven = told.epochs("--log", told.log(*lines))[0]["proven"]
    assert proven["source"] == "lines of finished requests"
    assert proven["mean_tokens"] == pytest.approx(200)


def test_outputs_beside_several_logs_prove_nothing_for_one(told: Told) -> None:
    for name in ("a.log", "b.log"):
        told.log(*minutes(0, 5), name=name)
    outputs = told.folder / "out.jsonl"
    outputs.write_text('{"id": 1, "response": "x", "usage": {"completion_tokens": 5}}\n')
    report = told.report("--log", told.folder / "*.log", "--outputs", outputs)
    assert [engine["server"] for engine in report["engines"]] == ["a", "b"]
    assert all(epoch["proven"] is None for engine in report["engines"] for epoch in engine["epochs"])
    assert "several engines" in report["notes"][0]


def test_a_job_without_a_log_is_still_told(told: Told) -> None:
    write(told.folder, counted=True)
    report = told.report("--outputs", told.folder / "raw_responses.jsonl", "--total", "5000")
    assert report["engines"] == []
    assert report["jobs"][0]["done"] == 1948
    assert report["jobs"][0]["mean_tokens"] == 4100


def records(path: Path, number: int, every: float, choices: int = 1) -> Path:
    """Write records with times, each with so many answers."""
    answer = {"message": {"content": "x"}, "finish_reason": "stop"}
    usage = {"completion_tokens": 100 * choices, "prompt_tokens": 10}
    rows = [
        {"id": f"{path.stem}-{i}", "choices": [answer] * choices, "usage": usage, "finished_at": START + every * i}
        for i in range(number)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def test_the_time_to_go_is_in_the_unit_of_what_is_done(told: Told) -> None:
    outputs = records(told.folder / "four.jsonl", 1000, 2.0, choices=4)
    job = told.report("--outputs", outputs, "--total", "2000")["jobs"][0]
    assert (job["completions"], job["done"]) == (4000, 1000)
    assert job["done_per_second"]["mean"] == pytest.approx(0.5, rel=0.01)
    assert job["seconds_to_go"] == pytest.approx(2000, rel=0.01)


def test_several_data_sets_of_one_server_prove_its_rate_together(told: Told) -> None:
    log = told.log(*minutes(0, 30, running=10))
    for name in ("a", "b"):
        records(told.folder / f"{name}.jsonl", 900, 2.0)
    report = told.report("--log", log, "--outputs", told.folder / "{dataset}.jsonl", "--total", "1000")
    proven = report["engines"][0]["epochs"][0]["proven"]
    assert proven["source"] == "output records"
    assert proven["requests_per_second"]["mean"] == pytest.approx(1, rel=0.01)
    assert proven["tokens_per_second"]["mean"] == pytest.approx(100, rel=0.01)
    assert [job["done_per_second"]["mean"] for job in report["jobs"]] == pytest.approx([0.5, 0.5], rel=0.01)


def test_nothing_to_report_is_a_failure_and_says_so(told: Told) -> None:
    assert main(["report", "--log", str(told.folder / "none.log")]) == 1
    assert "no line of a log that an SGLang server writes" in told.capsys.readouterr().out


@pytest.mark.parametrize("flag", [("--since", "noon"), ("--epoch", "0"), ("--format", "pdf")])
def test_what_makes_no_sense_is_refused(told: Told, flag: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["report", "--log", str(told.log("x")), *flag])
    assert stopped.value.code == 2


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_drawn_while_a_long_file_is_read_and_somebody_looks(
    told: Told, monkeypatch: pytest.MonkeyPatch, *, terminal: bool
) -> None:
    monkeypatch.setattr("sglang_exporter.report.progress._LONG", 100_000)
    log = told.log(*minutes(0, 50), *["x" * 100_000] * 20)
    exporter = build(Config(servers=[ServerConfig(logs=str(log))]), FixedClock(), Nobody())
    console = Console(record=True, force_terminal=terminal, width=100)
    with console.capture() as drawn:
        read_all(exporter, console)
    assert ("reading" in drawn.get()) is terminal
    assert exporter.shared.store.servers["node"].source.behind == 0
