"""The kinds of panel that the dashboards use, with the house's defaults: gaps stay gaps, axes start at 0."""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple, TypeVar

from grafana_foundation_sdk.builders import common, prometheus, stat, statetimeline, table, timeseries
from grafana_foundation_sdk.builders import heatmap as heat
from grafana_foundation_sdk.builders.dashboard import ThresholdsConfig
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    BigValueTextMode,
    HeatmapCellLayout,
    LegendDisplayMode,
    LegendPlacement,
    ScaleDistribution,
    SortOrder,
    TooltipDisplayMode,
    VisibilityMode,
)
from grafana_foundation_sdk.models.dashboard import (
    DataTransformerConfig,
    DynamicConfigValue,
    Threshold,
    ThresholdsMode,
)
from grafana_foundation_sdk.models.heatmap import HeatmapColorMode, HeatmapColorScale
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from parts.queries import Query
from parts.variables import DATA_SOURCE

Panel = heat.Panel | stat.Panel | statetimeline.Panel | table.Panel | timeseries.Panel
_AnyPanel = TypeVar("_AnyPanel", heat.Panel, stat.Panel, statetimeline.Panel, table.Panel, timeseries.Panel)

POINTS_OF_A_TILE = 2000
"""Points that a tile asks for, so that the rate in it covers the present and not an hour of it."""
NEUTRAL = "text"


class Head(NamedTuple):
    """What a panel is about.

    `id` is its own for ever; `text` says what good and bad look like and where the numbers come from; `empty` is shown
    where there is no data.
    """

    id: int
    title: str
    text: str
    empty: str


class Size(NamedTuple):
    """Width in the grid's 24 columns, and height in its rows."""

    width: int
    height: int


TILE_HEIGHT = 4
NARROWEST = 80
"""Width of the narrowest column of a table, in pixels."""
WHOLE = Size(24, 11)
HALF = Size(12, 9)
THIRD = Size(8, 9)


def tile(head: Head, unit: str, queries: Sequence[Query], width: int) -> stat.Panel:
    """Return a panel of numbers of this moment; a number that is not there any more is not shown."""
    panel = _begin(stat.Panel(), head, unit, Size(width, TILE_HEIGHT))
    panel.targets([_target(place, query).instant() for place, query in enumerate(queries)])
    panel.max_data_points(POINTS_OF_A_TILE).reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
    panel.graph_mode(BigValueGraphMode.NONE).color_mode(BigValueColorMode.VALUE)
    if len(queries) == 1:
        panel.text_mode(BigValueTextMode.VALUE)
    return panel.thresholds(steps(NEUTRAL))


def graph(head: Head, unit: str, queries: Sequence[Query], size: Size) -> timeseries.Panel:
    """Return a panel of lines over time."""
    panel = _begin(timeseries.Panel(), head, unit, size)
    panel.targets([_target(place, query).range() for place, query in enumerate(queries)])
    panel.legend(_legend())
    panel.tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING))
    panel.line_width(2).fill_opacity(8).show_points(VisibilityMode.AUTO).span_nulls(span_nulls=False)
    return panel.min(0)


def heatmap(head: Head, unit: str, query: Query, size: Size) -> heat.Panel:
    """Return a panel of a histogram over time: the more, the deeper the colour; `unit` is that of the buckets."""
    panel = _begin(heat.Panel(), head, "short", size)
    panel.targets([_target(0, query).range().format(PromQueryFormat.HEATMAP)]).calculate(calculate=False)
    colours = heat.HeatmapColorOptions().mode(HeatmapColorMode.SCHEME).scheme("Blues").steps(32)
    panel.color(colours.scale(HeatmapColorScale.EXPONENTIAL).exponent(0.5).fill("dark-blue"))
    panel.rows_frame(heat.RowsHeatmapOptions().layout(HeatmapCellLayout.AUTO)).cell_gap(1)
    return panel.y_axis(heat.YAxisConfig().unit(unit).decimals(0)).show_legend()


def timeline(head: Head, query: Query, height: int) -> statetimeline.Panel:
    """Return a panel of states over time, a line per series."""
    panel = _begin(statetimeline.Panel(), head, "short", Size(WHOLE.width, height))
    panel.targets([_target(0, query).range()])
    panel.legend(common.VizLegendOptions().show_legend(show_legend=False))
    panel.show_value(VisibilityMode.AUTO).row_height(0.9).fill_opacity(80).line_width(0)
    return panel.span_nulls(span_nulls=False)


def rows(
    head: Head,
    columns: dict[str, Query],
    names: dict[str, str],
    size: Size,
    behind: dict[str, str] | None = None,
    first: Sequence[str] = (),
) -> table.Panel:
    """Return a table with a row per series: labels under their `names`, the `columns` of numbers, labels `behind` them.

    Numbers named in `first` stand before the labels. No other label is shown.
    """
    panel = _begin(table.Panel(), head, "short", size).min_width(NARROWEST)
    panel.targets([_target(i, q).instant().format(PromQueryFormat.TABLE) for i, q in enumerate(columns.values())])
    behind = behind or {}
    for name in (names | behind).values():
        panel.override_by_name(name, [DynamicConfigValue("noValue", ""), DynamicConfigValue("unit", "string")])
    refs = [f"Value #{ref}" for ref in ascii_uppercase[: len(columns)]] if len(columns) > 1 else ["Value"]
    numbers = dict(zip(refs, columns, strict=True))
    kept = {ref: name for ref, name in numbers.items() if name in first} | names | numbers | behind
    panel.with_transformation(DataTransformerConfig("merge", options={}))
    shown = {"include": {"names": list(kept)}}
    panel.with_transformation(DataTransformerConfig("filterFieldsByName", options=shown))
    options = {"indexByName": {name: place for place, name in enumerate(kept)}, "renameByName": kept}
    return panel.with_transformation(DataTransformerConfig("organize", options=options))


def logarithmic() -> common.ScaleDistributionConfig:
    """Return an axis on which each line stands for twice as much as the one below it."""
    return common.ScaleDistributionConfig().type(ScaleDistribution.LOG).log(2)


def steps(first: str, *following: tuple[float, str]) -> ThresholdsConfig:
    """Return thresholds: the colour from the bottom, then each value from which another colour holds."""
    bounds = [Threshold(None, first), *(Threshold(value, colour) for value, colour in following)]
    return ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(bounds)


def _begin(panel: _AnyPanel, head: Head, unit: str, size: Size) -> _AnyPanel:
    panel.id(head.id).title(head.title).description(head.text).no_value(head.empty)
    panel.datasource(DATA_SOURCE).span(size.width).height(size.height)
    if ":" not in unit:
        return panel.unit(unit)
    # dashboard-linter knows no unit of one's own, as `suffix: tok/s`, so it stands in an override
    return panel.unit("short").override_by_field_type("number", [DynamicConfigValue("unit", unit)])


def _target(place: int, query: Query) -> prometheus.Dataquery:
    target = prometheus.Dataquery().ref_id(ascii_uppercase[place]).datasource(DATA_SOURCE)
    return target.expr(query.expr).legend_format(query.legend)


def _legend() -> common.VizLegendOptions:
    legend = common.VizLegendOptions().display_mode(LegendDisplayMode.TABLE).placement(LegendPlacement.BOTTOM)
    return legend.calcs(["lastNotNull", "mean", "max"]).show_legend(show_legend=True)
