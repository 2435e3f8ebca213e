"""Which metrics a line sets, and by how much it raises counters: the page of a server that has said nothing else."""

from collections.abc import Iterator

from msgspec.structs import replace
from prometheus_client.samples import Sample

from sglang_exporter.metrics.catalogue import BY_NAME
from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.metrics.server import export_server
from sglang_exporter.serverlog.events import Event
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState

# Nearly every line moves these, and they say nothing of it.
_LEFT_OUT = ("_timestamp_seconds", "_phase", "_schedulers")
_WHENEVER = Moment(0.0)
_FOR_EVER = 0.0


def effects(event: Event) -> list[str]:
    """Return what a line does to metrics: `sglang_server_queued_requests = 6`, `sglang_server_starts_total + 1`."""
    state = ServerState()
    state.fold(replace(event, engine=None), _WHENEVER)
    page = Page()
    export_server(page, Labels({}), state, _WHENEVER.at, _FOR_EVER)
    return list(_told(page))


def _told(page: Page) -> Iterator[str]:
    for family in page.families():
        for sample in family.samples:
            counter = BY_NAME[sample.name].type == "counter"
            if not sample.name.endswith(_LEFT_OUT) and (sample.value or not counter):
                yield f"{_series(sample)} {'+' if counter else '='} {sample.value:.10g}"


def _series(sample: Sample) -> str:
    labels = ", ".join(f'{name}="{value}"' for name, value in sample.labels.items())
    return f"{sample.name}{{{labels}}}" if labels else str(sample.name)
