"""One pattern of file names: a glob in which `{server}` and `{dataset}` stand for what names a stream."""

import fnmatch
import glob
import re

_TOKENS = re.compile(r"(?<![^/])\*\*(?:/|$)|\*+|\?|\[!?\]?[^\]/]*\]|\{(?:server|dataset)\}|.", re.DOTALL)
_PLACEHOLDERS = re.compile(r"\{(?:server|dataset)\}")
_REGEX = {"**/": "(?:[^/]+/)*", "**": ".*", "?": "[^/]"}


class Pattern:
    """A glob with `**`; a placeholder matches like `*`, at least one character, and the same wherever it is repeated.

    Without any magic character it is the name of one file, whether there is one or not.
    """

    def __init__(self, text: str) -> None:
        self._text = ("/" if text.startswith("/") else "") + "/".join(p for p in text.split("/") if p not in ("", "."))
        self._glob = _PLACEHOLDERS.sub("*", self._text)
        self.is_literal = not glob.has_magic(self._glob)
        self._regex = re.compile(_regex(self._text), re.DOTALL)

    def paths(self) -> list[str]:
        """Return the paths that match now, in order; what they lead to may be anything."""
        if self.is_literal:
            return [self._text]
        return sorted(p for p in glob.glob(self._glob, recursive=True) if self._regex.fullmatch(p))  # noqa: PTH207 -- **

    def placeholders(self, path: str) -> dict[str, str] | None:
        """Return what the placeholders stand for in a path, or None if the path does not match."""
        match = self._regex.fullmatch(path)
        return match.groupdict() if match else None


def _regex(text: str) -> str:
    parts = []
    seen: set[str] = set()
    for token in _TOKENS.findall(text):
        parts.append(_part(token, seen))
        seen.add(token)
    return "".join(parts)


def _part(token: str, seen: set[str]) -> str:
    if token in _REGEX:
        return _REGEX[token]
    if token.startswith("*"):
        return "[^/]*"
    if _PLACEHOLDERS.fullmatch(token):
        return f"(?P={token[1:-1]})" if token in seen else f"(?P<{token[1:-1]}>[^/]+)"
    if token.startswith("[") and token.endswith("]"):
        return fnmatch.translate(token).removeprefix("(?s:")[:-3]
    return re.escape(token)
