"""How single series of a panel look: colour, dashes, the axis on the right."""

from grafana_foundation_sdk.models.dashboard import DynamicConfigValue, ValueMap

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


def on_the_right(unit: str) -> Looks:
    """Return the looks of a quantity beside others: an axis of its own from 0."""
    axis = [DynamicConfigValue("custom.axisPlacement", "right"), DynamicConfigValue("unit", unit)]
    return [*axis, DynamicConfigValue("min", 0)]


def share_on_the_right() -> Looks:
    """Return the looks of a ratio beside quantities: its own axis from 0 to 100 %."""
    return [*on_the_right("percentunit"), DynamicConfigValue("max", 1), *bare()]


def unstacked() -> Looks:
    """Return the looks of a line that is not part of the sum that the others are stacked to."""
    return [DynamicConfigValue("custom.stacking", {"mode": "none"})]


def unit(name: str, decimals: int = 0) -> Looks:
    """Return the looks of a column of numbers in a unit of its own."""
    return [DynamicConfigValue("unit", name), DynamicConfigValue("decimals", decimals)]


def share_bar(first: str, then: tuple[float, str]) -> Looks:
    """Return the looks of a column of ratios: a bar from 0 to 100 %, of another colour from a limit on."""
    bar = {"type": "gauge", "mode": "basic", "valueDisplayMode": "text"}
    colours = [{"color": first, "value": None}, {"color": then[1], "value": then[0]}]
    bounds = {"mode": "absolute", "steps": colours}
    scale = [DynamicConfigValue("min", 0), DynamicConfigValue("max", 1), DynamicConfigValue("thresholds", bounds)]
    return [DynamicConfigValue("custom.cellOptions", bar), *unit("percentunit"), *scale]


def states(mapping: ValueMap) -> Looks:
    """Return the looks of a column of numbers that stand for words: the word, on its colour."""
    cell = {"type": "color-background", "mode": "basic"}
    options = {key: {"text": r.text, "color": r.color, "index": r.index} for key, r in mapping.options.items()}
    mappings = [{"type": "value", "options": options}]
    return [DynamicConfigValue("custom.cellOptions", cell), DynamicConfigValue("mappings", mappings)]


def coloured(first: str, *following: tuple[float, str]) -> Looks:
    """Return the looks of numbers whose text has a colour: the first one's, and from each value on another's."""
    bounds = [{"color": first, "value": None}, *({"color": colour, "value": value} for value, colour in following)]
    cell = {"type": "color-text"}
    thresholds = {"mode": "absolute", "steps": bounds}
    return [DynamicConfigValue("custom.cellOptions", cell), DynamicConfigValue("thresholds", thresholds)]


def wide(pixels: int) -> Looks:
    """Return the looks of a column of that width."""
    return [DynamicConfigValue("custom.width", pixels)]


def link(title: str, url: str) -> Looks:
    """Return the looks of what leads elsewhere."""
    return [DynamicConfigValue("links", [{"title": title, "url": url}])]


def absent(text: str) -> Looks:
    """Return the looks of a column that says this where a row has no such label."""
    return [DynamicConfigValue("noValue", text)]
