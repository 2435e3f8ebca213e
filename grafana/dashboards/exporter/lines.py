"""Whether it understands what it reads."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.common import GraphDrawStyle, StackingMode, VisibilityMode

from parts.looks import shades
from parts.panels import HALF, Head, Panel, graph, steps
from parts.queries import Query, of_source, per_minute


def panels() -> list[Panel]:
    """Return the panels from left to right."""
    return [_kinds(), _unrecognised()]


def _kinds() -> Panel:
    head = Head(
        301,
        "What are the lines?",
        "Lines per minute by what they are. Good: decode and prefill while the server works, other for what no metric"
        " needs. Bad: other alone, the format is not known or the wrong file is followed. From the log: all its lines.",
        "no line in this time",
    )
    kinds = f"sum by (kind) ({per_minute(of_source('sglang_exporter_lines_total'))}) > 0"
    panel = graph(head, "suffix:/min", [Query(kinds, "{{kind}}")], HALF).fill_opacity(40).line_width(1)
    panel.show_points(VisibilityMode.NEVER)
    return panel.stacking(common.StackingConfig().mode(StackingMode.NORMAL))


def _unrecognised() -> Panel:
    head = Head(
        302,
        "Which lines does it not understand?",
        "Lines per minute that look like a status line and yield nothing, or only a part of it. Good: none. Bad:"
        " steadily some, SGLang prints something new (explain says which line), or the log is damaged. repeated: Ray"
        " leaves lines out, set RAY_DEDUP_LOGS=0. From the log: lines that say batch.",
        "none",
    )
    reasons = f"sum by (instance, source, reason) ({per_minute(of_source('sglang_exporter_unrecognised_lines_total'))})"
    panel = graph(head, "suffix:/min", [Query(f"{reasons} > 0", "{{source}} {{reason}}")], HALF)
    panel.draw_style(GraphDrawStyle.BARS).fill_opacity(70).line_width(0).thresholds(steps("transparent", (1, "orange")))
    return panel.override_by_query("A", shades("orange"))
