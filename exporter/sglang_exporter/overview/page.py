"""The page at `/`: what `/metrics` says at this moment and the hour before it, for the person without Prometheus.

It is whole without a script. With one it is brought up to date in place: a page that loads itself again takes the focus
from the keyboard, folds up what was opened, and has a screen reader begin anew.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from prometheus_client.metrics_core import Metric

from sglang_exporter.metrics.recent import Hour, Key
from sglang_exporter.overview import first, frame, jobs, servers, sources
from sglang_exporter.overview.curve import reach
from sglang_exporter.overview.html import Markup, tag, together
from sglang_exporter.overview.jobs import Job
from sglang_exporter.overview.parts import View, view
from sglang_exporter.overview.samples import Page, Said, sorted_out
from sglang_exporter.overview.servers import Server
from sglang_exporter.overview.sources import Source

_LOG, _OUTPUTS = "log:", "outputs:"


class Seen(NamedTuple):
    """What is shown: metric families and the hour before, both of the moment `now` in seconds since the epoch."""

    now: float
    families: Iterable[Metric]
    hours: Mapping[Key, Hour]
    looked: int
    """How many moments of the hour were lived through."""
    troubles: Mapping[str, str]
    """Why sources cannot be read, by label."""
    unmatched: frozenset[str]
    """Labels of sources that match no file yet."""
    unwell: str | None
    """What is wrong with the exporter."""
    unready: str | None
    """What it has yet to do before all is shown."""


def page(seen: Seen) -> str:
    """Return the page as HTML."""
    samples = sorted_out(seen.families)
    followed, at_work = _servers(samples, seen.hours), _jobs(samples, seen.hours)
    headline = first.headline(followed, at_work)
    body = together(
        tag("a", "To the servers and jobs", href="#main", class_="skip"),
        tag("header", tag("h1", "sglang-exporter"), frame.up_to_date(seen.now)),
        tag(
            "main",
            tag("p", headline, id="headline", role="status"),
            *(tag("p", warning, class_="warning") for warning in first.warnings(seen.unwell, samples.exporter)),
            tag("p", f"Not all is read yet: {seen.unready}.", class_="notice")
            if seen.unready
            else first.hints(samples),
            *_of_servers(followed, view(seen.now, seen.looked, len(followed))),
            *_of_jobs(at_work, view(seen.now, seen.looked, len(at_work))),
            *_of_sources(samples, seen),
            id="main",
            tabindex="-1",
            class_=f"back-{reach(seen.looked, coarse=False).minutes}",
        ),
        frame.foot(samples.exporter),
    )
    return f"<!doctype html>\n{tag('html', frame.head(headline), tag('body', body), lang='en')}\n"


def _servers(samples: Page, hours: Mapping[Key, Hour]) -> list[Server]:
    return [
        Server(name, said, samples.sources.get(f"{_LOG}{name}", Said()), hours.get(("server", name), {}))
        for name, said in sorted(samples.servers.items())
    ]


def _jobs(samples: Page, hours: Mapping[Key, Hour]) -> list[Job]:
    """Return the data sets; one whose files are still read for the first time has no metric but its source's."""
    reading = {
        label.removeprefix(_OUTPUTS)
        for label, said in samples.sources.items()
        if label.startswith(_OUTPUTS) and not said.by("sglang_exporter_source_caught_up", "source")[label]
    }
    return [
        Job(
            name,
            samples.jobs.get(name, Said()),
            samples.sources.get(f"{_OUTPUTS}{name}", Said()),
            hours.get(("job", name), {}),
        )
        for name in sorted(reading | samples.jobs.keys())
    ]


def _of_servers(followed: list[Server], how: View) -> Iterable[Markup]:
    if not followed:
        return
    yield tag("h2", "Servers")
    if len(followed) > 1:
        yield servers.rows(followed)
    for server in followed:
        yield servers.section(server, how)


def _of_jobs(at_work: list[Job], how: View) -> Iterable[Markup]:
    if not at_work:
        return
    yield tag("h2", "Jobs")
    if len(at_work) > 1:
        yield jobs.rows(at_work, how.now)
    for job in at_work:
        yield jobs.section(job, how)


def _of_sources(samples: Page, seen: Seen) -> Iterable[Markup]:
    if not samples.sources:
        return
    found = [
        Source(label, said, seen.troubles.get(label, ""), label in seen.unmatched)
        for label, said in sorted(samples.sources.items())
    ]
    malformed = {
        name: reading
        for name, said in samples.jobs.items()
        if (reading := said.total("sglang_job_malformed_lines_total"))
    }
    yield tag("h2", "Sources")
    yield sources.health(found)
    yield tag("h2", "What was not understood")
    yield sources.puzzles(found, malformed)
