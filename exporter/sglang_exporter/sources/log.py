"""Server logs: each is a server, and a source, of its own."""

from collections.abc import Iterable, Iterator

from sglang_exporter.clock import Clock
from sglang_exporter.config import ServerConfig
from sglang_exporter.follow.chunk import Chunk
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.peek import last_line
from sglang_exporter.follow.stream import Stream
from sglang_exporter.serverlog.decoder import REASONS, LogDecoder
from sglang_exporter.serverlog.envelope import open_envelope
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.stamps import Zone, printed_seconds
from sglang_exporter.sources.named import Named, mark_unmatched
from sglang_exporter.sources.source import Source, refresh
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedServer, Store


class LogSource:
    """The log of one server."""

    def __init__(self, stream: Stream, zone: Zone, state: ServerState, counts: SourceState, clock: Clock) -> None:
        self.stream = stream
        self.newest: float | None = None
        self._zone = zone
        self._state = state
        self._clock = clock
        self._decoder = LogDecoder(counts.kinds, counts.unrecognised, counts.shapes)
        self._mtime = 0.0

    def take(self, chunk: Chunk) -> None:
        """Fold lines: history at the time that it prints, live lines as of now."""
        self._mtime = chunk.mtime
        for line in chunk.lines:
            self._fold(self._decoder.decode(line), chunk)

    def finish(self) -> None:
        """Take a last line without a line feed, and what a wrapper holds in pieces."""
        rest = Chunk(self.stream.finish(), live=False, mtime=self._mtime)
        self.take(rest)
        self._fold(self._decoder.finish(), rest)

    def _fold(self, events: Iterable[Event], chunk: Chunk) -> None:
        for event in events:
            self._state.fold(event, self._moment(event, chunk))

    def _moment(self, event: Event, chunk: Chunk) -> Moment:
        if chunk.live:
            self.newest = self._clock.now()
        elif event.time:
            self.newest = self._zone.epoch(event.time, chunk.mtime)
        elif self.newest is None:
            self.newest = chunk.mtime
        return Moment(self.newest, printed_seconds(event.time) if event.time else None)


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
        mark_unmatched(self._store, f"log:{self._files.placeholder}", matched=bool(self._followed))

    def sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        """Yield the state of each source with its stream."""
        yield from self._followed.values()

    def refresh(self, _now: float) -> None:
        """Bring the state of each source up to date."""
        for state, sources in self.sources():
            refresh(state, sources)

    def _follow(self, found: Found, name: str, *, at_start: bool) -> tuple[SourceState, list[Source]]:
        source, state = SourceState(unrecognised=dict.fromkeys(REASONS, 0)), ServerState()
        stream = Stream(found, self._clock, from_start_is_history=at_start, max_line=self._max_line)
        zone = Zone(self._config.timezone)
        ending = last_line(found.path)
        if ending and (stamp := open_envelope(ending.line).time):
            zone.learn(stamp, ending.mtime)
        self._store.sources[f"log:{name}"] = source
        self._store.servers[name] = FollowedServer(state, source, self._config.profile, self._config.thresholds)
        return source, [LogSource(stream, zone, state, source, self._clock)]
