"""The page of the real daemon on recordings, in a browser, at the width of a laptop and of a phone."""

import re
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from sglang_exporter.metrics.page import Page
from sglang_exporter.web.message import Request, Response
from support.browser import look
from support.exporter import Exporter, Samples, pick
from support.made_page import add_job, add_server, add_source, html
from support.read_page import Number, PageReader, expected, metrics_of
from support.recordings import unpack
from support.serving import serving

pytestmark = pytest.mark.chromium

RECORDINGS = {"dp2": "0.5.23-dp2-tp2", "batch": "0.5.23-batch"}
FRAME = '<!doctype html><iframe src="page" width="{width}" height="900"></iframe><script src="measure.js"></script>'
MEASURE = """
addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument.documentElement;
  document.title = `${page.scrollWidth} of ${page.clientWidth}`;
});
"""


@pytest.fixture(name="exporter", scope="module")
def _exporter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exporter]:
    """Give a daemon that keeps the last values of two recordings for ever, and looks for a log that is not there."""
    folder = tmp_path_factory.mktemp("page")
    for name, recording in RECORDINGS.items():
        (folder / name).mkdir()
        unpack(recording, "server.log", folder / name)
        unpack(recording, "raw_responses.jsonl", folder / name)
    config = folder / "config.yaml"
    config.write_text(
        "stale_after: 0\n"
        f"servers: [{{logs: '{folder}/{{server}}/server.log'}}, {{logs: {folder}/missing.log}}]\n"
        f"jobs: [{{files: '{folder}/{{dataset}}/raw_responses.jsonl', total: 5000}}]\n"
    )
    with Exporter(folder, "--config.file", config) as exporter:
        yield exporter


def read_all(exporter: Exporter) -> Samples:
    done = "sglang_exporter_source_caught_up"
    return exporter.page_when(
        lambda page: all(
            pick(page, done, source=f"{kind}:{name}") == 1 for kind in ("log", "outputs") for name in RECORDINGS
        ),
        "all is read",
    )


@pytest.mark.parametrize("width", [1440, 500])
def test_each_number_is_that_of_metrics_and_nothing_is_complained_of(exporter: Exporter, width: int) -> None:
    before = read_all(exporter)
    looked = look(f"{exporter.url}/", seconds=12.0, width=width)
    after = exporter.page()
    page = PageReader(re.sub(r"^<!DOCTYPE html>", "", looked.dom))
    wrong = [number for number in page.numbers if not within(number, before, after)]
    assert (looked.console, wrong) == ([], [])
    told = metrics_of(page.numbers)
    assert len(page.numbers) > 70
    for name in ("running_requests", "queued_requests", "token_usage_ratio", "gen_throughput_tokens_per_second"):
        assert f"sglang_server_{name}" in told
    assert {n.part for n in page.numbers} >= {"server-dp2", "server-batch", "job-dp2", "job-batch"}
    assert "missing" in page.text
    assert "No such file or directory" in page.text


def within(number: Number, before: Samples, after: Samples) -> bool:
    """Tell whether a number is one that /metrics may have said between two scrapes."""
    bounds = expected(number, before), expected(number, after)
    low, high = min(bounds, key=lambda b: b or 0.0), max(bounds, key=lambda b: b or 0.0)
    return low is not None and high is not None and low <= number.value <= high


@pytest.mark.parametrize("width", [1440, 390, 375])
def test_it_is_no_wider_than_the_window(width: int) -> None:
    samples = Page()
    for name in ("a", "x" * 300, "prod/node-07/run 3", "k" * 60):
        add_server(samples, name, running=9_876_543.0, phase="starting")
        add_job(samples, name)
    add_source(samples, "log:" + "/very/long/pattern" * 20, up=False)
    add_source(samples, "outputs:many", caught_up=False, behind=1e15)
    pages = {"/": FRAME.format(width=width), "/page": html(samples, unwell="y" * 500, unready="z" * 500)}

    def app(request: Request) -> Response:
        if request.path == "/measure.js":
            return Response(HTTPStatus.OK, {"Content-Type": "text/javascript"}, MEASURE.encode())
        return Response(HTTPStatus.OK, {"Content-Type": "text/html"}, pages.get(request.path, "").encode())

    with serving(app=app) as port:
        looked = look(f"http://127.0.0.1:{port}/", width=1600)
    found = re.search(r"<title>(\d+) of (\d+)</title>", looked.dom)
    assert found
    assert int(found[1]) <= int(found[2]) <= width
