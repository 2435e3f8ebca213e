"""Files that are one indented JSON document: its lines are kept until it is whole."""

import json

import msgspec

_BRACKETS = (b"[", b"{")
_CLOSERS = (b"]", b"}")
_SHORT = 8


def begins_document(line: bytes) -> bool:
    """Tell whether the first line of a file begins a document: indented JSON has its first bracket alone on a line."""
    return len(line) < _SHORT and line.removeprefix(b"\xef\xbb\xbf").strip() in _BRACKETS


def begins_record(line: bytes) -> bool:
    """Tell whether a line begins in its first column, as a record does and no inner part of a document."""
    return line.startswith(_BRACKETS)


class Document:
    """The lines of a document, up to a limit of bytes; what is longer is not kept."""

    def __init__(self, first: bytes, limit: int) -> None:
        self.lines = [first]
        self._limit = limit
        self._bytes = len(first)
        self._enough = 0

    @property
    def too_long(self) -> bool:
        """Tell whether the document is longer than the limit, and lost."""
        return self._bytes > self._limit

    def add(self, line: bytes) -> bytes | None:
        """Add a line; return the document if that makes it whole."""
        self._bytes += len(line)
        self.lines.append(line)
        if self.too_long:
            self.lines.clear()
        elif line.startswith(_CLOSERS) and self._bytes >= self._enough:
            self._enough = 2 * self._bytes  # a document with many such lines is tried a few times only
            return self.whole()
        return None

    def whole(self, tail: bytes = b"") -> bytes | None:
        """Return the document with a last line that is not added yet, None while it is not whole."""
        text = b"\n".join((*self.lines, tail))
        return text if not self.too_long and _is_json(text) else None


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        try:
            json.loads(text.decode("utf-8", "replace").lstrip("\ufeff"), strict=False)
        except (ValueError, RecursionError):
            return False
    return True
