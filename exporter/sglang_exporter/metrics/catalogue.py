"""Every metric that the exporter can show, one row each; README, dashboards and tests are checked against it."""

from sglang_exporter.metrics.catalogue_exporter import EXPORTER
from sglang_exporter.metrics.catalogue_job import JOB
from sglang_exporter.metrics.catalogue_server import SERVER
from sglang_exporter.metrics.row import Row

CATALOGUE: tuple[Row, ...] = (*SERVER, *JOB, *EXPORTER)
BY_NAME: dict[str, Row] = {row.name: row for row in CATALOGUE}
