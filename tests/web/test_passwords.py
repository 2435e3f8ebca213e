"""Basic authentication: who is let in, at what cost."""

import base64
import threading

import bcrypt
import pytest

from sglang_exporter.web.passwords import Passwords, Verdict

HASH = bcrypt.hashpw(b"s3cret", bcrypt.gensalt(4)).decode()
COSTLY = bcrypt.hashpw(b"other", bcrypt.gensalt(5)).decode()


def basic(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


@pytest.mark.parametrize("prefix", ["$2b$", "$2y$", "$2a$"])
def test_the_right_password_is_right(prefix: str) -> None:
    assert Passwords({"al": prefix + HASH[4:]}).verdict(basic("al", "s3cret"), 1) is Verdict.RIGHT


def test_words_beyond_ascii_are_taken_as_utf_8() -> None:
    words = bcrypt.hashpw("pässwörd:ü".encode(), bcrypt.gensalt(4)).decode()
    assert Passwords({"jürgen": words}).verdict(basic("jürgen", "pässwörd:ü"), 1) is Verdict.RIGHT


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Basic",
        "Basic ",
        "Basic !!!",
        "Basic ÿþ",
        "Bearer abc",
        "Basic " + base64.b64encode(b"al").decode(),
        basic("al", ""),
        basic("al", "s3cret "),
        basic("al", "s3cret\0"),
        basic("al", "S3cret"),
        basic("AL", "s3cret"),
        basic("", "s3cret"),
        basic("al", "$2b$04$" + "a" * 53),
        basic("al", "other"),
        basic("nobody", "other"),
        basic("al", "x" * 10_000),
    ],
)
def test_anything_else_is_wrong(given: str) -> None:
    assert Passwords({"al": HASH, "bo": COSTLY}).verdict(given, 1) is Verdict.WRONG


def test_more_than_bcrypt_can_tell_is_wrong() -> None:
    long = bcrypt.hashpw(b"x" * 72, bcrypt.gensalt(4)).decode()
    passwords = Passwords({"al": long})
    assert passwords.verdict(basic("al", "x" * 73), 1) is Verdict.WRONG
    assert passwords.verdict(basic("al", "x" * 72), 1) is Verdict.RIGHT
    assert passwords.verdict(basic("al", "x" * 73), 1) is Verdict.WRONG


class Counted:
    """Checks, and keeps what hash each check was against."""

    def __init__(self) -> None:
        self.hashes: list[str] = []

    def __call__(self, password: bytes, hashed: bytes) -> bool:
        self.hashes.append(hashed.decode())
        return bcrypt.checkpw(password, hashed)


def test_a_right_password_is_checked_once() -> None:
    counted = Counted()
    passwords = Passwords({"al": HASH}, counted)
    assert [passwords.verdict(basic("al", "s3cret"), 1) for _ in range(3)] == [Verdict.RIGHT] * 3
    assert counted.hashes == [HASH]


def test_wrong_passwords_cost_the_same_for_names_that_are_known_and_not_and_displace_nothing() -> None:
    counted = Counted()
    passwords = Passwords({"al": HASH, "bo": COSTLY}, counted)
    passwords.verdict(basic("al", "s3cret"), 1)
    for name in ("al", "bo", "nobody", "", "nobody"):
        passwords.verdict(basic(name, "wrong"), 1)
    assert counted.hashes == [HASH, HASH, COSTLY, COSTLY, COSTLY, COSTLY]
    passwords.verdict(basic("al", "s3cret"), 1)
    assert len(counted.hashes) == 6


def test_checks_are_made_one_at_a_time_and_who_is_known_waits_for_none() -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(password: bytes, hashed: bytes) -> bool:
        if password == b"slow":
            inside.set()
            go_on.wait(10)
        return bcrypt.checkpw(password, hashed)

    passwords = Passwords({"al": HASH}, slow)
    passwords.verdict(basic("al", "s3cret"), 1)
    thread = threading.Thread(target=passwords.verdict, args=(basic("al", "slow"), 1))
    thread.start()
    assert inside.wait(10)
    assert passwords.verdict(basic("al", "wrong"), 0.01) is Verdict.BUSY
    assert passwords.verdict(basic("al", "s3cret"), 0) is Verdict.RIGHT
    go_on.set()
    thread.join()
    assert passwords.verdict(basic("al", "wrong"), 1) is Verdict.WRONG
