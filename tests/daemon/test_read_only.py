"""What is followed is only ever read: the calls that the interpreter itself reports to an audit hook."""

import gzip
import os
import signal
from pathlib import Path

from support.exporter import Exporter, pick
from support.servers import prefill

AUDITED = Path(__file__).parents[1] / "support" / "audited.py"
TOTAL = "sglang_server_prefill_tokens_total"


def test_no_followed_file_is_written_or_locked(tmp_path: Path) -> None:
    folder, seen = tmp_path / "followed", tmp_path / "calls"
    folder.mkdir()
    log, outputs, packed = folder / "node7.log", folder / "answers.jsonl", folder / "node7.log.2.gz"
    log.write_text(prefill("10:00:01") + "\n")
    packed.write_bytes(gzip.compress(prefill("10:00:00").encode() + b"\n"))
    outputs.write_text('{"id": 1, "response": "a"}\n')
    flags: list[str | Path] = ["--log", f"{log}*", "--outputs", outputs]
    with Exporter(tmp_path, *flags, checkpoint=tmp_path / "state", script=[AUDITED, seen]) as exporter:
        log.rename(folder / "node7.log.1")
        log.write_text(prefill("10:00:02") + "\n")
        exporter.page_when(lambda page: pick(page, TOTAL) == 150, "all are read")
        assert exporter.signal(signal.SIGTERM) == 0
    calls = [line.split("\t") for line in seen.read_text().splitlines()]
    touched = [(call, path, int(flags)) for call, path, flags in calls if path.startswith(str(folder))]
    assert {str(log), str(outputs), str(packed)} <= {path for _, path, _ in touched}
    assert all(call == "open" and flags & os.O_ACCMODE == os.O_RDONLY for call, _, flags in touched)
    assert all(not flags & (os.O_CREAT | os.O_TRUNC) for _, _, flags in touched)
    assert {path for call, path, _ in calls if call == "fcntl.flock"} == {str(tmp_path / "state" / "lock")}
