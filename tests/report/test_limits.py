"""Which factor is named, and that the table of advice is one with the runbooks."""

import re
from pathlib import Path

import pytest

from sglang_exporter.report.advice import factors
from sglang_exporter.report.figures import Estimate, Spread, Window, Work
from sglang_exporter.report.limits import limit

RUNBOOKS = Path(__file__).parents[2] / "prometheus" / "runbooks"


def spread(mean: float) -> Spread:
    return Spread(Estimate(mean), mean, mean, mean)


def work(
    usage: float = 0.5,
    running: float = 30,
    queued: float = 0,
    now: float = 60,
    retractions: float = 0,
    prefilled: float = 100,
) -> Work:
    return Work(
        window=Window("steady", 0, 600, 100),
        throughput=spread(1000),
        usage=spread(usage),
        running=spread(running),
        queued=spread(queued),
        generated=Estimate(1000),
        tokens_per_request=500,
        concurrency_now=now,
        share_of_now=running / now,
        concurrency_at_full_length=None,
        full_length=None,
        retractions_per_minute=retractions,
        retracted_requests=retractions * 10,
        wasted_tokens=0,
        cache_hit_ratio=None,
        prefilled_per_second=prefilled,
    )


@pytest.mark.parametrize(
    ("found", "factor"),
    [
        (work(usage=0.95, queued=40), "kv_cache"),
        (work(usage=0.93, running=150, now=161), "kv_cache"),  # the worked example: nothing is queued
        (work(usage=0.8, retractions=2), "kv_cache_retracting"),
        (work(running=48, queued=9, now=200), "max_running_requests"),
        (work(queued=12), "admission"),
        (work(queued=12, prefilled=9000), "admission"),
        (work(queued=12, prefilled=11_000), "prefill"),
        (work(), "load"),
    ],
)
def test_the_factor_by_its_evidence(found: Work, factor: str) -> None:
    limited = limit(found, 30_000, max_running=48, arguments={})
    assert limited is not None
    assert limited.factor == factor
    assert limited.evidence
    assert limited.next


def test_what_is_done_already_is_no_advice() -> None:
    limited = limit(work(usage=0.95), 30_000, 0, {"kv_cache_dtype": "fp8_e4m3"})
    assert limited is not None
    assert "--kv-cache-dtype" not in [advice.change for advice in limited.next]


def test_nothing_is_limited_where_nothing_ran() -> None:
    assert limit(None, 30_000, 0, {}) is None


def changes_of(runbook: str) -> dict[str, tuple[str, str]]:
    """Return direction and cost by flag, as the runbook's table has them, and those of a runbook that it refers to."""
    text = (RUNBOOKS / f"{runbook}.md").read_text()
    rows = re.findall(r"^\| `(--[a-z-]+)[^|]* \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    other = changes_of("sglangkvcachesaturated") if "see SGLangKVCacheSaturated" in text else {}
    return {**other, **{flag: (direction, cost) for flag, direction, cost in rows}}


@pytest.mark.parametrize("name", [name for name, factor in factors().items() if factor.runbook])
def test_the_runbook_names_the_same_flags_directions_and_costs(name: str) -> None:
    factor = factors()[name]
    told = changes_of(factor.runbook or "")
    flagged = [change for change in factor.changes if change.flag]
    assert {change.flag: (change.direction, change.cost) for change in flagged}.items() <= told.items()


def test_every_change_is_a_flag_or_says_what_it_is() -> None:
    for factor in factors().values():
        for change in factor.changes:
            assert bool(change.flag) != bool(change.change)
            assert change.flag.startswith("--") or change.change
