"""Lines that were glued together, taken apart: behind a progress bar, or after a writer was cut off."""

from collections.abc import Iterator

from sglang_exporter.serverlog.envelope import Envelope, open_envelope, split_glued

_BATCH_LINES = (b"Decode batch", b"Prefill batch")
# Kinds whose message may quote anything.
_QUOTING = (b"Receive", b"Finish: ", b"in=", b"{")


def parts_of(text: bytes) -> Iterator[tuple[Envelope, bool]]:
    """Yield the lines that were glued together, each with whether it is torn, as all but the last are."""
    envelope = open_envelope(text)
    if envelope.message.startswith(_QUOTING) or text.find(b"[", 1) < 0:
        yield envelope, False
        return
    *torn, last = split_glued(text, may_quote=not envelope.message.startswith(_BATCH_LINES))
    for part in torn:
        yield open_envelope(part), True
    yield (open_envelope(last) if torn else envelope), False
