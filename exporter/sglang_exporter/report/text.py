"""The report for a terminal."""

from collections.abc import Iterable
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sglang_exporter.report.outline import Block, Chart, Facts, Grid, Heading, Lines
from sglang_exporter.report.plot import plot

WIDEST = 100
_STYLES = {"speed": "cyan", "usage": "magenta", "phase": "green", "axis": "dim"}
_INDENT = (0, 0, 0, 2)


def print_text(blocks: Iterable[Block], console: Console) -> None:
    """Draw the blocks, no wider than the console or 100 columns, with a blank line between, but behind a heading."""
    width, after_heading = min(console.width, WIDEST), True
    for block in blocks:
        if not after_heading:
            console.print()
        console.print(_drawn(block, width), width=width, highlight=False)
        after_heading = isinstance(block, Heading)


def _drawn(block: Block, width: int) -> RenderableType:
    match block:
        case Heading():
            return _heading(block)
        case Facts():
            return _facts(block)
        case Grid():
            return _grid(block)
        case Chart():
            lines = (Text(line.text, _STYLES[line.what], no_wrap=True) for line in plot(block.points, width))
            return Text("\n").join(lines)
        case Lines():
            return Padding(Text("\n".join(block.lines)), _INDENT)


def _heading(block: Heading) -> RenderableType:
    if block.level == 1:
        return Rule(Text(block.text, "bold"), align="left", style="bold")
    return Text(block.text, "bold" if block.level == 2 else "bold cyan")  # noqa: PLR2004


def _facts(block: Facts) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, lines in block.rows:
        table.add_row(name, Text("\n".join(lines)))
    return Padding(table, _INDENT)


def _grid(block: Grid) -> RenderableType:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, expand=not block.numbers)
    for index, name in enumerate(block.header):
        if block.numbers:
            justify: Literal["left", "right"] = "right" if block.right[index] else "left"
            table.add_column(Text(name), justify=justify, no_wrap=index < len(block.header) - 1)
        elif index == 0:
            table.add_column(Text(name), width=max(len(word) for row in block.rows for word in row[0].split()))
        else:
            table.add_column(Text(name), ratio=1)
    for row in block.rows:
        table.add_row(*(Text(cell) for cell in row))
    return Padding(table, _INDENT)
