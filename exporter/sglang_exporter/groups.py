"""The files that one entry of the configuration matches: what each is called, and what it is folded into."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from sglang_exporter.clock import Clock
from sglang_exporter.config import Config, Globs, JobConfig, ServerConfig
from sglang_exporter.follow.discover import Found, discover
from sglang_exporter.follow.naming import Kind, names
from sglang_exporter.follow.peek import last_line
from sglang_exporter.follow.stream import Stream
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.serverlog.envelope import open_envelope
from sglang_exporter.serverlog.stamps import Zone
from sglang_exporter.sources import LogSource, OutputSource, Source, refresh
from sglang_exporter.state.job import JobState
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedJob, FollowedServer, Store
from sglang_exporter.state.windows import windows


class Named:
    """The streams of one entry of the configuration by path, each with the name that it keeps."""

    def __init__(self, globs: Globs, kind: Kind, configured: str | None, given: dict[str, str]) -> None:
        self._patterns = [globs] if isinstance(globs, str) else globs
        self._kind: Kind = kind
        self._configured = configured
        self._given = given

    def find(self) -> list[tuple[Found, str]]:
        """Return what is there now, with its name."""
        found = discover(self._patterns)
        named = names(found, self._given, self._kind, self._configured)
        self._given.update(named)
        return [(stream, named[stream.path]) for stream in found]

    @property
    def placeholder(self) -> str:
        """What to call the entry while it matches nothing."""
        nothing = [Found(self._patterns[0], {}, [])]
        return names(nothing, {}, self._kind, self._configured)[self._patterns[0]]


class Group(Protocol):
    """The sources of one entry of the configuration."""

    def discover(self, *, at_start: bool) -> None:
        """Follow files that were not there before; at start, what is in them is history."""
        ...

    def sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        """Yield the state of each source with its streams."""
        ...

    def refresh(self, now: float) -> None:
        """Bring the state of each source up to date."""
        ...


class LogGroup:
    """Server logs: each file is a server, and a source, of its own."""

    def __init__(self, config: ServerConfig, files: Named, store: Store, clock: Clock, max_line: int) -> None:
        self._config = config
        self._files = files
        self._store = store
        self._clock = clock
        self._max_line = max_line
        self._followed: dict[str, tuple[SourceState, list[Source]]] = {}

    def discover(self, *, at_start: bool) -> None:
        """Follow logs that were not there before."""
        for found, name in self._files.find():
            before = next((path for path in found.older if path in self._followed), None)
            if found.path in self._followed:
                continue
            if before:  # a pod's next container goes on in a new file
                self._followed[found.path] = self._followed.pop(before)
                self._followed[found.path][1][0].stream.move(found.path)
            else:
                self._followed[found.path] = self._follow(found, name, at_start=at_start)
        _mark_unmatched(self._store, f"log:{self._files.placeholder}", matched=bool(self._followed))

    def sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        """Yield the state of each source with its stream."""
        yield from self._followed.values()

    def refresh(self, _now: float) -> None:
        """Bring the state of each source up to date."""
        for state, sources in self.sources():
            refresh(state, sources)

    def _follow(self, found: Found, name: str, *, at_start: bool) -> tuple[SourceState, list[Source]]:
        source, state = SourceState(), ServerState()
        stream = Stream(found, self._clock, from_start_is_history=at_start, max_line=self._max_line)
        zone = Zone(self._config.timezone)
        ending = last_line(found.path)
        if ending and (stamp := open_envelope(ending.line).time):
            zone.learn(stamp, ending.mtime)
        self._store.sources[f"log:{name}"] = source
        self._store.servers[name] = FollowedServer(state, source, self._config.profile, self._config.thresholds)
        return source, [LogSource(stream, zone, state, source, self._clock)]


@dataclass
class Dataset:
    """A data set and its files by path. Entries of the configuration that call theirs the same share it."""

    job: FollowedJob
    streams: dict[str, Source] = field(default_factory=dict)


class JobGroup:
    """Output files: all of a data set are one source."""

    def __init__(  # noqa: PLR0913 -- what it is told, what it shares, what it hands on
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
        _mark_unmatched(self._store, f"outputs:{self._files.placeholder}", matched=bool(self._names))

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


def _mark_unmatched(store: Store, label: str, *, matched: bool) -> None:
    """Show a source that is down for an entry that matches nothing, until it does."""
    if matched:
        store.unmatched.pop(label, None)
    else:
        store.unmatched.setdefault(label, SourceState(caught_up=True))
