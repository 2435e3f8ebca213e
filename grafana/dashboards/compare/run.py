"""One of the two runs in PromQL: what its schedulers said while it was in its steady phase."""

from typing import NamedTuple

from parts.queries import ENGINE, series


class Run(NamedTuple):
    """A run by its variable; where it is `moved`, on the clock of the later one."""

    name: str
    moved: bool = False

    def gauge(self, metric: str, *matchers: str) -> str:
        """Return a gauge, at the moments and of the engines that count."""
        return self._where_steady(f"{series(metric, *matchers)}{self._offset}")

    def rate(self, metric: str) -> str:
        """Return what a counter gains per second, at the moments and of the engines that count."""
        return self._where_steady(f"rate({series(metric)}[$__rate_interval]{self._offset})")

    def ready(self) -> str:
        """Return when the run became ready, while it lasts."""
        return f"({series('sglang_server_ready_timestamp_seconds')}{self._offset} == (${self.name} + 0))"

    def steady(self) -> str:
        """Return 1 for each of its engines while it is in its steady phase."""
        state = series("sglang_server_phase", 'phase="steady"')
        return f"({state}{self._offset} == 1 and on ({ENGINE}) {self.ready()})"

    @property
    def _offset(self) -> str:
        return " offset ${shift}s" if self.moved else ""

    def _where_steady(self, vector: str) -> str:
        return f"({vector} and on ({ENGINE}) {self.steady()})"


BEFORE = Run("before")
AFTER = Run("after")
BEFORE_ON_ITS_CLOCK = Run("before", moved=True)
