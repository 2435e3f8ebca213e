"""Why a completion ended: the words of many writers brought to one closed list."""

from sglang_exporter.outputs.record import UNKNOWN

_WORDS = {
    "stop": "stop eos eos_token end_turn stop_sequence stop_token stop_string completed complete finished done success",
    "length": "length max_tokens max_length max_new_tokens max_output_tokens model_length truncated incomplete",
    "tool_calls": "tool_calls tool_call tool_use function_call",
    "content_filter": "content_filter safety refusal",
    "abort": "abort aborted cancel cancelled canceled",
    "error": "error failed failure",
}
_BY_WORD = {word: reason for reason, words in _WORDS.items() for word in words.split()}

REASONS = (*_WORDS, "other", UNKNOWN)


def finish_reason(value: object) -> str:
    """Return the reason of `REASONS` for what a record says; `true` stands for "truncated".

    SGLang's objects say it in `type`, and words of enumerations may come with their class, as `FinishReason.STOP`.
    """
    if isinstance(value, dict):
        value = value.get("type")
    if isinstance(value, str) and value:
        word = value.lower()
        return _BY_WORD.get(word) or _BY_WORD.get(word.rpartition(".")[2].removeprefix("finish_"), "other")
    return "length" if value is True else UNKNOWN
