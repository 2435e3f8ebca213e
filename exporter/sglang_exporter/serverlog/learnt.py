"""What has been learnt of a log, as it is saved. Apart from the readers, for who saves it need not load them."""

from msgspec import Struct, field


class UnwrapperState(Struct):
    """What an unwrapper has learnt of a log; pieces of lines are no part of it, for they may hold prompts."""

    bare: bool = False
    """SGLang's lines stand there without a wrapper."""
    proven: list[str] = []
    """Doubtful wrappers in which one of SGLang's lines was seen."""


class DecoderState(Struct):
    """What a decoder has learnt of its log."""

    prefixed: bool = False
    unwrapper: UnwrapperState = field(default_factory=UnwrapperState)
