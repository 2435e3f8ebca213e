"""Every recording both ways: scraped while it is written, and backfilled when it is over. Every sample is the same."""

from pathlib import Path

import pytest

from sglang_exporter.config_file import load_config
from sglang_exporter.recording import find_recording
from support.backfilled import backfilled
from support.exporter import Samples
from support.growing import scrapes
from support.recordings import RECORDINGS

NAMES = sorted(path.parent.name for path in RECORDINGS.glob("*/server.log.gz"))
STEP = 15
# What a process says of itself, which a backfill has not.
OF_A_PROCESS = (
    "sglang_exporter_watch_backend",
    "sglang_exporter_collector_success",
    "sglang_exporter_collector_duration_seconds",
    "sglang_exporter_config_last_reload_successful",
)


def config_file(folder: Path, names: list[str]) -> Path:
    path = folder / "config.yaml"
    path.write_text(f"servers: [{{logs: {folder}/server.log, name: s, timezone: UTC}}]\n")
    if "raw_responses.jsonl" in names:
        with path.open("a") as file:
            file.write(f"jobs: [{{files: {folder}/raw_responses.jsonl, name: j, total: 5000}}]\n")
    return path


def of_files(page: Samples) -> Samples:
    return {series: value for series, value in page.items() if series[0] not in OF_A_PROCESS}


@pytest.mark.parametrize("name", NAMES)
def test_every_sample_is_the_same(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = find_recording(RECORDINGS / name)
    path = config_file(tmp_path, recording.names)
    scraped = scrapes(recording, tmp_path, load_config(path), STEP)
    wanted = {float(at): of_files(page) for at, page in scraped}
    found = backfilled(capsys, "--step", str(STEP), "--config.file", path)
    assert found.keys() == wanted.keys()
    for at, page in wanted.items():
        assert found[at] == page, at
    print(f"{sum(map(len, wanted.values()))} samples of {len(wanted)} scrapes are the same")
