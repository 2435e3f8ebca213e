"""The page at `/` as a browser without scripts reads it, and what /metrics says to each of its numbers."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple

from support.exporter import Samples

_TERM = re.compile(r"(sum|max) of (\w+)(?:\{(.*)\})?")
_MATCHER = re.compile(r'(\w+)(!?=)"([^"]*)"')
_VOID = {"meta", "link", "img", "br", "input"}
_OWNERS = {"server": "server", "job": "dataset"}


class Number(NamedTuple):
    """A number on the page: the part that it stands in (`server-NAME`), its row's first cell, value, origin, words."""

    part: str
    row: str
    value: float
    origin: str
    words: str


class PageReader(HTMLParser):
    """Collects texts, tags, attributes, and numbers."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.numbers: list[Number] = []
        self._open: list[tuple[str, str]] = []
        self._data: tuple[float, str] | None = None
        self._row = ""
        self.feed(page)
        assert not self._open, f"not closed: {self._open}"

    @property
    def text(self) -> str:
        """All that is to be read."""
        return " ".join(self.texts)

    def values(self, tag: str, attribute: str) -> list[str]:
        """Return the values of an attribute."""
        return [value for has, name, value in self.attributes if (has, name) == (tag, attribute)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in found.items()]
        if tag not in _VOID:
            self._open.append((tag, found.get("id", "")))
        if tag == "tr":
            self._row = ""
        if tag == "data":
            self._data = (float(found["value"]), found["title"])

    def handle_endtag(self, tag: str) -> None:
        assert self._open
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        within = [tag for tag, _ in self._open]
        if "style" in within or not data.strip():
            return
        self.texts.append(data.strip())
        if "tr" in within and not self._row:
            self._row = data.strip()
        if self._data:
            part = next((name for _, name in reversed(self._open) if name.startswith(tuple(_OWNERS))), "")
            self.numbers.append(Number(part, self._row if "tr" in within else "", *self._data, data))
            self._data = None


def expected(number: Number, page: Samples) -> float | None:
    """Return what /metrics says of a number of the HTML page, None where it says nothing."""
    owner = _owner(number)
    found = [value for term in number.origin.split(" + ") if (value := _term(term, owner, page)) is not None]
    return sum(found) if found else None


def _owner(number: Number) -> dict[str, str]:
    """Return the label that says what a number is about."""
    kind, _, name = number.part.partition("-")
    if kind in _OWNERS:
        return {_OWNERS[kind]: name}
    if "sglang_exporter" in number.origin:
        return {"source": number.row}
    name = number.row.removeprefix("outputs:")
    return {"server" if "sglang_server" in number.origin else "dataset": name}


def _term(term: str, owner: dict[str, str], page: Samples) -> float | None:
    how, name, matchers = _parsed(term)
    values = [
        value for (metric, labels), value in page.items() if metric == name and _fits(dict(labels), owner, matchers)
    ]
    return (max(values) if how == "max" else sum(values)) if values else None


def _parsed(term: str) -> tuple[str, str, list[tuple[str, str, str]]]:
    found = _TERM.fullmatch(term)
    assert found, term
    return found[1], found[2], _MATCHER.findall(found[3] or "")


def _fits(labels: dict[str, str], owner: dict[str, str], matchers: list[tuple[str, str, str]]) -> bool:
    wanted = owner if set(owner) & set(labels) else _source_of(owner)
    return wanted.items() <= labels.items() and all(
        (labels.get(label) == value) is (operator == "=") for label, operator, value in matchers
    )


def _source_of(owner: dict[str, str]) -> dict[str, str]:
    [(kind, name)] = owner.items()
    return {"source": f"{'log' if kind == 'server' else 'outputs'}:{name}"}


def metrics_of(numbers: list[Number]) -> set[str]:
    """Return the metrics that numbers are made of."""
    return {name for number in numbers for name in _names(number.origin)}


def _names(origin: str) -> Iterator[str]:
    for term in origin.split(" + "):
        yield _parsed(term)[1]
