"""Samples into a running Prometheus by its remote-write protocol: the one way in that can say that a series has ended."""

import struct
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple
from urllib.request import Request, urlopen

Labels = tuple[tuple[str, str], ...]

_STALE = struct.pack("<Q", 0x7FF0000000000002)
_SAMPLES_PER_REQUEST = 20_000
_HEADERS = {
    "Content-Encoding": "snappy",
    "Content-Type": "application/x-protobuf",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}


class Sample(NamedTuple):
    """A value at a time in seconds since the epoch; labels are sorted, the name among them; None ends the series."""

    time: float
    labels: Labels
    value: float | None


def write(url: str, samples: Iterable[Sample]) -> None:
    """Send samples, which come in the order of time; `url` is that of a Prometheus that takes remote writes."""
    rest = iter(samples)
    while batch := list(islice(rest, _SAMPLES_PER_REQUEST)):
        request = Request(f"{url}/api/v1/write", data=_uncompressed(_write_request(batch)), headers=_HEADERS)
        with urlopen(request, timeout=30):
            pass


def _write_request(samples: list[Sample]) -> bytes:
    by_series: dict[Labels, list[Sample]] = {}
    for sample in samples:
        by_series.setdefault(sample.labels, []).append(sample)
    return b"".join(_field(1, _series(labels, its)) for labels, its in by_series.items())


def _series(labels: Labels, samples: list[Sample]) -> bytes:
    pairs = (_field(1, _field(1, name.encode()) + _field(2, value.encode())) for name, value in labels)
    return b"".join(pairs) + b"".join(_field(2, _point(sample)) for sample in samples)


def _point(sample: Sample) -> bytes:
    value = _STALE if sample.value is None else struct.pack("<d", sample.value)
    return b"\x09" + value + b"\x10" + _varint(round(sample.time * 1000))


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*digits, number])


def _uncompressed(content: bytes) -> bytes:
    """Return the content in snappy's form, all of it as literals."""
    pieces = (content[start : start + 0x10000] for start in range(0, len(content), 0x10000))
    literals = (b"\xf4" + struct.pack("<H", len(piece) - 1) + piece for piece in pieces)
    return _varint(len(content)) + b"".join(literals)
