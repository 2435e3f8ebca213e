"""`sglang-exporter check`: which files match, what share of their lines is understood, what is missing."""

import sys
from collections.abc import Iterator

from sglang_exporter.advice import jobs_of, on_log, on_outputs
from sglang_exporter.config import Config
from sglang_exporter.meaning import PUZZLES
from sglang_exporter.once import read_to_the_end
from sglang_exporter.serverlog.decoder import OTHER
from sglang_exporter.state.job import JobState
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedJob, FollowedServer, Store

_MANY = 5


def check(config: Config) -> int:
    """Print what is found and return the exit status: 1 when an entry matches nothing or a file can't be read."""
    store = read_to_the_end(config).shared.store
    sys.stdout.write("".join(f"{line}\n" for line in _report(store)))
    sources = {**store.unmatched, **store.sources}
    return 0 if sources and all(source.up for source in sources.values()) else 1


def _report(store: Store) -> Iterator[str]:
    if not (store.sources or store.unmatched):
        yield "nothing to follow: give --log, --outputs or --config.file"
    for label in store.unmatched:
        yield f"{label}: no file matches"
    for name, server in store.servers.items():
        yield from _source(f"log:{name}", server.source, _log(server, jobs_of(store)))
    for name, job in store.jobs.items():
        yield from _source(f"outputs:{name}", job.source, _outputs(job))


def _source(label: str, source: SourceState, found: Iterator[str]) -> Iterator[str]:
    if not source.up:
        yield f"{label}: {', '.join(source.paths)} not there, or not readable"
        return
    yield f"{label}: {', '.join(source.paths)}"
    yield from (f"    {line}" for line in found)


def _log(server: FollowedServer, jobs: list[JobState]) -> Iterator[str]:
    kinds = server.source.kinds
    lines = sum(kinds.values())
    understood = lines - kinds.get(OTHER, 0)
    yield f"{lines:,} lines, {understood / max(lines, 1):.0%} of them SGLang's own and understood"
    yield ", ".join(f"{count:,} {kind}" for kind, count in _most(kinds) if kind != OTHER) or "none that says anything"
    for reason, count in server.source.unrecognised.items():
        if count:
            yield f"{count:,} lines {PUZZLES[reason]}"
    for shape, count in _most(server.source.shapes):
        yield f"    {count:,} x {shape}"
    yield from _missing_from_log(kinds)
    yield from on_log(server.state, kinds, jobs)


def _missing_from_log(kinds: dict[str, int]) -> Iterator[str]:
    if not kinds.get("decode", 0) + kinds.get("prefill", 0):
        yield "no batch lines: is the server's --log-level above info, or is this another program's log?"
    if not kinds.get("access", 0) + kinds.get("request_finished", 0) + kinds.get("json.request.finished", 0):
        yield "no access lines: without standard output in the file, a stalled server can't be told from an idle one"
    if not kinds.get("server_args"):
        yield "no start: the arguments and the capacity of the server are not known"


def _outputs(job: FollowedJob) -> Iterator[str]:
    totals = job.state.totals()
    yield f"{totals['records']:,.0f} records, {totals['completions']:,.0f} completions"
    for name in ("skipped_records", "malformed_lines", "duplicates"):
        if totals[name]:
            yield f"{totals[name]:,.0f} {name.replace('_', ' ')}"
    yield from on_outputs(job.state)
    if job.state.expected is None:
        yield "no total: progress and the time left are not known, --total gives them"


def _most(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: -item[1])[:_MANY]
