"""The JSON schema of a report, with what the source says of each field."""

import ast
import inspect
from itertools import pairwise
from typing import Any

import msgspec

from sglang_exporter.report import figures, findings


def schema() -> dict[str, Any]:
    """Return the schema, the docstring under each field as its description."""
    made = msgspec.json.schema(findings.Report)
    said = docstrings(figures) | docstrings(findings)
    for name, one in made["$defs"].items():
        for field, form in one["properties"].items():
            if text := said.get((name, field)):
                form["description"] = text
    return made


def docstrings(module: object) -> dict[tuple[str, str], str]:
    """Return the docstrings of fields by class and field."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    return {
        (klass.name, field.target.id): inspect.cleandoc(text.value.value)
        for klass in tree.body
        if isinstance(klass, ast.ClassDef)
        for field, text in pairwise(klass.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }
