"""Figures of a report: means with intervals, and what is told of one window of a run; times since the epoch, UTC."""

from msgspec import Struct


class Estimate(Struct, frozen=True, forbid_unknown_fields=True):
    """A mean and its 95 % interval by batch means; no interval where the window is too short for one."""

    mean: float
    """In the unit of what it is a mean of."""
    low: float | None = None
    """Lower edge of the interval."""
    high: float | None = None
    """Upper edge of the interval."""
    batches: int = 0
    """How many batch means the interval is from; 0 without one."""

    @property
    def half(self) -> float | None:
        """Half the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class Spread(Struct, frozen=True, forbid_unknown_fields=True):
    """How a value is spread over the laps of a window."""

    mean: Estimate
    """Mean over the laps."""
    median: float
    """50th percentile."""
    p5: float
    """5th percentile."""
    p95: float
    """95th percentile."""


class Difference(Struct, frozen=True, forbid_unknown_fields=True):
    """How much more one mean is than another; not distinguishable when 0 is in the 95 % interval."""

    by: float
    """The later mean less the earlier."""
    ratio: float | None = None
    """The later mean by the earlier."""
    low: float | None = None
    """Lower edge of the interval of `by`."""
    high: float | None = None
    """Upper edge of the interval of `by`."""
    distinguishable: bool | None = None
    """Whether 0 is outside of the interval; null without one."""


class Window(Struct, frozen=True, forbid_unknown_fields=True):
    """The longest stretch of a phase in an epoch, which the figures are taken from."""

    phase: str
    """steady where there is any, else warmup or drain."""
    begin: float
    """Seconds since the epoch."""
    end: float
    """Seconds since the epoch."""
    laps: int
    """Laps kept in it: a lap is one Decode line of each data-parallel rank, or one Prefill line where none decodes."""


class Work(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of one window, all data-parallel ranks together."""

    window: Window
    """What the figures are of."""
    throughput: Spread | None
    """Tokens per second as the server reported them."""
    usage: Spread
    """Share of the KV cache in use, 0 to 1, of the fullest rank."""
    running: Spread
    """Running requests."""
    queued: Spread
    """Waiting requests."""
    generated: Estimate | None
    """Tokens per second: reported throughput times the time that each line stands for, summed, by the window's time."""
    tokens_per_request: float | None
    """Tokens in the KV cache per running request."""
    concurrency_now: float | None
    """Requests that fit at the present mean length: capacity x running / used tokens."""
    share_of_now: float | None
    """Running requests as a share of that."""
    concurrency_at_full_length: float | None
    """Requests that fit at the mean total length of a finished request: capacity / that length."""
    full_length: float | None
    """That length: prompt and answer, in tokens."""
    retractions_per_minute: float
    """How often the KV cache was full while decoding."""
    retracted_requests: float
    """Requests that were sent back to the queue."""
    wasted_tokens: float
    """Tokens prefilled again for retracted requests, estimated from their mean length."""
    cache_hit_ratio: float | None
    """Share of the tokens of prompts that were found in the prefix cache."""
    prefilled_per_second: float
    """Tokens of prompts computed a second, those of retracted requests again."""


class Burst(Struct, frozen=True, forbid_unknown_fields=True):
    """The longest warm-up of an epoch: the first burst works through, and its speed is not yet that of the epoch."""

    window: Window
    """The warm-up."""
    running: float
    """Requests that ran at most."""
    throughput: Spread | None
    """Tokens per second as the server reported them."""


class Proven(Struct, frozen=True, forbid_unknown_fields=True):
    """What finished requests prove for a window."""

    source: str
    """Which lines tell of finished requests: output records, lines of finished requests, or access lines."""
    requests: float
    """How many finished."""
    seconds: float
    """In what time."""
    requests_per_second: Estimate
    """Finished requests."""
    tokens_per_second: Estimate | None
    """Tokens of their answers."""
    mean_tokens: float | None
    """Tokens of an answer."""
    mean_tokens_source: str
    """exact, where answers are counted one by one, or estimated, from the configured average."""
    per_120_s: float
    """Requests that finish in 120 seconds."""
    gap: float | None
    """Proven tokens per second less the reported, as a share of the reported."""
    gap_reasons: list[str]
    """What may explain the gap, each with its size."""
