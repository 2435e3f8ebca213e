"""The rotated files of a log, wherever rotation has moved them within its folder, and whatever a glob matches."""

import os.path
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sglang_exporter.follow.disk import Disk, Identity, identity_of, is_passing, open_regular
from sglang_exporter.follow.pods import pod_log
from sglang_exporter.follow.rotated import COMPRESSED, rotated

_NOW = (2, 0)


class Sibling(Struct, frozen=True):
    """A file as it was found: `size` is that on disk, `mtime` in seconds since the epoch."""

    path: str
    identity: Identity
    size: int
    mtime: float

    @property
    def compressed(self) -> bool:
        """Whether its content is packed."""
        return self.path.endswith(COMPRESSED)


def sibling_at(disk: Disk, path: str) -> Sibling | None:
    """Return the regular file that a path leads to now, or None if there is none; raise OSError if that is hidden."""
    try:
        status = disk.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Sibling(path, identity_of(status), status.st_size, status.st_mtime) if stat.S_ISREG(status.st_mode) else None


def seen(disk: Disk, path: str) -> Sibling | None:
    """Return the regular file that a path leads to now, or None where none is to be seen."""
    try:
        return sibling_at(disk, path)
    except OSError as error:
        if is_passing(error):
            raise
        return None


def neighbours(disk: Disk, path: str) -> list[Sibling]:
    """Return the regular files in the folder of a path."""
    folder = Path(path).parent
    files = (seen(disk, str(folder / name)) for name in _names(disk, str(folder)))
    return [file for file in files if file]


def siblings(disk: Disk, path: str) -> list[Sibling]:
    """Return the rotated files of a log, oldest first; of a container's log those of its earlier runs as well.

    Where the path is a symbolic link, they may lie beside the link or beside what it leads to. Raises OSError where the
    host, or the network, is in trouble.
    """
    found = {age: opened(disk, file) for place in _places(path) for age, file in _rotated(disk, place)}
    files = {found[age].identity: found[age] for age in sorted(found)}.values()
    there = {file.path for file in files}
    return [file for file in files if file.path.removesuffix(COMPRESSED) not in there - {file.path}]


def _places(path: str) -> list[str]:
    real = os.path.realpath(path)
    return [path] if real == os.path.abspath(path) else [path, real]  # noqa: PTH100 -- it may not follow links


def _rotated(disk: Disk, path: str) -> Iterator[tuple[tuple[int, tuple[int, int], str], Sibling]]:
    folder, own = Path(path).parent, pod_log(path)
    for name in _names(disk, str(folder)):
        turned = rotated(name)
        base = turned.base if turned else name
        run = pod_log(str(folder / base)) if own else None
        is_earlier = run is not None and own is not None and run.restart < own.restart
        if (is_earlier or (turned and base == Path(path).name)) and (file := seen(disk, str(folder / name))):
            yield (run.restart if run else 0, turned.age if turned else _NOW, file.path), file


def opened_at(disk: Disk, path: str) -> Sibling | None:
    """Return the regular file that a path leads to, as it is when it is opened, or None where none is to be seen."""
    file = seen(disk, path)
    return opened(disk, file) if file else None


def opened(disk: Disk, file: Sibling) -> Sibling:
    """Return what a file is when it is opened: NFS may have told what was there before.

    Raises OSError if it is another one; if we may not open it, what was told must do.
    """
    try:
        fd, status = open_regular(disk, file.path, file.identity)
    except OSError as error:
        if is_passing(error):
            raise
        return file
    disk.close(fd)
    return replace(file, size=status.st_size, mtime=status.st_mtime)


def _names(disk: Disk, folder: str) -> list[str]:
    try:
        return disk.names(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
