"""The choice of two runs: each is known by the second at which it became ready.

A time in a variable may be empty, where there are no two runs to compare; `($after + 0)` is a number all the same.
"""

from grafana_foundation_sdk.builders.dashboard import QueryVariable

from parts import runs, variables
from parts.queries import ENGINE

_READY = "sglang_server_ready_timestamp_seconds"
_LINE = '/about="(?<text>[^"]*)".*ready="(?<value>[^"]*)"/'
_NUMBER = r"/\} (?<value>\S+) /"


def after() -> QueryVariable:
    """Return the choice of the later run: the last one first."""
    return variables.result("after", "After", f"sort_desc({_described()})", _LINE)


def before() -> QueryVariable:
    """Return the choice of the earlier run: the one just before the later run first."""
    return variables.result("before", "Before", f"sort_desc({_described()} < ($after + 0))", _LINE)


def shift() -> QueryVariable:
    """Return the seconds by which the earlier run is moved."""
    return variables.result("shift", "", "round(vector(($after + 0) - ($before + 0)))", _NUMBER)


def since() -> QueryVariable:
    """Return the seconds since the later run became ready, as far back as the dashboard shows anything."""
    shown = "clamp_max(vector(time() - ($after + 0)), $__range_s)"
    return variables.result("since", "", f"round(clamp_min({shown}, 60))", _NUMBER)


def _described() -> str:
    """Return when each run became ready, with a label that tells a person which it is."""
    ready = runs.in_the_time_shown(runs.with_arguments(runs.each("ready", _READY), "ready"), "1m")
    hours = f"round((time() - {ready}) / 360) / 10"
    ago = f'count_values by ({ENGINE}, ready) ("hours", {hours})'
    named = f"{ready} * on ({ENGINE}, ready) group_left (hours) {ago}"
    return f'label_join({named}, "about", " h ago, KV cache ", "hours", "kv_cache_dtype")'
