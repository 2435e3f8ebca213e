"""The style of the page: what is written can be read, by day and by night."""

import re
from pathlib import Path

import pytest

import sglang_exporter.overview

STYLE = (Path(sglang_exporter.overview.__file__).parent / "style.css").read_text()
DAY, NIGHT = (
    dict(re.findall(r"--([\w-]+): (#\w+);", part)) for part in STYLE.split("@media (prefers-color-scheme: dark)")
)
WRITTEN = [
    *((text, ground) for text in ("text", "muted", "line") for ground in ("ground", "raised")),
    *((mood, f"{mood}-ground") for mood in ("good", "busy", "bad", "calm")),
]


def luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [DAY, NIGHT], ids=["day", "night"])
def test_what_is_written_stands_out(colours: dict[str, str]) -> None:
    assert {pair: ratio for pair in WRITTEN if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < 4.5} == {}
    assert contrast(colours["limit"], colours["raised"]) >= 3.0


def test_night_has_all_colours_of_the_day() -> None:
    assert DAY.keys() == NIGHT.keys()


def test_nothing_is_loaded() -> None:
    assert not re.search(r"url\(|@import", STYLE)
