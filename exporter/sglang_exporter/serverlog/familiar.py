"""Lines of a form that was understood before: they are read at a tenth of what the whole grammar costs.

A form is learnt from a line that the grammar has understood wholly. A line that differs from it in time, ranks, the
client's address and the digits of its values alone says the same with other numbers.
"""

import re
from collections.abc import Mapping

from sglang_exporter.serverlog.envelope import read_prefix
from sglang_exporter.serverlog.events import Event, Value
from sglang_exporter.serverlog.forms import Form, LazyFields
from sglang_exporter.serverlog.learning import form_of
from sglang_exporter.serverlog.ranks import NO_RANKS

_MANY_SIGHTS, _MANY_FORMS, _MOST_ALIKE = 1024, 256, 4
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
        self._requests: dict[bytes, Mapping[str, Value]] = {}
        self._bare_requests: dict[bytes, Mapping[str, Value]] = {}  # apart, for a prefix tells of more than its line
        self._sights: dict[bytes, int] = {}

    @property
    def size(self) -> int:
        """How many forms are known."""
        return sum(map(len, (*self._forms.values(), self._requests, self._bare_requests)))

    def read(self, line: bytes) -> Event | None:
        """Return what a line of a known form says."""
        if not line.startswith(b"["):
            return self._bare(line)
        prefix, _, message = line.partition(b"]")
        if message.startswith(b" INFO"):
            client = _CLIENT.match(message)
            fields = self._requests.get(message[client.end() :]) if client else None
            if fields is not None and (known := read_prefix(prefix)):
                self._kinds["access"] += 1
                return Event("access", fields, known[0], known[1])
            return None
        form = self._latest.get(message[:_OPENING])
        found = form.match(message) if form else None
        if found is None:
            form, found = self._other_form(message)
        if form is None or found is None or (known := read_prefix(prefix)) is None:
            return None
        self._kinds[form.kind] += 1
        return Event(form.kind, LazyFields(form, found), known[0], known[1])

    def _other_form(self, message: bytes) -> tuple[Form | None, re.Match[bytes] | None]:
        """Return the form of a message that is not that of the last one with the same opening."""
        for form in self._forms.get(message.translate(None, _DIGITS), ()):
            if found := form.match(message):
                self._latest[message[:_OPENING]] = form
                return form, found
        return None, None

    def _bare(self, line: bytes) -> Event | None:
        """Return what an access line without a prefix says."""
        client = _BARE_CLIENT.match(line)
        fields = self._bare_requests.get(line[client.end() :]) if client else None
        if fields is None:
            return None
        self._kinds["access"] += 1
        return Event("access", fields, None, NO_RANKS)

    def learn(self, line: bytes, event: Event) -> None:
        """Note a line that was understood wholly, and what it says."""
        if event.kind == "access":
            self._learn_request(line, event)
        elif event.kind in _STATUS:
            self._learn_form(line, event)

    def _learn_request(self, line: bytes, event: Event) -> None:
        prefix, _, message = line.partition(b"]")
        requests, client = self._requests, _CLIENT.match(message) if read_prefix(prefix) else None
        if not message:
            requests, client = self._bare_requests, _BARE_CLIENT.match(line)
        if client and self._sights_of(request := client.string[client.end() :]):
            if len(requests) == _MANY_FORMS:
                requests.clear()
            requests[request] = event.fields

    def _learn_form(self, line: bytes, event: Event) -> None:
        prefix, _, message = line.partition(b"]")
        if not read_prefix(prefix):
            return
        key = message.translate(None, _DIGITS)
        if 0 < self._sights_of(key) <= _MOST_ALIKE and len(self._forms) < _MANY_FORMS:
            form = form_of(message, event)
            self._forms[key] = self._forms.get(key, []) + ([form] if form else [])

    def _sights_of(self, key: bytes) -> int:
        """Return how often a key was seen, and note that it was once more; all are forgotten when they are too many."""
        sights = self._sights.get(key, 0)
        if not sights and len(self._sights) == _MANY_SIGHTS:
            self._sights.clear()
        self._sights[key] = sights + 1
        return sights
