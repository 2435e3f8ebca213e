"""What could not be read is said in the log, once a minute at most, beside being counted."""

from pathlib import Path

import pytest

from sglang_exporter.build import build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, ServerConfig
from sglang_exporter.once import Nobody
from support.servers import decode

LIMIT = 1000


def warnings(caplog: pytest.LogCaptureFixture) -> list[tuple[str, dict[str, object]]]:
    return [(record.getMessage(), getattr(record, "fields", {})) for record in caplog.records]


def test_a_line_that_is_too_long(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = tmp_path / "node7.log"
    log.write_text(("x" * 5000 + "\n" + decode("10:00:00") + "\n") * 3)
    config = Config(servers=[ServerConfig(logs=str(log))], max_line_bytes=LIMIT)
    exporter = build(config, FixedClock(), Nobody())
    for _ in range(3):
        exporter.pipeline.step()
        with log.open("a") as file:
            file.write("x" * 5000 + "\n")
    assert warnings(caplog) == [("a line is too long and is left out", {"file": str(log), "limit": LIMIT})]


def test_bytes_that_were_gone_before_they_were_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = tmp_path / "node7.log"
    log.write_text((decode("10:00:00") + "\n") * 10_000)
    size = log.stat().st_size
    exporter = build(Config(servers=[ServerConfig(logs=str(log))]), FixedClock(), Nobody())
    exporter.pipeline.step()
    read = exporter.shared.store.sources["log:node7"].read
    log.write_text("")
    exporter.pipeline.step()
    told = {"file": str(log), "bytes": size - read}
    assert warnings(caplog) == [("bytes were gone before they were read", told)]
