"""The two runs in numbers: the mean of each over its steady phase, and the change."""

from collections.abc import Callable
from typing import NamedTuple

from dashboards.compare import quantities
from dashboards.compare.run import AFTER, BEFORE, Run
from parts.looks import coloured, unit
from parts.panels import Head, Panel, tile
from parts.queries import Query

Quantity = Callable[[Run], str]

_POINTS = 1000
"""Moments that a mean is taken of, over the time shown."""
_WIDTH = 8
_EMPTY = "no two runs with a steady phase in this time"
_SMALL = 0.03
"""A change that is not worth a colour."""
_OF_FEWER = {"green": "red", "red": "green", "text": "text"}


class Compared(NamedTuple):
    """A quantity in the unit `number`; `more` is the colour of a change for more."""

    id: int
    title: str
    text: str
    number: str
    quantity: Quantity
    decimals: int = 0
    more: str = "text"


_COMPARED = (
    Compared(
        201,
        "Speed",
        "Tokens generated per second. Good: more, at no price that hurts, see what one request gets. The mean leaves"
        " out starting, warm-up, drain and idle time. From the log: gen throughput (token/s) of the Decode lines.",
        "suffix: tok/s",
        quantities.speed,
        more="green",
    ),
    Compared(
        202,
        "For one request",
        "Tokens per second that a running request gets. Good: as much as before. It falls where more run at once: that"
        " is the price of speed for all. From the log: gen throughput (token/s) over #running-req.",
        "suffix: tok/s",
        quantities.for_each,
        decimals=1,
        more="green",
    ),
    Compared(
        203,
        "Running requests",
        "Requests that run at once. Good in a batch job: more, if speed rises with them. From the log: #running-req.",
        "short",
        quantities.running,
    ),
    Compared(
        204,
        "KV cache in use",
        "How full the fullest pool on the device was. Good in a batch job: around 90 % in both, then the GPU had work"
        " enough and the comparison is fair. Bad: far below in one of them, its client was too slow. From the log:"
        " token usage.",
        "percentunit",
        quantities.usage,
    ),
    Compared(
        205,
        "Requests that fit",
        "The concurrency now: requests that fit into the KV cache at the mean length of the running ones. Good: more."
        " From the log: max_total_num_tokens times #running-req over #token.",
        "short",
        quantities.fit,
        more="green",
    ),
    Compared(
        206,
        "Tokens that fit",
        "Tokens that the KV cache holds. Good: more; an FP8 cache holds twice as many as a bf16 one, and more where"
        " memory is left for it. From the log: max_total_num_tokens of the capacity line.",
        "locale",
        quantities.capacity,
        more="green",
    ),
    Compared(
        207,
        "Queued requests",
        "Requests that wait. Good in a batch job: some in both runs, then neither lacked work. Good for people who wait"
        " for answers: fewer. From the log: #queue-req.",
        "short",
        quantities.queued,
    ),
    Compared(
        208,
        "Retractions",
        "Retractions per minute: the KV cache was full and running requests went back to the queue. Good: fewer than"
        " one. From the log: retraction lines.",
        "suffix: /min",
        quantities.retractions,
        decimals=1,
        more="red",
    ),
    Compared(
        209,
        "Prompts from cache",
        "Share of the prompt tokens that the prefix cache had. Good: as much as before, or the work was not the same."
        " From the log: #cached-token over #new-token and #cached-token.",
        "percentunit",
        quantities.hits,
    ),
)


def panels() -> list[Panel]:
    """Return the tiles from left to right, top to bottom."""
    return [_both(compared) for compared in _COMPARED]


def _both(of: Compared) -> Panel:
    before, after = _mean(of.quantity(BEFORE)), _mean(of.quantity(AFTER))
    change = Query(f"{after} / ({before} > 0) - 1", "change")
    queries = [Query(before, "before"), Query(after, "after"), change]
    panel = tile(Head(of.id, of.title, of.text, _EMPTY), of.number, queries, _WIDTH)
    panel.decimals(of.decimals).max_data_points(_POINTS)
    look = coloured(_OF_FEWER[of.more], (-_SMALL, "text"), (_SMALL, of.more))
    return panel.override_by_query("C", [*unit("percentunit"), *look])


def _mean(vector: str) -> str:
    return f"avg_over_time(({vector})[$__range:$__interval])"
