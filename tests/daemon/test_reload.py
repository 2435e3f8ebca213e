"""A configuration that changes while the daemon runs."""

import signal
from pathlib import Path

from support.exporter import Exporter, pick
from support.servers import decode, prefill

TOTAL = "sglang_server_prefill_tokens_total"


def write_config(folder: Path, *names: str, extra: str = "") -> Path:
    path = folder / "config.yaml"
    servers = "".join(f"  - {{logs: {folder / name}.log, profile: batch{extra}}}\n" for name in names)
    path.write_text(f"servers:\n{servers}")
    return path


def test_sources_come_and_go_without_losing_position(tmp_path: Path) -> None:
    logs = {name: tmp_path / f"{name}.log" for name in ("a1", "b1", "c1")}
    for log in logs.values():
        log.write_text(prefill("10:00:00") + "\n")
    config = write_config(tmp_path, "a1", "b1")
    with Exporter(tmp_path, "--config.file", config) as exporter:
        exporter.page_when(lambda page: pick(page, TOTAL, server="b1") == 50, "both are read")
        assert 'id="server-a1"' in exporter.text("/")
        write_config(tmp_path, "b1", "c1", extra=", thresholds: {kv_cache_saturated: 0.8}")
        exporter.hang_up()
        page = exporter.page_when(lambda page: pick(page, TOTAL, server="c1") == 50, "the new one is read")
        assert pick(page, TOTAL, server="a1") is None
        assert 'id="server-a1"' not in exporter.text("/")
        assert pick(page, "sglang_exporter_source_up", source="log:a1") is None
        assert pick(page, TOTAL, server="b1") == 50
        assert pick(page, "sglang_exporter_alert_threshold", server="b1") == 0.8
        with logs["b1"].open("a") as file:
            file.write(prefill("10:00:01") + "\n")
        exporter.page_when(lambda page: pick(page, TOTAL, server="b1") == 100, "it goes on where it was")


def test_a_file_that_changed_is_loaded_without_a_signal(tmp_path: Path) -> None:
    (tmp_path / "a1.log").write_text(decode("10:00:00") + "\n")
    config = write_config(tmp_path)
    config.write_text("servers: []\n")
    with Exporter(tmp_path, "--config.file", config) as exporter:
        write_config(tmp_path, "a1")
        exporter.page_when(lambda page: pick(page, "sglang_server_starts_total", server="a1") == 0, "it is followed")


def test_a_bad_file_leaves_the_last_good_one_in_force(tmp_path: Path) -> None:
    (tmp_path / "a1.log").write_text(prefill("10:00:00") + "\n")
    config = write_config(tmp_path, "a1")
    good = "sglang_exporter_config_last_reload_successful"
    with Exporter(tmp_path, "--config.file", config) as exporter:
        assert pick(exporter.page(), good) == 1
        config.write_text("servers:\n  - logs: a\n    profil: batch\n")
        page = exporter.page_when(lambda page: pick(page, good) == 0, "the bad one is refused")
        assert pick(page, TOTAL, server="a1") == 50
        assert "config.yaml:3: servers[0].profil" in exporter.log.read_text()
        write_config(tmp_path, "a1")
        exporter.page_when(lambda page: pick(page, good) == 1, "the good one is back")
        assert exporter.signal(signal.SIGTERM) == 0
