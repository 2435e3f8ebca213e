"""Output files: all of a data set are one source."""

from collections.abc import Iterator

from sglang_exporter.config import JobConfig
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.peek import lines_before
from sglang_exporter.follow.stream import Stream
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.sources.followed import Dataset, OutputSource
from sglang_exporter.sources.named import Named, mark_unmatched
from sglang_exporter.sources.saved import Saved
from sglang_exporter.sources.shared import Shared
from sglang_exporter.sources.source import Source, refresh
from sglang_exporter.state.job import JobState
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedJob
from sglang_exporter.state.windows import windows

_STEP = 5.0
"""Seconds by which a clock may be put right without a word."""


class JobGroup:
    """The data sets of one entry of the configuration."""

    def __init__(self, config: JobConfig, shared: Shared) -> None:
        self._config = config
        self._files = Named(config.files, "dataset", config.name, shared.dataset_names)
        self._shared = shared
        self._datasets: dict[str, Dataset] = {}
        self._refreshed = 0.0

    def discover(self, *, at_start: bool) -> None:
        """Follow output files that were not there before."""
        for found, name in self._files.find():
            if name not in self._datasets:
                self._datasets[name] = self._shown(name)
            streams = self._datasets[name].streams
            if found.path not in streams:
                streams[found.path] = self._follow(found, self._datasets[name], at_start=at_start)
        mark_unmatched(self._shared.store, f"outputs:{self._files.placeholder}", matched=bool(self._datasets))

    def sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        """Yield the state of each data set's source with its streams."""
        for dataset in self._datasets.values():
            yield dataset.counts, list(dataset.streams.values())

    def refresh(self, now: float) -> None:
        """Bring the state of each source up to date; rates begin when history has been read.

        They begin anew when the clock was set back, or what came in before would come in again.
        """
        set_back = now < self._refreshed - _STEP
        self._refreshed = now
        for dataset in self._datasets.values():
            refresh(dataset.counts, dataset.streams.values())
            if dataset.counts.caught_up and (dataset.state.following_since is None or set_back):
                dataset.state.caught_up(now)

    def save(self, saved: Saved) -> None:
        """Add what is to be kept across a restart."""
        for name, dataset in self._datasets.items():
            saved.jobs[name] = dataset.saved(self._shared.clock.now())

    @property
    def whole(self) -> bool:
        """Whether the ids are known again, without which a record would count as a new one."""
        return all(source.recalled for dataset in self._datasets.values() for source in dataset.streams.values())

    def _shown(self, name: str) -> Dataset:
        shared = self._shared
        dataset = shared.datasets.get(name) or self._begin(name)
        shared.datasets[name] = dataset
        dataset.state.config = self._config
        shared.store.jobs[name] = FollowedJob(dataset.state, dataset.counts)
        shared.store.sources[f"outputs:{name}"] = dataset.counts
        return dataset

    def _begin(self, name: str) -> Dataset:
        fresh = JobState(self._config, windows(self._shared.config.windows))
        saved = self._shared.saved.jobs.pop(name, None)
        if saved is None:
            return Dataset(fresh, SourceState())
        saved.source.caught_up = False
        return Dataset(saved.state.resumed(fresh), saved.source, saved.positions)

    def _follow(self, found: Found, dataset: Dataset, *, at_start: bool) -> OutputSource:
        position = dataset.positions.pop(found.path, None)
        stream = Stream(
            found,
            self._shared.clock,
            from_start_is_history=at_start,
            max_line=self._shared.config.max_line_bytes,
            resume=position,
        )
        reader = OutputReader(self._config.format, scope=found.path)
        before = lines_before(position)
        return OutputSource(stream, before, reader, dataset.state, dataset.counts, self._shared.clock)
