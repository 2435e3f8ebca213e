"""The reference of the configuration file, made of its schema: a table for each part of it."""

from typing import Any

import msgspec

from sglang_exporter import config
from support.schema import docstrings

_PARTS = {
    "Config": "The file",
    "ServerConfig": "`servers[]`",
    "Thresholds": "`servers[].thresholds`",
    "JobConfig": "`jobs[]`",
    "TotalConfig": "`jobs[].total`",
    "TokensConfig": "`jobs[].tokens`",
}
_BOUNDS = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
_TYPES = {"string": "text", "integer": "whole number", "number": "number", "object": "mapping", "null": "null"}


def tables() -> str:
    """Return a heading and a table of keys for each part of the configuration."""
    definitions = msgspec.json.schema(config.Config, schema_hook=lambda _: {"type": "object"})["$defs"]
    assert definitions.keys() == _PARTS.keys()
    return "\n".join(_table(part, definitions[part]) for part in _PARTS)


def _table(part: str, definition: dict[str, Any]) -> str:
    said = docstrings(config)
    rows = "".join(
        f"| `{key}` | {_kind(form)} | {_default(form, key in definition.get('required', []))} |"
        f" {' '.join(said[part, key].split())} |\n"
        for key, form in definition["properties"].items()
    )
    return f"## {_PARTS[part]}\n\n| key | type | default | meaning |\n|---|---|---|---|\n{rows}"


def _kind(form: dict[str, Any]) -> str:
    if "anyOf" in form:
        return " or ".join(_kind(one) for one in form["anyOf"] if one.get("type") != "null")
    if "$ref" in form:
        return f"mapping, see {_PARTS[form['$ref'].rpartition('/')[2]]}"
    if "enum" in form:
        return " or ".join(f"`{value}`" for value in form["enum"])
    if form["type"] == "array":
        return f"list of {_kind(form['items'])}"
    bounds = [f"{words} {form[key]:g}" for key, words in _BOUNDS.items() if key in form]
    return ", ".join([_TYPES[form["type"]], *bounds])


def _default(form: dict[str, Any], required: bool) -> str:  # noqa: FBT001 -- a fact about the key
    if required:
        return "needed"
    value = form.get("default")
    return "" if value in (None, "") or isinstance(value, dict) else f"`{value}`"
