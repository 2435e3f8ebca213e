"""`pytest --update` writes golden files anew; the difference is then for git, and for you, to look at."""

import pytest

from support.golden import Golden


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write golden files anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(update=request.config.getoption("--update"))
