"""`pytest --update` writes golden files anew; the difference is then for git, and for you, to look at."""

import logging
from collections.abc import Iterator

import pytest

from support.golden import Golden


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(update=request.config.getoption("--update"))


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """Undo what a command does to the logging of the process."""
    loggers = [logging.getLogger(name) for name in (None, "sglang_exporter")]
    before = [(logger, logger.level, logger.handlers[:]) for logger in loggers]
    yield
    for logger, level, handlers in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers
