"""Reading to the end of all files, with a bar on standard error while they are long and somebody looks."""

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from sglang_exporter.build import Exporter

_LONG = 32 << 20


def read_all(exporter: Exporter, console: Console | None = None) -> None:
    """Read everything that is there; the bar counts bytes of all sources."""
    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    console = console or Console(stderr=True)
    more = exporter.pipeline.step()
    done, behind = _bytes(exporter)
    looked_at = console.is_terminal and behind > _LONG
    with Progress(*columns, console=console, transient=True, disable=not looked_at) as progress:
        task = progress.add_task("reading", total=done + behind, completed=done)
        while more:
            more = exporter.pipeline.step()
            done, behind = _bytes(exporter)
            progress.update(task, total=done + behind, completed=done)
    exporter.pipeline.finish()


def _bytes(exporter: Exporter) -> tuple[int, int]:
    """Return how much was read, and how much is to be read yet."""
    sources = exporter.shared.store.sources.values()
    return sum(source.read for source in sources), sum(source.behind for source in sources)
