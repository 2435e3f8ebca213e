"""What a user could have the server or the client write, so that more is known: only what applies to what was read."""

from collections.abc import Iterator
from statistics import median

from sglang_exporter.state.engine import Engine
from sglang_exporter.state.job import JobState
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.store import Store

_OFTEN_ENOUGH = 15.0
_WANTED = 10.0
_ENOUGH_GAPS = 5
_QUIET = frozenset(("warning", "error", "critical"))


def on_log(state: ServerState, kinds: dict[str, int], jobs: list[JobState]) -> Iterator[str]:
    """Yield advice on the next start of a server, by its log: each once, however many engines it is for."""
    advice = (text for engine in state.engines.values() for text in _on_engine(engine, kinds, jobs))
    yield from dict.fromkeys(advice)


def on_outputs(state: JobState) -> Iterator[str]:
    """Yield advice on what writes an output file."""
    totals = state.totals()
    if totals["uncounted"] and not state.config.tokens.estimates:
        yield f"{totals['uncounted']:,.0f} completions without a token count: --average-tokens estimates them"
    if totals["records"] and not totals["timed"]:
        yield (
            "no record tells when its request was over: with a `timestamp` in each, in seconds since 1970 or as "
            "2026-11-29T10:00:00Z, backfill needs no log for that"
        )


def jobs_of(store: Store) -> list[JobState]:
    """Return the data sets that were read."""
    return [job.state for job in store.jobs.values()]


def _on_engine(engine: Engine, kinds: dict[str, int], jobs: list[JobState]) -> Iterator[str]:
    yield from _exact_tokens(engine.arguments, jobs)
    yield from _decode_interval(engine, kinds)
    yield from _requests_in_log(engine.arguments, kinds)


def _exact_tokens(arguments: dict[str, str], jobs: list[JobState]) -> Iterator[str]:
    """Advise on SGLang's own file of finished requests; a release that has it says so among its arguments."""
    exported = arguments.get("export_metrics_to_file")
    if exported == "True" and not jobs:
        yield "the server writes sglang-request-metrics-*.log, the exact tokens of every request: give it as --outputs"
    elif exported == "False" and (not jobs or any(job.counts["uncounted"] for job in jobs)):
        yield (
            "started with --export-metrics-to-file, the server would write the exact tokens of every request to a file "
            "for --outputs"
        )


def _decode_interval(engine: Engine, kinds: dict[str, int]) -> Iterator[str]:
    """Advise on how often Decode lines come; a release that has the flag says so among its arguments."""
    told = engine.arguments.get("decode_log_interval", "")
    steps = int(told) if told.isdecimal() else 0
    if steps <= 1:  # nothing is left to gain
        return
    if (usual := _usual_gap(engine)) > _OFTEN_ENOUGH:
        fewer = max(1, int(steps * _WANTED / usual))
        yield f"a Decode line comes every {usual:.0f} s: --decode-log-interval {fewer} instead of {steps} brings more"
    decodes = engine.arguments.get("disaggregation_mode", "null") != "prefill"
    if decodes and engine.answers and kinds.get("prefill") and not kinds.get("decode"):
        yield f"no Decode lines, for no request takes {steps} decode steps: a smaller --decode-log-interval shows them"


def _usual_gap(engine: Engine) -> float:
    """Return the seconds between Decode lines of a scheduler, 0 where there are too few to tell."""
    statuses = [scheduler.run.said.get("decode") for scheduler in engine.schedulers.values()]
    gaps = [gap for status in statuses if status for gap in status.rhythm.gaps]
    return median(gaps) if len(gaps) >= _ENOUGH_GAPS else 0.0


def _requests_in_log(arguments: dict[str, str], kinds: dict[str, int]) -> Iterator[str]:
    level = arguments.get("log_requests_level", "")
    if arguments.get("log_requests") == "True" and level in ("2", "3"):
        yield f"--log-requests-level {level} writes prompts and answers into the log: 0 tells the same numbers"
    quiet = arguments.get("log_level_http", "")
    if quiet in _QUIET and not kinds.get("access"):
        yield f"--log-level-http {quiet} hides the access lines: info shows them"
