"""The formats that are known by name, from `presets.yaml`; each is compiled when it is first asked for."""

from functools import cache
from pathlib import Path

import msgspec
import yaml

from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.steps import SchemeError

GENERIC = "generic"
"""The preset of last resort: the names that scripts written by hand use."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml reads it in a tenth of the time of a start


@cache
def schemes() -> dict[str, Scheme]:
    """Return the presets in the order in which detection tries them."""
    text = Path(__file__).with_name("presets.yaml").read_text("utf-8")
    loaded = yaml.load(text, _LOADER)  # both are safe loaders # noqa: S506 # nosec B506
    return msgspec.convert(loaded, dict[str, Scheme])


def preset_names() -> tuple[str, ...]:
    """Return the names that a format can be given by."""
    return tuple(schemes())


@cache
def preset(name: str) -> Mapping:
    """Return a preset, compiled; SchemeError when there is none of that name."""
    scheme = schemes().get(name)
    if scheme is None:
        raise SchemeError(f"no such format: {name!r}; known are auto, {', '.join(schemes())}")
    return Mapping(scheme)
