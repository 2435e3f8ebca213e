"""What `check` says that could be better at the source: only where it applies, and nothing where all is well."""

from pathlib import Path

import pytest

from sglang_exporter.cli import main
from support.servers import access, decode, prefill, start

HAS_FLAG = {"export_metrics_to_file": False, "decode_log_interval": 40, "log_requests": False, "log_requests_level": 2}
COUNTED = '{"id": 1, "response": "r", "usage": {"completion_tokens": 9}, "timestamp": "2026-11-29T10:00:00Z"}'
UNCOUNTED = '{"id": 1, "response": "r", "timestamp": "2026-11-29T10:00:00Z"}'
EXPORT = "--export-metrics-to-file"
INTERVAL = "--decode-log-interval"


class Checked:
    """What `check` says of a log and an output file."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder = folder
        self._capsys = capsys

    def __call__(self, log: list[str], outputs: list[str] | None = None) -> str:
        flags = ["--log", self._write("server7.log", log)]
        if outputs is not None:
            flags += ["--outputs", self._write("answers7.jsonl", outputs), "--total", "9"]
        main(["check", *flags])
        return self._capsys.readouterr().out

    def _write(self, name: str, lines: list[str]) -> str:
        path = self._folder / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return str(path)


@pytest.fixture
def checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Checked:
    return Checked(tmp_path, capsys)


def lines_every(seconds: int) -> list[str]:
    return [decode(f"10:{at // 60:02}:{at % 60:02}") for at in range(0, 20 * seconds, seconds)]


def test_nothing_is_said_where_all_is_well(checked: Checked) -> None:
    log = [start("10:00:00", **HAS_FLAG), access("10:00:01"), decode("10:00:02")]
    assert [line for line in checked(log, [COUNTED]).splitlines() if line.startswith(" ")] == [
        "    3 lines, 100% of them SGLang's own and understood",
        "    1 server_args, 1 access, 1 decode",
        "    1 records, 1 completions",
    ]


def test_exact_tokens_where_completions_have_no_count(checked: Checked) -> None:
    log = [start("10:00:00", **HAS_FLAG)]
    assert EXPORT in checked(log, [COUNTED, UNCOUNTED])
    assert EXPORT in checked(log)
    assert EXPORT not in checked(log, [COUNTED])


def test_exact_tokens_only_where_the_release_has_them(checked: Checked) -> None:
    """0.4.x has no such flag, and so no such argument."""
    assert EXPORT not in checked([start("10:00:00", decode_log_interval=40)], [UNCOUNTED])


def test_files_of_exact_tokens_that_are_there(checked: Checked) -> None:
    log = [start("10:00:00", export_metrics_to_file=True)]
    assert "sglang-request-metrics-*.log" in checked(log)
    assert "sglang-request-metrics-*.log" not in checked(log, [COUNTED])


def test_decode_lines_that_come_seldom(checked: Checked) -> None:
    slow, fast = ([start("10:00:00", **HAS_FLAG), *lines_every(seconds)] for seconds in (25, 12))
    assert "a Decode line comes every 25 s: --decode-log-interval 16 instead of 40 brings more" in checked(slow)
    assert INTERVAL not in checked(fast)


def test_a_release_without_the_interval(checked: Checked) -> None:
    assert INTERVAL not in checked([start("10:00:00"), *lines_every(25)])


def test_requests_that_are_over_before_a_decode_line(checked: Checked) -> None:
    short = [prefill("10:00:01"), access("10:00:02"), prefill("10:00:03"), access("10:00:04")]
    assert "no request takes 40 decode steps" in checked([start("10:00:00", **HAS_FLAG), *short])
    prefiller = start("10:00:00", **HAS_FLAG, disaggregation_mode="prefill")
    assert INTERVAL not in checked([prefiller, *short])
    assert INTERVAL not in checked([start("10:00:00", **HAS_FLAG), prefill("10:00:01")])


@pytest.mark.parametrize(("level", "said"), [(0, False), (1, False), (2, True), (3, True)])
def test_prompts_in_the_log(checked: Checked, level: int, *, said: bool) -> None:
    log = [start("10:00:00", log_requests=True, log_requests_level=level)]
    assert (f"--log-requests-level {level} writes prompts" in checked(log)) == said


def test_access_lines_that_are_switched_off(checked: Checked) -> None:
    log = [start("10:00:00", log_level_http="warning"), decode("10:00:01")]
    assert "--log-level-http warning hides the access lines" in checked(log)
    assert "hides" not in checked([*log, access("10:00:02")])


def test_records_without_times(checked: Checked) -> None:
    assert "no record tells when its request was over" in checked([], ['{"id": 1, "response": "r"}'])
    assert "no record tells when its request was over" not in checked([], [COUNTED])
    assert "no record tells when its request was over" not in checked([], [])


def test_lines_that_ray_swallowed(checked: Checked) -> None:
    line = f"\x1b[36m(SGLangEngine pid=7, ip=10.0.0.1)\x1b[0m {decode('10:00:00')} [repeated 5x across cluster]"
    assert "RAY_DEDUP_LOGS=0" in checked([line])
    assert "RAY_DEDUP_LOGS=0" not in checked([line.partition(" [rep")[0]])
