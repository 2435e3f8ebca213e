"""The drop-down lists at the top of a dashboard."""

from grafana_foundation_sdk.builders.dashboard import DatasourceVariable, QueryVariable
from grafana_foundation_sdk.models.common import DataSourceRef
from grafana_foundation_sdk.models.dashboard import VariableOption, VariableRefresh, VariableSort

from parts.queries import EXPORTER_MATCHERS, series

DATA_SOURCE = DataSourceRef(type_val="prometheus", uid="$datasource")


def data_source() -> DatasourceVariable:
    """Return the choice of the Prometheus."""
    return DatasourceVariable("datasource").label("Data source").type("prometheus")


def job() -> QueryVariable:
    """Return the choice of Prometheus's job."""
    return _several("job", "Job", "sglang_exporter_build_info")


def instance() -> QueryVariable:
    """Return the choice of the exporter."""
    return _several("instance", "Instance", 'sglang_exporter_build_info{job=~"$job"}')


def server() -> QueryVariable:
    """Return the choice of the SGLang server."""
    return _several("server", "Server", f"sglang_server_phase{{{EXPORTER_MATCHERS}}}")


def dataset() -> QueryVariable:
    """Return the choice of the job's data set."""
    return _several("dataset", "Data set", f"sglang_job_records_total{{{EXPORTER_MATCHERS}}}")


def window() -> QueryVariable:
    """Return the choice of the window of the rates that the exporter derives; the longest is the steadiest."""
    query = _query("window", "Window", series("sglang_job_completions_per_second"))
    return query.sort(VariableSort.NUMERICAL_DESC)


def _query(name: str, label: str, vector: str) -> QueryVariable:
    text = f"label_values({vector}, {name})"
    variable = QueryVariable(name).label(label).datasource(DATA_SOURCE).query(text).definition(text)
    return variable.refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)


def _several(name: str, label: str, vector: str) -> QueryVariable:
    everything = VariableOption(selected=True, text=["All"], value=["$__all"])
    variable = _query(name, label, vector).sort(VariableSort.ALPHABETICAL_ASC)
    return variable.multi(multi=True).include_all(include_all=True).all_value(".+").current(everything)
