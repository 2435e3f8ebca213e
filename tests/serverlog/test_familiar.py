"""A line of a familiar form says what the whole grammar makes of it, and nothing else is taken for one."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from sglang_exporter.serverlog import decoder as decoding
from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.envelope import read_prefix
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.familiar import Familiar
from sglang_exporter.serverlog.forms import readings
from sglang_exporter.serverlog.ranks import NO_RANKS
from support.damaging import DAMAGES
from support.printing import LAYOUTS, printed

LINES = sorted((Path(__file__).parent / "lines").glob("*.log"))
STATUS = ("decode", "prefill")
DECODE = b"[2025-07-30 10:15:02 TP0] Decode batch. #running-req: 150, #token: 349707, token usage: 0.93, "
DECODE += b"gen throughput (token/s): 1351.40, #queue-req: 0, "


class Unfamiliar(Familiar):
    """To which no form is familiar."""

    def read(self, line: bytes) -> Event | None:  # noqa: ARG002
        return None


def understood(lines: Iterable[bytes], *, familiar: bool) -> tuple[list[list[object]], dict[str, int], dict[str, int]]:
    """Return what each line says with its readings, and the counts of lines."""
    kinds: dict[str, int] = defaultdict(int)
    unrecognised: dict[str, int] = defaultdict(int)
    with pytest.MonkeyPatch.context() as patch:
        if not familiar:
            patch.setattr(decoding, "Familiar", Unfamiliar)
        decoder = LogDecoder(kinds, unrecognised)
    said = [[_plain(event) for event in decoder.decode(line)] for line in lines]
    return said, kinds, unrecognised


def _plain(event: Event) -> object:
    fields = list(event.fields.items())
    assert [label for label, _ in fields] == list(event.fields)
    found = readings(event) if event.kind in STATUS else None
    return (
        repr(replace(event, fields=dict(fields))),
        found and repr(replace(found, names=(), values=())),
        sorted(found.gauges.items() if found else ()),
    )


def assert_same(lines: list[bytes]) -> None:
    with_forms, without = understood(lines, familiar=True), understood(lines, familiar=False)
    for line, one, other in zip(lines, with_forms[0], without[0], strict=True):
        assert one == other, line
    assert with_forms[1:] == without[1:]


@pytest.mark.parametrize("path", LINES, ids=lambda path: path.stem)
def test_lines_of_a_release_three_times_over(path: Path) -> None:
    assert_same(path.read_bytes().split(b"\n") * 3)


@pytest.mark.parametrize("seed", range(4))
def test_lines_of_one_form_with_other_numbers_and_damage(seed: int) -> None:
    random = Random(seed)
    for layout in random.sample(LAYOUTS, 40):
        line = printed(random, layout).line.encode()
        assert_same([line, line, line, *(_varied(random, line) for _ in range(60))])


@pytest.mark.parametrize(
    "other",
    [
        DECODE.replace(b"150", b"0150"),
        DECODE.replace(b"150", b"15.00"),
        DECODE.replace(b"0.93", b"93"),
        DECODE.replace(b"0.93", b"0.935"),
        DECODE.replace(b"0.93", b"00.93"),
        DECODE.replace(b"349707", b"3497073497073497070"),
        DECODE.replace(b"150", b""),
        DECODE.replace(b"TP0", b"TP"),
        DECODE.replace(b"TP0", b"TP07"),
        DECODE.replace(b"07-30", b"13-30"),
        DECODE.replace(b"10:15", b"1:015"),
        DECODE.replace(b"#queue", b"#9queue"),
        DECODE.replace(b"Decode", b"Deco9de"),
        b"9" + DECODE,
        DECODE + b"9",
    ],
)
def test_a_digit_where_none_belongs_is_no_familiar_form(other: bytes) -> None:
    familiar = Familiar(dict.fromkeys(("decode", "access"), 0))
    event = next(iter(LogDecoder({}, {}).decode(DECODE)))
    for _ in range(3):
        familiar.learn(DECODE, event)
    assert familiar.read(DECODE)
    assert familiar.read(other) is None
    assert_same([DECODE, DECODE, DECODE, other])


ACCESS = b'INFO:     127.0.0.1:45678 - "POST /v1/chat/completions HTTP/1.1" 200 OK'
STAMPED = b"[2025-07-30 10:15:02] " + ACCESS


@pytest.mark.parametrize(
    "other",
    [
        STAMPED.replace(b"127.0.0.1:45678", b"::1:9"),
        STAMPED.replace(b"127.0.0.1:45678", b"testclient:50000"),
        STAMPED.replace(b"127.0.0.1:45678", b""),
        STAMPED.replace(b"127.0.0.1", b"127.0.0.1 "),
        STAMPED.replace(b"INFO:", b"9INFO:"),
        STAMPED.replace(b" - ", b" - - "),
        STAMPED.replace(b"200", b"2000"),
        STAMPED.replace(b"200", b"404"),
        STAMPED.replace(b"07-30", b"13-30"),
        STAMPED.replace(b"02]", b"02.123 DP1 TP0]"),
        STAMPED.replace(b"02]", b"02 FOO TP0]"),
        STAMPED.replace(b"02]", b"02 TP0 DP1]"),
        STAMPED[1:],
        STAMPED + b"\r",
        STAMPED.replace(b"INFO", b"\rINFO"),
        b"]" + STAMPED,
        b"] " + ACCESS,
        b" " + ACCESS,
        b"50%] " + STAMPED,
        STAMPED + STAMPED,
    ],
)
def test_a_line_like_a_familiar_request_is_what_the_grammar_makes_of_it(other: bytes) -> None:
    for familiar in (STAMPED, ACCESS):
        assert_same([familiar, familiar, familiar, other, other, other])


FLUSHED = b"[2025-07-30 10:15:02 TP0] Cache flushed successfully!"
RETRACTED = b"[2025-07-30 10:15:02 DP1 TP0] KV cache pool is full. Retract requests. #retracted_reqs: 3, "
RETRACTED += b"#new_token_ratio: 0.4211 -> 0.8123"


@pytest.mark.parametrize(
    "said", [FLUSHED, RETRACTED, FLUSHED.replace(b"Cache", b"Cash"), STAMPED, b"[2025-07-30 10:15:02]"]
)
def test_the_same_words_at_another_time_say_the_same_and_others_do_not(said: bytes) -> None:
    lines = [
        said.replace(b"10:15:02", b"10:15:03"),
        said.replace(b"TP0", b"DP3 TP0"),
        said.replace(b"TP0", b"DP3 FOO TP0"),
        said.replace(b"TP0", b"TP0 DP3"),
        said.replace(b"] ", b"]"),
        said.replace(b"]", b""),
        said.replace(b"07-30", b"13-30"),
        said.replace(b": 3", b": 4"),
        said.replace(b": 3", b": 03"),
        said[said.index(b"]") :],
        said[said.index(b"]") + 2 :],
        b"(Engine pid=7, ip=10.0.0.1) " + said,
        said + b"\r",
    ]
    assert_same([said, said, said, *lines, *lines, *lines])


def test_a_request_that_is_familiar_without_a_prefix_still_tells_of_the_prefix() -> None:
    bare = DECODE[DECODE.index(b"Decode") :]
    assert_same([ACCESS, ACCESS, ACCESS, bare, STAMPED, bare, STAMPED, STAMPED, bare])


def test_a_request_is_learnt_however_many_others_came_once() -> None:
    decoder = LogDecoder({}, {})
    for number in range(5000):
        list(decoder.decode(STAMPED.replace(b"completions", b"%d" % number)))
    for _ in range(2):
        list(decoder.decode(STAMPED))
    assert decoder.familiar.read(STAMPED)


def test_numbers_of_a_form_are_those_that_are_printed() -> None:
    random, lines = Random(1), [DECODE] * 3
    for _ in range(500):
        speed = b"%d.%02d" % (random.getrandbits(random.randint(1, 59)), random.randrange(100))
        tokens = b"%d" % random.getrandbits(random.randint(1, 59))
        lines.append(DECODE.replace(b"1351.40", speed).replace(b"349707", tokens))
    assert_same(lines)


def test_of_a_long_line_nothing_is_kept_with_the_prefixes() -> None:
    read_prefix.cache_clear()
    list(LogDecoder({}, {}).decode(b"[" + b"1, " * 1000 + b"2] and so on"))
    assert read_prefix.cache_info().currsize == 0


def test_it_is_the_forms_that_read_the_third_line() -> None:
    familiar = Familiar(dict.fromkeys(("decode", "access"), 0))
    event = next(iter(LogDecoder({}, {}).decode(DECODE)))
    familiar.learn(DECODE, event)
    assert familiar.read(DECODE) is None
    familiar.learn(DECODE, event)
    assert familiar.read(DECODE) == event


def test_however_many_forms_there_are_few_are_remembered() -> None:
    familiar = Familiar(dict.fromkeys(("decode", "access"), 0))
    said = Event("access", {"method": "GET", "path": "/x", "status": 404}, None, NO_RANKS)
    for letters in range(3000):
        path = "".join(chr(97 + letters // 26**place % 26) for place in range(3))
        line = f'INFO:     127.0.0.1:1 - "GET /{path} HTTP/1.1" 404 Not Found'.encode()
        for _ in range(3):
            familiar.learn(line, said)
    assert familiar.size <= 256


def _varied(random: Random, line: bytes) -> bytes:
    """Return a line with some digits changed, added or left out, or damaged otherwise."""
    if random.random() < 0.2:
        return random.choice([*DAMAGES.values()])(random, line, line)
    varied = bytearray(line)
    for _ in range(random.randint(1, 6)):
        digits = [at for at, byte in enumerate(varied) if 48 <= byte <= 57] or [0]
        at = random.choice(digits)
        change = random.random()
        if change < 0.8:
            varied[at] = random.choice(b"0123456789")
        elif change < 0.9:
            varied.insert(at, random.choice(b"0123456789"))
        else:
            del varied[at]
    return bytes(varied)
