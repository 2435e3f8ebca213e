"""Lines that were glued together, taken apart: behind a progress bar, or after a writer was cut off."""

from sglang_exporter.serverlog.envelope import Envelope, open_envelope, split_glued

_BATCH_LINES = (b"Decode batch", b"Prefill batch")
# Kinds whose message may quote anything.
_QUOTING = (b"Receive", b"Finish: ", b"in=", b"{")


def parts_of(text: bytes) -> list[tuple[Envelope, bool]]:
    """Return the lines that were glued together, each with whether it is torn, as all but the last are."""
    envelope = open_envelope(text)
    if text.find(b"[", 1) < 0 or envelope.message.startswith(_QUOTING):
        return [(envelope, False)]
    *torn, last = split_glued(text, may_quote=not envelope.message.startswith(_BATCH_LINES))
    return [*((open_envelope(part), True) for part in torn), (open_envelope(last) if torn else envelope, False)]
