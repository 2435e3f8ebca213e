"""Output files: all of a data set are one source."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sglang_exporter.clock import Clock
from sglang_exporter.config import Config, JobConfig
from sglang_exporter.follow.chunk import Chunk
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.stream import Stream
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.sources.named import Named, mark_unmatched
from sglang_exporter.sources.source import Source, refresh
from sglang_exporter.state.job import JobState
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedJob, Store
from sglang_exporter.state.windows import windows


class OutputSource:
    """One output file of a data set."""

    newest: float | None = None

    def __init__(
        self, stream: Stream, reader: OutputReader, state: JobState, counts: SourceState, clock: Clock
    ) -> None:
        self.stream = stream
        self._reader = reader
        self._state = state
        self._kinds = counts.kinds
        self._clock = clock
        self._mtime = 0.0

    def take(self, chunk: Chunk) -> None:
        """Fold records: history as of the file's last change, live ones as of now."""
        self._mtime = chunk.mtime
        at = self._clock.now() if chunk.live else chunk.mtime
        records = [record for line in chunk.lines for record in self._reader.read(line)]
        self._state.fold(records, at, live=chunk.live)
        self._kinds["record"] = self._kinds.get("record", 0) + len(chunk.lines)

    def finish(self) -> None:
        """Take a last line without a line feed, and a document that ended with it."""
        tail = b"".join(self.stream.finish())
        self._state.fold(self._reader.finish(tail) or [], self._mtime, live=False)


@dataclass
class Dataset:
    """A data set and its files by path. Entries of the configuration that call theirs the same share it."""

    job: FollowedJob
    streams: dict[str, Source] = field(default_factory=dict)


class JobGroup:
    """Output files: all of a data set are one source."""

    def __init__(
        self, config: JobConfig, files: Named, datasets: dict[str, Dataset], store: Store, clock: Clock, whole: Config
    ) -> None:
        self._config = config
        self._files = files
        self._datasets = datasets
        self._store = store
        self._clock = clock
        self._whole = whole
        self._names: set[str] = set()

    def discover(self, *, at_start: bool) -> None:
        """Follow output files that were not there before."""
        for found, name in self._files.find():
            self._names.add(name)
            dataset = self._datasets.get(name) or self._begin(name)
            if found.path not in dataset.streams:
                dataset.streams[found.path] = self._follow(found, dataset.job, at_start=at_start)
        mark_unmatched(self._store, f"outputs:{self._files.placeholder}", matched=bool(self._names))

    def sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        """Yield the state of each data set's source with its streams."""
        for name in self._names:
            yield self._datasets[name].job.source, list(self._datasets[name].streams.values())

    def refresh(self, now: float) -> None:
        """Bring the state of each source up to date; rates begin when history has been read."""
        for name in self._names:
            job = self._datasets[name].job
            refresh(job.source, self._datasets[name].streams.values())
            if job.source.caught_up and job.state.following_since is None:
                job.state.caught_up(now)

    def _begin(self, name: str) -> Dataset:
        job = FollowedJob(JobState(self._config, windows(self._whole.windows)), SourceState())
        self._store.jobs[name] = job
        self._store.sources[f"outputs:{name}"] = job.source
        self._datasets[name] = Dataset(job)
        return self._datasets[name]

    def _follow(self, found: Found, job: FollowedJob, *, at_start: bool) -> Source:
        stream = Stream(found, self._clock, from_start_is_history=at_start, max_line=self._whole.max_line_bytes)
        reader = OutputReader(self._config.format, scope=found.path)
        return OutputSource(stream, reader, job.state, job.source, self._clock)
