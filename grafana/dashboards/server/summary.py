"""The top of the page: the state of this moment, and the phases that led to it."""

from grafana_foundation_sdk.models.common import BigValueColorMode
from grafana_foundation_sdk.models.dashboard import ValueMap, ValueMappingResult

from dashboards.server import phases
from parts.panels import NEUTRAL, Head, Panel, steps, tile, timeline
from parts.queries import Query, rate, series

_DONE = series("sglang_job_done")
_EXPECTED = series("sglang_job_expected")


def panels() -> list[Panel]:
    """Return the tiles from left to right, and the phases over time."""
    return [_phase(), _requests(), _kv_cache(), _speed(), _progress(), _time_left(), _phases()]


def _phase() -> Panel:
    head = Head(
        101,
        "Phase",
        "What the server is doing. Good: steady, or idle when there is no work. Bad: stalled (requests wait and nothing"
        " moves) and down. From the log: batch lines, start and trouble lines, finished requests.",
        "no log read yet",
    )
    panel = tile(head, "short", [phases.query()], 4)
    return panel.mappings([phases.mapping()]).color_mode(BigValueColorMode.BACKGROUND)


def _requests() -> Panel:
    head = Head(
        102,
        "Requests",
        "Requests in the running batch and requests that wait, all ranks together. Good in a batch job: as many running"
        " as the KV cache holds, and some waiting. Good for people who wait for answers: none waiting. Bad: few running"
        " while others wait. From the log: #running-req and #queue-req of the last batch line, while it is believable.",
        "silent",
    )
    running = Query(f"sum({series('sglang_server_running_requests')})", "running")
    queued = Query(f"sum({series('sglang_server_queued_requests')})", "queued")
    return tile(head, "short", [running, queued], 5)


def _kv_cache() -> Panel:
    head = Head(
        104,
        "KV cache",
        "How full the fullest pool on the device is. Orange from 0.9: more requests do not fit, they wait or are"
        " retracted. Good in a batch job: just there. Bad: far below with a queue, the scheduler is too careful."
        " From the log: token usage of the last batch line.",
        "silent",
    )
    usage = series("sglang_server_token_usage_ratio", 'pool!="cpu"')
    panel = tile(head, "percentunit", [Query(f"max({usage})")], 4)
    return panel.decimals(0).thresholds(steps(NEUTRAL, (0.9, "orange")))


def _speed() -> Panel:
    head = Head(
        105,
        "Speed now",
        "Tokens generated per second, all ranks together. Good: what it was at this load before, see below. Bad: less"
        " at equal load. From the log: gen throughput times the time since the rank's previous Decode line.",
        "no Decode line yet",
    )
    speed = f"sum({rate(series('sglang_server_generated_tokens_total'))})"
    return tile(head, "suffix: tok/s", [Query(speed)], 4).decimals(0)


def _progress() -> Panel:
    head = Head(
        106,
        "Job",
        "Share of the job's records that are in the output files, failed ones too. Good: rises until 100 %. It needs"
        " --total. From the output files: records, each id once.",
        "no --total",
    )
    share = f"sum({_DONE} and {_EXPECTED}) / sum({_EXPECTED})"
    return tile(head, "percentunit", [Query(share)], 3).decimals(1).thresholds(steps(NEUTRAL, (1, "green")))


def _time_left() -> Panel:
    head = Head(
        107,
        "Time left",
        "Time until the last of the chosen data sets is complete at its present rate. Good: shrinks as time passes."
        " Not shown where it would be a guess: no --total, nothing new, too few records. From the output files: records"
        " left and their rate.",
        "no estimate",
    )
    left = f"max({series('sglang_job_eta_timestamp_seconds')}) - time()"
    nothing = f"0 * (sum({_DONE} and {_EXPECTED}) >= sum({_EXPECTED}))"
    finished = ValueMap(options={"0": ValueMappingResult(text="done", color="green")})
    return tile(head, "s", [Query(f"{left} or {nothing}")], 4).decimals(1).mappings([finished])


def _phases() -> Panel:
    head = Head(
        108,
        "What was it doing?",
        "The phase over time. Good: long green stretches. Blue over and over is a crash loop; orange is work that does"
        " not move. From the log: batch lines, start and trouble lines, finished requests.",
        "no log read yet",
    )
    return timeline(head, phases.query(), 3).mappings([phases.mapping()])
