"""How the C library hands out memory to the threads of the daemon."""

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8  # mallopt(3), glibc's malloc.h


def use_one_arena() -> None:
    """Have all threads allocate from one arena; call it before there are any.

    By default glibc gives them up to eight arenas a core, and each keeps what the largest page took that was ever made
    in it. Only the holder of the interpreter's lock allocates, so nobody waits. Other C libraries have no arenas.
    """
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
