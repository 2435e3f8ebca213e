"""Lines of a form that was understood before: they are read at a tenth of what the whole grammar costs.

A form is learnt from a line that the grammar has understood wholly. A line that differs from it in time, ranks and the
client's address alone says the same; a status line that differs in the digits of its values, that of other numbers.
"""

import re

from msgspec.structs import replace

from sglang_exporter.serverlog.envelope import read_prefix
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.forms import Form, LazyFields
from sglang_exporter.serverlog.learning import form_of

_MANY_SIGHTS, _MANY_FORMS, _MOST_ALIKE = 1024, 256, 4
_LONGEST = 256
_OPENING = len(b" Decode batch, ")
_DIGITS = b"0123456789"
_STATUS = frozenset(("decode", "prefill"))
_CLIENT, _BARE_CLIENT = (re.compile(start + rb'INFO:     [0-9A-Fa-f.:]+ - "') for start in (rb" ", rb""))


class Familiar:
    """The forms of one log; a form is learnt when it is seen for the second time. `kinds` counts the lines read."""

    def __init__(self, kinds: dict[str, int]) -> None:
        self._kinds = kinds
        self._forms: dict[bytes, list[Form]] = {}
        self._latest: dict[bytes, Form] = {}  # by how a message begins: found at half the cost of its form's key
        self._words: dict[bytes, Event] = {}  # by request, or by the whole message of another kind
        self._bare_requests: dict[bytes, Event] = {}  # apart, for a prefix tells of more than its line
        self._sights: dict[bytes, int] = {}

    @property
    def size(self) -> int:
        """How many forms are known."""
        return sum(map(len, (*self._forms.values(), self._words, self._bare_requests)))

    def read(self, line: bytes) -> Event | None:
        """Return what a line of a known form says."""
        if not line.startswith(b"["):
            return self._bare(line)
        bracket = line.find(b"]", 0, _LONGEST)
        start = bracket + 1
        if form := self._latest.get(line[start : start + _OPENING]):
            found = form.match(line, start)
            if found is None:
                form, found = self._other_form(line, start)
            if form is None or found is None or (known := read_prefix(line[:bracket])) is None:
                return None
            self._kinds[form.kind] += 1
            return Event(form.kind, LazyFields(form, found), known[0], known[1])
        client = _CLIENT.match(line, start)
        said = self._words.get(line[client.end() if client else start :])
        if said is None or not start or (known := read_prefix(line[:bracket])) is None:
            return None
        self._kinds[said.kind] += 1
        return Event(said.kind, said.fields, known[0], known[1])

    def _other_form(self, line: bytes, start: int) -> tuple[Form | None, re.Match[bytes] | None]:
        """Return the form of a message, from `start` on, that is not that of the last one with the same opening."""
        for form in self._forms.get(line[start:].translate(None, _DIGITS), ()):
            if found := form.match(line, start):
                self._latest[line[start : start + _OPENING]] = form
                return form, found
        return None, None

    def _bare(self, line: bytes) -> Event | None:
        """Return what an access line without a prefix says."""
        client = _BARE_CLIENT.match(line)
        said = self._bare_requests.get(line[client.end() :]) if client else None
        if said:
            self._kinds[said.kind] += 1
        return said

    def learn(self, line: bytes, event: Event) -> None:
        """Note a line that was understood wholly, and what it says."""
        if event.kind in _STATUS:
            self._learn_form(line, event)
        elif len(line) <= _LONGEST and line.startswith(b"["):
            self._learn_words(line, event)
        elif client := _BARE_CLIENT.match(line):
            self._remember(self._bare_requests, line[client.end() :], replace(event, engine=None, repeated=0))

    def _learn_words(self, line: bytes, event: Event) -> None:
        prefix, _, message = line.partition(b"]")
        client = _CLIENT.match(message)
        if message.startswith(b" ") and read_prefix(prefix) and bool(client) == (event.kind == "access"):
            self._remember(self._words, message[client.end() :] if client else message, event)

    def _remember(self, words: dict[bytes, Event], key: bytes, event: Event) -> None:
        if self._sights_of(key):
            if len(words) == _MANY_FORMS:
                words.clear()
            words[key] = event

    def _learn_form(self, line: bytes, event: Event) -> None:
        prefix, _, message = line.partition(b"]")
        if not read_prefix(prefix):
            return
        key = message.translate(None, _DIGITS)
        if 0 < self._sights_of(key) <= _MOST_ALIKE and len(self._forms) < _MANY_FORMS:
            form = form_of(message, event)
            self._forms[key] = self._forms.get(key, []) + ([form] if form else [])
            if form:
                self._latest[message[:_OPENING]] = form

    def _sights_of(self, key: bytes) -> int:
        """Return how often a key was seen, and note that it was once more; all are forgotten when they are too many."""
        sights = self._sights.get(key, 0)
        if not sights and len(self._sights) == _MANY_SIGHTS:
            self._sights.clear()
        self._sights[key] = sights + 1
        return sights
