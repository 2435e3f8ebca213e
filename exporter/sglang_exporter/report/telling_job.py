"""A data set in words."""

from collections.abc import Iterator

from sglang_exporter.durations import duration
from sglang_exporter.report.findings import Job
from sglang_exporter.report.outline import Block, Facts, Heading
from sglang_exporter.report.words import clock, estimate, percent

Row = tuple[str, list[str]]


def tell_job(job: Job, until: float | None) -> Iterator[Block]:
    """Yield what is done of a data set, and when it will be over."""
    yield Heading(f"Job {job.dataset}", 1)
    yield Facts([*_progress(job), *_lengths(job), *_to_go(job, until)])


def _progress(job: Job) -> Iterator[Row]:
    of = f" of {job.expected:,.0f} ({percent(job.done / job.expected, 1)})" if job.expected else ""
    yield "done", [f"{job.done:,.0f}{of}, {job.succeeded:,.0f} well"]
    errors = ", ".join(f"{reason} {count:,.0f}" for reason, count in job.errors.items())
    yield "errors", [errors or "none"]


def _lengths(job: Job) -> Iterator[Row]:
    if job.mean_tokens is not None and job.median_tokens is not None and job.p95_tokens is not None:
        spread = f"median about {_about(job.median_tokens)}, 95th percentile about {_about(job.p95_tokens)}"
        yield "answers", [f"{job.mean_tokens:,.0f} tokens on average, {spread}"]
        yield "tokens", [f"{job.output_tokens:,.0f} generated"]
    if job.estimated_output_tokens:
        yield "tokens", [f"{job.estimated_output_tokens:,.0f} generated, estimated"]
    if job.mean_input_tokens:
        yield "prompts", [f"{job.mean_input_tokens:,.0f} tokens on average"]


def _about(tokens: float) -> str:
    return f"{float(f'{tokens:.3g}'):,.0f}"


def _to_go(job: Job, until: float | None) -> Iterator[Row]:
    if job.expected is None:
        yield "to go", ["not known without --total"]
        return
    left = job.expected - job.done
    if job.seconds_to_go is None or job.done_per_second is None:
        yield "to go", [f"{left:,.0f}; their rate is not known"]
        return
    said = [f"{left:,.0f}, {duration(job.seconds_to_go)} at {estimate(job.done_per_second, 'a second')}"]
    if job.seconds_to_go_low and job.seconds_to_go_high:
        said.append(f"between {duration(job.seconds_to_go_low)} and {duration(job.seconds_to_go_high)}")
    said.append(f"by {job.rate_source}")
    if until is not None and left:
        said.append(f"over at {clock(until + job.seconds_to_go)} UTC, as of the log's last line")
    yield "to go", said
