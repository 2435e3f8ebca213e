"""The page as a whole: what it says when there is little, much or trouble, and how it is built."""

import base64
import hashlib
import re
from array import array
from itertools import pairwise
from random import Random

import pytest

from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.metrics.recent import MOMENTS
from sglang_exporter.overview.frame import POLICY, SCRIPT
from support.made_page import add_job, add_server, add_source, html
from support.read_page import PageReader

EVIL = "<script>alert('x')</script>&\" onload=x "
MOST_BYTES = 1_000_000


def samples(servers: int = 1, jobs: int = 0) -> Page:
    page = Page()
    for number in range(servers):
        add_server(page, f"node{number:03}")
    for number in range(jobs):
        add_job(page, f"set{number:03}")
    return page


def test_names_are_text_and_never_markup() -> None:
    page = Page()
    add_server(page, EVIL)
    add_job(page, EVIL)
    add_source(page, f"log:{EVIL}/*", up=False)
    shown = html(page, {f"log:{EVIL}/*": EVIL}, unwell=EVIL)
    reader = PageReader(shown)
    assert reader.tags.count("script") == 1
    assert "onload" not in {name for _, name, _ in reader.attributes}
    assert reader.texts.count(EVIL.strip()) >= 4
    assert EVIL not in shown


def test_it_loads_its_script_and_nothing_else() -> None:
    reader = PageReader(html(samples()))
    assert [value for _, name, value in reader.attributes if name == "src"] == ["page.js"]
    assert not {"link", "img", "iframe", "object"} & set(reader.tags)
    assert {value for value in reader.values("a", "href") if not value.startswith("#")} == {
        "metrics",
        "-/healthy",
        "-/ready",
    }
    assert "style" not in {name for _, name, _ in reader.attributes}
    assert b"//" not in re.sub(rb"^\s*//.*|\s// .*", b"", SCRIPT, flags=re.MULTILINE)


def test_the_policy_allows_its_own_style_and_script_and_no_other() -> None:
    style = html(Page()).partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert POLICY.startswith(
        f"default-src 'none'; style-src 'sha256-{digest}'; script-src 'self'; connect-src 'self'; "
    )
    assert "unsafe" not in POLICY


@pytest.mark.parametrize(("servers", "jobs"), [(1, 1), (3, 2), (30, 12)])
def test_how_it_is_built(servers: int, jobs: int) -> None:
    shown = html(samples(servers, jobs))
    reader = PageReader(shown)
    assert reader.values("html", "lang") == ["en"]
    ids = [value for _, name, value in reader.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {value.removeprefix("#") for value in reader.values("a", "href") if value.startswith("#")} <= set(ids)
    levels = [int(tag[1]) for tag in reader.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    assert levels.count(3) == servers + jobs
    assert reader.tags.count("main") == 1
    assert len(reader.values("svg", "aria-label")) == reader.tags.count("svg") == servers * 4 + jobs * 3
    assert reader.values("progress", "aria-label") == [f"set{number:03}: done" for number in range(jobs)]
    assert reader.tags.count("details") == (servers if servers > 8 else 0) + (jobs if jobs > 8 else 0)
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in shown


def test_charts_say_in_words_what_they_draw() -> None:
    labels = PageReader(html(samples(1, 1))).values("svg", "aria-label")
    assert labels == [
        "Throughput in the last 60 minutes: 900 to 900 tok/s",
        "KV cache (line: 90 %) in the last 60 minutes: 50 % to 50 %",
        "Running requests in the last 60 minutes: 4 to 4",
        "Queued requests in the last 60 minutes: 0 to 0",
        "Tokens proven over 2m in the last 60 minutes: 7 to 7 tok/s",
        "Completions over 2m in the last 60 minutes: 7 to 7 /s",
        "Done in the last 60 minutes: 50 to 50",
    ]


def test_charts_of_the_first_minutes_go_back_no_further() -> None:
    shown = html(samples(1, 1), looked=12)
    assert '<main id="main" tabindex="-1" class="back-5">' in shown
    assert all("in the last 5 minutes" in label for label in PageReader(shown).values("svg", "aria-label"))
    assert set(PageReader(shown).values("svg", "viewbox")) == {"0 -3 60 106"}


@pytest.mark.parametrize(
    ("servers", "jobs", "headline"),
    [
        ((), 0, "Nothing is followed yet."),
        (("steady",), 0, "1 server: steady."),
        (("steady", "stalled", "steady"), 2, "3 servers: 1 stalled, 2 steady. 2 jobs: 2 under way."),
        ((), 1, "1 job: under way."),
    ],
)
def test_the_headline(servers: tuple[str, ...], jobs: int, headline: str) -> None:
    page = samples(0, jobs)
    for number, phase in enumerate(servers):
        add_server(page, f"s{number}", phase=phase)
    shown = html(page)
    assert f'<p id="headline" role="status">{headline}</p>' in shown
    assert f"<title>{headline} sglang-exporter</title>" in shown


def test_nothing_to_follow_says_how_to_begin() -> None:
    text = PageReader(html(Page())).text
    assert "sglang-exporter --log server.log --outputs raw_responses.jsonl" in text
    page = Page()
    add_source(page, "log:{server}", up=False)
    assert "sglang-exporter check" in PageReader(html(page)).text
    text = PageReader(html(Page(), unready="files are still looked for")).text
    assert "Not all is read yet: files are still looked for." in text
    assert "--log" not in text


def test_a_backlog_is_told_of_instead_of_values() -> None:
    page = Page()
    threshold = Labels({"server": "a", "alert": "kv_cache_saturated", "profile": "online"})
    page.add("sglang_exporter_alert_threshold", threshold, 0.9)
    add_source(page, "log:a", caught_up=False, behind=5e6)
    add_source(page, "outputs:math", caught_up=False, behind=7e9)
    reader = PageReader(html(page))
    assert "1 server: catching up. 1 job: catching up." in reader.text
    assert {(n.part, n.words) for n in reader.numbers if n.part} == {("server-a", "5 MB"), ("job-math", "7 GB")}
    assert "svg" not in reader.tags


def test_trouble_is_told_of() -> None:
    page = samples()
    page.add("sglang_exporter_collector_success", Labels({"collector": "jobs"}), 0)
    page.add("sglang_exporter_config_last_reload_successful", Labels({}), 0)
    add_source(page, "log:gone", up=False)
    text = PageReader(html(page, {"log:gone": "Permission denied"}, unwell="the loop has ended")).text
    for words in (
        "What is known of jobs cannot be shown",
        "The configuration on disk is bad",
        "not well: the loop has ended.",
    ):
        assert words in text
    assert "Permission denied" in text


def test_what_was_not_understood_is_told_with_the_way_to_see_it() -> None:
    text = PageReader(html(samples(1, 1))).text
    assert "log:node000 3 lines damaged: cut, overwritten, or a number that is none" in text
    assert "outputs:set000 1 lines of output files that are no record" in text
    assert "sglang-exporter explain FILE" in text
    assert "was understood" not in text


def test_two_hundred_servers_that_never_rest_are_a_page_that_can_be_loaded() -> None:
    random = Random(1)
    hours = {
        name: array("f", [random.random() for _ in range(MOMENTS)]) for name in ("speed", "usage", "running", "queued")
    }
    assert len(html(samples(200, 5), hours=hours)) < MOST_BYTES
