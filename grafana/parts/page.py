"""A dashboard: what all of them have in common, and rows of panels in the grid."""

from collections.abc import Sequence
from typing import NamedTuple

from grafana_foundation_sdk.builders.dashboard import (
    AnnotationQuery,
    Dashboard,
    DashboardLink,
    DatasourceVariable,
    QueryVariable,
    Row,
)
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync, DashboardLinkType

from parts.panels import Panel

TAG = "sglang"


class Section(NamedTuple):
    """Panels under a heading; `id` is the heading's own among the panels."""

    id: int
    heading: str
    panels: Sequence[Panel]


def begin(uid: str, title: str, text: str) -> Dashboard:
    """Return a dashboard without content; `uid` is in links that people keep, and never changes."""
    page = Dashboard(title).uid(uid).description(text).tags([TAG]).readonly()
    page.timezone("browser").time("now-6h", "now").refresh("30s").tooltip(DashboardCursorSync.CROSSHAIR)
    others = DashboardLink("SGLang dashboards").type(DashboardLinkType.DASHBOARDS).tags([TAG])
    others.as_dropdown(as_dropdown=True).include_vars(include_vars=True).keep_time(keep_time=True)
    return page.link(others.placement(""))  # the SDK would hide it in a menu


def fill(
    page: Dashboard,
    variables: Sequence[DatasourceVariable | QueryVariable],
    marks: Sequence[AnnotationQuery],
    top: Sequence[Panel],
    sections: Sequence[Section],
) -> Dashboard:
    """Return the dashboard with its variables, annotations, the panels on top and the sections below them."""
    for variable in variables:
        page.with_variable(variable)
    for mark in marks:
        page.annotation(mark)
    for panel in top:
        page.with_panel(panel)
    for section in sections:
        page.with_row(Row(section.heading).id(section.id))
        for panel in section.panels:
            page.with_panel(panel)
    return page
