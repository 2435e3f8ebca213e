import pytest

from sglang_exporter.outputs import errors, reasons


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("end_turn", "stop"),
        ("completed", "stop"),
        ("STOP", "stop"),
        ("length", "length"),
        ("max_tokens", "length"),
        ("model_length", "length"),
        ("incomplete", "length"),
        (True, "length"),
        ("tool_use", "tool_calls"),
        ("content_filter", "content_filter"),
        ("cancelled", "abort"),
        ("failed", "error"),
        ("matched something new", "other"),
        (None, "unknown"),
        ("", "unknown"),
        (False, "unknown"),
        ({"type": "stop", "matched": 2}, "stop"),
        ({"type": None}, "unknown"),
        ({"reason": "stop"}, "unknown"),
        ("FINISH_LENGTH", "length"),
        ("FinishReason.STOP", "stop"),
    ],
)
def test_finish_reasons_in_one_language(said: object, reason: str) -> None:
    assert reasons.finish_reason(said) == reason
    assert reason in reasons.REASONS


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ("ReadTimeout: ", "timeout"),
        ("Request timed out.", "timeout"),
        ({"message": "timeout\n", "code": 504}, "timeout"),
        ("RemoteProtocolError: Server disconnected without sending a response.", "connection"),
        ("ConnectError: All connection attempts failed", "connection"),
        ("ReadError: ", "connection"),
        ("Connection reset", "connection"),
        (
            {
                "object": "error",
                "message": "The input (10129 tokens) is longer than the model's context length.",
                "code": 400,
            },
            "context_length",
        ),
        ({"message": "context too long", "code": "context_length_exceeded"}, "context_length"),
        ({"code": "batch_expired", "message": "not run before the window closed"}, "expired"),
        ({"code": 499, "type": "RequestCancellationError", "message": "cancelled"}, "abort"),
        ("abort", "abort"),
        (429, "http_429"),
        ("RateLimitError", "http_429"),
        (400, "http_4xx"),
        ("Bad Request", "http_4xx"),
        ({"error": {"message": "no such model", "type": "NotFoundError"}}, "http_4xx"),
        (503, "http_5xx"),
        ("HTTP 503", "http_5xx"),
        ("status code: 502", "http_5xx"),
        ({"status_code": 500}, "http_5xx"),
        (["TimeoutError()(x3)"], "timeout"),
        (None, "null_output"),
        ({}, "null_output"),
        ("max turns", "other"),
        ("gave up after 512 tokens", "other"),
        (False, "other"),
        ("error", "other"),
    ],
)
def test_errors_in_one_language(evidence: object, reason: str) -> None:
    assert errors.error_reason([evidence]) == reason
    assert reason in errors.REASONS


def test_the_most_telling_evidence_decides() -> None:
    assert errors.error_reason(["error", None, "Request timed out."]) == "timeout"
    assert errors.error_reason([400, {"code": "context_length_exceeded"}]) == "context_length"


def test_of_a_long_message_only_the_beginning_is_looked_at() -> None:
    assert errors.error_reason(["x" * 5000 + "timeout"]) == "other"
