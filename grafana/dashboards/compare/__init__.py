"""The dashboard "SGLang before and after": two runs of a server, in steady state, on one clock."""

from grafana_foundation_sdk.builders.dashboard import Dashboard

from dashboards.compare import aligned, choice, means, which
from parts import page, variables

_TEXT = (
    "What a restart with other arguments brought: two runs of a server, each from when it became ready, the steady"
    " phase alone. The time range has to reach back to both runs."
)


def dashboard() -> Dashboard:
    """Return the dashboard."""
    return page.fill(
        page.begin("sglang-before-after", "SGLang before and after", _TEXT).time("now-24h", "now"),
        [
            variables.data_source(),
            variables.job(),
            variables.instance(),
            variables.one_server(),
            choice.before(),
            choice.after(),
            choice.shift(),
            choice.since(),
        ],
        [],
        [which.panel(), *means.panels()],
        [page.Section(300, "Hour by hour, from when each was ready", aligned.panels())],
    )
