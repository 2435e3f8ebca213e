"""Jobs: how far each data set is, when it will be done, its last hour, and what went wrong."""

from typing import NamedTuple

from sglang_exporter.metrics.recent import Hour
from sglang_exporter.overview.charts import NONE, Chart, data, figure
from sglang_exporter.overview.html import Markup, tag, together
from sglang_exporter.overview.parts import (
    Fact,
    Mood,
    View,
    backlog,
    badge,
    counted,
    facts,
    kinds,
    part,
    place,
    table,
    when,
)
from sglang_exporter.overview.samples import Reading, Said
from sglang_exporter.overview.words import amount, moment, percent, span


class Job(NamedTuple):
    """A data set of the page: its samples, its source's, and its last hour."""

    name: str
    said: Said
    source: Said
    hour: Hour

    def reading(self, metric: str) -> Reading | None:
        """Return the one sample of a metric `sglang_job_*`."""
        return self.said.total(f"sglang_job_{metric}")

    @property
    def backlog(self) -> Reading | None:
        """Bytes that are to be read before anything is shown; None when that is done."""
        caught_up = self.source.total("sglang_exporter_source_caught_up")
        return self.source.total("sglang_exporter_lag_bytes") if caught_up and not caught_up.value else None

    @property
    def share(self) -> float | None:
        """How much of it is done, 0 to 1."""
        done, expected = self.reading("done"), self.reading("expected")
        return done.value / expected.value if done and expected and expected.value else None

    @property
    def window(self) -> str:
        """The window that rates are shown over, empty where there are none."""
        return next(iter(self.said.by("sglang_job_completions_per_second", "window")), "")

    def rate(self, metric: str) -> Reading | None:
        """Return a rate over the window."""
        return self.said.total(f"sglang_job_{metric}_per_second", window=self.window)

    @property
    def tokens(self) -> Reading | None:
        """Tokens per second, exact and estimated ones together."""
        exact = self.rate("output_tokens")
        return exact and exact.plus(self.rate("estimated_output_tokens"))


_MOODS: dict[str, Mood] = {"done": "good", "under way": "busy", "catching up": "busy", "no total": "calm"}


def word(job: Job) -> str:
    """Return how far a job is, in a word."""
    if job.backlog:
        return "catching up"
    if job.share is None:
        return "no total"
    return "done" if job.share >= 1 else "under way"


def state(job: Job) -> Markup:
    """Return this word as a badge."""
    return badge(word(job), _MOODS[word(job)])


def rows(jobs: list[Job], now: float) -> Markup:
    """Return a table with a row for each job."""
    return table(
        "Jobs now",
        ("Job", "Done", "tok/s", "Over in"),
        (
            (
                together(tag("a", one.name, href=f"#{place('job', one.name)}"), " ", state(one)),
                NONE if one.share is None else percent(one.share, 1),
                data(one.tokens, amount),
                span(eta.value - now) if (eta := one.reading("eta_timestamp_seconds")) else NONE,
            )
            for one in jobs
        ),
    )


def section(job: Job, view: View) -> Markup:
    """Return all that is known of a job."""
    head = tag("h3", job.name, " ", state(job))
    identifier = place("job", job.name)
    if job.backlog:
        return part(identifier, head, backlog(job.backlog, "its files"), folded=view.folded)
    charts = tag("div", *(figure(chart, view.back) for chart in _charts(job)), class_="charts")
    return part(
        identifier,
        head,
        _progress(job),
        _ending(job, view.now),
        charts,
        facts(_facts(job, view.now)),
        folded=view.folded,
    )


def _progress(job: Job) -> Markup:
    done, expected = job.reading("done"), job.reading("expected")
    if job.share is None:
        return tag("p", data(done, amount), " done", class_="far")
    words = data(done, amount), " of ", data(expected, amount), " done, ", _left(job), " left"
    bar = tag("progress", value=job.share, aria_label=f"{job.name}: done")
    return together(bar, tag("p", tag("strong", percent(job.share, 1)), " ", *words, class_="far"))


def _left(job: Job) -> str | None:
    done, expected = job.reading("done"), job.reading("expected")
    return amount(expected.value - done.value) if done and expected else None


def _ending(job: Job, now: float) -> Markup:
    best, low, high = (job.reading(f"eta_{which}timestamp_seconds") for which in ("", "low_", "high_"))
    deadline = _deadline(job, best, now)
    if best and low and high:
        left = tag("strong", span(best.value - now))
        between = " (between ", _time(low, now), " and ", _time(high, now), ", UTC)."
        return tag("p", "Over in ", left, ", at ", _time(best, now), *between, deadline)
    return tag("p", _no_ending(job), deadline)


def _no_ending(job: Job) -> str:
    if job.share is None:
        return "When it will be over is not known, for no total was given (--total)."
    if job.share >= 1:
        return "It is done."
    return "When it will be over is not known: that takes ten minutes and five records of files that grow."


def _deadline(job: Job, best: Reading | None, now: float) -> Markup | None:
    deadline = job.reading("deadline_timestamp_seconds")
    if deadline is None:
        return None
    late = best is not None and best.value > deadline.value
    said = " It should be over at ", _time(deadline, now), " UTC."
    return together(*said, " ", badge("too late", "bad") if late else None)


def _time(reading: Reading, now: float) -> Markup:
    return data(reading, lambda at: moment(at, now))


def _charts(job: Job) -> list[Chart]:
    window = f" over {job.window}" if job.window else ""
    return [
        Chart(f"Tokens proven{window}", "tok/s", job.tokens, job.hour.get("tokens"), amount),
        Chart(f"Completions{window}", "/s", job.rate("completions"), job.hour.get("completions"), amount),
        Chart("Done", "", job.reading("done"), job.hour.get("done"), amount, afloat=True),
    ]


def _facts(job: Job, now: float) -> list[Fact]:
    counters = (
        ("Completions", "completions_total"),
        ("Tokens generated, exact", "output_tokens_total"),
        ("Tokens generated, estimated", "estimated_output_tokens_total"),
        ("Succeeded", "succeeded"),
        ("Repeated records", "duplicates_total"),
        ("Beyond the total", "excess"),
        ("Malformed lines", "malformed_lines_total"),
    )
    known = [(name, reading) for name, metric in counters if (reading := job.reading(metric))]
    return [
        ("Last completion", when(job.reading("last_completion_timestamp_seconds"), now)),
        ("Failed", _failed(job)),
        *((name, data(reading, amount)) for name, reading in known if reading.value),
    ]


def _failed(job: Job) -> Markup | None:
    total = counted(job.reading("errors_total"), job.hour, "errors")
    return total and together(total, kinds(job.said.by("sglang_job_errors_total", "reason")))
