"""`pytest --update` writes golden files anew; the difference is then for git, and for you, to look at."""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files anew")


class Golden:
    """Texts that are kept beside the tests, to be compared whole."""

    def __init__(self, *, update: bool) -> None:
        self._update = update

    def check(self, path: Path, text: str) -> None:
        """Compare a text with the file; with --update, write the file."""
        if self._update:
            path.write_text(text)
        assert text == path.read_text()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(update=request.config.getoption("--update"))
