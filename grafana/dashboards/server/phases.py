"""Phases as a number, for panels that colour by value: the metric has one series per phase."""

from grafana_foundation_sdk.models.dashboard import ValueMap, ValueMappingResult

from parts.queries import Query, by, series

COLOURS = {
    "idle": "#8e8e8e",
    "drain": "purple",
    "warmup": "light-blue",
    "steady": "green",
    "starting": "blue",
    "stalled": "orange",
    "down": "red",
}
"""Phases from the least to the most pressing: of several engines the most pressing one speaks for the server."""


def query() -> Query:
    """Return the phase of each server, as its place in `COLOURS` from 1."""
    states = [series("sglang_server_phase", f'phase="{phase}"') for phase in COLOURS]
    numbered = [f"{place} * {state}" for place, state in enumerate(states, 1)]
    return Query(by("server", "max", " or ".join(numbered)), "{{server}}")


def mapping() -> ValueMap:
    """Return names and colours for the numbers."""
    results = {
        str(i): ValueMappingResult(text=phase, color=colour, index=i)
        for i, (phase, colour) in enumerate(COLOURS.items(), 1)
    }
    return ValueMap(options=results)
