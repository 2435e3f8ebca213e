"""What the labels `server` and `dataset` say: a short name for each stream, which it keeps for ever."""

import os.path
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.pods import pod_log
from sglang_exporter.follow.rotated import COMPRESSED, ENDINGS, rotated

Kind = Literal["server", "dataset"]

_FOLDERS = {"", "data", "log", "logs", "out", "output", "outputs", "result", "results", "tmp", "var"}
_SAY_NOTHING: dict[Kind, set[str]] = {
    "server": _FOLDERS | {"console", "server", "sglang", "stderr", "stdout"},
    "dataset": _FOLDERS
    | {
        "answers",
        "completions",
        "generations",
        "part",
        "predictions",
        "raw_responses",
        "records",
        "responses",
        "shard",
    },
}
_ENDINGS = re.compile(f"(?:{'|'.join(map(re.escape, (*ENDINGS, COMPRESSED)))})+$")


def names(found: Sequence[Found], given: Mapping[str, str], kind: Kind, configured: str | None) -> dict[str, str]:
    """Return the name of each stream found, by its path.

    `given` holds the names that the streams of this kind have had so far, by path: they stay. A server's name is unlike
    any other. All that is found is one data set, or one for each text of `{dataset}`; its name is unlike that of any
    other source, unless the user has called both the same.
    """
    return _server_names(found, given, configured) if kind == "server" else _dataset_names(found, given, configured)


def _server_names(found: Sequence[Found], given: Mapping[str, str], configured: str | None) -> dict[str, str]:
    known = dict(given)
    paths, taken = {*given, *(stream.path for stream in found)}, set(known.values())
    for stream in found:
        if stream.path not in known:
            before = next((known[path] for path in stream.older if path in known), None)  # the pod's last container
            known[stream.path] = before or _free(_server_candidates(stream, configured, paths), taken)
            taken.add(known[stream.path])
    return {stream.path: _printable(known[stream.path]) for stream in found}


def _server_candidates(stream: Found, configured: str | None, paths: set[str]) -> Iterator[str]:
    derived = _derived(stream.path, "server", paths)
    if placeholder := stream.placeholders.get("server"):
        yield placeholder
    elif configured:
        yield configured
        derived = (f"{configured}/{name}" for name in derived)
    elif log := pod_log(stream.path):
        yield f"{log.namespace}/{log.pod}/{log.container}"
        yield f"{log.namespace}/{log.pod}/{log.container}/{log.uid}"
    yield from derived


def _dataset_names(found: Sequence[Found], given: Mapping[str, str], configured: str | None) -> dict[str, str]:
    together = [stream.path for stream in found if "dataset" not in stream.placeholders]
    shared = next((given[path] for path in together if path in given), configured)
    if together and not shared:
        others = given.keys() - set(together)
        shared = _free(_derived(_common(together), "dataset", others), [given[path] for path in others])
    return {stream.path: _printable(stream.placeholders.get("dataset") or shared or "") for stream in found}


def _printable(name: str) -> str:
    """Return a name that a page can hold: a file's name may be no UTF-8."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _free(candidates: Iterable[str], taken: Collection[str]) -> str:
    return next(name for name in candidates if name not in taken)


def _derived(path: str, kind: Kind, others: Collection[str]) -> Iterator[str]:
    """Yield names made of a path, the shortest first; of the longer ones those that describe none of the others."""
    parts = (_stem(path), *_folders(path))
    yield next((part for part in parts if part.lower() not in _SAY_NOTHING[kind] and not part.isdigit()), parts[0])
    for depth in range(1, len(parts)):
        if (name := _tail(path, depth)) not in {_tail(other, depth) for other in others if other != path}:
            yield name
    yield path


def _tail(path: str, depth: int) -> str:
    """Return the stem with so many folders before it, as `run7/server`."""
    return "/".join((*reversed(_folders(path)[:depth]), _stem(path)))


def _stem(path: str) -> str:
    name = Path(path).name
    turned = rotated(name)
    name = turned.base if turned and turned.sure else name
    return _ENDINGS.sub("", name) or name


def _folders(path: str) -> list[str]:
    """Return the names of the folders that a path lies in, the nearest first."""
    return [folder.name for folder in Path(path).absolute().parents if folder.name]


def _common(paths: Sequence[str]) -> str:
    """Return what the paths of one data set have in common, as a path: `run7/part` for `run7/part-00000.jsonl` ..."""
    undated = {_undated(path) for path in paths}
    if len(undated) == 1:
        return undated.pop()
    stems = [_stem(path) for path in undated]
    common = os.path.commonprefix(stems).rstrip("-_.0123456789")  # noqa: RUF071 -- by characters is what is meant
    if any(stem[len(common) :][:1].isalpha() for stem in stems):  # it ends within a word
        common = ""
    return str(Path(os.path.commonpath([Path(path).absolute().parent for path in paths])) / common)


def _undated(path: str) -> str:
    turned = rotated(Path(path).name)
    return str(Path(path).with_name(turned.base)) if turned else path
