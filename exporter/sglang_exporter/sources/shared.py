"""What all sources of one exporter share."""

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sglang_exporter.clock import Clock
from sglang_exporter.config import Config, JobConfig
from sglang_exporter.follow.piped import PipedStream
from sglang_exporter.follow.stream import Stream
from sglang_exporter.follow.waker import Waker
from sglang_exporter.sources.dataset import Dataset
from sglang_exporter.sources.saved import Saved
from sglang_exporter.state.job import JobState
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.store import Store
from sglang_exporter.state.windows import Window

if TYPE_CHECKING:  # the patterns of a log take 20 ms to load, which output files do without
    from sglang_exporter.sources.followed import FollowedLog

_TO_BE_FOUND = 3600.0
_KEPT = 24 * 3600.0


@dataclass
class Shared:
    """The configuration in force, where state goes, the clock, what was saved, and all that is followed.

    What is followed outlives the entry of the configuration that found it, so that a reload loses no position.
    """

    config: Config
    store: Store
    clock: Clock
    waker: Waker
    saved: Saved = field(default_factory=Saved)
    logs: dict[str, "FollowedLog"] = field(default_factory=dict)
    """Logs by path."""
    datasets: dict[str, Dataset] = field(default_factory=dict)
    """Data sets by name."""
    server_names: dict[str, str] = field(default_factory=dict)
    """The name that each path of a log was given, which it keeps."""
    dataset_names: dict[str, str] = field(default_factory=dict)
    new_server: Callable[[], ServerState] = ServerState
    """Makes the state of a server that nothing is known of yet."""
    new_job: Callable[[JobConfig, dict[str, Window]], JobState] = JobState

    def __post_init__(self) -> None:
        self.began = self.clock.now()

    def forget_all_but(self, streams: Container[Stream | PipedStream]) -> None:
        """Let go of what no entry of the configuration names any more; should it come back, it goes on where it was."""
        for path, log in list(self.logs.items()):
            if log.source.stream not in streams:
                self.saved.logs[log.name] = log.saved(self.clock.now())
                log.source.stream.close()
                del self.logs[path], self.store.servers[log.name], self.store.sources[f"log:{log.name}"]
        for name, dataset in list(self.datasets.items()):
            for path in [path for path, source in dataset.streams.items() if source.stream not in streams]:
                dataset.let_go(path)
            if not dataset.streams:
                self.saved.jobs[name] = dataset.saved(self.clock.now())
                del self.datasets[name], self.store.jobs[name], self.store.sources[f"outputs:{name}"]

    def unfollowed(self) -> Saved:
        """Return what is not followed, but was a day ago, or may not have been found yet since the start."""
        now = self.clock.now()
        if now - self.began > _TO_BE_FOUND:
            oldest = now - _KEPT
            self.saved.logs = {name: log for name, log in self.saved.logs.items() if log.followed >= oldest}
            self.saved.jobs = {name: job for name, job in self.saved.jobs.items() if job.followed >= oldest}
        return Saved(dict(self.saved.logs), dict(self.saved.jobs), self.server_names, self.dataset_names)
