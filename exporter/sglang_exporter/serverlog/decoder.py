"""Lines of one log to events, with the counts of what was and was not understood."""

from collections.abc import Iterator

from sglang_exporter.serverlog.envelope import Envelope, open_envelope, split_glued
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.grammar import DECODE_FIELDS, PREFILL_FIELDS
from sglang_exporter.serverlog.message import Said, understand

OTHER = "other"
REASONS = ("damaged", "torn_line", "format_drift", "unknown_field")
"""Why a line is counted as not recognised: damage, new words, or a field nobody has seen beside known ones."""
_HEAD = 40
STATUS_FIELDS = {"decode": DECODE_FIELDS, "prefill": PREFILL_FIELDS}

# Kinds that SGLang or its libraries print without a prefix in releases that have one.
_BARE_KINDS = frozenset(
    ("access", "uvicorn", "stopped", "json.request.finished", "json.request.received", "out_of_memory")
)
_BARE_KINDS |= {"json.scheduler.status", "json.request.received.openai", "nccl", "server_args"}
# Kinds whose last number may be cut short in a torn line.
_NUMBERED = frozenset((*STATUS_FIELDS, "retract", "capacity"))
_BATCH_LINES = (b"Decode batch", b"Prefill batch")
# Kinds whose message may quote anything.
_QUOTING = (b"Receive", b"Finish: ", b"in=", b"{")


class LogDecoder:
    """The decoder of one log. A status line without SGLang's prefix counts only until a line with one was seen.

    `kinds` counts lines by what they are, `unrecognised` those that look like a status line and are none by reason.
    """

    def __init__(self, kinds: dict[str, int], unrecognised: dict[str, int]) -> None:
        self._kinds = kinds
        self._unrecognised = unrecognised
        self._prefixed = False

    def decode(self, line: bytes) -> Iterator[Event]:
        """Yield the events of one line; a carriage return ends a line too, and lines may be glued together."""
        for piece in line.split(b"\r") if b"\r" in line else (line,):
            yield from self._decode_piece(piece)

    def _decode_piece(self, piece: bytes) -> Iterator[Event]:
        envelope = open_envelope(piece)
        if envelope.message.startswith(_QUOTING) or piece.find(b"[", 1) < 0:
            yield from self._event(envelope)
            return
        *torn, last = split_glued(piece, may_quote=not envelope.message.startswith(_BATCH_LINES))
        for part in torn:
            yield from self._event(open_envelope(part), torn=True)
        yield from self._event(open_envelope(last))

    def _event(self, envelope: Envelope, *, torn: bool = False) -> Iterator[Event]:
        self._prefixed |= envelope.prefixed
        said = understand(envelope.message)
        if said and torn and said.kind in _NUMBERED:
            said = Said(said.kind, {}, "torn_line")
        if said and not envelope.prefixed and self._prefixed and said.kind not in _BARE_KINDS:
            said = None
        self._count(said, envelope.message)
        if said is None or said.damage:
            if envelope.time:
                yield Event(OTHER, {}, envelope.time, envelope.ranks)
            return
        yield Event(said.kind, said.fields, envelope.time, envelope.ranks)

    def _count(self, said: Said | None, message: bytes) -> None:
        _add(self._kinds, OTHER if said is None or said.damage else said.kind)
        if said is None:
            if b" batch" in message[:_HEAD] and b": " in message:
                _add(self._unrecognised, "format_drift")
        elif said.damage:
            _add(self._unrecognised, said.damage)
        elif said.kind in STATUS_FIELDS:
            self._count_unknown(said)

    def _count_unknown(self, said: Said) -> None:
        if not said.fields:
            _add(self._unrecognised, "format_drift")
        elif said.fields.keys() - STATUS_FIELDS[said.kind].keys():
            _add(self._unrecognised, "unknown_field")


def _add(counts: dict[str, int], name: str) -> None:
    counts[name] = counts.get(name, 0) + 1
