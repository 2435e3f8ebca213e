"""Annotations: what happened, as marks on the graphs."""

from grafana_foundation_sdk.builders.dashboard import AnnotationPanelFilter, AnnotationQuery

from parts.queries import by, rate, series
from parts.variables import DATA_SOURCE

_ARGUMENTS = (
    "model",
    "kv_cache_dtype",
    "mem_fraction_static",
    "max_total_tokens",
    "max_running_requests",
    "chunked_prefill_size",
    "schedule_conservativeness",
    "tp_size",
    "dp_size",
)


def restarts() -> AnnotationQuery:
    """Return a mark at each start of a server, with the arguments it was started with."""
    info = series("sglang_server_info")
    milliseconds = f"(1000 * {series('sglang_server_start_timestamp_seconds')})"
    expr = f"{info} * on (job, instance, server, engine) group_left () {milliseconds}"
    arguments = ", ".join(f"{name}={{{{{name}}}}}" for name in _ARGUMENTS)
    mark = _mark("Starts", expr, "blue").use_value_for_time(use_value_for_time=True)
    return mark.title_format("{{server}} started").text_format(arguments)


def retractions(panels: list[int]) -> AnnotationQuery:
    """Return a mark on these panels from when to when running requests were sent back to the queue."""
    expr = f"{by('server', 'sum', rate(series('sglang_server_retractions_total')))} > 0"
    mark = _mark("Retractions", expr, "orange").title_format("{{server}} retracted requests")
    mark.filter(AnnotationPanelFilter().ids(panels))
    return mark.text_format("The KV cache was full: running requests went back to the queue and prefill again.")


def _mark(name: str, expr: str, colour: str) -> AnnotationQuery:
    query = AnnotationQuery().name(name).datasource(DATA_SOURCE).enable(enable=True).expr(expr)
    return query.icon_color(colour).step("15s").placement("")  # the SDK would hide its switch in a menu
