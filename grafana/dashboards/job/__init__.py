"""The dashboard "SGLang job": how far it is, when it will be done, how fast, what comes back."""

from grafana_foundation_sdk.builders.dashboard import Dashboard

from dashboards.job import answers, pace, progress, summary, trouble
from parts import marks, page, variables

_TEXT = "What the output files of a batch job prove, beside what the server says in its log. A row per data set."


def dashboard() -> Dashboard:
    """Return the dashboard."""
    return page.fill(
        page.begin("sglang-job", "SGLang job", _TEXT),
        [
            variables.data_source(),
            variables.job(),
            variables.instance(),
            variables.dataset(),
            variables.server(),
            variables.window(),
        ],
        [marks.restarts(), marks.ends()],
        summary.panels(),
        [
            page.Section(200, "How far is it?", progress.panels()),
            page.Section(300, "How fast is it?", pace.panels()),
            page.Section(400, "What comes back?", answers.panels()),
            page.Section(500, "What holds it up?", trouble.panels()),
        ],
    )
