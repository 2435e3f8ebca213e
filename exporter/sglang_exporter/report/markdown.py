"""The report as markdown, to paste into an issue."""

from collections.abc import Iterable, Iterator

from sglang_exporter.report.outline import Block, Chart, Facts, Grid, Heading, Lines
from sglang_exporter.report.plot import plot

_PLOT_WIDTH = 90
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_<>|#[]"})


def markdown(blocks: Iterable[Block]) -> str:
    """Return the whole text."""
    return "\n\n".join("\n".join(_lines(block)) for block in blocks) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"{'#' * (block.level + 1)} {_escaped(block.text)}"
        case Facts():
            yield "| | |"
            yield "|---|---|"
            for name, lines in block.rows:
                yield f"| {_escaped(name)} | {'<br>'.join(map(_escaped, lines))} |"
        case Grid():
            yield f"| {' | '.join(map(_escaped, block.header))} |"
            yield f"|{'|'.join('---:' if right else '---' for right in block.right)}|"
            for row in block.rows:
                yield f"| {' | '.join(map(_escaped, row))} |"
        case Chart():
            yield "```"
            yield from (line.text.rstrip() for line in plot(block.points, _PLOT_WIDTH))
            yield "```"
        case Lines():
            yield from (f"- {_escaped(line)}" for line in block.lines)


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)
