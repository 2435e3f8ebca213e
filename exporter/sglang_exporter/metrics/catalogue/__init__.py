"""Every metric that the exporter can show, one row each; README, dashboards and tests are checked against it."""

from sglang_exporter.metrics.catalogue.engine import ENGINE
from sglang_exporter.metrics.catalogue.exporter import EXPORTER
from sglang_exporter.metrics.catalogue.job import JOB
from sglang_exporter.metrics.catalogue.readings import READINGS
from sglang_exporter.metrics.catalogue.scheduler import SCHEDULER
from sglang_exporter.metrics.row import Row

CATALOGUE: tuple[Row, ...] = (*READINGS, *SCHEDULER, *ENGINE, *JOB, *EXPORTER)
BY_NAME: dict[str, Row] = {row.name: row for row in CATALOGUE}
