"""Samples by series, kept on disk: they come time by time, and OpenMetrics wants them series by series."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from tempfile import TemporaryFile

from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample
from prometheus_client.utils import floatToGoString

_MOST_HELD = 8 << 20
_PIECE = 1 << 20

_Series = tuple[str, tuple[tuple[str, str], ...]]


@dataclass
class _Group:
    """The lines of one series, or of all the series of one histogram: those in memory, and where the others lie."""

    held: list[str] = field(default_factory=list)
    parts: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _Family:
    """What is said of a metric, and its groups by their labels."""

    head: str
    groups: dict[_Series, _Group] = field(default_factory=dict)


class Spool:
    """Samples with times, to be written as OpenMetrics; `labels` are added to each, as a scrape adds its target's."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = dict(labels)
        self._file = TemporaryFile()  # noqa: SIM115 -- open as long as the spool
        self._families: dict[str, _Family] = {}
        self._known: dict[_Series, tuple[str, _Group]] = {}
        self._size = 0
        self.samples = 0

    def add(self, families: Iterable[Metric], at: float) -> None:
        """Add what a scrape at a time, in seconds since the epoch, would have found."""
        time = f"{at:.3f}".rstrip("0").rstrip(".")
        for family in families:
            for sample in family.samples:
                name, group = self._place(family, sample)
                line = f"{name} {_number(sample.value)} {time}\n"
                group.held.append(line)
                self._size += len(line)
                self.samples += 1
        if self._size > _MOST_HELD:
            self._put_down()

    def text(self) -> Iterator[bytes]:
        """Yield the whole exposition, in pieces."""
        self._put_down()
        for family in self._families.values():
            yield family.head.encode()
            for group in family.groups.values():
                for offset, length in group.parts:
                    yield from self._pieces(offset, length)
        yield b"# EOF\n"

    def close(self) -> None:
        """Let go of the disk."""
        self._file.close()

    def _place(self, family: Metric, sample: Sample) -> tuple[str, _Group]:
        """Return how the lines of a series begin, and the group that they belong to."""
        key = (sample.name, tuple(sample.labels.items()))
        if (known := self._known.get(key)) is not None:
            return known
        kept = self._families.setdefault(family.name, _Family(_head(family)))
        shared = tuple((name, value) for name, value in key[1] if name != "le")
        group = kept.groups.setdefault((family.name, shared), _Group())
        self._known[key] = (_series(sample.name, {**sample.labels, **self._labels}), group)
        return self._known[key]

    def _put_down(self) -> None:
        offset = self._file.seek(0, 2)
        for family in self._families.values():
            for group in family.groups.values():
                if group.held:
                    length = self._file.write("".join(group.held).encode())
                    group.parts.append((offset, length))
                    group.held.clear()
                    offset += length
        self._size = 0

    def _pieces(self, offset: int, length: int) -> Iterator[bytes]:
        self._file.seek(offset)
        while length:
            piece = self._file.read(min(length, _PIECE))
            length -= len(piece)
            yield piece


def _head(family: Metric) -> str:
    return f"# HELP {family.name} {_escaped(family.documentation)}\n# TYPE {family.name} {family.type}\n"


def _series(name: str, labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{label}="{_escaped(value)}"' for label, value in labels.items())
    return f"{name}{{{pairs}}}" if pairs else name


def _number(value: float) -> str:
    return str(floatToGoString(value))  # type: ignore[no-untyped-call]


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
