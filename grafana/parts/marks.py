"""Annotations: what happened, as marks on the graphs."""

from grafana_foundation_sdk.builders.dashboard import AnnotationPanelFilter, AnnotationQuery

from parts import runs
from parts.queries import ENGINE, by, of_exporter, per_minute, series
from parts.variables import DATA_SOURCE

_FRESH_SECONDS = 180
_BEFORE = f" offset {_FRESH_SECONDS}s"


def restarts() -> AnnotationQuery:
    """Return a mark at each start of a server, with what changed in its arguments."""
    mark = _mark("Starts", starts_with_changes(), "blue").use_value_for_time(use_value_for_time=True)
    changes = " ".join(f"{{{{changed_{argument}}}}}" for argument in runs.ARGUMENTS)
    arguments = ", ".join(f"{argument}={{{{{argument}}}}}" for argument in runs.ARGUMENTS)
    return mark.title_format("{{server}} started").text_format(f"Changed: {changes}<br>Arguments: {arguments}")


def starts_with_changes() -> str:
    """Return the time of each start in milliseconds, for three minutes, with a label `changed_X` for what became of X.

    Arguments are compared with those of three minutes ago, which for these three minutes are those of the run before.
    """
    start = series("sglang_server_start_timestamp_seconds")
    began = runs.with_arguments(f"1000 * {start} and time() - {start} < {_FRESH_SECONDS}")
    changes = began
    for argument in runs.ARGUMENTS:
        changes += f" * on ({ENGINE}) group_left (changed_{argument}) {_change(argument)}"
    return f"({changes}) or on ({ENGINE}) {began}"


def ends() -> AnnotationQuery:
    """Return a mark at each end of a server, with whether somebody asked for it."""
    end = series("sglang_server_end_timestamp_seconds")
    mark = _mark("Ends", f"1000 * {end} and time() - {end} < {_FRESH_SECONDS}", "red")
    mark.use_value_for_time(use_value_for_time=True).title_format("{{server}} ended: {{cause}}")
    return mark.text_format("Requested: SIGTERM or a clean shutdown. Failed: all else.")


def exporter_starts() -> AnnotationQuery:
    """Return a mark at each start of an exporter."""
    ours = of_exporter("sglang_exporter_build_info")
    start = f"{of_exporter('process_start_time_seconds')} and on (job, instance) {ours}"
    mark = _mark("Exporter starts", f"1000 * {start}", "blue").use_value_for_time(use_value_for_time=True)
    return mark.title_format("The exporter of {{instance}} started").text_format("It goes on where its checkpoint is.")


def retractions(panels: list[int]) -> AnnotationQuery:
    """Return a mark on these panels for as long as running requests go back to the queue over and over."""
    expr = f"{by('server', 'sum', per_minute(series('sglang_server_retractions_total')))} > 2"
    mark = _mark("Retractions", expr, "orange").title_format("{{server}} retracted requests over and over")
    mark.filter(AnnotationPanelFilter().ids(panels))
    return mark.text_format("The KV cache was full: running requests went back to the queue and prefill again.")


def _change(argument: str) -> str:
    """Return 1 for each engine that ran before, with a label for the argument's old and new value, if it changed."""
    before, label = runs.info(_BEFORE), f"changed_{argument}"
    changed = f"{runs.info()} unless on ({ENGINE}, {argument}) {before}"
    both = f"0 * {_named('now', argument, changed)} + on ({ENGINE}) group_left (was) {_named('was', argument, before)}"
    told = f'label_join({both}, "both", " → ", "was", "now")'
    named = f'label_replace({told}, "{label}", "{argument} $1", "both", "(.*)")'
    return f"(group by ({ENGINE}, {label}) ({named}) or on ({ENGINE}) group by ({ENGINE}) ({before}))"


def _named(label: str, argument: str, vector: str) -> str:
    """Return the vector with the argument under another label, `unset` where it was not given."""
    unset = f'label_replace({vector}, "{label}", "unset", "", "")'
    return f'label_replace({unset}, "{label}", "$1", "{argument}", "(.+)")'


def _mark(name: str, expr: str, colour: str) -> AnnotationQuery:
    query = AnnotationQuery().name(name).datasource(DATA_SOURCE).enable(enable=True).expr(expr)
    return query.icon_color(colour).step("15s").placement("")  # the SDK would hide its switch in a menu
