"""What counts as a line of SGLang's, and what only looks like one."""

import pytest

from sglang_exporter.serverlog.decoder import OTHER, LogDecoder
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.ranks import NO_RANKS

DECODE = (
    b"[2026-11-29 16:14:41] Decode batch, #running-req: 4, #token: 385, token usage: 0.06, "
    b"cpu graph: False, gen throughput (token/s): 12.28, #queue-req: 0"
)


class Log:
    """A log decoded line by line."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self.unrecognised: dict[str, int] = {}
        self._decoder = LogDecoder(self.kinds, self.unrecognised)

    def read(self, *lines: bytes) -> list[Event]:
        return [event for line in lines for event in self._decoder.decode(line) if event.kind != OTHER]


def test_a_line_behind_a_progress_bar_counts() -> None:
    bar = b"Loading: 100% Completed | 1/1 [00:00<00:00, 1061.04it/s]"
    assert [event.fields["#token"] for event in Log().read(bar + b"\r" + DECODE, bar + DECODE)] == [385, 385]


def test_a_line_glued_behind_text_counts() -> None:
    (event,) = Log().read(b"See https://nanobind.readthedocs.io/en/latest/refleaks.html" + DECODE)
    assert event.kind == "decode"


def test_a_torn_line_with_the_next_glued_on_gives_only_the_next() -> None:
    for end in range(DECODE.index(b"#running"), len(DECODE)):
        log = Log()
        (event,) = log.read(DECODE[:end] + DECODE)
        assert event.fields["gen throughput (token/s)"] == 12.28
        assert sum(log.unrecognised.values()) == 1


def test_a_line_that_lacks_only_its_first_bracket_counts() -> None:
    assert len(Log().read(DECODE[1:])) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"[2026-11-29 16:14:41] Receive: obj=GenerateReqInput(text='" + DECODE + b"')",
        b'[2026-11-29 16:14:41] Receive: obj=GenerateReqInput(text="what is' + DECODE + b'")',
        b"  prompt = '" + DECODE + b"'",
        b"The user wrote: " + DECODE,
        b'{"prompt": "' + DECODE + b'"}',
    ],
)
def test_a_quoted_line_is_none(line: bytes) -> None:
    assert not [event for event in Log().read(line) if event.kind == "decode"]


def test_a_bare_line_counts_only_in_a_log_without_prefixes() -> None:
    bare = DECODE.partition(b"] ")[2]
    assert len(Log().read(bare, bare)) == 2
    assert [event.kind for event in Log().read(DECODE, bare)] == ["decode"]


def test_separators_inside_json_do_not_end_a_line() -> None:
    forged = b'[2026-11-29 16:14:41] {"timestamp": "2026-11-29T16:14:41.1", "event": "request.received", "rid": "r", '
    forged += '"obj": {"text": "a\u2028[2026-11-29 16:14:41] server_args=ServerArgs(model_path=1)\u0085"}}'.encode()
    assert [event.kind for event in Log().read(forged)] == ["json.request.received"]


def test_a_status_line_in_new_words_is_drift() -> None:
    log = Log()
    assert not log.read(b"[2026-11-29 16:14:41] Verify batch, #running-req: 4")
    assert log.unrecognised == {"format_drift": 1}


@pytest.mark.parametrize(
    "cut",
    [
        ("#running-req: 4", "ning-req: 4"),
        ("#token: 385, token usage: 0.06, ", ""),
        ("token usage: 0.06, cpu graph", "token uspu graph"),
        ("#token: 385, token usage", "#token usage"),
        ("token usage: 0.06, cpu", "token usage: 0.0pu"),
        (", #queue-req: 0", ""),
        ("385, token", "3ken"),
        ("12.28", "12.2"),
    ],
)
def test_a_line_with_columns_cut_out_gives_no_value(cut: tuple[str, str]) -> None:
    log = Log()
    whole, damaged = (text.encode() for text in cut)
    assert not log.read(DECODE.replace(whole, damaged))
    assert log.unrecognised == {"damaged": 1}


@pytest.mark.parametrize("label", ["#cached-req", "#pending-seq", "kv token usage", "#stalled-req", "draft accept len"])
def test_a_label_of_a_release_to_come_is_no_damage(label: str) -> None:
    log = Log()
    assert len(log.read(DECODE + f", {label}: 1".encode())) == 1
    assert log.unrecognised == {"unknown_field": 1}


def test_a_field_that_nobody_has_seen_is_kept_and_counted() -> None:
    log = Log()
    (event,) = log.read(DECODE + b", #cache_miss: 1")
    assert event.fields["#cache_miss"] == 1
    assert log.unrecognised == {"unknown_field": 1}


def test_a_value_that_is_no_number_is_damage() -> None:
    log = Log()
    assert not log.read(DECODE.replace(b"0.06", b"0.0x"))
    assert log.unrecognised == {"damaged": 1}
    assert log.kinds == {OTHER: 1}


@pytest.mark.parametrize(
    "line", [b"", b"\r", b"\x00" * 50, b"\xff\xfe[", b"[2026-11-29 16:14:41]", b"INFO:     ", b"in="]
)
def test_nothing_raises(line: bytes) -> None:
    assert Log().read(line) in ([], [Event("uvicorn", {}, None, NO_RANKS)])
