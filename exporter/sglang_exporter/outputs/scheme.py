"""A format as it is declared, in `presets.yaml` or by a user: the keys of a mapping."""

from typing import Literal

from msgspec import Struct

Paths = str | list[str]
"""One path, or several of which the first with a usable value counts."""
Conditions = str | list[str]


class Scheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One format. All keys are optional."""

    detect: list[str] = []
    """Conditions that must all hold for a record of this format; only presets have them."""
    files: list[str] = []
    """Usual names of such files, for the reader of the presets."""
    container: Literal["jsonl", "json"] = "jsonl"
    records: str | None = None
    """Where the records are, if a value holds many; alternatives are joined by `|` and all of them count."""
    live: bool = True
    """False where the writer writes everything at the end."""
    stream: bool = False
    """Several lines an id, with token counts that grow."""
    skip: Conditions = []
    """Control records, if any holds."""
    left_out: Conditions = []
    """Inputs that the job decided not to run, if any holds: skipped, and done."""
    completions: Paths = []
    """A list has one for each item that is not null, a number is as many, anything else is one; without a path, one."""
    output_tokens: Paths = []
    input_tokens: Paths = []
    cached_tokens: Paths = []
    finish_reason: Paths = []
    error: Conditions = []
    """On one value, the record failed; through `[]`, each hit is a failed request and the completions stay."""
    error_words: Paths = []
    """Where else a record that failed says why; looked at together with what made it one."""
    latency: Paths = []
    timestamp: Paths = []
    model: Paths = []
    """Where the model's name is, for the reader of the mapping; no metric of a job carries it."""
    id: Paths = []
    id_scope: Literal["file", "job"] = "file"
    """Whether files of a job share their ids."""
    duplicates: Literal["retry", "ignore"] = "retry"
    """Whether a later line with the same id is work again, or nothing."""
    text: Paths = []
    """The answers: to tell an unknown count from none."""


def listed(value: str | list[str]) -> list[str]:
    """Return what may be written as one or as a list, as a list."""
    return [value] if isinstance(value, str) else value
