"""What several parts of the page are made of: facts in pairs, badges, places to jump to."""

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Literal, NamedTuple
from urllib.parse import quote

from sglang_exporter.metrics.recent import Hour
from sglang_exporter.overview.charts import data
from sglang_exporter.overview.curve import Reach, reach
from sglang_exporter.overview.html import Markup, tag, together
from sglang_exporter.overview.samples import Reading
from sglang_exporter.overview.words import ago, amount, size

Mood = Literal["good", "busy", "bad", "calm"]
Fact = tuple[str, str | None]
"""A name and what is to be said of it; nothing is said of None."""

FEW = 8
"""As many servers or data sets are shown open; of more, each is folded up, and has a row in a table."""


class View(NamedTuple):
    """How servers or data sets are shown: at which time, charts how far back, and whether each is folded up."""

    now: float
    back: Reach
    folded: bool


def view(now: float, looked: int, number: int) -> View:
    """Return how so many are shown when there are so many moments to draw."""
    return View(now, reach(looked, coarse=number > FEW), number > FEW)


def badge(text: str, mood: Mood) -> Markup:
    """Return a word with a colour that repeats what it says."""
    return tag("span", text, class_=f"badge {mood}")


def facts(pairs: Iterable[Fact]) -> Markup:
    """Return a list of what is known."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", said)) for name, said in pairs if said))


def place(kind: str, name: str) -> str:
    """Return the identifier of a part of the page, without a blank."""
    return f"{kind}-{quote(name, safe='')}"


def part(identifier: str, head: Markup, *inside: Markup | None, folded: bool) -> Markup:
    """Return a part of the page under its head, open or folded up; to jump into a folded one unfolds it."""
    if folded:
        return tag(
            "details", tag("summary", head), tag("div", *inside, id=identifier), id=f"fold-{identifier}", class_="part"
        )
    return tag("section", head, *inside, id=identifier, class_="part")


def backlog(reading: Reading, whose: str) -> Markup:
    """Return what is said instead of values while what is there at start is still being read."""
    return tag("p", f"Reading what {whose} held before: ", data(reading, size), " to go. Values come after that.")


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[str]], *, numbers: bool = True) -> Markup:
    """Return a table whose rows begin with what they are about; `numbers` are all but those in the first column."""
    head = tag("tr", *(tag("th", column, scope="col") for column in columns))
    return tag(
        "table",
        tag("caption", title, class_="unseen"),
        tag("thead", head),
        tag("tbody", *(tag("tr", *_cells(row)) for row in rows)),
        class_="numbers" if numbers else None,
    )


def _cells(row: Iterable[str]) -> Iterator[Markup]:
    for number, cell in enumerate(row):
        yield tag("td", cell) if number else tag("th", cell, scope="row")


def when(reading: Reading | None, now: float) -> Markup | None:
    """Return how long ago something was."""
    if reading is None:
        return None
    return data(reading, lambda at: ago(at, now))


def counted(total: Reading | None, hour: Hour, name: str) -> Markup | None:
    """Return a total, and by how much it rose within the hour."""
    if total is None:
        return None
    rises = sum(rise for rise in hour.get(name, ()) if isfinite(rise))
    said = data(total, lambda value: amount(value) if value else "none")
    return together(said, f" ({amount(rises)} in this hour)" if rises else None)


def kinds(numbers: Mapping[str, float]) -> str | None:
    """Return how many there were of each kind, of those that there were."""
    named = ", ".join(f"{kind.replace('_', ' ')} {amount(number)}" for kind, number in numbers.items() if number)
    return f": {named}" if named else None
