"""The script of the page, in a browser: what changes is changed in place, and who reads is not disturbed."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from itertools import chain, repeat

import pytest

from sglang_exporter.metrics.page import Page
from sglang_exporter.overview.frame import POLICY, SCRIPT
from sglang_exporter.web.message import Request, Response
from support.browser import Looked, look
from support.made_page import add_job, add_server, html
from support.read_page import PageReader
from support.serving import serving

pytestmark = pytest.mark.chromium

SECONDS = 40.0
"""Of the browser's own time: enough for four refreshes after a start however slow."""
PROBE = """
"use strict";
addEventListener("DOMContentLoaded", () => {
  const part = document.getElementById("fold-server-n5");
  const link = document.querySelector("a[href='#server-n5']");
  part.open = true;
  link.focus();
  scrollTo(0, 300);
  setTimeout(() => {
    const told = { open: part.isConnected && part.open, focus: document.activeElement === link, scroll: scrollY };
    document.documentElement.setAttribute("data-told", JSON.stringify(told));
  }, 22000);
});
"""


def servers(*names: str, running: float = 4.0) -> str:
    samples = Page()
    for name in names:
        add_server(samples, name, running)
    add_job(samples, "math")
    return html(samples)


@contextmanager
def showing(*pages: str, probe: str = "", ends: bool = False) -> Iterator[str]:
    """Give the address at which one page after the other is served, the last again and again, or then errors."""
    left = chain(pages, repeat(None if ends else pages[-1]))

    def app(request: Request) -> Response:
        if request.path.endswith(".js"):
            script = SCRIPT if request.path == "/page.js" else probe.encode()
            return Response(HTTPStatus.OK, {"Content-Type": "text/javascript"}, script)
        shown = next(left)
        if request.path != "/" or shown is None:
            return Response.text(HTTPStatus.SERVICE_UNAVAILABLE, "not now")
        shown = shown.replace("</head>", '<script src="probe.js"></script></head>' if probe else "</head>")
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY}
        return Response(HTTPStatus.OK, headers, shown.encode())

    with serving(app=app) as port:
        yield f"http://127.0.0.1:{port}/"


def shown_main(looked: Looked) -> str:
    found = re.search(r"<main.*</main>", looked.dom, re.DOTALL)
    assert found
    return found[0]


NAMES = [f"n{number}" for number in range(12)]


@pytest.mark.parametrize(
    "later",
    [
        servers(*NAMES, running=77.0),
        servers(*NAMES[4:]),
        servers("a0", *NAMES, "z9", running=5.0),
        servers(*NAMES[:3], "n5", *NAMES[8:]),
        servers("n5"),
        html(Page()),
    ],
    ids=["values", "fewer", "more", "others", "few", "none"],
)
def test_what_is_shown_is_the_newest_page(later: str) -> None:
    with showing(servers(*NAMES), later) as url:
        looked = look(url, seconds=SECONDS)
    assert looked.console == []
    fresh = PageReader(re.search(r"<main.*</main>", later, re.DOTALL)[0])  # type: ignore[index]
    assert PageReader(shown_main(looked)).texts == fresh.texts
    assert PageReader(shown_main(looked)).numbers == fresh.numbers


def test_focus_scrolling_and_what_is_unfolded_stay() -> None:
    pages = (
        servers(*NAMES),
        servers(*NAMES, running=5.0),
        servers(*NAMES[2:], "z9", running=6.0),
        servers(*NAMES[2:], "z9"),
    )
    with showing(*pages, probe=PROBE) as url:
        looked = look(url, seconds=SECONDS)
    told = json.loads(re.search(r'data-told="([^"]*)"', looked.dom)[1].replace("&quot;", '"'))  # type: ignore[index]
    assert (told["open"], told["focus"]) == (True, True)
    assert told["scroll"] > 200
    assert looked.console == []


def test_an_exporter_that_is_gone_is_told_of_and_one_that_is_back_too() -> None:
    with showing(servers("a"), ends=True) as url:
        looked = look(url, seconds=SECONDS)
    assert "The exporter does not answer" in looked.dom
    assert "1,234" in shown_main(looked)


def test_a_pause_is_one() -> None:
    probe = 'addEventListener("load", () => document.getElementById("pause").click()); oops();'
    with showing(servers("a", running=4.0), servers("a", running=5.0), probe=probe) as url:
        looked = look(url, seconds=SECONDS)
    assert "oops is not defined" in "".join(looked.console)  # so that a console without a line means something
    assert "Go on" in looked.dom
    assert {n.value for n in PageReader(shown_main(looked)).numbers if "running" in n.origin} == {4.0}


def test_an_exporter_that_hangs_is_told_of() -> None:
    probe = """addEventListener("load", () => {
      fetch = (_, { signal }) => new Promise((_yes, no) => signal?.addEventListener("abort", () => no(signal.reason)));
    });"""
    with showing(servers("a"), probe=probe) as url:
        looked = look(url, seconds=SECONDS)
    assert "The exporter does not answer" in looked.dom


def test_a_page_whose_address_has_a_password_is_brought_up_to_date() -> None:
    with showing(servers("a", running=4.0), servers("a", running=5.0)) as url:
        looked = look(url.replace("//", "//prometheus:secret@"), seconds=SECONDS)
    assert "The exporter does not answer" not in looked.dom
    assert {n.value for n in PageReader(shown_main(looked)).numbers if "running" in n.origin} == {5.0}
