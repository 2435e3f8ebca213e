"""Lines that no known release prints so: damage, unless the log goes on like that, as that of a release to come does."""

import pytest

from sglang_exporter.serverlog.decoder import LogDecoder

DECODE = (
    "[2026-11-29 16:14:41 DP1 TP2] Decode batch, #running-req: 4, #full token: 385, full token usage: 0.06, "
    "#swa token: 12, swa token usage: 0.81, accept len: 3.33, accept rate: 0.55, cuda graph: True, "
    "gen throughput (token/s): 12.28, #queue-req: 13, est. decode TFLOPS/s (per GPU): 1.00, "
    "est. read BW (GB/s per GPU): 2.00, est. write BW (GB/s per GPU): 3.00, fwd occupancy: 45.00%"
)
PREFILL = (
    "[2026-11-29 16:14:41 DP1 TP2] Prefill batch, #new-seq: 1, #new-token: 50, #cached-token: 10, token usage: 0.06, "
    "#running-req: 4, #queue-req: 13, #pending-token: 0, #bootstrap-req: 2, #inflight-req: 3, cuda graph: False, "
    "input throughput (token/s): 9.24"
)
RETRACTION = (
    "[2026-11-29 16:14:41 DP1 TP2] KV cache pool is full. Retract requests. #retracted_reqs: 4, "
    "#new_tokens_gained: 9, #new_token_ratio: 0.4650 -> 0.7664"
)
CAPACITY = (
    "[2026-11-29 16:14:41 DP1 TP2] max_total_num_tokens=860527, chunked_prefill_size=8192, max_prefill_tokens=16384, "
    "max_running_requests=2392, context_len=131072, available_gpu_mem=6.67 GB"
)
WHOLE = [DECODE, PREFILL, RETRACTION, CAPACITY]

# What is lost, or stands where it should not; some new release may print even these.
ODD = [
    (DECODE, "3.33, accept rate: 0.", "3."),
    (DECODE, "0.06, #swa token: 12, swa token usage: 0.", "0."),
    (DECODE, "swa token usage", "swa tken usage"),
    (DECODE, "swa token usage", "swa swa token usage"),
    (DECODE, "swa token usage", "wsa token usage"),
    (DECODE, "usage: 0.81, accept len: 3.33, accept rate", "usaccept rate"),
    (DECODE, "cuda graph: True", "cuda graph: True, cpu graph: True"),
    (DECODE, "cuda graph: True", "cuda graph: True, #pending-token: 5"),
    (DECODE, "2.00, est. write BW (GB/s per GPU): 3.", "2."),
    (DECODE, "accept len: 3.33, accept rate: 0.55, cuda graph: True", "cuda graph: True, accept len: 3.33, accept rate: 0.55"),
    (DECODE, " DP1 ", " D1 "),
    (DECODE, " DP1 TP2", " DPTP2"),
    (DECODE, " DP1 ", " DP "),
    (DECODE, " DP1 TP2", " TP2 DP1"),
    (DECODE, " TP2", " DP2"),
    (PREFILL, "#cached-token: 10, ", ""),
    (PREFILL, "13, #pending-token: ", "1"),
    (PREFILL, "2, #inflight-req: ", "2"),
    (RETRACTION, "4, #new_tokens_gained: 9, #new_token_ratio: 0.4650 -> 0.7664", "4, #new_tokens_gained: 9"),
    (RETRACTION, "4, ", "4, #queue-req: 3, "),
    (CAPACITY, "860527, chunked_prefill_size=", "860527"),
    (CAPACITY, "max_prefill_tokens=16384, ", "max_prefi_tokens=16384, "),
    (CAPACITY, ", context_len=131072", ""),
]  # fmt: skip
# What no release will ever print.
DAMAGED = [
    (DECODE, "#running-req: 4, ", ""),
    (DECODE, "0.81", "0.8"),
    (DECODE, "0.81", ".81"),
    (DECODE, "0.81", "00.81"),
    (DECODE, "0.81", "81"),
    (DECODE, "385", "3.85"),
    (DECODE, "385", "0385"),
    (DECODE, "True", "Tru"),
    (DECODE, "True", "1"),
    (DECODE, "45.00%", "45.00"),
    (DECODE, "385", "full=1, swa=2"),
    (DECODE, "#queue-req: 13", "#queue-req: 13, #queue-req: 12"),
    (DECODE, "16:14:41", "16:94:41"),
    (DECODE, "2026-11-29", "2026-11-31"),
    (PREFILL, "Prefill batch, ", "Prefill batch,"),
    (RETRACTION, "#retracted_reqs: 4, ", ""),
    (RETRACTION, "0.7664", "0.766"),
    (CAPACITY, "131072", "13.00 GB"),
    (CAPACITY, "context_len=", "context_len"),
    (CAPACITY, "16384, ", "16384, max_prefill_tokens=3, "),
]
THRICE = 3


def told(*lines: str) -> tuple[list[str], dict[str, int]]:
    """Return the kinds of the lines that are understood, and the counts of the others."""
    unrecognised: dict[str, int] = {}
    decoder = LogDecoder({}, unrecognised)
    kinds = [event.kind for line in lines for event in decoder.decode(line.encode()) if event.kind != "other"]
    return kinds, unrecognised


@pytest.mark.parametrize("line", WHOLE)
def test_a_whole_line_is_understood(line: str) -> None:
    assert len(told(line)[0]) == 1


@pytest.mark.parametrize(("line", "part", "instead"), ODD)
def test_a_line_that_no_release_prints_is_damage_until_it_comes_again(line: str, part: str, instead: str) -> None:
    assert part in line
    odd = line.replace(part, instead)
    assert told(odd, line, odd)[0] == told(line)[0]
    assert told(odd, line, odd)[1]["damaged"] == 2
    assert told(*[odd] * THRICE)[0] == told(line)[0]


@pytest.mark.parametrize(("line", "part", "instead"), DAMAGED)
def test_a_line_with_a_value_that_is_none_stays_damage(line: str, part: str, instead: str) -> None:
    assert part in line
    kinds, unrecognised = told(*[line.replace(part, instead)] * THRICE)
    assert not kinds
    assert unrecognised == {"damaged": THRICE}


@pytest.mark.parametrize("tag", [" SP3", " CTX0", " encode_server", " encode_dp_worker[1]"])
def test_a_tag_that_nobody_has_seen_is_kept(tag: str) -> None:
    assert told(DECODE.replace(" TP2", tag)) == told(DECODE)


def test_oddities_of_many_kinds_do_not_pile_up() -> None:
    odd = [
        DECODE.replace("usage: 0.81, accept", f"usage: 0.81, a{chr(97 + n // 26)}{chr(97 + n % 26)}:")
        for n in range(300)
    ]
    kinds, _ = told(*[line for line in odd for _ in range(THRICE)])
    assert len(kinds) == 100


def test_the_same_oddity_of_other_numbers_is_the_same() -> None:
    odd = [DECODE.replace("3.33, accept rate: 0.", f"{n}.") for n in range(THRICE)]
    assert len(told(*odd)[0]) == 1


@pytest.mark.parametrize("line", [DECODE, CAPACITY])
def test_a_number_of_thousands_of_digits_is_damage(line: str) -> None:
    number = "385" if line == DECODE else "860527"
    assert told(line.replace(number, "9" * 5000))[1] == {"damaged": 1}


def test_a_time_behind_a_loggers_head_that_no_clock_can_show_is_none() -> None:
    line = DECODE.replace("[2026-11-29 16:14:41 DP1 TP2] ", "2026-11-29 16:94:41,123 - scheduler - INFO - ")
    (event,) = LogDecoder({}, {}).decode(line.encode())
    assert (event.kind, event.time) == ("decode", None)
