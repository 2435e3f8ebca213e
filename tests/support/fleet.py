"""Pages of many exporters from one process, for measuring a Prometheus that scrapes them; works standalone too:

    PYTHONPATH=tests .venv/bin/python -m support.fleet --exporters 500 --targets targets/sglang-exporter.yml

serves on a free port until Ctrl-C and writes the targets for the shipped prometheus.yml. The pages are those that the real exporter
makes of logs and output files of five kinds of box; what a working server would change in them changes with time.
"""

import argparse
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from support.fleet_boxes import BOXES
from support.fleet_life import Life

TROUBLE_SHARE = 0.1


class Target(NamedTuple):
    """One exporter: its number, and the kind of box that it watches."""

    number: int
    kind: str

    @property
    def instance(self) -> str:
        return f"box-{self.number:03}:17461"


class Fleet:
    """`exporters` exporters, of the kinds of `BOXES` in turn; a tenth of them is in trouble of some kind."""

    def __init__(self, exporters: int) -> None:
        kinds = list(BOXES)
        self.targets = [Target(number, kinds[number % len(kinds)]) for number in range(exporters)]
        pages = {kind: make() for kind, make in BOXES.items()}
        every = round(1 / TROUBLE_SHARE)
        self._lives = [Life(pages[t.kind], t.number, troubled=t.number % every == 0) for t in self.targets]

    def page(self, number: int, now: float) -> bytes:
        """Return the page of an exporter at a time in seconds since the epoch."""
        return self._lives[number].page(now)

    def series(self) -> dict[str, int]:
        """Return how many series the page of each kind of box has."""
        return {target.kind: life.series for target, life in zip(self.targets, self._lives, strict=True)}

    def file_sd(self, port: int) -> list[dict[str, Any]]:
        """Return the targets in the form of Prometheus's file_sd."""
        address = [f"127.0.0.1:{port}"]
        return [
            {"targets": address, "labels": {"instance": t.instance, "__metrics_path__": f"/{t.number}/metrics"}}
            for t in self.targets
        ]


@contextmanager
def serving(fleet: Fleet, port: int = 0) -> Iterator[int]:
    """Serve the pages on a port of the loopback interface, a free one for 0, until the end of the block; yield the port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = fleet.page(int(self.path.split("/")[1]), time.time())
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True  # Prometheus keeps its connections
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            """Say nothing of a Prometheus that has gone."""

    with Server(("127.0.0.1", port), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exporters", type=int, default=500)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--targets", type=Path, required=True, help="where to write the targets for file_sd")
    options = parser.parse_args()
    fleet = Fleet(options.exporters)
    with serving(fleet, options.port) as port:
        options.targets.write_text(json.dumps(fleet.file_sd(port)))
        print(f"{options.exporters} exporters on port {port}; series by kind of box: {fleet.series()}")
        threading.Event().wait()


if __name__ == "__main__":
    main()
