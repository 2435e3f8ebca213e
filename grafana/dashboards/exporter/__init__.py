"""The dashboard "SGLang exporter": does it see everything, and what does it cost."""

from grafana_foundation_sdk.builders.dashboard import Dashboard

from dashboards.exporter import cost, files, lines, summary
from parts import marks, page, variables

_TEXT = "Whether the exporter sees every line, understands it, and what that costs."


def dashboard() -> Dashboard:
    """Return the dashboard."""
    return page.fill(
        page.begin("sglang-exporter", "SGLang exporter health", _TEXT),
        [variables.data_source(), variables.job(), variables.instance(), variables.source()],
        [marks.exporter_starts()],
        summary.panels(),
        [
            page.Section(200, "Does it read every line?", files.panels()),
            page.Section(300, "Does it understand them?", lines.panels()),
            page.Section(400, "What does it cost?", cost.panels()),
        ],
    )
