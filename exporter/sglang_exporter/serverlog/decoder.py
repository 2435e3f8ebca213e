"""Lines of one log to events, with the counts of what was and was not understood."""

import re
from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from sglang_exporter.serverlog.envelope import Envelope
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.familiar import Familiar
from sglang_exporter.serverlog.glued import parts_of
from sglang_exporter.serverlog.grammar import STATUS_FIELDS
from sglang_exporter.serverlog.heads import behind_head
from sglang_exporter.serverlog.learnt import DecoderState
from sglang_exporter.serverlog.masking import note_shape
from sglang_exporter.serverlog.message import Said, understand
from sglang_exporter.serverlog.wrappers import Unwrapped, Unwrapper

K = TypeVar("K")

OTHER = "other"
REASONS = ("damaged", "torn_line", "long_line", "format_drift", "unknown_field", "repeated")
"""Why a line is counted as not recognised: damage, new words, a field nobody has seen, or swallowed by Ray."""

_LOOKS_LIKE_STATUS = re.compile(rb"[\w ]{1,20} ?batch\b[^#]{0,40}#")
# Kinds that SGLang or its libraries print without a prefix in releases that have one.
_BARE_KINDS = frozenset(("access", "uvicorn", "stopped", "json.request.finished", "json.request.received"))
_BARE_KINDS |= {"json.scheduler.status", "json.request.received.openai", "server_args"}
_BARE_KINDS |= {"out_of_memory", "nccl", "cuda_error"}
# Kinds whose last number may be cut short in a torn line.
_NUMBERED = frozenset((*STATUS_FIELDS, "retract", "capacity"))
# Layouts of no known release that are remembered, and how often one may come and still be damage.
_MANY_ODD, _STILL_DAMAGE = 100, 2


class LogDecoder:
    """The decoder of one log. A status line without SGLang's prefix counts only until a line with one was seen.

    `kinds` counts lines by what they are, `unrecognised` those that look like a status line and are none by reason,
    `shapes` what these look like, masked. `learnt` is what an earlier decoder of the same log had learnt.
    """

    def __init__(
        self,
        kinds: dict[str, int],
        unrecognised: dict[str, int],
        shapes: dict[str, int] | None = None,
        learnt: DecoderState | None = None,
    ) -> None:
        self._kinds = kinds
        self._unrecognised = unrecognised
        self._shapes = {} if shapes is None else shapes
        self._unwrapper = Unwrapper(unrecognised, learnt=learnt.unwrapper if learnt else None)
        self._prefixed = learnt.prefixed if learnt else False
        self._odd: dict[tuple[str, ...], int] = {}
        self.familiar = Familiar(kinds)

    @property
    def learnt(self) -> DecoderState:
        """What has been learnt of the log so far."""
        return DecoderState(self._prefixed, self._unwrapper.learnt)

    @property
    def holds(self) -> bool:
        """Whether pieces of an unfinished line are held, which nothing that is saved holds."""
        return self._unwrapper.holds

    def decode(self, line: bytes) -> Iterable[Event]:
        """Return the events of one line, out of whatever wrapper it is in; lines may be glued together."""
        event = self.familiar.read(line)
        return self.puzzle_out(line) if event is None else (event,)

    def puzzle_out(self, line: bytes) -> list[Event]:
        """Return the events of a line that is not familiar."""
        return self._events(self._unwrapper.feed(line), line)

    def finish(self) -> list[Event]:
        """Return the events of a line that its wrapper holds in pieces, when nothing more will be written."""
        return self._events(self._unwrapper.flush())

    def _events(self, lines: Iterable[Unwrapped], outside: bytes = b"") -> list[Event]:
        """Return the events of lines, of which that `outside` is known not to be familiar."""
        events: list[Event] = []
        for line in lines:
            if line.repeated:
                _add(self._unrecognised, "repeated", line.repeated)
            event = None if line.text is outside else self.familiar.read(line.text)
            if event is None:
                events += self._line(line)
            else:
                events.append(replace(event, engine=line.engine, repeated=line.repeated))
        return events

    def _line(self, line: Unwrapped) -> list[Event]:
        parts = parts_of(line.text)
        events: list[Event] = []
        for envelope, torn in parts:
            event, puzzle = self._event(envelope, line, torn=torn)
            if event:
                events.append(event)
                if not puzzle and len(parts) == 1:
                    self.familiar.learn(line.text, event)
        return events

    def _event(self, envelope: Envelope, line: Unwrapped, *, torn: bool) -> tuple[Event | None, str]:
        """Return what a line says, and why it is not, or not wholly, understood."""
        said, envelope = self._said(envelope)
        if said and torn and said.kind in _NUMBERED:
            said = Said(said.kind, {}, "torn_line")
        puzzle = self._count(said, envelope)
        if said and not said.damage:
            return Event(said.kind, said.fields, envelope.time, envelope.ranks, line.engine, line.repeated), puzzle
        return (Event(OTHER, {}, envelope.time, envelope.ranks, line.engine) if envelope.time else None), puzzle

    def _said(self, envelope: Envelope) -> tuple[Said | None, Envelope]:
        """Return what a line says, behind a head of the user's own format too; such a line counts as prefixed."""
        said = understand(envelope.message)
        if said is None and (inner := behind_head(envelope.message)):
            said = understand(inner.message)
            envelope = Envelope(inner.message, envelope.time or inner.time, envelope.ranks, prefixed=True)
        said = said and self._settled(said, envelope)
        self._prefixed |= envelope.prefixed
        if said and not envelope.prefixed and self._prefixed and said.kind not in _BARE_KINDS:
            return None, envelope
        return said, envelope

    def _settled(self, said: Said, envelope: Envelope) -> Said:
        """Return damage for a line that no known release prints so, unless the log goes on like that."""
        odd = (*envelope.odd, *said.odd) if said.kind in _NUMBERED else ()
        if not odd or (said.damage and not said.odd):
            return said
        if len(self._odd) < _MANY_ODD or odd in self._odd:
            _add(self._odd, odd)
        familiar = self._odd.get(odd, 0) > _STILL_DAMAGE
        return Said(said.kind, said.fields) if familiar else Said(said.kind, {}, "damaged")

    def _count(self, said: Said | None, envelope: Envelope) -> str:
        _add(self._kinds, OTHER if said is None or said.damage else said.kind)
        if reason := _puzzle(said, envelope):
            _add(self._unrecognised, reason)
            note_shape(self._shapes, envelope.message)
        return reason


def _puzzle(said: Said | None, envelope: Envelope) -> str:
    """Return why a line was not, or not wholly, understood; empty when it was, or is nothing of SGLang's."""
    if said is None and envelope.damaged:
        return "damaged"
    if said is None:
        drifted = envelope.prefixed and _LOOKS_LIKE_STATUS.match(envelope.message)
        return "format_drift" if drifted else ""
    if said.damage:
        return said.damage
    known = STATUS_FIELDS.get(said.kind)
    return "unknown_field" if known and said.fields.keys() - known.keys() else ""


def _add(counts: dict[K, int], name: K, number: int = 1) -> None:
    counts[name] = counts.get(name, 0) + number
