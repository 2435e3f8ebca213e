"""The dashboard "SGLang fleet": all servers at a glance, sums over the fleet, and ways down to each server."""

from grafana_foundation_sdk.builders.dashboard import Dashboard

from dashboards.fleet import alerts, each, summary, sums
from parts import page, variables

_TEXT = "All servers at a glance, the most pressing one first. It needs the recording rules of prometheus/rules."


def dashboard() -> Dashboard:
    """Return the dashboard."""
    return page.fill(
        page.begin("sglang-fleet", "SGLang fleet", _TEXT),
        [variables.data_source(), variables.job(), variables.instance(), variables.server()],
        [],
        [*summary.panels(), *each.panels()],
        [
            page.Section(300, "What does the fleet as a whole do?", sums.panels()),
            page.Section(400, "What needs somebody?", alerts.panels()),
        ],
    )
