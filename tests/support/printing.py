"""Lines as some release of SGLang prints them, at random, each with what a reader should make of it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st
from packaging.version import Version

from sglang_exporter.serverlog.events import Event, Value
from sglang_exporter.serverlog.ranks import Ranks
from support.forms import form_of
from support.layout import PREFIXES, Layout, Maybe, OneOf, Part, Prefix, first_and_last, printed_by
from support.layouts_decode import DECODE
from support.layouts_other import OTHER
from support.layouts_prefill import PREFILL

LAYOUTS = (*DECODE, *PREFILL, *OTHER)
RELEASES = sorted({end for each in (*LAYOUTS, *PREFIXES) for end in first_and_last(each.releases)})

MIXED = "mixed #running-req"
"""The one label that stands in the head of a line."""

_START = datetime(2025, 7, 30, 12, 0, 0)  # noqa: DTZ001 -- SGLang prints local time without a zone
_MONTH = 30 * 86400


class Printed(NamedTuple):
    """A line, and the event that it stands for."""

    line: str
    event: Event


def printed(random: Random, layout: Layout, release: Version | None = None) -> Printed:
    """Return a line of a layout as one of its releases prints it, any of them where none is given."""
    release = release or random.choice(_releases(layout.releases))
    prefix, time, ranks = _prefix(random, _prefix_of(release))
    message, fields = _message(random, layout)
    return Printed(prefix + message, Event(layout.kind, fields, time, Ranks(ranks)))


def printed_lines() -> st.SearchStrategy[Printed]:
    """Return the strategy of all lines of all layouts."""
    return st.builds(printed, st.randoms(use_true_random=False), st.sampled_from(LAYOUTS))


def labels_of(layout: Layout) -> set[str]:
    """Return every label that a layout may print."""
    in_head = {MIXED for head in layout.heads if MIXED in head}
    return in_head | set(_labels(layout.parts))


@cache
def _releases(span: str) -> list[Version]:
    return [release for release in RELEASES if printed_by(span, release)]


@cache
def _prefix_of(release: Version) -> Prefix:
    """Return the prefix that a release prints."""
    (prefix,) = (each for each in PREFIXES if printed_by(each.releases, release))
    return prefix


def _prefix(random: Random, prefix: Prefix) -> tuple[str, str | None, dict[str, int]]:
    """Return a prefix, its time as events have it, and its ranks."""
    if prefix.gpu:
        number = random.randrange(8)
        return f"[{prefix.gpu}={number}] ", None, {prefix.gpu: number}
    if not prefix.time:
        return "", None, {}
    tags = [tag for tag in prefix.tags if tag in prefix.always or random.random() < 0.5]
    ranks = {tag: random.randrange(16) for tag in tags}
    time = (_START + timedelta(seconds=random.randrange(_MONTH))).strftime(prefix.time)
    if prefix.milliseconds and random.random() < 0.5:
        time += f".{random.randrange(1000):03}"
    told = "".join(f" {tag}{rank}" for tag, rank in ranks.items())
    return f"[{time}{told}] ", time.replace(" ", "T"), {tag.lower(): rank for tag, rank in ranks.items()}


def _message(random: Random, layout: Layout) -> tuple[str, dict[str, Value]]:
    fields: dict[str, Value] = {}
    number = form_of("#").draw(random)
    head = random.choice(layout.heads).replace("{n}", number)
    if MIXED in head:
        fields[MIXED] = int(number)
    pieces = []
    for label in _chosen(random, layout.parts):
        form, name = form_of(label), label.removesuffix("=")
        text = form.draw(random)
        fields[name] = form.value(text)
        pieces.append(name + layout.equals + text)
    return head + layout.separator.join(pieces) + layout.tail, fields


def _labels(part: Part) -> Iterator[str]:
    if isinstance(part, str):
        yield part.removesuffix("=")
    else:
        for each in part:
            yield from _labels(each)


def _chosen(random: Random, part: Part) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, OneOf):
        yield from _chosen(random, random.choice(part))
    elif not isinstance(part, Maybe) or random.random() < 0.5:
        for each in part:
            yield from _chosen(random, each)
