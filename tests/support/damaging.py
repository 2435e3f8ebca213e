"""What disks, pipes and people do to lines: each function here damages one of them, or the two together."""

from collections.abc import Callable
from random import Random

Damage = Callable[[Random, bytes, bytes], bytes]

_FEW = 3
_COLUMNS = 60


def drop(random: Random, line: bytes, _other: bytes) -> bytes:
    """Lose one to three bytes."""
    at = random.randrange(len(line))
    return line[:at] + line[at + random.randint(1, _FEW) :]


def double(random: Random, line: bytes, _other: bytes) -> bytes:
    """Print one to three bytes twice."""
    at = random.randrange(len(line))
    return line[: at + random.randint(1, _FEW)] + line[at:]


def swap(random: Random, line: bytes, _other: bytes) -> bytes:
    """Exchange two neighbours."""
    at = random.randrange(len(line) - 1)
    return line[:at] + line[at + 1 : at + 2] + line[at : at + 1] + line[at + 2 :]


def cut_front(random: Random, line: bytes, _other: bytes) -> bytes:
    """Lose the beginning."""
    return line[random.randrange(len(line)) :]


def cut_end(random: Random, line: bytes, _other: bytes) -> bytes:
    """Lose the end."""
    return line[: random.randrange(len(line))]


def cut_columns(random: Random, line: bytes, _other: bytes) -> bytes:
    """Lose some columns of the middle."""
    at = random.randrange(len(line))
    return line[:at] + line[at + random.randint(1, _COLUMNS) :]


def cut_middle(random: Random, line: bytes, _other: bytes) -> bytes:
    """Lose all between any two places."""
    start, end = sorted(random.choices(range(len(line)), k=2))
    return line[:start] + line[end:]


def glue(_random: Random, line: bytes, other: bytes) -> bytes:
    """Lose the line feed."""
    return line + other


def glue_torn(random: Random, line: bytes, other: bytes) -> bytes:
    """Lose the end of a line with its line feed."""
    return cut_end(random, line, other) + other


def glue_beheaded(random: Random, line: bytes, other: bytes) -> bytes:
    """Lose the line feed and the beginning of the next line."""
    return line + cut_front(random, other, line)


def glue_halves(random: Random, line: bytes, other: bytes) -> bytes:
    """Lose all from within a line to within the next one."""
    return cut_end(random, line, other) + cut_front(random, other, line)


def keep_halves(random: Random, line: bytes, other: bytes) -> bytes:
    """Lose the end of a line and the beginning of the next, but not the line feed."""
    return cut_end(random, line, other) + b"\n" + cut_front(random, other, line)


def spoil_prefix(random: Random, line: bytes, other: bytes) -> bytes:
    """Lose, double or exchange bytes of the prefix."""
    end = max(line.find(b"] ") + 2, 2)
    return random.choice((drop, double, swap))(random, line[:end], other) + line[end:]


DAMAGES: dict[str, Damage] = {
    damage.__name__: damage
    for damage in (
        drop,
        double,
        swap,
        cut_front,
        cut_end,
        cut_columns,
        cut_middle,
        glue,
        glue_torn,
        glue_beheaded,
        glue_halves,
        keep_halves,
        spoil_prefix,
    )
}
"""Every damage by name: a line and the next one go in, and what is left of them comes out."""
