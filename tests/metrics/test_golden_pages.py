"""The whole page of each recording, as `once` prints it: a change of any metric is seen as text."""

import os
import re
from pathlib import Path

import pytest

from sglang_exporter.cli import main
from support.golden import Golden
from support.recordings import RECORDINGS, unpack

_THIS_MACHINE = re.compile(r"^sglang_exporter_(?:build_info|collector_duration_seconds)\{.*\n", re.MULTILINE)
WRITTEN = 1_795_969_500
PAGES = Path(__file__).parent / "pages"
NAMES = sorted(path.parent.name for path in RECORDINGS.glob("*/raw_responses.jsonl.gz"))


@pytest.mark.parametrize("recording", NAMES)
def test_page(recording: str, tmp_path: Path, golden: Golden, capsys: pytest.CaptureFixture[str]) -> None:
    log, outputs = (unpack(recording, name, tmp_path) for name in ("server.log", "raw_responses.jsonl"))
    os.utime(outputs, (WRITTEN, WRITTEN))
    config = tmp_path / "config.yaml"
    config.write_text(
        f"servers: [{{logs: {log}, name: {recording}, timezone: UTC}}]\njobs: [{{files: {outputs}, name: {recording}, total: 5000}}]\n"
    )
    assert main(["once", "--stale-after", "0", "--config.file", str(config)]) == 0
    golden.check(PAGES / f"{recording}.txt", _THIS_MACHINE.sub("", capsys.readouterr().out))
