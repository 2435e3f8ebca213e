"""What a data set lacks, said once in the log."""

import logging

from sglang_exporter.logs import fields
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import average_length

_LOG = logging.getLogger(__name__)
_ENOUGH = 20


class Advice:
    """Says, once a data set, that its records have no token counts and nothing estimates them."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def look(self, name: str, state: JobState) -> None:
        """Say it, if there are enough completions to tell."""
        counts = state.counts
        if name in self._said or counts["uncounted"] < _ENOUGH or counts["estimated_output_tokens"]:
            return
        if not average_length(counts)[0]:
            self._said.add(name)
            _LOG.warning(
                "no record has a token count, and nothing estimates one; tokens.average (--average-tokens) would",
                extra=fields(dataset=name),
            )
