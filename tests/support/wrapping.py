"""What people's tools make of the lines of a log: each function here puts one wrapper around them."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, pairwise
from typing import AnyStr

Lines = list[bytes]
Wrap = Callable[[Iterable[bytes]], Lines]

ESCAPE = b"\x1b"
DOCKER_PIECE = 16 << 10
_TIME = b"2025-07-30T12:00:00.123456789Z"


def cut(line: AnyStr, sizes: Iterator[int]) -> list[AnyStr]:
    """Return the pieces of `line`, of the next sizes; an empty line is one piece."""
    ends = [0]
    while ends[-1] < len(line):
        ends.append(min(ends[-1] + next(sizes), len(line)))
    return [line[start:end] for start, end in pairwise(ends)] or [line]


def docker_pieces(line: bytes, sizes: Iterator[int], stream: str = "stderr") -> Lines:
    """Return the lines that Docker's json-file driver writes for one line of a container.

    Docker counts bytes and may cut a character in two, which is then lost; here characters are counted.
    """
    return [
        json.dumps(
            {"log": piece, "stream": stream, "time": _TIME.decode()},
            separators=(",", ":"),
            ensure_ascii=False,
        ).encode()
        for piece in cut((line + b"\n").decode(errors="replace"), sizes)
    ]


def cri_pieces(line: bytes, sizes: Iterator[int], stream: str = "stderr") -> Lines:
    """Return the lines that containerd and CRI-O write for one line of a container."""
    *parts, last = cut(line, sizes)
    tagged = [*((b"P", part) for part in parts), (b"F", last)]
    return [b"%s %s %s %s" % (_TIME, stream.encode(), tag, part) for tag, part in tagged]


def docker(lines: Iterable[bytes], sizes: Iterable[int] = (DOCKER_PIECE,)) -> Lines:
    """Docker's json-file: `{"log":"...\\n","stream":"stderr","time":"..."}`."""
    return [piece for line in lines for piece in docker_pieces(line, cycle(sizes))]


def cri(lines: Iterable[bytes], sizes: Iterable[int] = (8 << 10,)) -> Lines:
    """The files of /var/log/pods: `2025-07-30T12:00:00.123456789Z stderr F message`."""
    return [piece for line in lines for piece in cri_pieces(line, cycle(sizes))]


def labelled(label: bytes) -> Wrap:
    """Return what puts the same label in front of every line."""
    return lambda lines: [label + line for line in lines]


def supervisor(lines: Iterable[bytes], every: int = 3) -> Lines:
    """supervisord's own log at level debug: a header, and then what was read at once."""
    header = b"2025-07-30 12:00:00,123 DEBG 'sglang' stdout output:"
    wrapped: Lines = []
    for number, line in enumerate(lines):
        wrapped += [header, line] if number % every == 0 else [line]
    return wrapped


def slurm(lines: Iterable[bytes], task: int = 7) -> Lines:
    """`srun --label` with more than ten tasks."""
    return [b"%2d: %s" % (task, line) for line in lines]


def ray(
    lines: Iterable[bytes], name: bytes = b"SGLangEngine", pid: int = 41820, ip: bytes = b"", escape: bytes = ESCAPE
) -> Lines:
    """The log of Ray's driver, in colour; `ip` only of actors on other nodes."""
    where = b"pid=%d, ip=%s" % (pid, ip) if ip else b"pid=%d" % pid
    return [b"%s[36m(%s %s)%s[0m %s" % (escape, name, where, escape, line) for line in lines]


def ray_repeated(times: int, line: bytes, *, first: bool = False) -> bytes:
    """Ray's driver about `times` lines that were alike; it explains itself the `first` time."""
    told = b" (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to turn it off.)" if first else b""
    (printed,) = ray([line], ip=b"10.0.0.1")
    return printed + b"\x1b[32m [repeated %dx across cluster]%s\x1b[0m" % (times, told)


def coloured(lines: Iterable[bytes], escape: bytes = ESCAPE) -> Lines:
    """Colour around each line."""
    return [b"%s[1;33m%s%s[0m" % (escape, line, escape) for line in lines]


def crlf(lines: Iterable[bytes]) -> Lines:
    """Lines that end in a carriage return and a line feed."""
    return [line + b"\r" for line in lines]


def byte_order_mark(lines: Iterable[bytes]) -> Lines:
    """A file that begins with a byte order mark."""
    first, *others = lines
    return [b"\xef\xbb\xbf" + first, *others]


def nul_run(lines: Iterable[bytes]) -> Lines:
    """A file that was truncated while its writer went on at the old offset."""
    first, *others = lines
    return [bytes(5000) + first, *others]


WRAPPERS: dict[str, Wrap] = {
    "docker": docker,
    "cri": cri,
    "compose": labelled(b"sglang-1       | "),
    "compose container name": labelled(b"sglang.server_1  | "),
    "docker service logs": labelled(b"sglang.1.k3x9@node-2    | "),
    "kubectl logs --prefix": labelled(b"[pod/sglang-0/server] "),
    "kubectl logs --timestamps": labelled(_TIME + b" "),
    "kubectl logs --prefix --timestamps": labelled(b"[pod/sglang-0/server] 2025-07-30T12:00:00.123456789+02:00 "),
    "journald short": labelled(b"Jul 30 12:00:00 gpu-node.example sglang[123]: "),
    "journald short, day below ten": labelled(b"Jul  3 12:00:00 gpu-node python3[123]: "),
    "journald short-precise": labelled(b"Jul 30 12:00:00.123456 gpu-node sglang[123]: "),
    "journald short-iso": labelled(b"2025-07-30T12:00:00+0200 gpu-node sglang[123]: "),
    "journald short-iso-precise": labelled(b"2025-07-30T12:00:00.123456+02:00 gpu-node sglang[123]: "),
    "syslog rfc3164": labelled(b"<30>Jul 30 12:00:00 gpu-node sglang[123]: "),
    "syslog rfc3164 without a host": labelled(b"<30>Jul 30 12:00:00 sglang[123]: "),
    "syslog rfc3164 without a pid": labelled(b"<14>Jul 30 12:00:00 gpu-node sglang: "),
    "syslog forwarded": labelled(b"<14>2025-07-30T12:00:00.123456+02:00 gpu-node docker/sglang[123]: "),
    "syslog rfc5424": labelled(b"<14>1 2025-07-30T12:00:00.123456Z gpu-node sglang 123 - - "),
    "syslog rfc5424 with data": labelled(
        rb'<14>1 2025-07-30T12:00:00Z n sglang - ID47 [a@1 b="c\"] [d" e="]"][f g="h"] '
    ),
    "supervisor": supervisor,
    "slurm": slurm,
    "slurm, up to ten tasks": labelled(b"0: "),
    "ray": ray,
    "ray with an address": lambda lines: ray(lines, ip=b"10.0.0.1"),
    "ray, escape as two characters": lambda lines: ray(lines, escape=b"^["),
    "ray without colour": labelled(b"(SGLangEngine(rank=1) pid=41820, ip=fe80::1) "),
    "ray without a name": labelled(b"(pid=41820) "),
    "colour": coloured,
    "colour, escape as two characters": lambda lines: coloured(lines, escape=b"^["),
    "crlf": crlf,
    "byte order mark": byte_order_mark,
    "nul run": nul_run,
}
"""Every wrapper by name: lines go in, and the lines of the wrapped log come out."""
