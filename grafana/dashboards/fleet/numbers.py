"""The numbers of each server, recorded by prometheus/rules: one cheap series per server however many ranks it has."""

from parts.queries import of_exporter, series, up

RUNNING = series("server:sglang_server_running_requests:sum")
QUEUED = series("server:sglang_server_queued_requests:sum")
USAGE = series("server:sglang_server_token_usage_ratio:max")
SPEED = series("server:sglang_server_generated_tokens:rate5m")
BEST = series("server:sglang_server_generated_tokens:rate5m_max1d")
RESTARTS = series("server:sglang_server_start_timestamp_seconds:changes1d")
PHASE = series("sglang_server_phase")
THRESHOLD = series("sglang_exporter_alert_threshold", 'alert="kv_cache_saturated"')
UP = up()


def firing(*matchers: str) -> str:
    """Return the alerts of the shipped rules that fire."""
    return of_exporter("ALERTS", 'alertname=~"SGLang.+"', 'alertstate="firing"', *matchers)
