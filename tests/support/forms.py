"""How SGLang prints the values of its labels: to be drawn at random, and to be told from anything else."""

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from sglang_exporter.serverlog.events import Value

_MOST = 10**7
_INTEGER = r"(?:0|[1-9][0-9]*)"
_DECIMAL = rf"{_INTEGER}\.[0-9][0-9]"
_FOUR_DECIMALS = rf"{_INTEGER}\.[0-9]{{4}}"
_FLAGS: dict[str, Value] = {"True": True, "False": False}
_OPTIONAL: dict[str, Value] = {"None": None, "-1": -1}


class Form(NamedTuple):
    """One way to print a value: the pattern of the text, a text drawn at random, and the value of a text."""

    pattern: str
    draw: Callable[[Random], str]
    value: Callable[[str], Value]


def _integer(random: Random) -> str:
    return str(random.choice((0, random.randrange(10), random.randrange(300), random.randrange(_MOST))))


def _decimal(random: Random) -> str:
    return f"{random.choice((0, random.randrange(10**4), random.randrange(_MOST))) / 100:.2f}"


def _ratio(random: Random) -> str:
    return f"{random.randrange(101) / 100:.2f}"


def _share(random: Random) -> str:
    return f"{random.randrange(10001) / 100:.2f}%"


def _moment(random: Random) -> str:
    return f"2025-07-{random.randrange(1, 31):02}T{random.randrange(24):02}:34:56.{random.randrange(10**6):06}"


def _numbers(names: tuple[str, ...], template: str) -> Callable[[str], Value]:
    """Return what reads the numbers of a template under their names."""
    pattern = re.compile(re.escape(template).replace("x", "([0-9.]+)"))
    return lambda text: {name: float(each) for name, each in zip(names, pattern.findall(text)[0], strict=True)}


def _by_pool(each: Form) -> Form:
    """Return the form of `full=1, swa=2`."""
    return Form(
        rf"full={each.pattern}, swa={each.pattern}",
        lambda random: f"full={each.draw(random)}, swa={each.draw(random)}",
        _numbers(("full", "swa"), "full=x, swa=x"),
    )


INTEGER = Form(_INTEGER, _integer, int)
DECIMAL = Form(_DECIMAL, _decimal, float)
RATIO = Form(_DECIMAL, _ratio, float)
PERCENT = Form(rf"{_DECIMAL}%", _share, lambda text: float(text[:-1]))
OCCUPANCY = Form(
    rf"(?:{_DECIMAL}|nan)%",
    lambda random: random.choice(("nan%", *[_share(random)] * 5)),
    lambda text: float(text[:-1]),
)
FLAG = Form("(?:True|False)", lambda random: random.choice(("True", "False")), _FLAGS.__getitem__)
MOMENT = Form(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", _moment, str)
GIGABYTES = Form(rf"{_DECIMAL} GB", lambda random: f"{_decimal(random)} GB", lambda text: float(text[:-3]))
OPTIONAL = Form(
    rf"(?:{_INTEGER}|None|-1)",
    lambda random: random.choice(("None", "-1", _integer(random))),
    lambda text: _OPTIONAL[text] if text in _OPTIONAL else int(text),
)
ESTIMATE = Form(
    rf"{_DECIMAL} \[{_DECIMAL}, {_DECIMAL}\]",
    lambda random: f"{_decimal(random)} [{_decimal(random)}, {_decimal(random)}]",
    _numbers(("mid", "lo", "hi"), "x [x, x]"),
)
CHANGE = Form(
    rf"{_FOUR_DECIMALS} -> {_FOUR_DECIMALS}",
    lambda random: f"{random.random():.4f} -> {random.random():.4f}",
    _numbers(("old", "new"), "x -> x"),
)

_BY_LABEL: dict[str, Form] = {
    "#token=": _by_pool(INTEGER),
    "token usage=": _by_pool(RATIO),
    "accept rate": RATIO,
    "cache hit rate": PERCENT,
    "tree_cache_hit_rate": PERCENT,
    "fwd occupancy": OCCUPANCY,
    "fwd+idle occupancy": OCCUPANCY,
    "est uncap acc len": ESTIMATE,
    "timestamp": MOMENT,
    "mamba num": INTEGER,
    "largest-len": INTEGER,
    "waiting-image-req": INTEGER,
    "max_total_num_tokens": INTEGER,
    "max_prefill_tokens": INTEGER,
    "max_running_requests": INTEGER,
    "context_len": INTEGER,
    "chunked_prefill_size": OPTIONAL,
    "available_gpu_mem": GIGABYTES,
    "available_cpu_mem": GIGABYTES,
    "#new_token_ratio": CHANGE,
}


def form_of(label: str) -> Form:
    """Return how the value of a label is printed."""
    if label in _BY_LABEL:
        return _BY_LABEL[label]
    if label.endswith(" graph"):
        return FLAG
    if label.endswith("usage"):
        return RATIO
    return INTEGER if "#" in label else DECIMAL
