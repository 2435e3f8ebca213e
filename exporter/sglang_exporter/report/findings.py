"""What a report says, and the schema of `report --format json`: all times in seconds since the epoch, UTC.

A field is null where the files do not tell it.
"""

from msgspec import Struct

from sglang_exporter.report.figures import Burst, Difference, Estimate, Proven, Work


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """A server argument that is not what it was in the epoch before; empty where it was not given."""

    argument: str
    before: str
    after: str


class Advice(Struct, frozen=True, forbid_unknown_fields=True):
    """One change to try: what to turn, which way, what it costs."""

    change: str
    direction: str
    cost: str


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """What holds the throughput down."""

    factor: str
    title: str
    evidence: list[str]
    next: list[Advice]
    runbook: str | None = None


class Point(Struct, frozen=True, forbid_unknown_fields=True):
    """A point of the plot: means over a part of the epoch; null where no line was printed."""

    at: float
    throughput: float | None
    usage: float | None
    phase: str | None


class Epoch(Struct, frozen=True, forbid_unknown_fields=True):
    """One run of an engine: from a start to the next."""

    number: int
    begin: float
    end: float
    started: bool
    """Whether the log has the start; else it begins in the middle of the run."""
    ready_after: float | None
    """Seconds from the start to ready."""
    arguments: dict[str, str]
    changes: list[Change]
    capacity_tokens: float | None
    capacity_source: str
    max_running_requests: float | None
    context_length: float | None
    phases: dict[str, float]
    """Seconds in each phase."""
    burst: Burst | None
    work: Work | None
    proven: Proven | None
    limit: Limit | None
    errors: dict[str, float]
    points: list[Point]
    """None for epochs before the last 32."""


class Comparison(Struct, frozen=True, forbid_unknown_fields=True):
    """Generated tokens per second of one epoch against those of the epoch before."""

    before: int
    after: int
    before_mean: Estimate
    after_mean: Estimate
    difference: Difference
    verdict: str


class Engine(Struct, frozen=True, forbid_unknown_fields=True):
    """One engine of a server; the name of the engine is empty where the log tells none apart."""

    server: str
    engine: str
    epochs: list[Epoch]
    comparisons: list[Comparison]


class Job(Struct, frozen=True, forbid_unknown_fields=True):
    """One data set."""

    dataset: str
    done: float
    expected: float | None
    succeeded: float
    completions: float
    errors: dict[str, float]
    output_tokens: float
    estimated_output_tokens: float
    mean_tokens: float | None
    median_tokens: float | None
    p95_tokens: float | None
    mean_input_tokens: float | None
    done_per_second: Estimate | None
    """In the unit of `done`: records, or completions as configured."""
    seconds_to_go: float | None
    seconds_to_go_low: float | None
    seconds_to_go_high: float | None
    rate_source: str


class Report(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole; `version` rises when a field changes its meaning or goes."""

    version: int
    until: float | None
    """When the last line was written."""
    engines: list[Engine]
    jobs: list[Job]
    notes: list[str]
