"""Write the dashboards as JSON: `python grafana/generate.py`; with `--check`, say which files differ and exit 1."""

import argparse
import json
import sys
from pathlib import Path

from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder

from dashboards import compare, exporter, fleet, job, server

FOLDER = Path(__file__).parent / "json"
DASHBOARDS = (fleet.dashboard, server.dashboard, job.dashboard, compare.dashboard, exporter.dashboard)


def text_of(dashboard: Dashboard) -> str:
    """Return the dashboard as JSON; `id` is null, so that every Grafana gives it one of its own."""
    content = json.loads(JSONEncoder().encode(dashboard.build()))
    return json.dumps({"id": None} | content, indent=2, ensure_ascii=False) + "\n"


def wanted() -> dict[Path, str]:
    """Return every file of the folder as it has to be."""
    pages = [make() for make in DASHBOARDS]
    return {FOLDER / f"{page.build().uid}.json": text_of(page) for page in pages}


def differing(files: dict[Path, str]) -> list[Path]:
    """Return the files that are missing, differ, or belong to no dashboard."""
    present = {path: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    return sorted(path for path in files.keys() | present.keys() if files.get(path) != present.get(path))


def main() -> int:
    """Write the files, or check them; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is not up to date")
    check = parser.parse_args().check
    files = wanted()
    changed = differing(files)
    for path in changed:
        sys.stdout.write(f"{path.name} {'is not up to date' if check else 'written'}\n")
    if check:
        return 1 if changed else 0
    for path in changed:
        _bring_up_to_date(path, files.get(path))
    return 0


def _bring_up_to_date(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
