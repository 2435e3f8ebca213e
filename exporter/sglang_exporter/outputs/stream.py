"""Streams: many lines an id, whose token counts grow. Each line is told by what it adds."""

from msgspec import Struct
from msgspec.structs import replace

from sglang_exporter.outputs.record import Record

_MOST_REQUESTS = 65_536


class _Request(Struct):
    """What was told of one request so far."""

    output_tokens: float = 0
    input_tokens: float = 0
    cached_tokens: float = 0
    settled: bool = False
    uncounted: bool = False


class Stream:
    """The requests of one file, their chunks interleaved; of too many, the one untouched for longest is forgotten."""

    def __init__(self) -> None:
        self._requests: dict[int, _Request] = {}

    def growth(self, chunk: Record) -> Record:
        """Return a chunk, read like a whole answer, as what it adds to its request.

        A request is a completion, or an error, once: in the first chunk that says so. The tokens of one that fails at
        its end were told as they came.
        """
        request = self._touch(chunk.key)
        settles = not request.settled and bool(chunk.completions or chunk.errors)
        output = max(request.output_tokens, chunk.output_tokens + chunk.failed_output_tokens)
        input_tokens = max(request.input_tokens, chunk.input_tokens or 0)
        cached = max(request.cached_tokens, chunk.cached_tokens or 0)
        lengths, uncounted = _length(request, output, ends=settles and chunk.completions > 0)
        told = replace(
            chunk,
            settles=settles,
            key=chunk.key if settles else None,
            completions=int(chunk.completions > 0) if settles else 0,
            errors=chunk.errors if settles else (),
            output_tokens=output - request.output_tokens,
            lengths=lengths,
            uncounted=uncounted,
            failed_output_tokens=0,
            input_tokens=None if chunk.input_tokens is None else input_tokens - request.input_tokens,
            cached_tokens=None if chunk.cached_tokens is None else cached - request.cached_tokens,
            finish_reasons=chunk.finish_reasons[:1] if settles else (),
            latencies=chunk.latencies if settles else (),
        )
        request.output_tokens, request.input_tokens, request.cached_tokens = output, input_tokens, cached
        request.settled = request.settled or settles
        return told

    def _touch(self, key: int | None) -> _Request:
        """Return the request of an id, now the last to be forgotten; chunks without an id are requests of their own."""
        request = _Request()
        if key is not None:
            request = self._requests.pop(key, request)
            self._requests[key] = request
            if len(self._requests) > _MOST_REQUESTS:
                del self._requests[next(iter(self._requests))]
        return request


def _length(request: _Request, output: float, *, ends: bool) -> tuple[tuple[float, ...], int]:
    """Return the length of a request that ends, or ended without a count, and the change of the uncounted."""
    if not (ends or request.uncounted):
        return (), 0
    was, request.uncounted = request.uncounted, not output
    return ((output,), -int(was)) if output else ((), int(not was))
