"""Server logs: each is a server, and a source, of its own."""

from collections.abc import Iterator

from sglang_exporter.config import ServerConfig
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.peek import last_lines
from sglang_exporter.follow.piped import STANDARD_INPUT, PipedStream
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.stream import Stream
from sglang_exporter.serverlog.decoder import REASONS, LogDecoder
from sglang_exporter.serverlog.envelope import open_envelope
from sglang_exporter.serverlog.stamps import Zone
from sglang_exporter.sources.followed import FollowedLog, LogSource
from sglang_exporter.sources.named import Named, mark_unmatched
from sglang_exporter.sources.saved import Saved
from sglang_exporter.sources.shared import Shared
from sglang_exporter.sources.source import Source, refresh
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedServer


class LogGroup:
    """The logs of one entry of the configuration."""

    def __init__(self, config: ServerConfig, shared: Shared) -> None:
        self._config = config
        globs = [config.logs] if isinstance(config.logs, str) else config.logs
        paths = [STANDARD_INPUT if glob == "-" else glob for glob in globs]
        self._files = Named(paths, "server", config.name, shared.server_names)
        self._shared = shared
        self._followed: dict[str, FollowedLog] = {}

    def discover(self, *, at_start: bool) -> None:
        """Follow logs that were not there before."""
        for found, name in self._files.find():
            if found.path not in self._followed:
                self._followed[found.path] = self._known(found) or self._begin(found, name, at_start=at_start)
                self._show(self._followed[found.path])
            self._followed[found.path].source.rotated = len(found.older)
        mark_unmatched(self._shared.store, f"log:{self._files.placeholder}", matched=bool(self._followed))

    def sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        """Yield the state of each source with its stream."""
        for log in self._followed.values():
            yield log.counts, [log.source]

    def refresh(self, _now: float) -> None:
        """Bring the state of each source up to date."""
        for counts, sources in self.sources():
            refresh(counts, sources)

    def save(self, saved: Saved) -> None:
        """Add what is to be kept across a restart."""
        for log in self._followed.values():
            if not isinstance(log.source.stream, PipedStream):  # nobody knows what will be in it next time
                saved.logs[log.name] = log.saved(self._shared.clock.now())

    @property
    def busy(self) -> bool:
        """Tell that there is nothing to do but reading."""
        return False

    @property
    def whole(self) -> bool:
        """Whether no line is held in pieces, which nothing that is saved holds."""
        return not any(log.source.decoder.holds for log in self._followed.values())

    def _known(self, found: Found) -> FollowedLog | None:
        """Return the log that is followed already: by this path, or as the file that a pod's container wrote before."""
        logs = self._shared.logs
        before = next((path for path in found.older if path in logs), None)
        if before and found.path not in logs:
            self._followed.pop(before, None)
            logs[found.path] = logs.pop(before)
            logs[found.path].source.stream.move(found.path)
        return logs.get(found.path)

    def _begin(self, found: Found, name: str, *, at_start: bool) -> FollowedLog:
        shared = self._shared
        saved = None if found.path == STANDARD_INPUT else shared.saved.logs.pop(name, None)
        counts = saved.source if saved else SourceState(unrecognised=dict.fromkeys(REASONS, 0))
        counts.caught_up = False
        state = saved.state if saved else shared.new_server()
        stream = self._open(found, saved.position if saved else None, at_start=at_start)
        decoder = LogDecoder(counts.kinds, counts.unrecognised, counts.shapes, saved.decoder if saved else None)
        source = LogSource(stream, decoder, self._zone(found.path), state, counts, shared.clock)
        shared.logs[found.path] = FollowedLog(name, source, state, counts)
        return shared.logs[found.path]

    def _open(self, found: Found, position: Position | None, *, at_start: bool) -> Stream | PipedStream:
        shared = self._shared
        most = shared.config.max_line_bytes
        if found.path == STANDARD_INPUT:
            return PipedStream(shared.clock, shared.waker, max_line=most)
        return Stream(found, shared.clock, from_start_is_history=at_start, max_line=most, resume=position)

    def _show(self, log: FollowedLog) -> None:
        store = self._shared.store
        store.sources[f"log:{log.name}"] = log.counts
        store.servers[log.name] = FollowedServer(log.state, log.counts, self._config.profile, self._config.thresholds)

    def _zone(self, path: str) -> Zone:
        zone = Zone(self._config.timezone)
        if path != STANDARD_INPUT and (ending := last_lines(path)):
            stamps = (open_envelope(line).time for line in reversed(ending.lines))
            if stamp := next(filter(None, stamps), None):
                zone.learn(stamp, ending.mtime)
        return zone
