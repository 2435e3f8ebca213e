"""Write prometheus/rules as resources of the Prometheus operator: `python deploy/kubernetes/generate.py`."""

from pathlib import Path
from textwrap import indent

_ROOT = Path(__file__).parents[2]
RULES = _ROOT / "prometheus" / "rules"
FOLDER = Path(__file__).parent / "monitoring"
_HEAD = """\
# Written by `make manifests` from prometheus/rules/{name}.yml
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sglang-{name}
spec:
"""


def wanted() -> dict[Path, str]:
    """Return every file as it has to be: the rules as they stand, comments too, under `spec`."""
    return {
        FOLDER / f"{path.stem}.yaml": _HEAD.format(name=path.stem) + indent(path.read_text(encoding="utf-8"), "  ")
        for path in RULES.glob("*.yml")
    }


if __name__ == "__main__":
    for file, text in wanted().items():
        file.write_text(text, encoding="utf-8")
