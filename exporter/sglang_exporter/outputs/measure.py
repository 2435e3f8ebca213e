"""How many tokens a text without a count has: by its characters, or by a tokenizer. Nothing of the text is kept."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Protocol

from sglang_exporter.config import TokensConfig


class Measure(Protocol):
    """Something that estimates the tokens of texts."""

    def tokens(self, texts: Iterable[str]) -> float:
        """Return the tokens of all the texts together."""
        ...


class ByCharacters:
    """So many characters are a token."""

    def __init__(self, chars_per_token: float) -> None:
        self._chars_per_token = chars_per_token

    def tokens(self, texts: Iterable[str]) -> float:
        """Return the tokens of all the texts together."""
        return sum(map(len, texts)) / self._chars_per_token


class ByTokenizer:
    """The first of every so many records is tokenized; the others have as many characters a token as those had."""

    def __init__(self, count: Callable[[str], int], every: int) -> None:
        self._count = count
        self._every = every
        self._seen = 0
        self._characters = self._tokens = 0

    def tokens(self, texts: Iterable[str]) -> float:
        """Return the tokens of all the texts together."""
        texts = list(texts)
        characters = sum(map(len, texts))
        self._seen += 1
        if (self._seen - 1) % self._every and self._tokens:
            return characters * self._tokens / self._characters
        tokens = sum(map(self._count, texts))
        self._characters += characters
        self._tokens += tokens
        return tokens


class NoTokenizerError(ValueError):
    """There is no tokenizer to be had; the message says why."""


@cache
def load_tokenizer(path: str) -> Callable[[str], int]:
    """Return what counts the tokens of a text, from a `tokenizer.json`; raises NoTokenizerError."""
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 -- an optional package
    except ImportError as error:
        raise NoTokenizerError("needs the package tokenizers: pip install 'sglang-exporter[tokenizer]'") from error
    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:
        raise NoTokenizerError(f"no tokenizer can be read from {path}: {error}") from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def measure_of(config: TokensConfig) -> Measure | None:
    """Return what a job's texts are measured by, None where they are not; raises NoTokenizerError."""
    if config.tokenizer is not None:
        return ByTokenizer(load_tokenizer(config.tokenizer), config.sample)
    return ByCharacters(config.chars_per_token) if config.chars_per_token is not None else None
