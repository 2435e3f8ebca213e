"""What one record of an output file counts as: the only thing about it that leaves this package."""

from msgspec import Struct

UNKNOWN = "unknown"


class Record(Struct, frozen=True, kw_only=True, gc=False):
    """One record, or several in a row that are plain, in numbers. No text, no prompt and no id is in it.

    A record that failed has no completions, and its tokens are in `failed_output_tokens`. What a record says of cached
    tokens, input and latency counts only when it did not fail.
    """

    malformed: bool = False
    """No record at all: a line, or a part of one, that nothing could be read from."""
    withdrawn: bool = False
    """Told before by a reading of the file that has changed since: everything in it is to be taken back."""
    skipped: bool = False
    """A control record, or an input that the job left out."""
    settles: bool = False
    """Its request or input is over with, well or badly: it counts as done."""
    key: int | None = None
    """60 bits of a hash of the record's explicit id, the same in every line with that id; only when it settles."""
    number: int = 1
    """How many records it is. If several, all are of one completion, none failed, and their ids are in `keys`."""
    keys: tuple[int, ...] = ()
    """Of several, the key of each; empty where they have no ids."""
    once: bool = False
    """Later records with the same key repeat this one and are no work."""
    live: bool = True
    """The file grows while the job runs; else it is written in one go and says nothing of the speed."""
    completions: int = 0
    errors: tuple[tuple[str, int], ...] = ()
    """Failed requests as (reason of `errors.REASONS`, how many)."""
    output_tokens: float = 0
    """Sum of the exact counts of the completions."""
    lengths: tuple[float, ...] = ()
    """Tokens of each completion that has a count; n completions under one total are n times its n-th part."""
    uncounted: int = 0
    """Completions of text without a count. Less than 0 when a stream brings a count after its end."""
    measured: int = 0
    """Those of the uncounted whose tokens were estimated by their texts: `estimated_tokens`."""
    estimated_tokens: float = 0
    failed_output_tokens: float = 0
    input_tokens: float | None = None
    cached_tokens: float | None = None
    finish_reasons: tuple[str, ...] = ()
    """One of `reasons.REASONS` for each completion; none in a record that sums up many requests."""
    latencies: tuple[float, ...] = ()
    """Seconds that its requests took; none in a record that sums up many requests."""
    timestamp: float | None = None
    """When the request was over, in seconds since the epoch, as the record says."""
