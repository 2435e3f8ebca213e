"""What is kept across a restart: the folded state, and how far each file was read, taken at one moment."""

from msgspec import Struct, field

from sglang_exporter.follow.position import Position
from sglang_exporter.serverlog.learnt import DecoderState
from sglang_exporter.state.job import JobState
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.source import SourceState

VERSION = 4
"""To be raised when the form of anything below changes."""


class SavedLog(Struct):
    """A server with its log; `followed` is when it last was, in seconds since the epoch."""

    path: str
    position: Position | None
    decoder: DecoderState
    state: ServerState
    source: SourceState
    followed: float


class SavedJob(Struct):
    """A data set with its files, by path; `followed` is when it last was, in seconds since the epoch."""

    positions: dict[str, Position | None]
    state: JobState
    source: SourceState
    followed: float


class Saved(Struct):
    """Servers and data sets by name, and the names that paths were given."""

    logs: dict[str, SavedLog] = field(default_factory=dict)
    jobs: dict[str, SavedJob] = field(default_factory=dict)
    server_names: dict[str, str] = field(default_factory=dict)
    dataset_names: dict[str, str] = field(default_factory=dict)
