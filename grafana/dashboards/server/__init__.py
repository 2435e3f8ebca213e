"""The dashboard "SGLang server": is it fast, what limits it, what changed, what goes wrong."""

from grafana_foundation_sdk.builders.dashboard import Dashboard

from dashboards.server import limits, ranks, runs, speed, summary, trouble
from parts import marks, page, variables

_TEXT = (
    "What SGLang's log says and what the output files prove, side by side. More servers than one can be chosen above."
)


def dashboard() -> Dashboard:
    """Return the dashboard."""
    return page.fill(
        page.begin("sglang-server", "SGLang server", _TEXT),
        [
            variables.data_source(),
            variables.job(),
            variables.instance(),
            variables.servers(),
            variables.dataset(),
            variables.window(),
        ],
        [marks.restarts(), marks.ends(), marks.retractions([201, 301, 302])],
        summary.panels(),
        [
            page.Section(200, "Is it fast?", speed.panels()),
            page.Section(300, "What limits it?", limits.panels()),
            page.Section(700, "What changed?", runs.panels()),
            page.Section(500, "What goes wrong?", trouble.panels()),
            page.Section(600, "Do the DP ranks pull together?", ranks.panels()),
        ],
    )
