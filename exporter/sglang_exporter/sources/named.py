"""The files that the globs of one entry of the configuration match, each with the name that it keeps."""

from sglang_exporter.config import Globs
from sglang_exporter.follow.discover import Found, Row, discover, outline
from sglang_exporter.follow.naming import Kind, names
from sglang_exporter.follow.pattern import Pattern
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import Store


class Named:
    """The streams of one entry of the configuration by path, each with the name that it keeps."""

    def __init__(self, globs: Globs, kind: Kind, configured: str | None, given: dict[str, str]) -> None:
        self._patterns = [globs] if isinstance(globs, str) else globs
        self._compiled = [Pattern(text) for text in self._patterns]
        self._there: list[Row] | None = None
        self._found: list[tuple[Found, str]] = []
        self._kind: Kind = kind
        self._configured = configured
        self._given = given

    def find(self) -> list[tuple[Found, str]]:
        """Return what is there now, with its name."""
        there = outline(self._compiled)
        if there != self._there:
            found = discover(self._patterns)
            named = names(found, self._given, self._kind, self._configured)
            self._given.update(named)
            self._there, self._found = there, [(stream, named[stream.path]) for stream in found]
        return self._found

    @property
    def placeholder(self) -> str:
        """What to call the entry while it matches nothing."""
        nothing = [Found(self._patterns[0], {}, [])]
        return names(nothing, {}, self._kind, self._configured)[self._patterns[0]]


def mark_unmatched(store: Store, label: str, *, matched: bool) -> None:
    """Show a source that is down for an entry that matches nothing, until it does."""
    if matched:
        store.unmatched.pop(label, None)
    else:
        store.unmatched.setdefault(label, SourceState(caught_up=True))
