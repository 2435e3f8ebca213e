"""The page at `/`: what this is, where its metrics are, and what it follows. No script, nothing from elsewhere."""

import base64
import hashlib
from dataclasses import dataclass
from html import escape
from typing import Literal

_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .25rem 1.5rem .25rem 0; border-bottom: 1px solid #8886; overflow-wrap: anywhere; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy: its own style, and nothing else."""
_LINKS = (
    ("/metrics", "Metrics, for Prometheus"),
    ("/-/healthy", "Healthy: the exporter's threads run"),
    ("/-/ready", "Ready: what was there at start has been read"),
)


@dataclass(frozen=True)
class Followed:
    """A server or a job that is followed, and the state it is in, in a few words."""

    kind: Literal["server", "job"]
    name: str
    state: str


@dataclass(frozen=True)
class Landing:
    """What the page shows."""

    version: str
    followed: tuple[Followed, ...]


def landing_page(landing: Landing) -> str:
    """Return the page as HTML; every name on it is escaped."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>sglang-exporter</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>sglang-exporter</h1>
<p>Version {escape(landing.version)}. Watches SGLang through its log and its output files.</p>
<ul>
{_links()}
</ul>
<h2>Followed</h2>
{_table(landing.followed)}
</body>
</html>
"""


def _links() -> str:
    return "\n".join(f'<li><a href="{path}">{escape(text)}</a></li>' for path, text in _LINKS)


def _table(followed: tuple[Followed, ...]) -> str:
    if not followed:
        return "<p>No file was found yet.</p>"
    rows = "\n".join(
        f'<tr><td>{row.kind}</td><th scope="row">{escape(row.name)}</th><td>{escape(row.state)}</td></tr>'
        for row in followed
    )
    head = '<tr><th scope="col">Kind</th><th scope="col">Name</th><th scope="col">State</th></tr>'
    return f"<table>\n<thead>{head}</thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
