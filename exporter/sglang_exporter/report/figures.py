"""Figures of a report: means with intervals, and what is told of one window of a run; times since the epoch, UTC."""

from msgspec import Struct


class Estimate(Struct, frozen=True, forbid_unknown_fields=True):
    """A mean and its 95 % interval by batch means; no interval where the window is too short for one."""

    mean: float
    low: float | None = None
    high: float | None = None
    batches: int = 0

    @property
    def half(self) -> float | None:
        """Half the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


class Spread(Struct, frozen=True, forbid_unknown_fields=True):
    """How a value is spread over the laps of a window."""

    mean: Estimate
    median: float
    p5: float
    p95: float


class Difference(Struct, frozen=True, forbid_unknown_fields=True):
    """How much more one mean is than another; not distinguishable when 0 is in the 95 % interval."""

    by: float
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    distinguishable: bool | None = None


class Window(Struct, frozen=True, forbid_unknown_fields=True):
    """The longest stretch of a phase in an epoch, which the figures are taken from."""

    phase: str
    begin: float
    end: float
    laps: int
    """Laps kept in it: a lap is one Decode line of each data-parallel rank."""


class Work(Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of one window, all data-parallel ranks together."""

    window: Window
    throughput: Spread | None
    """Tokens per second as the server reported them."""
    usage: Spread
    """Share of the KV cache in use, 0 to 1, of the fullest rank."""
    running: Spread
    queued: Spread
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
    retractions_per_minute: float
    retracted_requests: float
    wasted_tokens: float
    """Tokens prefilled again for retracted requests, estimated from their mean length."""
    cache_hit_ratio: float | None
    prefilled_per_second: float


class Burst(Struct, frozen=True, forbid_unknown_fields=True):
    """The longest warm-up of an epoch: the first burst works through, and its speed is not yet that of the epoch."""

    window: Window
    running: float
    """Requests that ran at most."""
    throughput: Spread | None


class Proven(Struct, frozen=True, forbid_unknown_fields=True):
    """What finished requests prove for a window."""

    source: str
    """Which lines tell of finished requests: output records, lines of finished requests, or access lines."""
    requests: float
    seconds: float
    requests_per_second: Estimate
    tokens_per_second: Estimate | None
    mean_tokens: float | None
    mean_tokens_source: str
    per_120_s: float
    gap: float | None
    """Proven tokens per second less the reported, as a share of the reported."""
    gap_reasons: list[str]
