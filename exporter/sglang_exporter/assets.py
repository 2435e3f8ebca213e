"""What comes with the exporter for others to use: dashboards, rules, runbooks, presets; written out of the package."""

import sys
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).parent
_PACKED = _PACKAGE / "assets"
_PRESETS = "outputs/presets.yaml"

SHIPPED = (
    "deploy/kubernetes/example",
    "deploy/kubernetes/monitoring",
    "deploy/kubernetes/sidecar",
    "deploy/kubernetes/web-config",
    "deploy/systemd",
    "grafana/json",
    "grafana/kustomization.yaml",
    "grafana/provisioning",
    "prometheus/agent.yml",
    "prometheus/alertmanager.yml",
    "prometheus/cross-check.md",
    "prometheus/examples",
    "prometheus/many-machines.md",
    "prometheus/prometheus.yml",
    "prometheus/rules",
    "prometheus/runbooks",
    "prometheus/targets",
    "prometheus/templates",
)
"""Files and folders of the repository that a wheel holds under `sglang_exporter/assets`."""


def assets(into: Path) -> int:
    """Write all shipped files below the folder `into`; a file there that differs is never overwritten."""
    files = dict(_files())
    try:
        kept = [name for name, data in files.items() if _differs(into / name, data)]
        if kept:
            _tell(f"sglang-exporter: nothing written, for {into} has other files of these names: {', '.join(kept)}")
            return 1
        for name, data in files.items():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            (into / name).write_bytes(data)
    except OSError as error:
        _tell(f"sglang-exporter: {error.filename or into}: {error.strerror}")
        return 1
    print(f"{len(files)} files in {into}")  # noqa: T201 -- the answer
    return 0


def _files() -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each shipped file; from the checkout where the package is not built."""
    root = _PACKED if _PACKED.is_dir() else _PACKAGE.parents[1]
    yield "presets.yaml", (_PACKAGE / _PRESETS).read_bytes()
    for place in SHIPPED:
        path = root / place
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                yield file.relative_to(root).as_posix(), file.read_bytes()


def _differs(path: Path, data: bytes) -> bool:
    return path.exists() and (path.is_dir() or path.read_bytes() != data)


def _tell(message: str) -> None:
    print(message, file=sys.stderr)  # noqa: T201 -- a message to the user
