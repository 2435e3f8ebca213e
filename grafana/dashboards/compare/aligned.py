"""The two runs over time: the earlier one is moved onto the clock of the later, so that both become ready at once."""

from dashboards.compare import quantities
from dashboards.compare.means import Quantity
from dashboards.compare.run import AFTER, BEFORE_ON_ITS_CLOCK
from parts.looks import bare, fixed
from parts.panels import HALF, Head, Panel, graph
from parts.queries import Query

_HOW = " The graph begins when the run was ready; times are those of the later run."
_EMPTY = "neither run was steady in this time"


def panels() -> list[Panel]:
    """Return the panels from left to right, top to bottom."""
    return [_speed(), _usage(), _running(), _for_each()]


def _speed() -> Panel:
    text = (
        "Tokens generated per second, in the steady phase. Good: one level lies clearly above the other. Bad: they"
        f" cross, the difference is noise, or one decays.{_HOW} From the log: gen throughput (token/s) of the Decode"
        " lines."
    )
    return _both(Head(301, "Which is faster?", text, _EMPTY), "suffix: tok/s", quantities.speed)


def _usage() -> Panel:
    text = (
        "How full the fullest pool on the device was. Good in a batch job: both around 90 %, else one lacked work."
        f"{_HOW} From the log: token usage."
    )
    return _both(Head(302, "How full is the KV cache?", text, _EMPTY), "percentunit", quantities.usage)


def _running() -> Panel:
    text = f"Requests in the running batch. Good in a batch job: level in both.{_HOW} From the log: #running-req."
    return _both(Head(303, "How many requests run?", text, _EMPTY), "short", quantities.running)


def _for_each() -> Panel:
    text = (
        "Tokens per second that a running request gets: the price of more requests at once. Good: level in both."
        f"{_HOW} From the log: gen throughput (token/s) over #running-req."
    )
    return _both(Head(304, "How fast is it for one request?", text, _EMPTY), "suffix: tok/s", quantities.for_each)


def _both(head: Head, unit: str, quantity: Quantity) -> Panel:
    queries = [Query(quantity(BEFORE_ON_ITS_CLOCK), "before"), Query(quantity(AFTER), "after")]
    panel = graph(head, unit, queries, HALF).time_from("${since}s").hide_time_override(hide_time_override=True)
    return panel.override_by_query("A", [*fixed("text"), *bare()]).override_by_query("B", fixed("green"))
