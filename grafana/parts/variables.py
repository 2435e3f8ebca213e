"""The drop-down lists at the top of a dashboard."""

from grafana_foundation_sdk.builders.dashboard import DatasourceVariable, QueryVariable
from grafana_foundation_sdk.models.common import DataSourceRef
from grafana_foundation_sdk.models.dashboard import VariableHide, VariableOption, VariableRefresh, VariableSort

from parts.queries import of_exporter, series

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
    return _several("server", "Server", of_exporter("sglang_server_phase"))


def servers() -> QueryVariable:
    """Return the choice of SGLang servers of which the first is shown until others are chosen."""
    return one_server().multi(multi=True)  # with "All" in the list, Grafana would begin with it


def one_server() -> QueryVariable:
    """Return the choice of a single SGLang server."""
    return _query("server", "Server", of_exporter("sglang_server_phase")).sort(VariableSort.ALPHABETICAL_ASC)


def source() -> QueryVariable:
    """Return the choice of the log or output files that an exporter follows."""
    return _several("source", "Source", of_exporter("sglang_exporter_source_up"))


def dataset() -> QueryVariable:
    """Return the choice of the job's data set."""
    return _several("dataset", "Data set", of_exporter("sglang_job_records_total"))


def window() -> QueryVariable:
    """Return the choice of the window of the rates that the exporter derives; the longest is the steadiest."""
    query = _query("window", "Window", series("sglang_job_completions_per_second"))
    return query.sort(VariableSort.NUMERICAL_DESC)


def result(name: str, label: str, vector: str, regex: str) -> QueryVariable:
    """Return the choice among what a query answers, in its order; a hidden value where `label` is empty.

    `regex` says which part of a line as `{label="value"} 1 1700000000000` is the value, and which the text to show.
    """
    variable = _asking(name, label, f"query_result({vector})").regex(regex)
    variable.current(VariableOption(text="0", value="0"))
    return variable if label else variable.hide(VariableHide.HIDE_VARIABLE)


def _query(name: str, label: str, vector: str) -> QueryVariable:
    return _asking(name, label, f"label_values({vector}, {name})")


def _asking(name: str, label: str, text: str) -> QueryVariable:
    variable = QueryVariable(name).label(label).datasource(DATA_SOURCE).query(text).definition(text)
    return variable.refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)


def _several(name: str, label: str, vector: str) -> QueryVariable:
    everything = VariableOption(selected=True, text=["All"], value=["$__all"])
    variable = _query(name, label, vector).sort(VariableSort.ALPHABETICAL_ASC)
    return variable.multi(multi=True).include_all(include_all=True).all_value(".+").current(everything)
