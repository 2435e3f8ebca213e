"""How single series of a panel look: colour, dashes, the axis on the right."""

from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

Looks = list[DynamicConfigValue]


def shades(colour: str) -> Looks:
    """Return the looks of a query's series: shades of one colour, so that several servers stay apart."""
    return [DynamicConfigValue("color", {"mode": "shades", "fixedColor": colour})]


def fixed(colour: str) -> Looks:
    """Return the looks of a series that has one meaning and one colour."""
    return [DynamicConfigValue("color", {"mode": "fixed", "fixedColor": colour})]


def thin() -> Looks:
    """Return the looks of a line that stands behind another."""
    return [DynamicConfigValue("custom.lineWidth", 1), DynamicConfigValue("custom.showPoints", "never"), *bare()]


def bare() -> Looks:
    """Return the looks of a line with nothing filled in below it."""
    return [DynamicConfigValue("custom.fillOpacity", 0)]


def filled() -> Looks:
    """Return the looks of a line whose area carries another line."""
    return [DynamicConfigValue("custom.fillOpacity", 40), DynamicConfigValue("custom.lineWidth", 0)]


def dashed() -> Looks:
    """Return the looks of a line that is a bound or an estimate, not a measurement."""
    return [DynamicConfigValue("custom.lineStyle", {"fill": "dash", "dash": [10, 8]}), *bare()]


def share_on_the_right() -> Looks:
    """Return the looks of a ratio beside quantities: its own axis from 0 to 100 %."""
    axis = [DynamicConfigValue("custom.axisPlacement", "right"), DynamicConfigValue("unit", "percentunit")]
    return [*axis, DynamicConfigValue("min", 0), DynamicConfigValue("max", 1), *bare()]


def unstacked() -> Looks:
    """Return the looks of a line that is not part of the sum that the others are stacked to."""
    return [DynamicConfigValue("custom.stacking", {"mode": "none"})]


def unit(name: str) -> Looks:
    """Return the looks of a column of whole numbers in a unit of its own."""
    return [DynamicConfigValue("unit", name), DynamicConfigValue("decimals", 0)]


def share_bar(limit: float) -> Looks:
    """Return the looks of a column of ratios: a bar from 0 to 100 %, another colour from the limit on."""
    bar = {"type": "gauge", "mode": "basic", "valueDisplayMode": "text"}
    bounds = {"mode": "absolute", "steps": [{"color": "green", "value": None}, {"color": "orange", "value": limit}]}
    scale = [DynamicConfigValue("min", 0), DynamicConfigValue("max", 1), DynamicConfigValue("thresholds", bounds)]
    return [DynamicConfigValue("custom.cellOptions", bar), *unit("percentunit"), *scale]


def absent(text: str) -> Looks:
    """Return the looks of a column that says this where a row has no such label."""
    return [DynamicConfigValue("noValue", text)]
