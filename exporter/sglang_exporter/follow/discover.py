"""Which files there are to follow, and which of them are the rotated ones of which."""

import os
import stat
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from sglang_exporter.follow.disk import Identity, identity_of
from sglang_exporter.follow.pattern import Pattern
from sglang_exporter.follow.pods import pod_log
from sglang_exporter.follow.rotated import COMPRESSED, rotated

_UNREADABLE = (".xz", ".bz2", ".zst", ".lz4", ".Z", ".zip")
_NOW = (2, 0)


class Found(NamedTuple):
    """A stream to follow: the file that is written now, what the placeholders stand for, the rotated ones before it.

    `path` may lead to nothing (yet); `older` are files that are there, oldest first.
    """

    path: str
    placeholders: dict[str, str]
    older: list[str]


class Follower(Protocol):
    """A stream that is followed."""

    @property
    def path(self) -> str:
        """Where the file that is written now lies."""
        ...

    @property
    def identities(self) -> Collection[Identity]:
        """The files that it may have read."""
        ...

    def has_read(self, path: str) -> bool:
        """Tell whether it has read, or reads, the file at a path."""
        ...


Row = tuple[object, ...]
"""A path that matches, and all that is asked of what it leads to: kind, device and inode, also of a link's target."""


def outline(patterns: Iterable[Pattern]) -> list[Row]:
    """Return what `discover` makes streams of, as long as it is not told of any that are followed.

    That takes a tenth of its time, which is long enough to be saved every few seconds.
    """
    return [(path, *_row(path)) for pattern in patterns for path in pattern.paths()]


def _row(path: str) -> Row:
    try:
        link = os.lstat(path)
        return _asked(link) if not stat.S_ISLNK(link.st_mode) else (*_asked(link), *_asked(os.stat(path)))  # noqa: PTH116
    except OSError:
        return ()


def _asked(status: os.stat_result) -> Row:
    return stat.S_IFMT(status.st_mode), status.st_dev, status.st_ino


def discover(patterns: Sequence[str], followed: Iterable[Follower] = ()) -> list[Found]:
    """Return the streams that patterns stand for now, in their order, each file in one stream only.

    A pattern without magic characters always gives one, even while its file is missing. A rotated name belongs to its
    base where the base is matched too; `server.log.1` and the like without it still go with `server.log`, unless given
    by that very name, while doubtful ones (`node.0`, `metrics-20250730_14.log`) are then files of their own. What
    one of the followed streams has read is no other stream, whatever its name is by now.
    """
    compiled = [Pattern(text) for text in patterns]
    paths = _without_twins({path: None for pattern in compiled for path in _files(pattern)})
    named = {path for pattern in compiled if pattern.is_literal for path in pattern.paths()}
    files: dict[str, list[str]] = {}
    there = set(paths)
    followers = list(followed)
    readers: dict[Identity | str, Follower] = {
        identity: stream for stream in followers for identity in stream.identities
    }
    own = {stream.path for stream in followers}
    for path in paths:
        base = _base(path, there, named)
        reader = readers.get(_identity(path)) if base == path and path not in own else None
        if reader is None or not reader.has_read(path):
            files.setdefault(base, []).append(path)
    bases: dict[str, list[str]] = {}
    for base in files:
        bases.setdefault(_stream(base), []).append(base)
    return [_found([(base, files[base]) for base in sorted(runs, key=_restart)], compiled) for runs in bases.values()]


def _files(pattern: Pattern) -> list[str]:
    """Return the files that a pattern matches; what cannot be followed is none, unless it is given by its name."""
    if pattern.is_literal:
        return pattern.paths()
    return [path for path in pattern.paths() if not path.endswith(_UNREADABLE) and _is_file(path)]


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except OSError:
        return False


def _without_twins(paths: Collection[str]) -> list[str]:
    """Leave out the second name of a file, and the compressed copy of one that is there as well."""
    seen: dict[Identity | str, str] = {}
    for path in sorted(paths, key=_is_second_name):
        if path.removesuffix(COMPRESSED) == path or path.removesuffix(COMPRESSED) not in paths:
            seen.setdefault(_identity(path), path)
    kept = set(seen.values())
    return [path for path in paths if path in kept]


def _is_second_name(path: str) -> tuple[bool, bool]:
    return os.path.islink(path), rotated(Path(path).name) is not None  # noqa: PTH114 -- pathlib raises on some


def _identity(path: str) -> Identity | str:
    try:
        return identity_of(Path(path).stat())
    except OSError:
        return path


def _base(path: str, paths: Collection[str], named: Collection[str]) -> str:
    """Return the path that a rotated file had before; its own for any other."""
    name = Path(path).name
    turned = rotated(name)
    if turned is None:
        return path
    base = path.removesuffix(name) + turned.base
    return base if base in paths or (turned.sure and path not in named) else path


def _stream(base: str) -> str:
    """Return what the runs of one container have in common; a file's own path anywhere else."""
    return str(Path(base).parent) if pod_log(base) else base


def _restart(base: str) -> int:
    log = pod_log(base)
    return log.restart if log else 0


def _found(runs: Sequence[tuple[str, list[str]]], patterns: Iterable[Pattern]) -> Found:
    path = runs[-1][0]
    older = [file for _, files in runs for file in sorted(files, key=_age) if file != path]
    matches = (pattern.placeholders(file) for file in (path, *reversed(older)) for pattern in patterns)
    return Found(path, next((match for match in matches if match is not None), {}), older)


def _age(path: str) -> tuple[int, int]:
    turned = rotated(Path(path).name)
    return turned.age if turned else _NOW
