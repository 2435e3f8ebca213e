"""A folder with a log in it, its writer, and logrotate: everything that they do, and what must be read of it."""

import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path

KEPT = 3
TICK = 1_000_000_000
"""Nanoseconds between two writes: what is written at the same moment cannot be told apart by its time."""


class Content:
    """What was written to the file with an inode: its complete lines, where each ends, and the unfinished one.

    `moved` tells that it is in another file by now.
    """

    def __init__(self, inode: int) -> None:
        self.inode = inode
        self.lines: list[bytes] = []
        self.ends: list[int] = []
        self.partial = b""
        self.moved = False

    def write(self, content: bytes, end: int) -> None:
        """Add what was written up to the offset `end` of the file."""
        *complete, self.partial = (self.partial + content).split(b"\n")
        self.lines += complete
        position = end - len(self.partial) - sum(len(line) + 1 for line in complete)
        for line in complete:
            position += len(line) + 1
            self.ends.append(position)

    @property
    def whole(self) -> list[bytes]:
        """The lines, the last one even though it has no line feed."""
        return [*self.lines, self.partial] if self.partial else self.lines


class Written:
    """One file, open for writing; without `appends` its writer goes on at its own offset, even after a truncation."""

    def __init__(self, path: Path, world: "World", *, appends: bool) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if appends else 0))
        self._world = world
        self._inode = os.fstat(self._fd).st_ino
        self.content = world.begin(self._inode)
        self._touch()
        world.created()

    def write(self, content: bytes) -> None:
        os.write(self._fd, content)
        self.content.write(content, os.lseek(self._fd, 0, os.SEEK_CUR))
        self._touch()

    def truncate(self) -> None:
        """Cut the file to nothing; what follows is a content of its own."""
        os.ftruncate(self._fd, 0)
        self.content = self._world.begin(self._inode)
        self._touch()

    def close(self) -> None:
        os.close(self._fd)

    def _touch(self) -> None:
        os.utime(self._fd, ns=(0, self._world.tick()))


class World:
    """The log at `path`, and its rotated files. Where it is `linked`, the path is a link to the file of a run.

    `contents` are those that were ever written, oldest first; `rotated` those of the rotated files, newest first; `left`
    those of earlier runs, to which nothing leads but who knows their names. `created` is called when there is a new file.
    """

    def __init__(
        self, folder: Path, *, appends: bool, linked: bool = False, created: Callable[[], object] = lambda: None
    ) -> None:
        self.path = folder / "server.log"
        self.contents: list[Content] = []
        self.rotated: list[Content] = []
        self.left: list[Content] = []
        self.files: list[Written] = []
        self.created = created
        self._folder = folder
        self._appends = appends
        self._linked = linked
        self._runs = 0
        self._time = 1_700_000_000 * TICK
        self._serial = 0

    @property
    def log(self) -> Written:
        """The file at the path, as its writer has it."""
        return self.files[-1]

    @property
    def lines(self) -> list[bytes]:
        """All lines, in the order in which they must be read."""
        *old, new = self.contents
        return [line for content in old for line in content.whole] + new.lines

    @property
    def gone(self) -> list[Content]:
        """What is nowhere on disk any more, by any name."""
        return [content for content in self.contents if content not in (*self.rotated, *self.left, self.log.content)]

    def begin(self, inode: int) -> Content:
        self.contents.append(Content(inode))
        return self.contents[-1]

    def tick(self) -> int:
        self._time += TICK + 1_000_000
        return self._time

    def text(self, length: int) -> bytes:
        """Return a text that was never written before."""
        self._serial += 1
        number = b"%d." % self._serial
        return number * (1 + length // len(number))

    def create(self) -> None:
        """Begin a new file at the path; the writer of the one before it may still be late."""
        self._folder.mkdir(exist_ok=True)
        self.files.append(Written(self._real, self, appends=self._appends))
        if self._linked:
            self._link()

    def rename(self) -> None:
        """Rename the log, and those renamed before it."""
        self._shift()
        self._real.rename(f"{self._real}.1")
        self.create()

    def delete(self) -> None:
        """Delete the log."""
        self._real.unlink()

    def replace(self) -> None:
        """Put a new file in the place of the log at once."""
        new = self.path.with_name("new")
        self.files.append(Written(new, self, appends=self._appends))
        new.replace(self._real)

    def swap_link(self) -> None:
        """Let the path lead to a new file; the old one stays."""
        self.left += [*self.rotated, self.log.content]
        self.rotated = []
        self._runs += 1
        self.create()

    def swap_folder(self, *, keep: bool) -> None:
        """Make the folder anew; the old one is renamed, if it is kept, and else deleted."""
        self.rotated, self.left = [], []
        if keep:
            self._folder.rename(self._folder.with_name(f"away-{len(self.files)}"))
        else:
            shutil.rmtree(self._folder)

    def copy_and_truncate(self) -> None:
        self._shift()
        shutil.copyfile(self._real, f"{self._real}.1")
        self.log.content.moved = True
        os.utime(f"{self._real}.1", ns=(0, self.tick()))
        self.created()
        self.log.truncate()

    def compress(self, number: int, *, cut: bool) -> None:
        """Compress a rotated file; its time of change is kept, but for the fraction of a second if that is `cut`."""
        plain = Path(f"{self._real}.{number}")
        if not plain.exists():
            return
        packed = Path(f"{plain}.gz")
        packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
        self.rotated[number - 1].moved = True
        self.created()
        mtime = plain.stat().st_mtime_ns
        os.utime(packed, ns=(0, mtime // TICK * TICK if cut else mtime))
        plain.unlink()

    def close_all_but_the_newest(self) -> None:
        """Have the writers of rotated files be late no more, and forget what they wrote."""
        for file in self.files[:-1]:
            file.close()
        del self.files[:-1], self.contents[:-1]

    def close(self) -> None:
        for file in self.files:
            file.close()

    @property
    def _real(self) -> Path:
        """What the path leads to."""
        return self.path.with_name(f"run-{self._runs}.log") if self._linked else self.path

    def _link(self) -> None:
        new = self.path.with_name("link")
        new.symlink_to(self._real.name)
        new.replace(self.path)

    def _shift(self) -> None:
        self.rotated = [self.log.content, *self.rotated][:KEPT]
        for number in range(KEPT, 0, -1):
            for ending in (".gz", ""):
                file = Path(f"{self._real}.{number}{ending}")
                if file.exists() and number < KEPT:
                    file.rename(f"{self._real}.{number + 1}{ending}")
                else:
                    file.unlink(missing_ok=True)
