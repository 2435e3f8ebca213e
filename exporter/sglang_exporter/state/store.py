"""All state in one place, behind one lock: the loop folds into it, a scrape reads from it."""

import threading
from dataclasses import dataclass, field

from sglang_exporter.config import Profile, Thresholds
from sglang_exporter.state.job import JobState
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.source import SourceState


@dataclass
class FollowedServer:
    """A server by name, with what the configuration says of it."""

    state: ServerState
    source: SourceState
    profile: Profile
    thresholds: Thresholds


@dataclass
class FollowedJob:
    """A data set by name."""

    state: JobState
    source: SourceState


@dataclass
class Store:
    """Servers and data sets by name. Whoever reads or writes holds `lock`, and may take it again."""

    servers: dict[str, FollowedServer] = field(default_factory=dict)
    jobs: dict[str, FollowedJob] = field(default_factory=dict)
    sources: dict[str, SourceState] = field(default_factory=dict)
    """Every source by its label, those of servers and of data sets."""
    unmatched: dict[str, SourceState] = field(default_factory=dict)
    """Entries of the configuration that match no file yet, by label."""
    lock: threading.RLock = field(default_factory=threading.RLock)
