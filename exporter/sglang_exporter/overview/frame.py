"""What is around the page: its head with style and script, the time it is of, the ways to other pages."""

import base64
import hashlib
from datetime import UTC, datetime
from pathlib import Path

from sglang_exporter.metrics.recent import MOMENTS, STEP
from sglang_exporter.overview.html import Markup, tag
from sglang_exporter.overview.samples import Said

_HERE = Path(__file__).parent
_STYLE = (_HERE / "style.css").read_text(encoding="utf-8")
SCRIPT = (_HERE / "page.js").read_bytes()
"""What brings the page up to date, to be served beside it as `page.js`."""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; script-src 'self'; connect-src 'self'; img-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page's Content-Security-Policy: its own style, script and icon, and nothing else."""
_LINKS = (("metrics", "Metrics, for Prometheus"), ("-/healthy", "Healthy?"), ("-/ready", "Ready?"))


def head(title: str) -> Markup:
    """Return what a browser reads first."""
    return Markup(
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"{tag('title', f'{title} sglang-exporter')}"
        '<noscript><meta http-equiv="refresh" content="5"></noscript>'
        f'<script src="page.js" defer></script><style>{_STYLE}</style></head>'
    )


def up_to_date(now: float) -> Markup:
    """Return the time that the page is of, with what the script says of it."""
    time = datetime.fromtimestamp(now, UTC)
    said = tag("span", "as of ", tag("time", f"{time:%H:%M:%S}", datetime=time.isoformat()), " UTC", id="updated")
    pause = tag("button", "Pause", id="pause", type="button", hidden=True)
    return tag("p", said, " ", pause, " ", tag("span", id="lost", role="alert"), class_="updated")


def foot(exporter: Said) -> Markup:
    """Return the ways to other pages, and where the charts are from."""
    version = ", ".join(exporter.by("sglang_exporter_build_info", "version"))
    links = (tag("li", tag("a", text, href=path)) for path, text in _LINKS)
    kept = (
        f"sglang-exporter {version}. Charts show up to {MOMENTS * STEP / 60:.0f} minutes, a value every {STEP:.0f}"
        " seconds, as this process saw them; they are kept in memory and stored nowhere. Where a chart has a gap, there"
        " was no value: the server was silent, or the exporter did not run."
    )
    return tag("footer", tag("nav", tag("ul", *links), aria_label="Other pages"), tag("p", kept))
