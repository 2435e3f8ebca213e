"""What a report says, and the schema of `report --format json`: all times in seconds since the epoch, UTC.

A field is null where the files do not tell it.
"""

from msgspec import Struct

from sglang_exporter.report.figures import Burst, Difference, Estimate, Proven, Work


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """A server argument that is not what it was in the epoch before; empty where it was not given."""

    argument: str
    """SGLang's name of it."""
    before: str
    """Its value in the epoch before."""
    after: str
    """Its value in this epoch."""


class Advice(Struct, frozen=True, forbid_unknown_fields=True):
    """One change to try: what to turn, which way, what it costs."""

    change: str
    """A flag of SGLang, or what else to change."""
    direction: str
    """Which way."""
    cost: str
    """What it costs."""


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """What holds the throughput down."""

    factor: str
    """Its name in `advice.yaml`."""
    title: str
    """Its name in words."""
    evidence: list[str]
    """The figures that speak for it."""
    next: list[Advice]
    """What to try, the best first."""
    runbook: str | None = None
    """A file of prometheus/runbooks, without `.md`."""


class Point(Struct, frozen=True, forbid_unknown_fields=True):
    """A point of the plot: means over a part of the epoch; null where no line was printed."""

    at: float
    """Seconds since the epoch, the middle of the part."""
    throughput: float | None
    """Reported tokens per second."""
    usage: float | None
    """Share of the KV cache in use."""
    phase: str | None
    """The phase in the middle of the part."""


class Epoch(Struct, frozen=True, forbid_unknown_fields=True):
    """One run of an engine: from a start to the next."""

    number: int
    """From 1 on, in the order of the log."""
    begin: float
    """Seconds since the epoch: the start, or the first line."""
    end: float
    """Seconds since the epoch: the next start, or the last line."""
    started: bool
    """Whether the log has the start; else it begins in the middle of the run."""
    ready_after: float | None
    """Seconds from the start to ready."""
    arguments: dict[str, str]
    """The arguments of the start that explain its numbers; others are not kept."""
    changes: list[Change]
    """What of them is not as in the epoch before."""
    capacity_tokens: float | None
    """Tokens that the KV cache holds, all data-parallel ranks together."""
    capacity_source: str
    """The field of the log that tells: max_total_num_tokens, or #token / token usage."""
    max_running_requests: float | None
    """Requests that may run at once, all data-parallel ranks together."""
    context_length: float | None
    """Tokens of the longest request that is taken."""
    phases: dict[str, float]
    """Seconds in each phase."""
    burst: Burst | None
    """The warm-up, where steady state came after it."""
    work: Work | None
    """The figures of its window."""
    proven: Proven | None
    """What finished requests prove for the same window."""
    limit: Limit | None
    """What limits it."""
    errors: dict[str, float]
    """Incidents by kind."""
    points: list[Point]
    """None for epochs before the last 32."""


class Comparison(Struct, frozen=True, forbid_unknown_fields=True):
    """Generated tokens per second of one epoch against those of the epoch before."""

    before: int
    """Number of the earlier epoch."""
    after: int
    """Number of the later epoch."""
    before_mean: Estimate
    """Generated tokens per second of the earlier epoch."""
    after_mean: Estimate
    """Generated tokens per second of the later epoch."""
    difference: Difference
    """Of the two."""
    verdict: str
    """faster, slower, not distinguishable, or why there is none."""


class Engine(Struct, frozen=True, forbid_unknown_fields=True):
    """One engine of a server; the name of the engine is empty where the log tells none apart."""

    server: str
    """As the label `server` of metrics."""
    engine: str
    """As the label `engine` of metrics."""
    epochs: list[Epoch]
    """Its runs, first to last."""
    comparisons: list[Comparison]
    """Each epoch that worked against the one before that did."""


class Job(Struct, frozen=True, forbid_unknown_fields=True):
    """One data set."""

    dataset: str
    """As the label `dataset` of metrics."""
    done: float
    """Records, or completions as configured, failed ones too."""
    expected: float | None
    """How many there are when it is done; null without --total."""
    succeeded: float
    """How many of those done are done well."""
    completions: float
    """Answers in the records."""
    errors: dict[str, float]
    """Failed requests by reason."""
    output_tokens: float
    """Generated tokens, exact counts only."""
    estimated_output_tokens: float
    """Generated tokens of answers without a count."""
    mean_tokens: float | None
    """Tokens of an answer, exact counts only."""
    median_tokens: float | None
    """Right to a hundredth."""
    p95_tokens: float | None
    """95th percentile, right to a hundredth."""
    mean_input_tokens: float | None
    """Tokens of a prompt."""
    done_per_second: Estimate | None
    """In the unit of `done`: records, or completions as configured."""
    seconds_to_go: float | None
    """At the mean rate, from the last line on."""
    seconds_to_go_low: float | None
    """At the upper edge of the rate."""
    seconds_to_go_high: float | None
    """At the lower edge of the rate."""
    rate_source: str
    """What the rate is from."""


class Report(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole; `version` rises when a field changes its meaning or goes."""

    version: int
    """Of this schema."""
    until: float | None
    """When the last line was written."""
    engines: list[Engine]
    """In the order of their logs."""
    jobs: list[Job]
    """One for each data set."""
    notes: list[str]
    """What the reader should know of the files."""
