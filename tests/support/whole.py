"""Whether a text is a whole line that some release prints: told by the tables of layouts, never by the decoder."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.ranks import Ranks
from support.forms import INTEGER, form_of
from support.layout import PREFIXES, Layout, Maybe, OneOf, Part
from support.printing import LAYOUTS, MIXED

_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_DATE = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_TAGS = sorted({tag for prefix in PREFIXES for tag in prefix.tags} - {"DP"})
_RANKS = f"(?: DP{INTEGER.pattern})?(?: (?:{'|'.join(_TAGS)}){INTEGER.pattern})*"
_PREFIX = re.compile(rf"(?:\[?(?P<time>(?:{_DATE} )?{_CLOCK}(?:\.\d{{3}})?){_RANKS}\] |\[gpu(?:_id)?=\d+\] )?")
_RANK = re.compile(r"([a-z_]+)=?(\d+)")


class _Pattern(NamedTuple):
    """A layout, what its messages match with a separator in place of the tail, and the label of each group."""

    layout: Layout
    expression: re.Pattern[str]
    labels: list[str]


def whole(line: str) -> Event | None:
    """Return the event of a line that is a prefix and a message of one layout, and nothing else; else None.

    What carries no number may be missing: the first bracket, a tail, the prefix where it has no time. Which release
    has the prefix and the layout both is not asked.
    """
    opened = _PREFIX.match(line)
    assert opened
    message = line[opened.end() :].rstrip(" ,.")
    for pattern in _patterns():
        if found := pattern.expression.fullmatch(message + pattern.layout.separator):
            return _event(opened, pattern, found)
    return None


def candidates(text: str) -> Iterator[str]:
    """Yield a text, and what stands in it from each bracket on: something may be glued in front of a line."""
    yield text
    for found in re.finditer(r"(?!^)\[", text):
        yield text[found.start() :]


def _event(opened: re.Match[str], pattern: _Pattern, found: re.Match[str]) -> Event:
    told = {label: text for label, text in zip(pattern.labels, found.groups(), strict=True) if text is not None}
    fields = {label.removesuffix("="): form_of(label).value(text) for label, text in told.items()}
    ranks = {name: int(rank) for name, rank in _RANK.findall(opened[0].lower())}
    return Event(pattern.layout.kind, fields, (opened["time"] or "").replace(" ", "T") or None, Ranks(ranks))


@cache
def _patterns() -> list[_Pattern]:
    return [_pattern(layout) for layout in LAYOUTS]


def _pattern(layout: Layout) -> _Pattern:
    labels = [MIXED] * any(MIXED in head for head in layout.heads)
    number = f"({INTEGER.pattern})" if labels else INTEGER.pattern
    heads = "|".join(re.escape(head).replace(r"\{n\}", number) for head in layout.heads)
    return _Pattern(layout, re.compile(f"(?:{heads}){_part(layout.parts, layout, labels)}"), labels)


def _part(part: Part, layout: Layout, labels: list[str]) -> str:
    """Return the pattern of a part with a separator behind each value, and add the labels of its groups."""
    if isinstance(part, str):
        labels.append(part)
        label = re.escape(part.removesuffix("=") + layout.equals)
        return f"{label}({form_of(part).pattern}){re.escape(layout.separator)}"
    between = "|" if isinstance(part, OneOf) else ""
    inner = between.join(_part(each, layout, labels) for each in part)
    return f"(?:{inner})" + "?" * isinstance(part, Maybe)
