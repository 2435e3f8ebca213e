"""How rates begin when the exporter begins to follow: with what is known of the time before, else with nothing."""

from sglang_exporter.state.eta import LEAST_SPAN, Progress
from sglang_exporter.state.past import Past
from sglang_exporter.state.windows import Amount, Window


def begin_window(window: Window, past: Past, now: float, average: float) -> None:
    """Fill a window with the past, if all of it is known; `average` are the tokens of a completion without a count."""
    window.begin(now)
    if past.knows(window.span, now):
        window.since = now - window.span
        for at, done in past.within(window.span, now):
            estimated = done.estimated_tokens + done.uncounted * average
            window.add(at, Amount(done.completions, done.output_tokens, estimated))


def begun_progress(past: Past, now: float) -> Progress:
    """Return the progress as far as it is known."""
    if not past.knows(LEAST_SPAN, now):
        return Progress(since=now)
    progress = Progress(since=past.first)
    for at, moment in past.within(now - past.first + 1, now):
        progress.add(at, moment.done, int(moment.records))
    return progress
