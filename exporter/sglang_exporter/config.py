"""What the exporter is told to follow: the schema of `--config.file`, and the flags brought to the same form."""

import re
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

Profile = Literal["online", "batch"]
Seconds = Annotated[float, Meta(ge=0)]
Ratio = Annotated[float, Meta(gt=0, le=1)]
Share = Annotated[float, Meta(gt=0, lt=1)]
Count = Annotated[int, Meta(gt=0)]
Globs = str | list[str]
Unit = Literal["records", "completions"]

DEFAULT_WINDOWS = ("2m", "10m")
_WINDOW = re.compile(r"([1-9][0-9]*)([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def window_seconds(text: str) -> float:
    """Return the length of a window as `90s`, `2m` or `1h`, in seconds; raises ValueError on anything else."""
    found = _WINDOW.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no window: want a number and s, m, h or d, as 90s, 2m, 1h")
    return float(int(found[1]) * _SECONDS[found[2]])


def deadline_seconds(text: str) -> float:
    """Return a moment as `2026-12-01 08:00+01:00`, in seconds since the epoch; raises ValueError on anything else."""
    example = "2026-12-01 08:00+01:00, or with Z for UTC"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no moment: want {example}") from None
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} says no zone: want {example}")
    return moment.timestamp()


class Thresholds(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the shipped alert rules raise an alert; each is exported as `sglang_exporter_alert_threshold`."""

    kv_cache_saturated: Ratio = 0.9
    """Usage of the fullest device pool, above which it is full."""
    kv_cache_underused: Ratio = 0.9
    """Usage below which a scheduler with a queue could take in more."""
    kv_cache_retracting: Annotated[float, Meta(gt=0)] = 1.0
    """Retractions a minute in one scheduler, above which they cost more than they bring."""
    throughput_collapsed: Share = 0.5
    """Share of its own last hour's speed, below which a server has collapsed."""
    throughput_disagrees: Share = 0.25
    """How far the tokens that output files prove may be from those that the server reports, as a share of these."""
    ranks_unbalanced: Annotated[float, Meta(gt=1)] = 1.5
    """Requests of the busiest DP rank for each one of the mean, above which ranks are unbalanced."""
    http_errors: Share = 0.05
    """Share of generating requests answered with 5xx, above which there are too many."""


class ServerConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Logs of one server, or of several: `{server}` in a glob names each after what it stands for."""

    logs: Globs
    """Globs of its log, rotated and compressed files with it; `{server}` matches like `*` and becomes the label."""
    name: str | None = None
    """The label `server`, where no glob has `{server}`; by default the log's stem, or its folder's name."""
    profile: Profile = "online"
    """What an alert means: a full KV cache is trouble online and health in a batch job."""
    thresholds: Thresholds = Thresholds()
    """Where its alerts are raised."""
    timezone: str | None = None
    """Zone of the times printed in the log, as `Europe/Berlin` or `+08:00`; found out from the file where not given."""


class TokensConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """What a completion without a token count is estimated by: its text, if that can be measured, else an average.

    Text is measured by a tokenizer, or by its characters.
    """

    average: Annotated[float, Meta(gt=0)] | Literal["auto"] | None = None
    """Tokens of such a completion; `auto` is the mean of those that have a count."""
    chars_per_token: Annotated[float, Meta(gt=0)] | None = None
    """Characters of answer and reasoning that one token stands for."""
    tokenizer: str | None = None
    """Path of a `tokenizer.json`; needs the extra `tokenizer`."""
    sample: Count = 20
    """Every so many texts one is tokenized, and the others are measured by the characters that a token then has."""

    @property
    def estimates(self) -> bool:
        """Whether completions without a count are estimated at all."""
        return not (self.average is None and self.chars_per_token is None and self.tokenizer is None)


class TotalConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the total of a job is to be found; `{dataset}` in a path stands for the data set's name.

    It is the non-blank lines of files, times the answers that each line gets; or a number, or the length of a list, in
    a JSON document, at the whole of it or at a path as `counts.{dataset}`.
    """

    lines: Globs | None = None
    """Globs of files, `.gz` too, whose non-blank lines are counted."""
    times: Count | None = None
    """Answers that each of these lines gets."""
    json: str | None = None
    """A JSON document that has the number, or a list as long."""
    path: str = ""
    """Where in that document; by default the whole of it."""

    def __post_init__(self) -> None:
        if (self.lines is None) is (self.json is None):
            raise ValueError("want either lines or json")
        if self.lines is None and self.times is not None:
            raise ValueError("times belongs to lines")
        if self.json is None and self.path:
            raise ValueError("path belongs to json")


class JobConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Output files of one data set, or of several: `{dataset}` in a glob names each."""

    files: Globs
    """Globs of its output files; `{dataset}` matches like `*` and becomes the label."""
    name: str | None = None
    """The label `dataset`, where no glob has `{dataset}`; by default the file's stem, or its folder's name."""
    total: Count | TotalConfig | None = None
    """Records (or completions, see `unit`) that each data set has when it is done."""
    unit: Unit | None = None
    """What done and expected are counted in; by default records, or completions where each line gets several."""
    deadline: str | None = None
    """When each data set should be done, as `2026-12-01 08:00+01:00`."""
    tokens: TokensConfig = TokensConfig()
    """How completions without a token count are estimated."""
    format: str | dict[str, object] = "auto"
    """`auto`, the name of a preset of `outputs/presets.yaml`, or a mapping with the same keys as one; its key `preset`
    names the one that its own keys change."""

    @property
    def counted_in(self) -> Unit:
        """What done and expected are counted in."""
        several = isinstance(self.total, TotalConfig) and self.total.times is not None
        return self.unit or ("completions" if several else "records")


class Config(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole configuration."""

    servers: list[ServerConfig] = field(default_factory=list)
    """Servers whose logs are followed."""
    jobs: list[JobConfig] = field(default_factory=list)
    """Jobs whose output files are followed."""
    windows: list[str] = field(default_factory=lambda: list(DEFAULT_WINDOWS))
    """Windows of the derived rates, as `90s`, `2m`, `1h`; by default 2m and 10m."""
    stale_after: Seconds | None = None
    """Seconds after which a silent scheduler's gauges go; 0 keeps them; by default its own rhythm tells."""
    max_line_bytes: Count = 64 << 20
    """A longer line is skipped and counted."""
