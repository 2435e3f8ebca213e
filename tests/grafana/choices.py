"""The variables of a dashboard with the values that Grafana gives them when somebody opens it."""

import re
from pathlib import Path
from typing import Any

from grafana.committed import asked, resolved, variables
from support.prometheus import PrometheusServer

_NAMED = re.compile(r"\$\{?(\w+)\}?")


class Opened:
    """A dashboard that is opened at `end`, with a time range back to `start`; of a list of several, all are chosen."""

    def __init__(self, path: Path, server: PrometheusServer, start: float, end: float) -> None:
        self._server = server
        self._start, self._end = start, end
        self.texts: dict[str, list[str]] = {}
        self.values = {"__range": f"{end - start:.0f}s", "__range_s": f"{end - start:.0f}"}
        waiting = {variable["name"]: variable for variable in variables(path, "query")}
        while waiting:
            name = next(one for one in waiting if not self._needs(waiting[one]) & waiting.keys())
            self.values[name] = self._chosen(waiting.pop(name))

    def expression(self, expr: str) -> str:
        """Return a query as it is sent."""
        return resolved(expr, self.values)

    @staticmethod
    def _needs(variable: dict[str, Any]) -> set[str]:
        return set(_NAMED.findall(variable["query"])) - {variable["name"]}

    def _chosen(self, variable: dict[str, Any]) -> str:
        if variable.get("allValue"):
            return str(variable["allValue"])
        function, expr, label = asked(variable["query"])
        if function == "label_values":
            found = self._labels(expr, label)
            return "|".join(found if variable.get("multi") else found[:1])
        lines = self._lines(expr, variable["regex"])
        self.texts[variable["name"]] = [one.get("text", "") for one in lines]
        return lines[0]["value"] if lines else ""

    def _labels(self, expr: str, label: str) -> list[str]:
        match = {"match[]": self.expression(expr), "start": str(self._start), "end": str(self._end)}
        found: list[str] = self._server.get(f"/api/v1/label/{label}/values", **match)["data"]
        return sorted(found)

    def _lines(self, expr: str, regex: str) -> list[dict[str, str]]:
        pattern = re.compile(regex.strip("/").replace("(?<", "(?P<"))
        values = (pattern.search(_line(one)) for one in self._server.query(self.expression(expr), self._end))
        return [found.groupdict() for found in values if found]


def _line(series: dict[str, Any]) -> str:
    labels = ",".join(f'{name}="{value}"' for name, value in series["metric"].items())
    return f"{{{labels}}} {series['value'][1]} {float(series['value'][0]) * 1000:.0f}"
