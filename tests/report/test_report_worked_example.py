"""The worked example of the design, as a log and an output file: the report states what was worked out by hand."""

from pathlib import Path

import pytest

from sglang_exporter.config import Config, JobConfig, ServerConfig, TokensConfig
from sglang_exporter.report.command import Choice, read
from sglang_exporter.report.findings import Report
from sglang_exporter.report.history import Span
from sglang_exporter.report.markdown import markdown
from sglang_exporter.report.telling import tell
from support.worked import TO_GO, write


def reported(folder: Path, *, counted: bool) -> Report:
    total = write(folder, counted=counted)
    server = ServerConfig(logs=str(folder / "server.log"), name="node", timezone="UTC")
    tokens = TokensConfig() if counted else TokensConfig(average=4100)
    job = JobConfig(files=str(folder / "raw_responses.jsonl"), name="b2", total=total, tokens=tokens)
    return read(Config(servers=[server], jobs=[job]), Choice(Span()))


@pytest.fixture(scope="module", params=[True, False], ids=["records-with-times", "access-lines"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    return reported(tmp_path_factory.mktemp("worked"), counted=request.param)


def test_the_run_under_bf16(report: Report) -> None:
    first = report.engines[0].epochs[0]
    assert first.capacity_tokens == 116_000
    assert first.work is not None
    assert first.work.window.phase == "steady"
    assert first.work.throughput is not None
    assert first.work.throughput.mean.mean == pytest.approx(600)
    assert first.work.running.mean.mean == 28
    assert first.phases["down"] > 290


def test_the_restart_and_its_burst(report: Report) -> None:
    second = report.engines[0].epochs[1]
    assert [(one.argument, one.before, one.after) for one in second.changes] == [("kv_cache_dtype", "auto", "fp8_e5m2")]
    assert second.capacity_tokens == 376_029
    assert second.ready_after == 259
    assert second.burst is not None
    assert second.burst.running == 150
    assert second.burst.throughput is not None
    assert second.burst.throughput.median == 1444
    assert second.phases["warmup"] == pytest.approx(545 + 120, abs=10)  # until 150 were answered


def test_the_steady_state(report: Report) -> None:
    work = report.engines[0].epochs[1].work
    assert work is not None
    assert work.window.phase == "steady"
    assert work.throughput is not None
    assert work.throughput.mean.mean == pytest.approx(1351.40)
    assert work.generated is not None
    assert work.generated.mean == pytest.approx(1351.4, abs=0.1)
    assert work.usage.mean.mean == pytest.approx(0.93)
    assert (work.running.mean.mean, work.queued.mean.mean) == (150, 0)
    assert work.concurrency_now == pytest.approx(161, abs=0.5)
    assert work.share_of_now == pytest.approx(0.93, abs=0.005)
    assert work.concurrency_at_full_length == pytest.approx(376_029 / 4100)
    assert work.retracted_requests == 0


def test_what_the_outputs_prove(report: Report) -> None:
    proven = report.engines[0].epochs[1].proven
    assert proven is not None
    assert proven.per_120_s == pytest.approx(33, abs=0.1)
    assert proven.requests_per_second.mean == pytest.approx(0.275, abs=0.0005)
    assert proven.tokens_per_second is not None
    assert proven.tokens_per_second.mean == pytest.approx(1127.5, abs=2)
    assert proven.gap == pytest.approx(1127.5 / 1351.4 - 1, abs=0.002)
    assert proven.gap_reasons


def test_what_it_comes_to(report: Report) -> None:
    second = report.engines[0].epochs[1]
    assert second.limit is not None
    assert second.limit.title == "KV cache"
    assert "--kv-cache-dtype" not in [advice.change for advice in second.limit.next]  # it is FP8 already
    assert "--mem-fraction-static" in [advice.change for advice in second.limit.next]
    comparison = report.engines[0].comparisons[0]
    assert comparison.difference.by == pytest.approx(751.4, abs=0.5)
    assert comparison.difference.ratio == pytest.approx(2.25, abs=0.005)
    assert comparison.verdict == "faster"
    job = report.jobs[0]
    assert job.expected is not None
    assert job.expected - job.done == TO_GO
    assert job.seconds_to_go is not None
    assert job.seconds_to_go / 3600 == pytest.approx(88.9, abs=0.1)


def test_the_words_state_all_of_it(report: Report) -> None:
    text = markdown(tell(report))
    for figure in (
        "600",
        "116,000 tokens",
        "28 running",
        "376,029 tokens",
        "up to 150 running, 1,444 tok/s",
        "| reported tok/s | 1,351 ± ",
        "| token usage | 0.93 ± ",
        "161 requests fit at that length: 93 % of them run",
        "92 fit at the full length of a finished one, 4,100 tokens",
        "33.0 in 120 s",
        "0.275 ± ",
        "kv\\_cache\\_dtype: auto -\\> fp8\\_e5m2",
        "| 1 -\\> 2 | 600 | 1,351 | +751 ",
        "Limited by: KV cache",
        "88,000, 88.9 h",
    ):
        assert figure in text


def test_tokens_that_are_counted_by_a_guess_say_what_would_close_the_gap(tmp_path: Path) -> None:
    proven = reported(tmp_path, counted=False).engines[0].epochs[1].proven
    assert proven is not None
    assert proven.source == "access lines"
    assert proven.mean_tokens_source == "estimated"
    assert "4,914 tokens" in " ".join(proven.gap_reasons) or "4,913 tokens" in " ".join(proven.gap_reasons)
