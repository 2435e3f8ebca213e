"""How a run ended: on request or by a failure, told by the first line that says so."""

import pytest

from support.recordings import lines
from support.servers import LoggedServer, decode, start

SIGTERM = "SIGTERM received. signum=None frame=None. Draining requests and shutting down..."
LEFT_OLD = "Gracefully exiting... remaining number of requests 16"
NONE_LEFT_OLD = "Gracefully exiting... remaining number of requests 0"
LEFT = "Gracefully exiting... Remaining number of requests 8. Remaining requests remaining_rids=['a0']"
NONE_LEFT = "Gracefully exiting... Remaining number of requests 0. Remaining requests remaining_rids=[]."
FINISHED = "INFO:     Finished server process [4118]"
CRASHED = "Subprocess detokenizer (pid=22545) crashed with exit code -9. Triggering SIGQUIT for cleanup..."
SIGQUIT = "SIGQUIT received. signum=None, frame=None. It usually means one child failed."
EXCEPTION = "Scheduler hit an exception: Traceback (most recent call last):"


def ended(*messages: str) -> LoggedServer:
    """Return a server that printed these messages, one a second, after a start and a batch."""
    lines = [f"[2026-11-29 10:01:{second:02}] {message}" for second, message in enumerate(messages)]
    return LoggedServer().read(start("10:00:00"), decode("10:00:50"), *lines)


def causes(server: LoggedServer) -> dict[str, float]:
    """Return when the run ended, by cause."""
    return {
        dict(labels)["cause"]: value
        for (name, labels), value in server.page().items()
        if name == "sglang_server_end_timestamp_seconds"
    }


@pytest.mark.parametrize(
    "messages",
    [
        (SIGTERM, LEFT_OLD, NONE_LEFT_OLD),
        (SIGTERM, LEFT, NONE_LEFT, FINISHED),
        (FINISHED,),  # Ctrl-C prints no word of a signal
        (SIGTERM, LEFT, SIGQUIT),
    ],
)
def test_a_stop_that_somebody_asked_for(messages: tuple[str, ...]) -> None:
    server = ended(*messages)
    assert set(causes(server)) == {"requested"}
    assert server.phase() == "down"


@pytest.mark.parametrize("message", [CRASHED, SIGQUIT, EXCEPTION])
def test_a_failure(message: str) -> None:
    server = ended(message, SIGTERM, FINISHED)  # a supervisor clears away what is left
    assert causes(server) == {"failed": server.now - 2}
    assert server.phase() == "down"


def test_what_dies_after_a_clean_stop_is_no_error() -> None:
    server = ended(FINISHED, CRASHED, SIGQUIT)
    assert causes(server) == {"requested": server.now - 2}
    assert server.value("errors_total", kind="other") == server.value("errors_total", kind="sigquit") == 0


@pytest.mark.parametrize("left", [LEFT_OLD, LEFT, NONE_LEFT, "Gracefully exiting... remaining number of requests 10"])
def test_a_server_that_has_something_to_say_yet_is_not_down(left: str) -> None:
    server = ended(SIGTERM, left)
    assert causes(server) == {}
    assert server.phase() != "down"


def test_a_start_ends_the_end() -> None:
    server = ended(EXCEPTION).read(start("10:02:00"))
    assert causes(server) == {}


@pytest.mark.parametrize("name", ["0.4.6.post5-batch", "0.4.10.post2-batch", "0.4.10.post2-kill", "0.5.23-batch"])
def test_recorded_servers_were_stopped_and_made_no_error_of_it(name: str) -> None:
    server = LoggedServer().read(*lines(name, "server.log"))
    assert set(causes(server)) == {"requested"}
    assert server.value("errors_total", kind="other") == 0
