"""`sglang-exporter healthcheck` of the real daemon, whatever its web configuration demands of those who come by HTTP."""

import subprocess
import sys
from pathlib import Path

import bcrypt
import pytest

from sglang_exporter.healthcheck import Verdict, ask
from support.certificates import Authority
from support.exporter import Exporter
from support.servers import decode

HASH = bcrypt.hashpw(b"s3cret", bcrypt.gensalt(4)).decode()
TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
CLIENTS = TLS + "  client_ca_file: our-ca.pem\n  client_auth_type: RequireAndVerifyClientCert\n"
PASSWORD = f"basic_auth_users: {{al: {HASH}}}\n"
KINDS = {"plain": "", "tls": TLS, "password": PASSWORD, "clients": CLIENTS, "all": CLIENTS + PASSWORD}


class Guarded(Exporter):
    """A daemon that answers nobody who has not the right certificate and password."""

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def ready(self) -> bool:
        return ask(self.port).code == 0

    def command(self) -> tuple[int, str]:
        """Return what the command says, run as a container's health check is."""
        command = [sys.executable, "-m", "sglang_exporter", "healthcheck", "--web.listen-address", f":{self.port}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert not done.stderr
        return done.returncode, done.stdout


@pytest.fixture(name="flags", params=KINDS)
def _flags(tmp_path: Path, request: pytest.FixtureRequest) -> list[str | Path]:
    Authority(tmp_path).issue("server")
    (tmp_path / "web.yml").write_text(KINDS[request.param])
    return ["--web.config.file", tmp_path / "web.yml"] if KINDS[request.param] else []


def test_healthy_hung_healthy_again_unhealthy_and_gone(tmp_path: Path, flags: list[str | Path]) -> None:
    state, log = tmp_path / "state", tmp_path / "node7.log"
    with Guarded(tmp_path, *flags, "--log", log, checkpoint=state, speed=200) as exporter:
        healthy = f"port {exporter.port}: sglang-exporter is healthy"
        assert exporter.command() == (0, f"{healthy}\n")
        with exporter.frozen():
            assert ask(exporter.port, timeout=0.1) == (1, f"port {exporter.port}: timed out")
        assert ask(exporter.port) == (0, healthy)
        state.rename(tmp_path / "gone")
        log.write_text(decode("10:00:00") + "\n")
        exporter.wait(lambda: ask(exporter.port).code == 1, 20, "it is unhealthy")
        code, said = exporter.command()
        assert code == 1
        assert "is not healthy: the checkpoint could not be written for " in said
    assert exporter.command() == (1, f"port {exporter.port}: no exporter listens on it here\n")


def test_a_hung_one_is_given_three_seconds_and_outlives_it(tmp_path: Path) -> None:
    """For longer than the daemon waits for signals: CPython then tells of one that nobody sent."""
    with Guarded(tmp_path) as exporter:
        with exporter.frozen():
            assert exporter.command() == (1, f"port {exporter.port}: timed out\n")
        exporter.run_on(0.5)
        assert ask(exporter.port) == Verdict(0, f"port {exporter.port}: sglang-exporter is healthy")
