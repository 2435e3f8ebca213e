"""Events to a page, at the time that the last of them prints."""

from collections.abc import Iterable

from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.metrics.server import export_server
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.stamps import Zone, printed_seconds
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState
from support.servers import Samples, samples

_NEWEST = 2e9  # later than any line, in seconds since the epoch


def page_of(events: Iterable[Event]) -> Samples:
    """Return the samples that events lead to, however old, by name and labels, `server` left out."""
    state, zone, now = ServerState(), Zone("UTC"), 0.0
    for event in events:
        now = max(now, zone.epoch(event.time, _NEWEST) if event.time else 0.0)
        state.fold(event, Moment(now, printed_seconds(event.time) if event.time else None))
    page = Page()
    export_server(page, Labels({"server": "s"}), state, now, stale_after=0)
    return samples(page)
