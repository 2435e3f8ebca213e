"""What a large file costs beside a small one of the same kind, by the gigabyte and in memory."""

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench import data
from bench.figure import Figure
from bench.generate import MEGABYTE
from bench.measure import ROUNDS, Cost, costs
from bench.served import EXPORTER

_SMALL = 100
_FIRST = MEGABYTE
_LONG = 2000
"""Megabytes from which on one round is enough: it takes minutes, in which what disturbs is evened out."""


class _Kind(NamedTuple):
    """A kind of file: the flag that it is read by, what makes one, and what `grep` counts in it."""

    flag: str
    make: Callable[[int], Path]
    counted: str


_KINDS = {
    "log": _Kind("--log", data.log, "Decode batch"),
    "outputs": _Kind("--outputs", data.outputs, '"finish_reason": "stop"'),
}


def size(megabytes: int) -> Iterator[Figure]:
    """What files of that size cost beside those of 100 MB: out of the page cache, and from the disk beside `grep`."""
    for name, kind in _KINDS.items():
        small, large = kind.make(_SMALL), kind.make(megabytes)
        rounds = 1 if megabytes > _LONG else 3
        yield from _warm(f"{name} of {megabytes} MB", kind, small, large, rounds)
        yield from _cold(f"{name} of {megabytes} MB, cold", kind, small, large, rounds)


def _warm(what: str, kind: _Kind, small: Path, large: Path, rounds: int) -> Iterator[Figure]:
    """Both from the page cache: the whole cost, and that beyond a start, which is most of what a small file costs."""
    start = _start(kind, small)
    costs_of = {path: _read(kind, path, n) for path, n in ((small, ROUNDS), (large, rounds))}
    whole = [_per_gigabyte(costs_of[path].cpu, path) for path in (large, small)]
    beyond = [_per_gigabyte(costs_of[path].cpu - start.cpu, path, _FIRST) for path in (large, small)]
    yield Figure(what, whole[0], "CPU s/GB", f"{_SMALL} MB", whole[1], "1.1")
    yield Figure(f"..., beyond a start of {start.cpu:.2f} s", beyond[0], "CPU s/GB", f"{_SMALL} MB", beyond[1], "1.1")
    peaks = [costs_of[path].peak for path in (large, small)]
    yield Figure(f"{what}, peak memory", peaks[0], "MB", f"{_SMALL} MB", peaks[1], "+10 MB")


def _cold(what: str, kind: _Kind, small: Path, large: Path, rounds: int) -> Iterator[Figure]:
    """Each fetched from the disk anew, which costs the system's time, as it costs `grep`'s."""
    found = {}
    for path, n in ((small, ROUNDS), (large, rounds)):
        commands = {"exporter": _once(kind, path), "grep": ["grep", "-c", kind.counted, str(path)]}
        found[path] = costs(commands, n, before=partial(data.cool, path))
    cold = [_per_gigabyte(found[path]["exporter"].cpu, path) for path in (large, small)]
    yield Figure(what, cold[0], "CPU s/GB", f"{_SMALL} MB", cold[1])
    yield Figure(what, cold[0], "CPU s/GB", "grep", _per_gigabyte(found[large]["grep"].cpu, large))


def _read(kind: _Kind, path: Path, rounds: int) -> Cost:
    data.warm(path)
    return costs({"once": _once(kind, path)}, rounds)["once"]


def _start(kind: _Kind, path: Path) -> Cost:
    """Return what it costs to start, and to find out how the file is to be read."""
    with tempfile.NamedTemporaryFile() as file, path.open("rb") as whole:
        file.write(whole.read(_FIRST))
        file.flush()
        return costs({"once": _once(kind, Path(file.name))}, 2 * ROUNDS)["once"]


def _once(kind: _Kind, path: Path) -> list[str]:
    return [EXPORTER, "once", kind.flag, str(path)]


def _per_gigabyte(seconds: float, path: Path, less: int = 0) -> float:
    return seconds / (path.stat().st_size - less) * 1e9
