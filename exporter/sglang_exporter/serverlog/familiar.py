"""Lines of a form that was understood before: they are read at a sixth of what the whole grammar costs.

A form is learnt from a line that the grammar has understood wholly. A line that differs from it in the digits of time,
ranks, address and values alone says the same with other numbers.
"""

from functools import lru_cache

from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.forms import Form, LazyFields
from sglang_exporter.serverlog.learning import form_of
from sglang_exporter.serverlog.ranks import read_ranks
from sglang_exporter.serverlog.stamps import possible

_DIGITS = b"0123456789"
_MANY_SIGHTS, _MANY_FORMS, _MOST_ALIKE = 1024, 256, 4
_KINDS = frozenset(("decode", "prefill", "access"))
_new = tuple.__new__  # at a third of the cost of Event(...)


class Familiar:
    """The forms of one log, `size` of them; a form is learnt when it is seen for the second time."""

    def __init__(self) -> None:
        self._forms: dict[bytes, list[Form]] = {}
        self._sights: dict[bytes, int] = {}
        self.size = 0

    def read(self, line: bytes) -> Event | None:
        """Return what a line of a known form says."""
        for form in self._forms.get(line.translate(None, _DIGITS), ()):
            if found := form.match(line):
                stamp, tags, *texts = found.groups()
                if (time := _time(stamp)) != "":
                    fields = LazyFields(form, texts) if texts else form.fields
                    return _new(Event, (form.kind, fields, time, read_ranks(tags).numbers, None, 0))
        return None

    def learn(self, line: bytes, event: Event) -> None:
        """Note a line that was understood wholly, and what it says."""
        if event.kind not in _KINDS:
            return
        key = line.translate(None, _DIGITS)
        sights = self._sights.get(key, 0)
        if sights or len(self._sights) < _MANY_SIGHTS:
            self._sights[key] = sights + 1
        if 0 < sights <= _MOST_ALIKE and self.size < _MANY_FORMS and (form := form_of(line, event)):
            self._forms[key] = [*self._forms.get(key, []), form]
            self.size += 1


@lru_cache(maxsize=1024)
def _time(stamp: bytes) -> str | None:
    """Return a stamp as an event has it, None where there is none; empty where no clock can show it."""
    if not stamp:
        return None
    time = stamp.decode().replace(" ", "T")
    return time if possible(time) else ""
