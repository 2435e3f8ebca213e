"""Why a file cannot be read, as it is told to peers: in words of the system's, with no path and nothing of its content."""

import errno
import os
from pathlib import Path

import pytest

from sglang_exporter.follow.disk import CUT, GONE, ROTATED, require_regular, trouble
from sglang_exporter.sources.source import reason


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOENT, errno.ENOSPC])
def test_the_system_says_why(number: int) -> None:
    assert reason(trouble("/secret: Permission denied/x", OSError(number, os.strerror(number)))) == os.strerror(number)


@pytest.mark.parametrize("error", [EOFError("hunter2"), OSError("Not a gzipped file (b'hu')"), OSError(5, "hunter2")])
def test_what_others_say_is_not_repeated(error: Exception) -> None:
    assert reason(trouble("/x.gz", error)) == "damaged"


@pytest.mark.parametrize("words", [ROTATED, CUT, GONE])
def test_what_we_say_ourselves_is_not_called_damaged(words: str) -> None:
    assert reason(trouble("/x", OSError(errno.EAGAIN, words))) == words


def test_a_pipe_that_has_ended() -> None:
    assert reason("standard input: has ended") == "has ended"


def test_what_is_no_file_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="Is a folder") as raised:
        require_regular(tmp_path.stat())
    assert reason(trouble("/x", raised.value)) == "Is a folder, not a file"
