"""A request may print three lines; only one source counts in a run."""

from support.servers import LoggedServer, start

FINISH = "[2026-11-29 10:00:01] Finish: obj=GenerateReqInput(rid='a'), out={'text': 't', 'meta_info': {'prompt_tokens': 10, 'completion_tokens': 20}}"
STATS = "[2026-11-29 10:00:01] ReqTimeStats(rid=a, input_len=11, cached_input_len=0, output_len=21, type=unified): queue_duration=8.39ms"
JSON = '[2026-11-29 10:00:01] {"timestamp": "2026-11-29T10:00:01.1", "event": "request.finished", "rid": "a", "out": {"meta_info": {"prompt_tokens": 12, "completion_tokens": 22}}}'


def totals(server: LoggedServer) -> tuple[float | None, ...]:
    return tuple(
        server.value(name)
        for name in ("requests_finished_total", "request_output_tokens_total", "request_input_tokens_total")
    )


def test_the_best_source_counts() -> None:
    assert totals(LoggedServer().read(STATS)) == (1, 21, 11)
    assert totals(LoggedServer().read(FINISH, FINISH)) == (2, 40, 20)
    assert totals(LoggedServer().read(JSON, FINISH, STATS)) == (1, 22, 12)


def test_totals_never_fall_when_a_better_source_begins() -> None:
    server = LoggedServer().read(STATS, STATS, STATS)
    assert totals(server.read(FINISH))[0] == 3
    assert totals(server.read(FINISH, FINISH, FINISH))[0] == 4


def test_each_run_has_its_own_source() -> None:
    assert totals(LoggedServer().read(STATS, start("10:00:02"), FINISH, FINISH))[0] == 3


def test_a_server_that_logs_no_requests_has_no_such_series() -> None:
    assert totals(LoggedServer().read(start("10:00:00"))) == (None, None, None)
