"""Ray's driver log: many engines in one file, told apart by process and address."""

from support.servers import LoggedServer, decode, start


def ray(line: str, pid: int, ip: str = "") -> str:
    address = f", ip={ip}" if ip else ""
    return f"\x1b[36m(SGLangEngine pid={pid}{address})\x1b[0m {line}"


def test_engines_are_numbered_as_they_appear_from_the_first_line() -> None:
    server = LoggedServer().read(ray(decode("10:00:00", running=3), 41820), ray(decode("10:00:00", running=5), 77))
    assert server.value("running_requests", engine="0") == 3
    assert server.value("running_requests", engine="1") == 5


def test_actors_that_are_no_engines_get_no_number() -> None:
    server = LoggedServer().read("(TaskRunner pid=9) step 1", "(TaskRunner pid=9) [2026-11-29 10:00:00] hello")
    server.read(ray(decode("10:00:00"), 5))
    assert list(server.state.engines) == ["0"]


def test_a_start_under_a_new_process_takes_the_slot_of_a_silent_engine_on_its_address() -> None:
    server = LoggedServer().read(ray(start("10:00:00"), 1, "10.0.0.1"), ray(start("10:00:00"), 2, "10.0.0.2"))
    server.read(ray(decode("10:00:10"), 1, "10.0.0.1"), ray(decode("10:00:10"), 2, "10.0.0.2"))
    server.read(ray(decode("10:01:00"), 2, "10.0.0.2"), ray(start("10:01:00"), 3, "10.0.0.1"))
    assert server.value("starts_total", engine="0") == 2
    server.read(ray(start("10:01:01"), 4, "10.0.0.2"))
    assert server.value("starts_total", engine="1") == 1
    assert server.value("starts_total", engine="2") == 1


def test_swallowed_lines_are_counted() -> None:
    counted: dict[str, int] = {}
    server = LoggedServer(unrecognised=counted).read(ray(decode("10:00:00"), 1) + " [repeated 5x across cluster]")
    assert counted["repeated"] == 4
    assert server.value("queued_requests", engine="0") == 0


def test_engines_that_load_at_the_same_time_on_one_address_are_two() -> None:
    server = LoggedServer().read(ray(start("10:00:00"), 1, "10.0.0.1"), ray(start("10:00:01"), 2, "10.0.0.1"))
    server.read(ray(decode("10:05:00", running=3), 1, "10.0.0.1"), ray(decode("10:05:00", running=5), 2, "10.0.0.1"))
    assert [server.value("starts_total", engine=engine) for engine in ("0", "1")] == [1, 1]
    assert [server.value("running_requests", engine=engine) for engine in ("0", "1")] == [3, 5]
