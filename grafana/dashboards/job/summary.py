"""The top of the page: all chosen data sets together, and a row for each."""

from dashboards.job import numbers
from parts.links import TO_EXPORTER_OF_ROW
from parts.looks import coloured, link, share_bar, unit
from parts.panels import NEUTRAL, Head, Panel, Size, rows, steps, tile
from parts.queries import Query, series, where_known

_DONE = series("sglang_job_done")
_EXPECTED = series("sglang_job_expected")


def panels() -> list[Panel]:
    """Return the tiles from left to right, and the table."""
    return [_done(), _left(), _time_left(), _bounds(), _pace(), _tokens(), _failed(), _silence(), _each()]


def _done() -> Panel:
    head = Head(
        101,
        "Done",
        "Share of the records that are in the output files, failed ones too, each id once. Good: rises until 100 %. It"
        " needs --total. From the output files: records.",
        "no --total",
    )
    share = f"sum({_DONE} and {_EXPECTED}) / sum({_EXPECTED})"
    return tile(head, "percentunit", [Query(share)], 2).decimals(1).thresholds(steps(NEUTRAL, (1, "green")))


def _left() -> Panel:
    head = Head(
        102,
        "Left",
        "Records that are still to come. Good: falls to 0. Fewer than the server runs at once: nothing is left to send,"
        " the job waits for its longest answers. From the output files: --total less the records, each id once.",
        "no --total",
    )
    return tile(head, "locale", [Query(f"sum({numbers.left()})")], 3)


def _time_left() -> Panel:
    head = Head(
        103,
        "Time left",
        "Time until the last of the chosen data sets is complete at its present rate. Good: shrinks as time passes."
        " Not shown where it would be a guess: no --total, nothing new, too few records, or done."
        " From the output files: records left and their rate.",
        "no estimate",
    )
    left = f"max({series('sglang_job_eta_timestamp_seconds')}) - time()"
    return tile(head, "s", [Query(left)], 3).decimals(1)


def _bounds() -> Panel:
    head = Head(
        104,
        "Done at",
        "When it will be done, at the earliest and at the latest that the spread of recent rates allows. Good: close"
        " together, and neither moves away. From the output files: records left and their rate.",
        "no estimate",
    )
    early = Query(f"1000 * max({series('sglang_job_eta_low_timestamp_seconds')})", "at the earliest")
    late = Query(f"1000 * max({series('sglang_job_eta_high_timestamp_seconds')})", "at the latest")
    return tile(head, "time:D MMM HH:mm", [early, late], 4)


def _pace() -> Panel:
    head = Head(
        105,
        "Answers",
        "Completions per second, now (over the window chosen above) and as the mean over the time shown. Good: now is"
        " no less than the mean. From the output files, by when the bytes arrived.",
        "no window has passed yet",
    )
    rate = series("sglang_job_completions_per_second", numbers.WINDOW)
    queries = [Query(f"sum({rate})", "now"), Query(f"sum(avg_over_time({rate}[$__range]))", "mean")]
    return tile(head, "suffix: /s", queries, 4).decimals(2)


def _tokens() -> Panel:
    head = Head(
        106,
        "Proven speed",
        "Generated tokens per second of the answers that arrived, over the window chosen above. Good: what the server"
        " reports, see below. From the output files: usage; an average where the records carry no count.",
        "no window has passed yet",
    )
    return tile(head, "suffix: tok/s", [Query(f"sum({numbers.tokens()})")], 3).decimals(0)


def _failed() -> Panel:
    head = Head(
        107,
        "Failed",
        "Share of the requests in the time shown that failed. Good: 0. A burst at a restart is what the restart cost."
        " From the output files: records that say error, or carry no answer.",
        "no answer in this time",
    )
    failed = f"sum(increase({series('sglang_job_errors_total')}[$__range]))"
    answered = f"sum(increase({series('sglang_job_completions_total')}[$__range]))"
    share = where_known(f"({failed} or 0 * {answered}) / (({failed} or 0 * {answered}) + {answered})")
    panel = tile(head, "percentunit", [Query(share)], 2).decimals(1)
    return panel.thresholds(steps("green", (0.001, NEUTRAL), (0.02, "red")))


def _silence() -> Panel:
    head = Head(
        108,
        "Last answer",
        "Time since the last completion arrived in any of the chosen data sets. Good: seconds. Bad: longer than the"
        " longest answer takes, see below. From the output files, by when the bytes arrived.",
        "none yet",
    )
    return tile(head, "s", [Query(f"time() - max({series('sglang_job_last_completion_timestamp_seconds')})")], 3)


def _each() -> Panel:
    head = Head(
        109,
        "How far is each data set?",
        "A row per data set. Good: all rows move, and none has failures. Left and the times need --total."
        " From the output files: records, usage, and when their bytes arrived.",
        "no output file read yet",
    )
    rate = series("sglang_job_completions_per_second", numbers.WINDOW)
    length = f"{numbers.in_all('output_tokens_total')} / ({numbers.in_all('completions_total')} > 0)"
    silence = f"time() - {numbers.gauge('last_completion_timestamp_seconds')}"
    columns = {
        "Done": Query(f"{numbers.gauge('done')} / {numbers.gauge('expected')}"),
        "Records": Query(numbers.gauge("done")),
        "Left": Query(numbers.left()),
        "Time left": Query(numbers.from_now("eta_timestamp_seconds")),
        "Earliest": Query(numbers.from_now("eta_low_timestamp_seconds")),
        "Latest": Query(numbers.from_now("eta_high_timestamp_seconds")),
        "Answers now": Query(numbers.gauge("completions_per_second", numbers.WINDOW)),
        "Mean": Query(f"sum by (instance, dataset) (avg_over_time({rate}[$__range]))"),
        "Proven": Query(numbers.tokens()),
        "Mean length": Query(length),
        "Failed": Query(numbers.in_all("errors_total")),
        "Last answer": Query(silence),
    }
    panel = rows(head, columns, {"dataset": "Data set"}, Size(24, 6), {"instance": "Instance"})
    panel.override_by_name("Done", share_bar("blue", (1, "green"))).override_by_name(
        "Failed", [*unit("locale"), *coloured("text", (1, "red"))]
    )
    for name in ("Records", "Left", "Mean length"):
        panel.override_by_name(name, unit("locale"))
    for name in ("Time left", "Earliest", "Latest", "Last answer"):
        panel.override_by_name(name, unit("s", 1))
    for name in ("Answers now", "Mean"):
        panel.override_by_name(name, unit("suffix: /s", 2))
    panel.override_by_name("Proven", unit("suffix: tok/s"))
    return panel.override_by_name("Instance", link("Its exporter", TO_EXPORTER_OF_ROW))
