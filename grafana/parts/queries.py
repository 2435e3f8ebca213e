"""Queries: PromQL put together from few words, so that no selector forgets its matchers.

Only the fleet uses recording rules, for 500 servers ask for them: a Prometheus without our rules, and history that was
backfilled, have to show something too.
"""

from typing import Literal, NamedTuple

EXPORTER_MATCHERS = 'job=~"$job", instance=~"$instance"'
SERVER_MATCHERS = f'{EXPORTER_MATCHERS}, server=~"$server"'
JOB_MATCHERS = f'{EXPORTER_MATCHERS}, dataset=~"$dataset"'
SOURCE_MATCHERS = f'{EXPORTER_MATCHERS}, source=~"$source"'

ENGINE = "job, instance, server, engine"
"""Labels of whatever starts and becomes ready on its own."""

Operation = Literal["avg", "count", "max", "sum"]


class Query(NamedTuple):
    """One query of a panel; `legend` names its series, with labels as `{{label}}`."""

    expr: str
    legend: str = ""


def series(metric: str, *matchers: str) -> str:
    """Return the selector of a server's or job's metric: what the variables choose of it, and the matchers given."""
    common = JOB_MATCHERS if "sglang_job_" in metric else SERVER_MATCHERS
    return _selector(metric, common, *matchers)


def of_source(metric: str, *matchers: str) -> str:
    """Return the selector of a metric that the exporter has for each source that it follows."""
    return _selector(metric, SOURCE_MATCHERS, *matchers)


def of_exporter(metric: str, *matchers: str) -> str:
    """Return the selector of a metric that every exporter has, whatever it follows."""
    return _selector(metric, EXPORTER_MATCHERS, *matchers)


def up() -> str:
    """Return Prometheus's own `up` of the jobs that scrape exporters of ours: all jobs are chosen where none is."""
    return f"{of_exporter('up')} and on (job) last_over_time({of_exporter('sglang_exporter_build_info')}[1d])"


def rate(selector: str) -> str:
    """Return what a counter gains per second."""
    return f"rate({selector}[$__rate_interval])"


def per_minute(selector: str) -> str:
    """Return what a counter gains per minute."""
    return f"60 * {rate(selector)}"


def lately(selector: str) -> str:
    """Return a gauge's mean over the interval that rates are over, so that the two go together."""
    return f"avg_over_time({selector}[$__rate_interval])"


def by(labels: str, operation: Operation, vector: str) -> str:
    """Return the vector brought down to the labels and the instance: servers of two exporters may share a name."""
    return f"{operation} by (instance, {labels}) ({vector})"


def over_servers(operation: Operation, metric: str, *matchers: str) -> str:
    """Return one series per server from a metric that has one per scheduler."""
    return by("server", operation, series(metric, *matchers))


def beside_servers(vector: str) -> str:
    """Return those series of a vector that are of an exporter which has one of the chosen servers too."""
    return f"({vector}) and on (job, instance) {series('sglang_server_phase')}"


def where_known(vector: str) -> str:
    """Return the vector where it is a number: nothing divided by nothing is a gap."""
    return f"{vector} >= 0"


def _selector(metric: str, *matchers: str) -> str:
    return f"{metric}{{{', '.join(matchers)}}}"
