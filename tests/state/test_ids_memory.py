"""A million ids: what they take in memory, and that they are in no checkpoint but in the files."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState
from sources.followed import Followed, job, line

MEASURED = """
import os
from pathlib import Path
from random import Random
from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

state, random = JobState(JobConfig(files="")), Random(1)
state.fold([Record(settles=True, key=0, completions=1)], 0.0, live=False)
before = resident()
for _ in range(1000):
    records = [Record(settles=True, key=random.getrandbits(60), completions=1) for _ in range(1000)]
    state.fold(records, 0.0, live=True)
assert state.done == 1_000_001
print(resident() - before)
"""


@pytest.mark.slow
def test_a_million_ids_add_at_most_80_mb() -> None:
    told = subprocess.run([sys.executable, "-c", MEASURED], check=True, capture_output=True, text=True)
    print(f"a million ids add {int(told.stdout) / 1e6:.1f} MB")
    assert int(told.stdout) <= 80e6


def test_a_checkpoint_is_as_small_with_many_ids_as_with_one() -> None:
    state = JobState(JobConfig(files=""))
    state.fold([Record(settles=True, key=1, completions=1)], 0.0, live=False)
    small = len(msgspec.msgpack.encode(state.stored()))
    state.fold([Record(settles=True, key=key << 20, completions=1) for key in range(100_000)], 0.0, live=False)
    assert state.done == 100_001
    assert len(msgspec.msgpack.encode(state.stored())) < small + 100


@pytest.mark.slow
def test_a_hundred_thousand_ids_are_rebuilt_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("".join(line([number, 7]) + "\n" for number in range(100_000)))
    followed = Followed(str(path), state=tmp_path / "state")
    assert job(followed.poll(), "done") == 100_000
    followed.wait(10.0)
    followed.die()
    assert (tmp_path / "state" / "checkpoint").stat().st_size < 10_000
    again = Followed(str(path), state=tmp_path / "state")
    with path.open("a") as file:
        file.write(line([99_999, 7]) + "\n" + line([100_000, 7]) + "\n")
    page = again.poll()
    assert (job(page, "done"), job(page, "duplicates_total")) == (100_001, 1)
