"""The job's numbers in PromQL, as several panels need them: a series per data set."""

from parts.queries import by, rate, series

WINDOW = 'window="$window"'


def gauge(metric: str, *matchers: str) -> str:
    """Return a gauge of each data set."""
    return by("dataset", "sum", series(f"sglang_job_{metric}", *matchers))


def gained(metric: str) -> str:
    """Return what a counter of each data set gains per second."""
    return by("dataset", "sum", rate(series(f"sglang_job_{metric}")))


def in_all(counter: str) -> str:
    """Return what a counter gained in the time shown."""
    return by("dataset", "sum", f"increase({series(f'sglang_job_{counter}')}[$__range])")


def from_now(metric: str) -> str:
    """Return the seconds until a time."""
    return f"{by('dataset', 'max', series(f'sglang_job_{metric}'))} - time()"


def tokens() -> str:
    """Return the tokens per second that arrive in the window, exact and estimated ones together."""
    exact = series("sglang_job_output_tokens_per_second", WINDOW)
    estimated = series("sglang_job_estimated_output_tokens_per_second", WINDOW)
    return by("dataset", "sum", f'{exact} or label_replace({estimated}, "counted", "no", "", "")')


def left() -> str:
    """Return the records that are still to come."""
    return f"{gauge('expected')} - {gauge('done')}"
