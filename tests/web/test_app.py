"""The pages: what a path and its headers get."""

import gzip
from collections.abc import Iterator
from http import HTTPStatus

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from sglang_exporter.overview.frame import POLICY
from sglang_exporter.web.app import App
from sglang_exporter.web.message import Request

TEXT_004 = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
UNDERSCORES = f"{OPENMETRICS}; escaping=underscores"
PLAIN = "text/plain; charset=utf-8"
PROMETHEUS_3 = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)
SHOWN = "<!doctype html><title>prod/a: steady</title>"


class OneGauge:
    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily("sglang_server_running_requests", "Requests.", 150)


def app(unwell: str | None = None, unready: str | None = None) -> App:
    registry = CollectorRegistry()
    registry.register(OneGauge())
    return App(registry, freshen=lambda: None, healthy=lambda: unwell, ready=lambda: unready, overview=lambda: SHOWN)


@pytest.mark.parametrize(
    ("method", "path", "status", "content_type"),
    [
        ("GET", "/", 200, "text/html; charset=utf-8"),
        ("HEAD", "/", 200, "text/html; charset=utf-8"),
        ("GET", "/page.js", 200, "text/javascript; charset=utf-8"),
        ("GET", "/page.css", 404, PLAIN),
        ("GET", "/metrics", 200, TEXT_004),
        ("HEAD", "/metrics", 200, TEXT_004),
        ("GET", "/-/healthy", 200, PLAIN),
        ("GET", "/-/ready", 200, PLAIN),
        ("GET", "/favicon.ico", 204, None),
        ("GET", "/metrics/", 404, PLAIN),
        ("GET", "/../etc/passwd", 404, PLAIN),
        ("GET", "", 404, PLAIN),
        ("POST", "/nowhere", 404, PLAIN),
        ("POST", "/metrics", 405, PLAIN),
        ("get", "/metrics", 405, PLAIN),
        ("DELETE", "/", 405, PLAIN),
        ("OPTIONS", "/-/healthy", 405, PLAIN),
    ],
)
def test_path_gets_status_and_type(method: str, path: str, status: int, content_type: str | None) -> None:
    response = app()(Request(method, path))
    assert response.status == status
    assert response.headers.get("Content-Type") == content_type
    assert response.headers.get("Allow") == ("GET, HEAD" if status == 405 else None)
    assert bool(response.body) == (status != 204)


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("", TEXT_004),
        ("*/*", TEXT_004),
        ("text/plain;version=0.0.4", TEXT_004),
        ("text/html", TEXT_004),
        ("application/openmetrics-text", OPENMETRICS),
        ("application/openmetrics-text;version=1.0.0", UNDERSCORES),
        ("application/openmetrics-text; version=1.0.0 ;q=0.9", UNDERSCORES),
        (PROMETHEUS_3, f"{OPENMETRICS}; escaping=allow-utf-8"),
        ("application/openmetrics-text;version=2.0.0,text/plain;version=0.0.4", TEXT_004),
        ("application/openmetrics-text;version=2.0.0,application/openmetrics-text;version=1.0.0", UNDERSCORES),
        ("application/openmetrics-text;version=one", TEXT_004),
        ("application/openmetrics-text;version=1.0.0\r\nX-Evil: 1", TEXT_004),
    ],
)
def test_metrics_come_in_the_format_that_was_asked_for(accept: str, content_type: str) -> None:
    response = app()(Request("GET", "/metrics", {"accept": accept}))
    assert response.headers["Content-Type"] == content_type
    parse = parse_openmetrics if "openmetrics" in content_type else parse_text
    (family,) = parse(response.body.decode())
    assert family.samples[0].value == 150


@pytest.mark.parametrize(
    ("encodings", "zipped"),
    [("gzip", True), ("deflate, GZIP;q=0.5", True), ("", False), ("gzip;q=0", False), ("identity", False)],
)
@pytest.mark.parametrize("path", ["/metrics", "/"])
def test_pages_are_compressed_for_who_can_read_it(path: str, encodings: str, *, zipped: bool) -> None:
    plain = app()(Request("GET", path))
    response = app()(Request("GET", path, {"accept-encoding": encodings}))
    assert response.headers.get("Content-Encoding") == ("gzip" if zipped else None)
    assert (gzip.decompress(response.body) if zipped else response.body) == plain.body


def test_checks_name_the_reason() -> None:
    one = app(unwell="the loop died", unready="reading server.log")
    unwell, unready = one(Request("GET", "/-/healthy")), one(Request("GET", "/-/ready"))
    assert unwell.status == unready.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert unwell.body == b"sglang-exporter is not healthy: the loop died\n"
    assert unready.body == b"sglang-exporter is not ready: reading server.log\n"


def test_metrics_do_not_wait_for_ready() -> None:
    assert app(unready="reading server.log")(Request("GET", "/metrics")).status == HTTPStatus.OK


def test_the_page_for_people_is_made_anew_each_time_and_loads_nothing_but_its_script() -> None:
    response = app()(Request("GET", "/"))
    assert response.body.decode() == SHOWN
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Content-Security-Policy"] == POLICY
    assert app()(Request("GET", "/page.js")).headers["X-Content-Type-Options"] == "nosniff"
