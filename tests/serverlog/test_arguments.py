"""Arguments of a start in either spelling, and no secret among them."""

from sglang_exporter.serverlog.arguments import arguments
from sglang_exporter.serverlog.grammar import SERVER_ARGUMENTS

DATACLASS = "ServerArgs(model_path='a, b=1', api_key='sk-secret', tp_size=8, kv_cache_dtype=\"fp8_e5m2\", extra={'tp_size': 1}, mem_fraction_static=0.88, max_running_requests=None)"
DICT = "{'model_path': 'a, b=1', 'api_key': 'sk-secret', 'tp_size': 8, 'kv_cache_dtype': 'fp8_e5m2', 'extra': {'tp_size': 1}, 'mem_fraction_static': 0.88, 'max_running_requests': None}"


def test_both_spellings_say_the_same() -> None:
    said = [arguments(DATACLASS), arguments(DICT)]
    for fields in said:
        assert fields.pop("digest") is not None
        assert fields == {
            "model_path": "a, b=1",
            "tp_size": 8,
            "kv_cache_dtype": "fp8_e5m2",
            "mem_fraction_static": 0.88,
            "max_running_requests": None,
        }


def test_no_argument_outside_the_list_is_kept() -> None:
    assert set(arguments(DATACLASS)) <= {*SERVER_ARGUMENTS, "digest"}


def test_a_torn_line_gives_what_is_there() -> None:
    assert arguments(DATACLASS[:60])["model_path"] == "a, b=1"


def test_another_secret_alone_makes_another_digest() -> None:
    assert arguments(DICT)["digest"] != arguments(DICT.replace("sk-secret", "sk-other"))["digest"]
