"""The top of the page: the state of this moment, and the phases that led to it."""

from grafana_foundation_sdk.models.common import BigValueColorMode
from grafana_foundation_sdk.models.dashboard import ValueMap, ValueMappingResult

from dashboards.server import phases, verdict
from parts.links import TO_JOB
from parts.looks import link
from parts.panels import NEUTRAL, Head, Panel, steps, tile, timeline
from parts.queries import Query, beside_servers, rate, series

_DONE = beside_servers(series("sglang_job_done"))
_EXPECTED = beside_servers(series("sglang_job_expected"))


def panels() -> list[Panel]:
    """Return the tiles from left to right, and the phases over time."""
    return [_phase(), _limit(), _requests(), _kv_cache(), _speed(), _progress(), _time_left(), _phases(), _limits()]


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


def _limit() -> Panel:
    head = Head(
        103,
        "What limits it?",
        f"Good in a batch job: KV cache, the GPU holds all the work it can. Worth a change: all others. {verdict.RULE}"
        " From the log: token usage, #queue-req, #new-token, gen throughput.",
        "see the phase",
    )
    panel = tile(head, "short", [verdict.query()], 5)
    return panel.mappings([verdict.mapping()]).color_mode(BigValueColorMode.BACKGROUND)


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
    return tile(head, "short", [running, queued], 4)


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
    panel = tile(head, "percentunit", [Query(f"max({usage})")], 3)
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
    return tile(head, "suffix: tok/s", [Query(speed)], 3).decimals(0)


def _progress() -> Panel:
    head = Head(
        106,
        "Job",
        "Share of the job's records that are in the output files, failed ones too. Good: rises until 100 %. It needs"
        " --total. From the output files: records, each id once.",
        "no --total",
    )
    share = f"sum(({_DONE}) and ({_EXPECTED})) / sum({_EXPECTED})"
    panel = tile(head, "percentunit", [Query(share)], 2).decimals(1).thresholds(steps(NEUTRAL, (1, "green")))
    return panel.override_by_field_type("number", link("The job", TO_JOB))


def _time_left() -> Panel:
    head = Head(
        107,
        "Time left",
        "Time until the last of the chosen data sets is complete at its present rate. Good: shrinks as time passes."
        " Not shown where it would be a guess: no --total, nothing new, too few records. From the output files: records"
        " left and their rate.",
        "no estimate",
    )
    left = f"max({beside_servers(series('sglang_job_eta_timestamp_seconds'))}) - time()"
    nothing = f"0 * (sum(({_DONE}) and ({_EXPECTED})) >= sum({_EXPECTED}))"
    finished = ValueMap(options={"0": ValueMappingResult(text="done", color="green")})
    panel = tile(head, "s", [Query(f"{left} or {nothing}")], 3).decimals(1).mappings([finished])
    return panel.override_by_field_type("number", link("The job", TO_JOB))


def _phases() -> Panel:
    head = Head(
        108,
        "What was it doing?",
        "The phase over time. Good: long green stretches. Blue over and over is a crash loop; orange is work that does"
        " not move. From the log: batch lines, start and trouble lines, finished requests.",
        "no log read yet",
    )
    return timeline(head, phases.query(), 3).mappings([phases.mapping()])


def _limits() -> Panel:
    head = Head(
        109,
        "What limited it?",
        f"The limiting factor over time. Good in a batch job: long stretches of KV cache. {verdict.RULE}"
        " From the log: token usage, #queue-req, #new-token, gen throughput.",
        "no batch line in this time",
    )
    return timeline(head, verdict.query(), 3).mappings([verdict.mapping()])
