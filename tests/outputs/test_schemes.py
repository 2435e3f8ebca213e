"""A mapping as a user may write it: what each key means."""

import json
from typing import Any

import msgspec
import pytest

from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.presets import GENERIC, preset, preset_names, schemes
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.steps import SchemeError


def read(record: object, **keys: object) -> Record:
    scheme = msgspec.convert(keys, Scheme)
    (found,) = OutputReader(Mapping(scheme)).read(json.dumps(record).encode())
    return found


def test_without_any_key_a_record_is_a_completion() -> None:
    record = read({"anything": 1})
    assert (record.completions, record.uncounted, record.finish_reasons) == (1, 1, ("unknown",))
    assert record.key is None


@pytest.mark.parametrize(
    ("value", "completions", "errors"),
    [
        (["a", "b"], 2, ()),
        (["a", None, "", None], 2, (("null_output", 2),)),
        ([], 0, ()),
        ("text", 1, ()),
        ({"k": 1}, 1, ()),
        (None, 1, ()),
        (True, 1, ()),
        (7, 7, ()),
        (0, 0, ()),
        (-3, 0, ()),
    ],
)
def test_what_completions_are(value: object, completions: int, errors: tuple[tuple[str, int], ...]) -> None:
    record = read({"answers": value}, completions="answers")
    assert (record.completions, record.errors) == (completions, errors)


def test_the_first_alternative_that_is_there_counts() -> None:
    keys: dict[str, Any] = {"completions": ["a", "b"], "output_tokens": ["n", "m"], "id": ["x", "y"]}
    record = read({"a": None, "b": ["r", "s"], "n": -1, "m": 50, "x": "", "y": 0}, **keys)
    assert (record.completions, record.output_tokens) == (2, 50)
    assert record.key is not None


def test_one_total_for_several_completions_is_a_part_for_each() -> None:
    record = read({"a": ["r", "s", "t", "u"], "n": 100}, completions="a", output_tokens="n")
    assert record.output_tokens == 100
    assert list(record.lengths) == [25] * 4
    assert record.uncounted == 0


def test_counts_in_a_list_belong_to_the_completions_in_their_order() -> None:
    record = read({"a": ["r", None, "t", "u"], "n": [1, 20, 300, -1]}, completions="a", output_tokens="n")
    assert (record.completions, record.output_tokens, record.lengths) == (3, 301, (1, 300))
    assert (record.failed_output_tokens, record.uncounted) == (20, 1)


def test_finish_reasons_belong_to_the_completions_in_their_order() -> None:
    keys = {"completions": "a", "finish_reason": "f"}
    assert read({"a": ["r", None, "t"], "f": ["stop", "abort", "length"]}, **keys).finish_reasons == ("stop", "length")
    assert read({"a": ["r", "s", "t"], "f": ["stop"]}, **keys).finish_reasons == ("stop", "unknown", "unknown")
    assert read({"a": ["r"], "f": ["stop", "length"]}, **keys).finish_reasons == ("stop",)


def test_tokens_spent_on_null_are_lost() -> None:
    record = read({"a": [None], "n": 40}, completions="a", output_tokens="n")
    assert (record.completions, record.output_tokens, record.failed_output_tokens) == (0, 0, 40)


@pytest.mark.parametrize(("text", "uncounted"), [("words", 1), ("", 0), (None, 0)])
def test_zero_tokens_beside_a_text_are_unknown(text: str | None, uncounted: int) -> None:
    record = read({"n": 0, "t": text}, output_tokens="n", text="t")
    assert (record.uncounted, len(record.lengths)) == (uncounted, 1 - uncounted)


def test_minus_one_is_unknown() -> None:
    assert read({"n": -1}, output_tokens="n").uncounted == 1


@pytest.mark.parametrize(
    ("texts", "uncounted"),
    [
        (["a"], 1),
        (["a", ["-1.2", "True"]], 1),
        ([["-1.2", "True"]], 0),
        ([[{"type": "text", "text": "a"}]], 1),
        ([], 1),
    ],
)
def test_what_is_no_text_has_no_tokens_to_estimate(texts: list[object], uncounted: int) -> None:
    assert read({"t": texts}, text="t").uncounted == uncounted
    assert read({"t": texts}, text="t[]").uncounted == uncounted


def test_a_failed_record_keeps_its_tokens_apart() -> None:
    keys: dict[str, Any] = {
        "error": "e",
        "output_tokens": "n",
        "input_tokens": "m",
        "cached_tokens": "c",
        "latency": "l",
        "finish_reason": "f",
    }
    record = read({"e": "timeout", "n": 5, "m": 6, "c": 2, "l": 1.5, "f": "stop"}, **keys)
    assert (record.completions, record.errors, record.failed_output_tokens) == (0, (("timeout", 1),), 5)
    assert (record.output_tokens, record.input_tokens, record.cached_tokens) == (0, None, None)
    assert (record.latencies, record.finish_reasons, record.uncounted) == ((), (), 0)
    assert record.settles


def test_errors_of_single_requests_leave_the_others() -> None:
    record = read({"a": ["r", "s"], "e": ["", "HTTP 503", "timeout"]}, completions="a", error=["e[]"])
    assert record.completions == 2
    assert dict(record.errors) == {"http_5xx": 1, "timeout": 1}


def test_a_record_that_sums_up_says_nothing_of_each_request() -> None:
    keys = {"completions": "done", "output_tokens": "n", "error": "failed", "latency": "seconds"}
    record = read({"done": 97, "failed": 3, "n": 9700, "seconds": 60.0}, **keys)
    assert (record.completions, record.errors, record.output_tokens) == (97, (("other", 3),), 9700)
    assert (record.lengths, record.latencies, record.finish_reasons, record.uncounted) == ((), (), (), 0)


def test_skipped_and_left_out() -> None:
    control = read({"type": "summary", "id": 1}, skip="type = summary", id="id")
    left_out = read({"status": "skipped", "id": 1}, left_out="status = skipped", id="id")
    assert (control.skipped, control.settles, control.key) == (True, False, None)
    assert (left_out.skipped, left_out.settles, left_out.key is not None) == (True, True, True)


def test_times_and_latencies() -> None:
    record = read({"t": [1500, None, 500], "at": 2_000_000_000}, latency=["s", "t[] @ms"], timestamp="at @ns")
    assert (record.latencies, record.timestamp) == ((1.5, 0.5), 2.0)


@pytest.mark.parametrize("latency", [float("nan"), float("inf"), -1.0, "soon"])
def test_no_latency(latency: object) -> None:
    assert read({"s": latency}, latency="s").latencies == ()


def test_ids_of_one_file_are_its_own_unless_the_job_shares_them() -> None:
    def key(scope: str, **keys: object) -> int | None:
        return (
            OutputReader(Mapping(msgspec.convert({"id": "id", **keys}, Scheme)), scope=scope).read(b'{"id": 7}')[0].key
        )

    assert key("a") == key("a")
    assert key("a") != key("b")
    assert key("a", id_scope="job") == key("b", id_scope="job")


def test_an_id_is_the_same_as_a_number_and_as_a_string() -> None:
    reader = OutputReader(Mapping(Scheme(id="id")))
    keys = [reader.read(line)[0].key for line in (b'{"id": 7}', b'{"id": "7"}', b'{"id": true}', b'{"id": {"a": 1}}')]
    assert keys[0] == keys[1]
    assert keys[2:] == [None, None]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"output_tokens": ["a", "b..c"]}, r"output_tokens: not a path: 'b\.\.c'"),
        ({"error": "status >= bad"}, "error: not a condition"),
        ({"records": "a[", "container": "json"}, "not a path"),
    ],
)
def test_a_scheme_that_cannot_be_compiled(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemeError, match=message):
        Mapping(msgspec.convert(keys, Scheme))


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="output_token"):
        msgspec.convert({"output_token": "a"}, Scheme)


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(SchemeError, match="no such format: 'jsonl'; known are auto, openai-batch"):
        preset("jsonl")


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_compiles_and_can_be_detected(name: str) -> None:
    assert preset(name).decoder.decode(b"{}") == {}
    assert name == GENERIC or schemes()[name].detect
