"""The catalogue as a Prometheus maintainer reads it, and SGLang's words against it."""

import pytest

from sglang_exporter.metrics.catalogue import BY_NAME, CATALOGUE
from sglang_exporter.metrics.row import Row
from sglang_exporter.serverlog.grammar import DECODE_FIELDS, PREFILL_FIELDS

TARGET_LABELS = {"job", "instance", "cluster", "env", "host", "service", "region", "zone"}
FIELDS = [*DECODE_FIELDS.items(), *PREFILL_FIELDS.items()]


@pytest.mark.parametrize("row", CATALOGUE, ids=lambda row: row.name)
def test_names_types_and_help(row: Row) -> None:
    assert row.name.startswith(("sglang_server_", "sglang_job_", "sglang_exporter_"))
    assert row.name.endswith("_total") == (row.type == "counter")
    assert not row.name.endswith(("_percent", "_count", "_sum", "_bucket", "_created"))
    assert row.help.endswith(".")
    assert not TARGET_LABELS & set(row.labels)
    assert len(row.source) > 5


def test_every_name_is_there_once() -> None:
    assert len(BY_NAME) == len(CATALOGUE)
    families = [row.name.removesuffix("_total") for row in CATALOGUE]
    assert len(set(families)) == len(families)


@pytest.mark.parametrize(("label", "field"), FIELDS)
def test_every_number_of_a_status_line_is_exported_or_says_why_not(label: str, field: object) -> None:
    to, why, pool = (getattr(field, name) for name in ("to", "why", "pool"))
    assert bool(to) != bool(why), label
    if to:
        row = BY_NAME[f"sglang_server_{to}"]
        assert ("pool" in row.labels) == bool(pool)
