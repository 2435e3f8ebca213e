"""Finished requests, which a server may tell of in three ways at once."""

import msgspec

from sglang_exporter.serverlog.events import Event

# Best first: a request may print all three, and only one of them counts in a run.
_SOURCES = ("json.request.finished", "request_finished", "req_time_stats")
_OUTPUT = ("completion_tokens", "output_len", "output len")
_INPUT = ("prompt_tokens", "input_len", "input len")


class Tally(msgspec.Struct):
    """Requests and their tokens."""

    requests: float = 0.0
    output_tokens: float = 0.0
    input_tokens: float = 0.0

    def plus(self, other: "Tally") -> "Tally":
        """Return the sum."""
        return Tally(
            self.requests + other.requests,
            self.output_tokens + other.output_tokens,
            self.input_tokens + other.input_tokens,
        )

    def at_least(self, other: "Tally") -> "Tally":
        """Return the larger of each, for a better source may start a few requests behind the one before it."""
        return Tally(
            max(self.requests, other.requests),
            max(self.output_tokens, other.output_tokens),
            max(self.input_tokens, other.input_tokens),
        )


class Finished(msgspec.Struct):
    """Finished requests of ended runs and, by the kind of line that told of them, of this one."""

    ended: Tally = msgspec.field(default_factory=Tally)
    run: dict[str, Tally] = {}
    total: Tally = msgspec.field(default_factory=Tally)

    def fold(self, event: Event) -> None:
        """Take a line about a finished request."""
        one = Tally(1.0, _first(event, _OUTPUT), _first(event, _INPUT))
        self.run[event.kind] = self.run.get(event.kind, Tally()).plus(one)
        best = next(self.run[kind] for kind in _SOURCES if kind in self.run)
        self.total = self.total.at_least(self.ended.plus(best))

    def restart(self) -> None:
        """Keep the run that ended, by its best source."""
        self.ended, self.run = self.total, {}

    @property
    def known(self) -> bool:
        """Tell whether the log has ever told of a finished request."""
        return self.total.requests > 0


def _first(event: Event, labels: tuple[str, ...]) -> float:
    values = (event.fields.get(label) for label in labels)
    return next((float(value) for value in values if isinstance(value, int | float)), 0.0)
