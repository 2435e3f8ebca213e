"""What terminals, editors and broken disks leave in a line and that says nothing."""

import re

# `^[` is how `cat -v` and copied terminals show the escape character.
_ESCAPES = re.compile(rb"\x1b\[[0-?]*+[ -/]*+[@-~]|\x1b[()][0-9A-Z]|\^\[\[[\d;]*+[mK]")
_NOTHING = re.compile(rb"(?:\0|\xef\xbb\xbf)+")
_ESCAPE, _CARET = b"\x1b^"


def clean(text: bytes) -> bytes:
    """Return `text` without ANSI escape sequences, and without NUL bytes and byte order marks at its start."""
    if _ESCAPE in text or _CARET in text:
        text = _ESCAPES.sub(b"", text)
    if text.startswith((b"\0", b"\xef\xbb\xbf")) and (leading := _NOTHING.match(text)):
        return text[leading.end() :]
    return text
