"""Secrets in every text of every sample, and everything that the exporter then says, shows or keeps."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
import yaml

from sglang_exporter.cli import main
from support.exporter import Exporter, pick
from support.servers import access, decode, start

HERE = Path(__file__).parent
SAMPLES = [path for path in (HERE.parent / "outputs" / "samples").glob("*.json*") if ".expected." not in path.name]
VARIATIONS = HERE.parent / "outputs" / "variations.yaml"
FAULTY = HERE.parent / "support" / "faulty.py"
PLANTED = "hunter2"
# What a format is known by. Left as they are in one of two copies, so that secrets are also read by the right preset.
STRUCTURE = frozenset(
    (
        "object",
        "status",
        "type",
        "event",
        "level",
        "role",
        "from",
        "benchmark_phase",
        "call_type",
        "startTime",
        "endTime",
    )
)


def planted(value: object, *, spared: frozenset[str], key: str = "") -> object:
    """Return a value with the secret in every text of it, and a text of its own in every object."""
    if isinstance(value, dict):
        inner = {k: planted(v, spared=spared, key=k) for k, v in value.items()}
        return {**inner, f"{PLANTED} key": f"{PLANTED} value"}
    if isinstance(value, list):
        return [planted(each, spared=spared, key=key) for each in value]
    return f"{PLANTED} {value}" if isinstance(value, str) and key not in spared else value


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text of every sample and variation."""
    for path in SAMPLES:
        yield path.name.replace(".", "-"), path.read_text()
    for number, case in enumerate(yaml.safe_load(VARIATIONS.read_text("utf-8"))):
        yield f"variation-{number}", "\n".join(case["lines"])


def with_secrets(text: str, spared: frozenset[str]) -> str:
    """Return the lines of a file with secrets, and torn, glued and unreadable ones behind them."""
    lines = []
    for line in text.splitlines():
        try:
            lines.append(json.dumps(planted(json.loads(line), spared=spared)))
        except ValueError:
            lines.append(f"{PLANTED} {line}")
    torn = lines[0][: len(lines[0]) // 2]
    return "\n".join([*lines, torn + lines[0], f'{PLANTED} {{"{PLANTED}": 1', f'{{"error": "{PLANTED} 500"}}', torn])


@pytest.fixture(name="job", scope="module")
def _job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `out/*.jsonl` and `server.log`, which are full of secrets."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "out").mkdir()
    for name, text in texts():
        copies = (
            {"spared": STRUCTURE} if name.startswith("variation") else {"spared": STRUCTURE, "whole": frozenset[str]()}
        )
        for copy, spared in copies.items():
            (folder / "out" / f"{name}-{copy}.jsonl").write_text(with_secrets(text, spared), errors="surrogatepass")
    record = {"timestamp": "t", "event": "request.finished", "rid": PLANTED, "obj": {"text": PLANTED}, "out": PLANTED}
    said = [
        start("10:00:00", api_key=PLANTED),
        decode("10:00:01"),
        f"[2026-11-29 10:00:02] Receive: obj=GenerateReqInput(rid='{PLANTED}', text='{PLANTED} Decode batch.')",
        f"[2026-11-29 10:00:03] Finish: obj=GenerateReqInput(text='{PLANTED}'), out={{'text': '{PLANTED}'}}",
        f"[2026-11-29 10:00:04] {json.dumps(record)}",
        access("10:00:05", path=f"/generate?text={PLANTED}"),
        f"Decode batch. {PLANTED}: 5, #running-req: {PLANTED}",
        f"ValueError: {PLANTED}",
    ]
    (folder / "server.log").write_text("\n".join([*said, ""]))
    return folder


def flags(job: Path) -> list[str]:
    return ["--log", str(job / "server.log"), "--outputs", str(job / "out" / "{dataset}.jsonl")]


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", "sglang_exporter", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr


def test_nothing_that_serve_says_shows_or_keeps(job: Path, tmp_path: Path) -> None:
    kept = tmp_path / "checkpoint"
    with Exporter(tmp_path, *flags(job), "--log.level", "debug", checkpoint=kept) as exporter:
        page = exporter.page_when(lambda page: (pick(page, "sglang_exporter_source_caught_up") or 0) == 1, "it is read")
        assert sum(value for (name, _), value in page.items() if name == "sglang_job_completions_total") > 500
        asked = Request(f"{exporter.url}/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
        with urlopen(asked, timeout=10) as answer:
            pages = [answer.read().decode(), *map(exporter.text, ("/metrics", "/", "/-/ready", "/-/healthy"))]
        assert exporter.signal(signal.SIGTERM) == 0
    assert (kept / "checkpoint").stat().st_size > 10_000
    assert PLANTED.encode() not in b"".join(path.read_bytes() for path in kept.iterdir())
    assert PLANTED not in "".join(pages)
    assert PLANTED not in exporter.log.read_text()


def test_nothing_that_a_fault_of_ours_says(job: Path, tmp_path: Path) -> None:
    debug = ("--log.level", "debug", "--log.format", "json")
    with Exporter(tmp_path, *flags(job), *debug, script=(FAULTY,)) as exporter:
        exporter.page_when(
            lambda page: (pick(page, "sglang_exporter_unrecognised_lines_total", reason="internal_error") or 0) > 0,
            "faults are counted",
        )
        pages = [exporter.text(path) for path in ("/metrics", "/", "/-/healthy")]
    assert "ValueError" in exporter.log.read_text()
    assert "faulty.py" in exporter.log.read_text()
    assert PLANTED not in "".join((*pages, exporter.log.read_text()))


@pytest.mark.parametrize("command", ["once", "check"])
def test_nothing_that_a_command_prints(command: str, job: Path) -> None:
    said = run(command, *flags(job))
    assert "variation-0-spared" in said
    assert PLANTED not in said


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_nothing_that_explain_prints(form: str, job: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [job / "server.log", *sorted((job / "out").iterdir())]
    for file in files:
        main(["explain", str(file), "--format", form])
    said = capsys.readouterr()
    assert len(said.out.splitlines()) > 3 * len(files)
    assert PLANTED not in said.out + said.err


def test_what_is_searched_for_would_be_found(job: Path) -> None:
    files = list((job / "out").iterdir())
    assert len(files) > 150
    assert all(PLANTED in file.read_text(errors="replace") for file in files)
