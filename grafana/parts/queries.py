"""Queries: PromQL put together from few words, so that no selector forgets its matchers.

No recording rule is used: a Prometheus without our rules, and history that was backfilled, have to show something too.
"""

from typing import Literal, NamedTuple

EXPORTER_MATCHERS = 'job=~"$job", instance=~"$instance"'
SERVER_MATCHERS = f'{EXPORTER_MATCHERS}, server=~"$server"'
JOB_MATCHERS = f'{EXPORTER_MATCHERS}, dataset=~"$dataset"'

Operation = Literal["max", "min", "sum"]


class Query(NamedTuple):
    """One query of a panel; `legend` names its series, with labels as `{{label}}`."""

    expr: str
    legend: str = ""


def series(metric: str, *matchers: str) -> str:
    """Return the selector of a metric: what the variables choose of it, and the matchers given."""
    common = JOB_MATCHERS if metric.startswith("sglang_job_") else SERVER_MATCHERS
    return f"{metric}{{{', '.join((common, *matchers))}}}"


def rate(selector: str) -> str:
    """Return what a counter gains per second."""
    return f"rate({selector}[$__rate_interval])"


def per_minute(selector: str) -> str:
    """Return what a counter gains per minute."""
    return f"60 * {rate(selector)}"


def by(labels: str, operation: Operation, vector: str) -> str:
    """Return the vector brought down to the labels and the instance: servers of two exporters may share a name."""
    return f"{operation} by (instance, {labels}) ({vector})"


def over_servers(operation: Operation, metric: str, *matchers: str) -> str:
    """Return one series per server from a metric that has one per scheduler."""
    return by("server", operation, series(metric, *matchers))


def where_known(vector: str) -> str:
    """Return the vector where it is a number: nothing divided by nothing is a gap."""
    return f"{vector} >= 0"
