"""Texts that are kept beside the tests, to be compared whole."""

from pathlib import Path


class Golden:
    """What a test compares with a file, or writes into it when golden files are written anew."""

    def __init__(self, *, update: bool) -> None:
        self._update = update

    def check(self, path: Path, text: str) -> None:
        """Compare a text with the file; with --update, write the file."""
        if self._update:
            path.write_text(text)
        assert text == path.read_text()
