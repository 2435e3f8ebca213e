"""SGLang's message behind the head of a logging format of the user's own."""

import pytest

from sglang_exporter.serverlog.decoder import LogDecoder
from support.servers import decode

MESSAGE = decode("10:00:00").partition("] ")[2]
HEADS = [
    "[2025-11-23 23:34:08] INFO engine.py:123: ",
    "2025-11-23 23:34:08,123 - sglang.srt.managers.scheduler - INFO - ",
    "2025-11-23 23:34:08 | INFO | scheduler:log_decode_stats:812 - ",
    "INFO 2025-11-23T23:34:08 [scheduler.py:812] ",
    "[WARNING] 2025-11-23 23:34:08 scheduler: ",
]
NO_HEADS = [
    'INFO gateway: prompt="what is this: ',
    "the user asked about INFO and wrote: no such thing as prompt=",
    "2025-11-23 23:34:08 somebody: ",
    "> ",
    "INFO 04-27 16:06:28 [loggers.py:271] Engine 000: Avg generation throughput: 18.1 tokens/s, answer='",
]


@pytest.mark.parametrize("head", HEADS)
def test_a_message_behind_a_loggers_head_counts(head: str) -> None:
    (event,) = LogDecoder({}, {}).decode((head + MESSAGE).encode())
    assert event.kind == "decode"
    assert event.fields["#running-req"] == 4
    assert event.time == "2025-11-23T23:34:08"


@pytest.mark.parametrize("head", NO_HEADS)
def test_a_message_quoted_in_a_line_of_someone_elses_does_not(head: str) -> None:
    assert not [event for event in LogDecoder({}, {}).decode((head + MESSAGE).encode()) if event.kind == "decode"]
