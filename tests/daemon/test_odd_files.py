"""What once broke the exporter, file by file."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest

from sglang_exporter.build import build
from sglang_exporter.cli import main
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.once import Nobody, read_to_the_end
from support.exporter import Exporter, Samples, parse, pick
from support.servers import access, decode, prefill, start

TEN = 1_795_946_400.0


def page_of(*logs: str | Path, zone: str | None = None) -> Samples:
    config = Config(servers=[ServerConfig(logs=[str(log) for log in logs], timezone=zone)])
    return parse(generate_latest(read_to_the_end(config).registry).decode())


@pytest.mark.parametrize(
    "odd",
    [
        decode("10:00:01").replace("2026-11-29", "2025-02-30"),
        decode("24:00:00"),
        decode("23:59:60"),
        decode("10:00:01").replace("running-req: 4", f"running-req: {'9' * 400}"),
        decode("10:00:01").replace("100.00", f"{'9' * 400}.00"),
    ],
)
def test_the_lines_after_an_impossible_one_count(tmp_path: Path, odd: str) -> None:
    log = tmp_path / "node7.log"
    log.write_text("\n".join([prefill("10:00:00"), odd, prefill("10:00:02"), ""]))
    page = page_of(log)
    assert pick(page, "sglang_server_prefill_tokens_total") == 100
    assert not pick(page, "sglang_exporter_unrecognised_lines_total", reason="internal_error")


def test_a_name_that_is_no_utf_8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xffnode.log"
    with open(path, "w") as file:  # noqa: PTH123 -- a name in bytes
        file.write(decode("10:00:00") + "\n")
    page = page_of(f"{tmp_path}/*.log")
    assert pick(page, "sglang_server_starts_total", server="\\\\xffnode") == 0


def test_a_loop_of_links_goes_as_it_came(tmp_path: Path) -> None:
    log = tmp_path / "node7.log"
    log.symlink_to(log)
    with Exporter(tmp_path, "--log", log, speed=20) as exporter:
        assert pick(exporter.page(), "sglang_exporter_source_up") == 0
        log.unlink()
        log.write_text(decode("10:00:00") + "\n")
        exporter.page_when(lambda page: pick(page, "sglang_exporter_lines_total", kind="decode") == 1, "it is read")
        assert "healthy" in exporter.text("/-/healthy")


def test_a_folder_that_we_may_not_enter_costs_itself_only(tmp_path: Path) -> None:
    closed, good = tmp_path / "closed" / "a.log", tmp_path / "node7.log"
    closed.parent.mkdir()
    closed.write_text("")
    good.write_text(decode("10:00:00") + "\n")
    tmp_path.chmod(0o755)
    closed.parent.chmod(0o700)
    command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", sys.executable]
    if os.geteuid() or any(parent.stat().st_mode & 0o5 != 0o5 for parent in (*tmp_path.parents, Path(sys.prefix))):
        command = [sys.executable]  # we cannot be another user here; the message then is about nothing
    done = subprocess.run(
        [*command, "-m", "sglang_exporter", "once", "--log", str(closed), str(good)], capture_output=True, check=False
    )
    assert b'sglang_server_starts_total{server="node7"}' in done.stdout
    assert b"Traceback" not in done.stderr


def test_too_many_files_cost_no_scrape_and_are_read_when_there_are_fewer(tmp_path: Path) -> None:
    def up(page: Samples) -> list[float]:
        return [value for (name, _), value in page.items() if name == "sglang_exporter_source_up"]

    (tmp_path / "node0.log").write_text(prefill("10:00:00") + "\n")
    with Exporter(tmp_path, "--log", f"{tmp_path}/node*.log", checkpoint=tmp_path / "state", speed=20) as exporter:
        exporter.allow_files(150)
        for number in range(1, 30):
            (tmp_path / f"node{number}.log").write_text(prefill("10:00:00") + "\n")
        exporter.wait(lambda: "ulimit" in exporter.log.read_text(), 20, "it is said")
        page = exporter.page_when(lambda page: len(up(page)) == 30, "all are known")
        assert 0 < sum(up(page)) < 30
        assert exporter.log.read_text().count("ulimit") == 1
        exporter.allow_files(1000)
        page = exporter.page_when(lambda page: sum(up(page)) == 30, "all are read")
        assert sum(v for (name, _), v in page.items() if name == "sglang_server_prefill_tokens_total") == 30 * 50


def test_the_zone_is_learnt_though_the_last_line_has_no_stamp(tmp_path: Path) -> None:
    log = tmp_path / "node7.log"
    bare = access("10:00:00").partition("] ")[2]
    log.write_text("\n".join([start("09:50:00"), decode("10:00:00"), bare, ""]))
    os.utime(log, (TEN - 8 * 3600 + 1, TEN - 8 * 3600 + 1))
    assert pick(page_of(log), "sglang_server_start_timestamp_seconds") == TEN - 8 * 3600 - 600


@pytest.mark.parametrize("jump", ["2026-11-29 18:00:00", "9999-01-01 00:00:00"])
def test_a_clock_that_jumps_forward_counts_no_day_of_tokens(tmp_path: Path, jump: str) -> None:
    log = tmp_path / "node7.log"
    later = decode("10:00:01").replace("2026-11-29 10:00:01", jump)
    log.write_text("\n".join([start("09:50:00", decode_log_interval=40), decode("10:00:00"), later, ""]))
    assert (pick(page_of(log), "sglang_server_generated_tokens_total") or 0) <= 4 * 40 * 4 + 100


def test_a_throughput_without_end_does_not_spoil_the_total(tmp_path: Path) -> None:
    log = tmp_path / "node7.log"
    odd = decode("10:00:01").replace("100.00", "inf")
    log.write_text("\n".join([decode("10:00:00"), odd, decode("10:00:03"), ""]))
    assert pick(page_of(log), "sglang_server_generated_tokens_total") == 200


def test_a_part_that_comes_later_does_not_hide_its_data_set(tmp_path: Path) -> None:
    record = '{"id": %d, "response": "x", "usage": {"completion_tokens": 7}}\n'
    (tmp_path / "part-1.jsonl").write_text(record % 1)
    config = Config(jobs=[JobConfig(files=f"{tmp_path}/part-*", name="d")])
    clock = FixedClock(TEN)
    exporter = build(config, clock, Nobody())
    exporter.pipeline.step()
    with gzip.open(tmp_path / "part-2.jsonl.gz", "wt") as file:
        file.writelines(record % i for i in range(2, 50_000))
    clock.time += 10
    seen: list[float] = []
    more = True
    while more:
        more = exporter.pipeline.step()
        seen.append(pick(parse(generate_latest(exporter.registry).decode()), "sglang_job_records_total") or 0)
    assert len(seen) > 3
    assert seen[0]
    assert seen == sorted(seen)


def test_a_wrapped_answer_with_a_custom_id_keeps_its_tokens(tmp_path: Path) -> None:
    outputs = tmp_path / "d7.jsonl"
    outputs.write_text('{"custom_id": "a", "response": {"choices": [{}], "usage": {"completion_tokens": 100}}}\n' * 3)
    config = Config(jobs=[JobConfig(files=str(outputs))])
    page = parse(generate_latest(read_to_the_end(config).registry).decode())
    assert pick(page, "sglang_job_output_tokens_total") == 300


def test_a_line_that_is_too_long_is_counted_on_the_page(tmp_path: Path) -> None:
    log = tmp_path / "node7.log"
    log.write_text("x" * 5000 + "\n" + decode("10:00:00") + "\n")
    config = Config(servers=[ServerConfig(logs=str(log))], max_line_bytes=1000)
    page = parse(generate_latest(read_to_the_end(config).registry).decode())
    assert pick(page, "sglang_exporter_unrecognised_lines_total", reason="long_line") == 1
    assert pick(page, "sglang_server_running_requests") == 4


def test_once_without_a_file_to_read_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["once", "--log", str(tmp_path / "none.log")]) == 1
    assert "none.log" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["once --log", "explain"])
def test_a_reader_that_has_seen_enough(tmp_path: Path, command: str) -> None:
    log = tmp_path / "node7.log"
    log.write_text("".join(decode(f"10:00:{i % 60:02}") + "\n" for i in range(3000)))
    shell = f"{sys.executable} -m sglang_exporter {command} {log} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
