"""Basic authentication: bcrypt, one check at a time, and what was right once is known again."""

import base64
import binascii
import hashlib
import hmac
import os
import threading
from collections.abc import Callable, Mapping
from enum import Enum

import bcrypt

_SCHEME = "basic "
_LONGEST = 72
"""Bytes of a password that bcrypt can tell."""

Check = Callable[[bytes, bytes], bool]


class Verdict(Enum):
    """What came of a check; BUSY when its turn did not come in time."""

    RIGHT = "right"
    WRONG = "wrong"
    BUSY = "busy"


class Passwords:
    """The users of one web configuration, and their hashes. It may be used from several threads.

    A name that nobody has costs one check too, of the costliest hash there is. Only right passwords are remembered, one
    a user, as a keyed digest: a flood of wrong ones displaces none of them.
    """

    def __init__(self, users: Mapping[str, str], check: Check = bcrypt.checkpw) -> None:
        self._users = {name.encode(): password.encode() for name, password in users.items()}
        self._decoy = max(self._users.values(), key=lambda password: password[4:6])
        self._check = check
        self._turn = threading.Lock()
        self._secret = os.urandom(32)
        self._right: dict[bytes, bytes] = {}

    def verdict(self, authorization: str, patience: float) -> Verdict:
        """Tell whether the value of a header `Authorization` is right; wait for at most `patience` seconds."""
        given = _credentials(authorization)
        if given is None:
            return Verdict.WRONG
        name, password = given
        digest = hmac.digest(self._secret, password, hashlib.sha256)
        if hmac.compare_digest(self._right.get(name, b""), digest):
            return Verdict.RIGHT
        if not self._turn.acquire(timeout=max(0.0, patience)):
            return Verdict.BUSY
        try:
            matches = self._check(password[:_LONGEST], self._users.get(name, self._decoy))
        finally:
            self._turn.release()
        if not (matches and name in self._users and len(password) <= _LONGEST):
            return Verdict.WRONG
        self._right[name] = digest
        return Verdict.RIGHT


def _credentials(authorization: str) -> tuple[bytes, bytes] | None:
    if authorization[: len(_SCHEME)].lower() != _SCHEME:
        return None
    try:
        name, colon, password = base64.b64decode(authorization[len(_SCHEME) :].strip(), validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return None
    return (name, password) if colon else None
