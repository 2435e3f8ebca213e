"""The checkpoint on disk: one file, replaced as a whole, in a folder that one exporter owns at a time."""

import fcntl
import logging
import os
import zlib
from pathlib import Path

from sglang_exporter.logs import fields

_LOG = logging.getLogger(__name__)
_MAGIC = b"sglang-exporter checkpoint "
_NAME = "checkpoint"
_LOCK = "lock"


class CheckpointInUseError(RuntimeError):
    """Another exporter holds the folder."""


class CheckpointFile:
    """The checkpoint in `folder`, whose payload is of the form `version`."""

    def __init__(self, folder: Path, version: int) -> None:
        self._folder = folder
        self._head = _MAGIC + str(version).encode() + b"\n"
        self._lock: int | None = None

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._folder / _NAME

    def lock(self) -> None:
        """Own the folder until the process ends; raises CheckpointInUseError, or OSError where it can't be written."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(lock)
            raise CheckpointInUseError(f"{self._folder}: another exporter keeps its checkpoint there") from error
        self._lock = lock

    def load(self) -> bytes | None:
        """Return what was saved last; None where nothing was, or where it is of no use: then it is set aside."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        head, _, body = content.partition(b"\n")
        check, payload = body[:4], body[4:]
        if head + b"\n" != self._head:
            self.set_aside("it is of another version" if head.startswith(_MAGIC) else "it is no checkpoint")
        elif zlib.crc32(payload).to_bytes(4) != check:
            self.set_aside("it is damaged")
        else:
            return payload
        return None

    def save(self, payload: bytes) -> None:
        """Replace the checkpoint; raises OSError, and then the one before is still there."""
        new = self._folder / f"{_NAME}.new"
        with new.open("wb") as file:
            file.write(self._head + zlib.crc32(payload).to_bytes(4) + payload)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def set_aside(self, why: str) -> None:
        """Keep a checkpoint that is of no use under another name, and say so loudly."""
        aside = self.path.with_suffix(".unusable")
        self.path.replace(aside)
        _LOG.error("the checkpoint is of no use; all is read anew", extra=fields(why=why, kept_as=aside))

    def close(self) -> None:
        """Let go of the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
