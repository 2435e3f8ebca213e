"""Tokens by the log against tokens that the output file proves."""

import pytest

from support.recordings import lines, records
from support.servers import LoggedServer


@pytest.mark.parametrize("recording", ["0.4.6.post5-batch", "0.4.10.post2-batch", "0.5.23-batch", "0.5.23-dp2-tp2"])
def test_within_a_twentieth_of_the_proven_ones(recording: str) -> None:
    server = LoggedServer().read(*lines(recording, "server.log"))
    said = sum(value for (name, _), value in server.page().items() if name == "sglang_server_generated_tokens_total")
    proven = sum(record["usage"]["completion_tokens"] for record in records(recording) if "usage" in record)
    print(f"{recording}: {said / proven:.3f} of {proven} tokens")
    assert said == pytest.approx(proven, rel=0.05)
