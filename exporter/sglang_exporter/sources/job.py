"""Output files: all of a data set are one source."""

from collections.abc import Iterator

from sglang_exporter.config import JobConfig
from sglang_exporter.follow.discover import Found
from sglang_exporter.sources.advice import Advice
from sglang_exporter.sources.dataset import Dataset
from sglang_exporter.sources.named import Named, mark_unmatched
from sglang_exporter.sources.saved import Saved
from sglang_exporter.sources.shared import Shared
from sglang_exporter.sources.source import Source, refresh
from sglang_exporter.sources.total import Total
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
        self._advice = Advice()
        self._refreshed = 0.0

    def discover(self, *, at_start: bool) -> None:
        """Follow output files that were not there before."""
        found: dict[str, list[Found]] = {}
        for file, name in self._files.find():
            found.setdefault(name, []).append(file)
        for name, files in found.items():
            if name not in self._datasets:
                self._datasets[name] = self._shown(name)
            self._datasets[name].discover(files, self._config, self._shared.config, at_start=at_start)
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
        for name, dataset in self._datasets.items():
            refresh(dataset.counts, dataset.streams.values())
            self._advice.look(name, dataset.state)
            dataset.look_for_total(now)
            if dataset.counts.caught_up and (not dataset.state.following or set_back):
                dataset.state.caught_up(now)

    def save(self, saved: Saved) -> None:
        """Add what is to be kept across a restart; what is open is decided, for it is in no state that is stored."""
        for name, dataset in self._datasets.items():
            saved.jobs[name] = dataset.saved(self._shared.clock.now())

    @property
    def whole(self) -> bool:
        """Whether the ids are known again, without which a record would count as a new one, and nothing is open."""
        sources = [source for dataset in self._datasets.values() for source in dataset.streams.values()]
        return all(source.recalled and not source.open for source in sources)

    @property
    def busy(self) -> bool:
        """Whether there is a total still to be counted."""
        return any(dataset.total.busy for dataset in self._datasets.values())

    def _shown(self, name: str) -> Dataset:
        shared = self._shared
        dataset = shared.datasets.get(name) or self._begin(name)
        shared.datasets[name] = dataset
        dataset.state.configure(self._config)
        dataset.total = Total(self._config.total, name)
        shared.store.jobs[name] = FollowedJob(dataset.state, dataset.counts)
        shared.store.sources[f"outputs:{name}"] = dataset.counts
        return dataset

    def _begin(self, name: str) -> Dataset:
        fresh = self._shared.new_job(self._config, windows(self._shared.config.windows))
        saved = self._shared.saved.jobs.pop(name, None)
        if saved is None:
            return Dataset(fresh, SourceState(), self._shared.clock)
        saved.source.caught_up = False
        return Dataset(saved.state.resumed(fresh), saved.source, self._shared.clock, saved.positions)
