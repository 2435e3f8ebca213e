"""While a backlog is read, pages come quickly, say so, and tell nothing that is not known yet."""

import time
from pathlib import Path
from urllib.error import HTTPError

import pytest

from support.exporter import Exporter, Samples, pick
from support.servers import decode

QUICK = 1.0
"""Seconds that a page may take, on a busy machine; Prometheus gives it ten."""
RECORD = (
    b'{"id": "%d", "response": "said", "usage": {"completion_tokens": 7}, "finish_reason": "stop", "latency": 1.5}\n'
)
RECORDS = 200_000


@pytest.fixture
def backlog(tmp_path: Path) -> list[str | Path]:
    """Return the flags for a log and an output file that take some seconds to be read."""
    log, outputs = tmp_path / "node7.log", tmp_path / "answers.jsonl"
    log.write_text("".join(decode(f"10:{n // 60 % 60:02}:{n % 60:02}") + "\n" for n in range(3600)) * 30)
    outputs.write_bytes(b"".join(RECORD % number for number in range(RECORDS)))
    return ["--log", log, "--outputs", outputs]


def tells_of_work(page: Samples) -> bool:
    """Tell whether anything of a server or a job is on a page."""
    return any(name.startswith(("sglang_server_", "sglang_job_")) for name, _ in page)


def all_read(page: Samples) -> bool:
    caught_up = [value for (name, _), value in page.items() if name == "sglang_exporter_source_caught_up"]
    return len(caught_up) == 2 and all(caught_up)


def test_pages_come_quickly_and_are_of_no_half_read_source(tmp_path: Path, backlog: list[str | Path]) -> None:
    took: list[float] = []
    catching_up = 0
    with Exporter(tmp_path, *backlog, ready="/-/healthy") as exporter:
        assert "catching up" in exporter.text("/")
        with pytest.raises(HTTPError, match="503"):
            exporter.text("/-/ready")
        while not all_read(page := timed_page(exporter, took)):
            if not any(value for (name, _), value in page.items() if name.endswith("source_caught_up")):
                catching_up += 1
                assert not tells_of_work(page)
        assert pick(page, "sglang_job_records_total") == RECORDS
        assert not any("per_second" in name for name, _ in page if name.startswith("sglang_job_"))
        assert "ready" in exporter.text("/-/ready")
    assert catching_up >= 3
    assert max(took) < QUICK


def timed_page(exporter: Exporter, took: list[float]) -> Samples:
    began = time.monotonic()
    page = exporter.page()
    took.append(time.monotonic() - began)
    return page
