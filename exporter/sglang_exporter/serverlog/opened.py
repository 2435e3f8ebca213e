"""What stands in a wrapper."""

from typing import NamedTuple

BLANK = rb"(?: |(?=\r?\Z))"
"""The blank behind a label, which may be cut off where the message is empty."""
ISO_TIME = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"


class Opened(NamedTuple):
    """What one wrapper holds; `text` is None where the line is the wrapper's own.

    `source` tells apart the streams, containers and tasks whose lines share a log. Where `complete` is False, the line
    goes on with the next text of the same source. `engine` and `repeated` are those of `Unwrapped`.
    """

    text: bytes | None
    source: bytes = b""
    complete: bool = True
    engine: str | None = None
    repeated: int = 0
