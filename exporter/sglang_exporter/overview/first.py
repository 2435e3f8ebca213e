"""What the page says first: the state of all in a sentence, what is wrong with the exporter, how to begin."""

from collections import Counter

from sglang_exporter.overview import jobs, servers
from sglang_exporter.overview.html import Markup, tag
from sglang_exporter.overview.jobs import Job
from sglang_exporter.overview.samples import Page, Said
from sglang_exporter.overview.servers import Server


def headline(followed: list[Server], at_work: list[Job]) -> str:
    """Return the state of all in a sentence, which changes only when something of note does."""
    phases = Counter(word for server in followed for word in servers.words(server))
    states = Counter(jobs.word(job) for job in at_work)
    said = (_counted(len(followed), "server", phases), _counted(len(at_work), "job", states))
    return " ".join(filter(None, said)) or "Nothing is followed yet."


def warnings(unwell: str | None, exporter: Said) -> list[str]:
    """Return what is wrong with the exporter."""
    collected = exporter.by("sglang_exporter_collector_success", "collector")
    failed = [name for name, good in collected.items() if not good]
    reload = exporter.total("sglang_exporter_config_last_reload_successful")
    found = [f"What is known of {name} cannot be shown: the exporter's own log says why." for name in failed]
    if unwell:
        found.append(f"The exporter is not well: {unwell}.")
    if reload and not reload.value:
        found.append(
            "The configuration on disk is bad; the last good one is in force. The exporter's own log says why."
        )
    return found


def hints(samples: Page) -> Markup | None:
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


def _counted(number: int, what: str, states: Counter[str]) -> str:
    """Return how many there are, and of each state, the worst first."""
    if not number:
        return ""
    order = [
        *(word for word in servers.ORDER if word in states),
        *(word for word in states if word not in servers.ORDER),
    ]
    told = ", ".join(f"{states[word]} {word}" if number > 1 else word for word in order)
    return f"{number} {what}{'s' * (number > 1)}: {told}."
