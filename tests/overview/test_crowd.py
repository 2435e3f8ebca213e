"""Many who ask for the page at once: each gets one that was begun after it asked, and few are made."""

import threading

import pytest

from sglang_exporter.overview.crowd import Crowd

PATIENCE = 10.0


class Maker:
    """Makes numbered pages, each when it may; those of `bad` fail."""

    def __init__(self, bad: set[int] | None = None) -> None:
        self.bad = bad or set()
        self.begun = 0
        self.first_began, self.may = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.begun += 1
        number = self.begun
        self.first_began.set()
        assert self.may.wait(PATIENCE)
        if number in self.bad:
            raise ValueError(number)
        return f"page {number}"


class Asker(threading.Thread):
    """Asks, and keeps what came."""

    def __init__(self, crowd: Crowd) -> None:
        super().__init__(daemon=True)
        self.crowd = crowd
        self.got = ""

    def run(self) -> None:
        try:
            self.got = self.crowd()
        except ValueError as error:
            self.got = f"failed {error}"


class Waited(threading.Condition):
    """Counts who waits."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = threading.Semaphore(0)

    def wait(self, timeout: float | None = None) -> bool:
        self.waiting.release()
        return super().wait(timeout)


def asked(maker: Maker, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have one ask, and five more while its page is made; return what they got."""
    waited = Waited()
    with monkeypatch.context() as patched:
        patched.setattr(threading, "Condition", lambda: waited)
        crowd = Crowd(maker)
    askers = [Asker(crowd) for _ in range(6)]
    askers[0].start()
    assert maker.first_began.wait(PATIENCE)
    for asker in askers[1:]:
        asker.start()
        assert waited.waiting.acquire(timeout=PATIENCE)
    maker.may.set()
    for asker in askers:
        asker.join(PATIENCE)
    return [asker.got for asker in askers]


def test_who_asks_while_one_is_made_shares_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker()
    assert asked(maker, monkeypatch) == ["page 1", *["page 2"] * 5]
    assert maker.begun == 2


def test_a_page_that_fails_costs_nobody_else_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker(bad={1, 2})
    got = asked(maker, monkeypatch)
    assert sorted(got) == ["failed 1", "failed 2", *["page 3"] * 4]


def test_one_after_the_other_each_gets_their_own() -> None:
    maker = Maker()
    maker.may.set()
    crowd = Crowd(maker)
    assert [crowd(), crowd()] == ["page 1", "page 2"]
