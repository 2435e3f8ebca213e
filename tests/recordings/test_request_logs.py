"""A server that logs its requests: three lines tell of each, and they count once."""

import re

from support.recordings import lines
from support.servers import LoggedServer

_META = re.compile(r"'prompt_tokens': (\d+).*?'completion_tokens': (\d+)")


def test_finished_requests_and_their_tokens_equal_a_count_of_the_lines() -> None:
    log = list(lines("0.5.23-logreq", "server.log"))
    counts = [_META.search(line) for line in log if "] Finish: obj=" in line]
    server = LoggedServer().read(*log)
    assert server.value("requests_finished_total") == len(counts) == 60
    assert server.value("request_input_tokens_total") == sum(int(found[1]) for found in counts if found)
    assert server.value("request_output_tokens_total") == sum(int(found[2]) for found in counts if found)
    assert any("ReqTimeStats(" in line for line in log)
