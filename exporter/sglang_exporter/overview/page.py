"""The page at `/`: what `/metrics` says at this moment and the hour before it, for the person without Prometheus.

It is whole without a script. With one it is brought up to date in place: a page that loads itself again takes the focus
from the keyboard, folds up what was opened, and has a screen reader begin anew.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from prometheus_client.metrics_core import Metric

from sglang_exporter.metrics.recent import Hour, Key
from sglang_exporter.overview import jobs, servers, sources
from sglang_exporter.overview.html import Markup, tag, together
from sglang_exporter.overview.jobs import Job
from sglang_exporter.overview.parts import FEW
from sglang_exporter.overview.samples import Page, Said, sorted_out
from sglang_exporter.overview.servers import Server
from sglang_exporter.overview.sources import Source

_HERE = Path(__file__).parent
_STYLE = (_HERE / "style.css").read_text(encoding="utf-8")
SCRIPT = (_HERE / "page.js").read_bytes()
"""What brings the page up to date, to be served beside it as `page.js`."""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; script-src 'self'; connect-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy: its own style, its own script, and nothing else."""
_LOG, _OUTPUTS = "log:", "outputs:"


class Seen(NamedTuple):
    """What is shown: metric families and the hour before, both of the moment `now` in seconds since the epoch."""

    now: float
    families: Iterable[Metric]
    hours: Mapping[Key, Hour]
    troubles: Mapping[str, str]
    """Why sources cannot be read, by label."""
    unmatched: frozenset[str]
    """Labels of sources that match no file yet."""
    warnings: tuple[str, ...]
    """What is wrong with the exporter, or not yet done."""


def page(seen: Seen) -> str:
    """Return the page as HTML."""
    samples = sorted_out(seen.families)
    followed, at_work = _servers(samples, seen.hours), _jobs(samples, seen.hours)
    headline = _headline(followed, at_work)
    body = together(
        tag("a", "To the servers and jobs", href="#main", class_="skip"),
        tag("header", tag("h1", "sglang-exporter"), _up_to_date(seen.now)),
        tag(
            "main",
            tag("p", headline, id="headline", role="status"),
            *(tag("p", warning, class_="warning") for warning in _warnings(seen, samples.exporter)),
            _hints(samples),
            *_of_servers(followed, seen.now),
            *_of_jobs(at_work, seen.now),
            *_of_sources(samples, seen),
            id="main",
            tabindex="-1",
        ),
        _foot(samples.exporter),
    )
    return f"<!doctype html>\n{tag('html', _head(headline), tag('body', body), lang='en')}\n"


def _head(headline: str) -> Markup:
    return Markup(
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{tag('title', f'{headline} sglang-exporter')}"
        '<noscript><meta http-equiv="refresh" content="5"></noscript>'
        f'<script src="page.js" defer></script><style>{_STYLE}</style></head>'
    )


def _up_to_date(now: float) -> Markup:
    time = datetime.fromtimestamp(now, UTC)
    said = tag("span", "as of ", tag("time", f"{time:%H:%M:%S}", datetime=time.isoformat()), " UTC", id="updated")
    pause = tag("button", "Pause", id="pause", type="button", hidden=True)
    return tag("p", said, " ", pause, " ", tag("span", id="lost", role="alert"), class_="updated")


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


def _headline(followed: list[Server], at_work: list[Job]) -> str:
    """Return the state of all in a sentence, which changes only when something of note does."""
    phases = Counter(word for server in followed for word in servers.words(server))
    states = Counter(jobs.word(job) for job in at_work)
    said = (_counted(len(followed), "server", phases), _counted(len(at_work), "job", states))
    return " ".join(filter(None, said)) or "Nothing is followed yet."


def _counted(number: int, what: str, states: Counter[str]) -> str:
    if not number:
        return ""
    told = ", ".join(f"{count} {state}" if number > 1 else state for state, count in states.items())
    return f"{number} {what}{'s' * (number > 1)}: {told}."


def _warnings(seen: Seen, exporter: Said) -> list[str]:
    failed = [name for name, good in exporter.by("sglang_exporter_collector_success", "collector").items() if not good]
    reload = exporter.total("sglang_exporter_config_last_reload_successful")
    return [
        *seen.warnings,
        *(f"What is known of {name} cannot be shown: the exporter's own log says why." for name in failed),
        *(
            ["The configuration on disk is bad; the last good one is in force. The exporter's own log says why."]
            if reload and not reload.value
            else []
        ),
    ]


def _hints(samples: Page) -> Markup | None:
    """Return how to begin, where there is nothing yet."""
    if samples.servers or samples.jobs:
        return None
    if samples.sources:
        text = "No file was found yet. The exporter looks again every five seconds. "
        return tag("p", text, tag("code", "sglang-exporter check"), " with the same flags says what matches.")
    how = tag("code", "sglang-exporter --log server.log --outputs raw_responses.jsonl --total 88000")
    return tag(
        "p", "No file was named that could be followed. Start it with the server's log, or the job's files: ", how
    )


def _of_servers(followed: list[Server], now: float) -> Iterable[Markup]:
    if not followed:
        return
    yield tag("h2", "Servers")
    if len(followed) > 1:
        yield servers.rows(followed)
    for server in followed:
        yield servers.section(server, now, folded=len(followed) > FEW)


def _of_jobs(at_work: list[Job], now: float) -> Iterable[Markup]:
    if not at_work:
        return
    yield tag("h2", "Jobs")
    if len(at_work) > 1:
        yield jobs.rows(at_work, now)
    for job in at_work:
        yield jobs.section(job, now, folded=len(at_work) > FEW)


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


def _foot(exporter: Said) -> Markup:
    version = ", ".join(exporter.by("sglang_exporter_build_info", "version"))
    links = (("metrics", "Metrics, for Prometheus"), ("-/healthy", "Healthy?"), ("-/ready", "Ready?"))
    return tag(
        "footer",
        tag(
            "nav", tag("ul", *(tag("li", tag("a", text, href=path)) for path, text in links)), aria_label="Other pages"
        ),
        tag(
            "p",
            f"sglang-exporter {version}. Charts show the last 60 minutes, a value every 5 seconds, as this process saw"
            " them; they are kept in memory and stored nowhere. Where a chart has a gap, the server printed nothing.",
        ),
    )
