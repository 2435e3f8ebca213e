"""What is done and what succeeded: by the last record of an explicit id, else by the record."""

from random import Random
from typing import Literal

import pytest

from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.ids import Ids
from sglang_exporter.state.job import JobState


def good(key: int | None = None, completions: int = 1) -> Record:
    return Record(settles=True, key=key, completions=completions)


def failed(key: int | None = None) -> Record:
    return Record(settles=True, key=key, errors=(("other", 1),))


def job(*records: Record, total: int | None = None, unit: Literal["records", "completions"] = "records") -> JobState:
    state = JobState(JobConfig(files="", total=total, unit=unit))
    state.fold(records, 0.0, live=False)
    return state


def test_the_last_record_of_an_id_decides() -> None:
    state = job(failed(1), good(2), good(1), failed(2), good(3))
    assert (state.done, state.succeeded) == (3, 2)
    assert (state.counts["records"], state.counts["completions"], state.counts["duplicates"]) == (5, 3, 2)


def test_without_ids_every_record_counts() -> None:
    state = job(good(), good(), failed())
    assert (state.done, state.succeeded, state.counts["duplicates"]) == (3, 2, 0)


def test_a_record_with_some_good_answers_succeeded() -> None:
    state = job(Record(settles=True, key=1, completions=2, errors=(("null_output", 1),)))
    assert (state.done, state.succeeded) == (1, 1)


def test_a_record_without_answers_or_errors_succeeded() -> None:
    assert job(Record(settles=True, key=1)).succeeded == 1


def test_inputs_left_out_are_done_and_control_records_are_not() -> None:
    state = job(Record(skipped=True, settles=True, key=1), Record(skipped=True), Record(malformed=True))
    assert state.done == 1


def test_a_chunk_of_a_stream_is_not_done() -> None:
    assert job(Record(output_tokens=3)).done == 0


def test_later_lines_of_an_id_that_count_once_are_nothing() -> None:
    once = Record(settles=True, key=1, once=True, completions=2, uncounted=2)
    state = job(once, once, Record(settles=True, key=1, once=True, errors=(("other", 1),)))
    assert (state.counts["records"], state.counts["completions"], state.counts["duplicates"]) == (1, 2, 2)
    assert (state.done, state.succeeded) == (1, 1)


def test_done_never_exceeds_what_is_expected() -> None:
    state = job(*map(good, range(7)), total=5)
    assert (state.done, state.succeeded, state.excess) == (5, 5, 2)
    assert job(*map(good, range(3)), total=5).excess == 0


def test_done_in_completions() -> None:
    records = [good(1, 4), failed(2), Record(settles=True, key=3, completions=3, errors=(("null_output", 1),))]
    state = job(*records, unit="completions")
    assert (state.done, state.succeeded) == (9, 7)
    state.fold([good(1, 2), good(2, 4)], 0.0, live=False)
    assert (state.done, state.succeeded) == (10, 9)


def test_a_withdrawn_record_is_not_done_and_no_duplicate() -> None:
    state = job(good(1), good(1), good())
    withdrawn = [Record(withdrawn=True, settles=True, key=key, completions=1) for key in (1, 1, None)]
    state.fold([*withdrawn, failed(7)], 0.0, live=False)
    assert (state.done, state.succeeded) == (1, 0)
    assert (state.counts["duplicates"], state.totals()["duplicates"]) == (0, 1)


def test_ids_are_not_stored() -> None:
    assert b"123456789" not in repr(job(good(123456789))).encode()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("most", [4, 4096])
def test_ids_like_a_dictionary(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sglang_exporter.state.ids._MOST", most)
    random = Random(seed)
    ids, plain = Ids(), dict[int, tuple[int, int]]()
    keys = [0, 1, (1 << 60) - 1, *(random.getrandbits(60) for _ in range(50))]
    for _ in range(400):
        key, share = random.choice(keys), random.choice([(1, 1), (1, 0), (3, 2), (0, 0)])
        if random.random() < 0.3:
            assert ids.forget(key) == (plain.pop(key, None) is not None)
        else:
            assert ids.settle(key, *share) == (key in plain)
            plain[key] = share
        assert (ids.done, ids.good) == tuple(sum(column) for column in zip((0, 0), *plain.values(), strict=True))
        assert (key in ids) == (key in plain)
    assert len(ids) == len(plain)
    assert sorted(ids.items()) == sorted((key, *share) for key, share in plain.items())


def test_ids_take_in_and_forget_those_of_others() -> None:
    some, others = Ids(), Ids()
    for key in range(10):
        some.settle(key, 1, 0)
    for key in range(5, 15):
        others.settle(key, 3, 2)
    some.update(others)
    assert (len(some), some.done, some.good) == (15, 5 + 30, 20)
    some.forget_all(others)
    assert (len(some), some.done, some.good) == (5, 5, 0)
