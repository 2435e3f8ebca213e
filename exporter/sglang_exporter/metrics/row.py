"""What one metric is: a row of the catalogue."""

from typing import Literal, NamedTuple

Type = Literal["counter", "gauge", "histogram"]


class Row(NamedTuple):
    """One metric.

    `labels` are all that its series can carry; `engine` and `dp_rank` are there only when the log tells them.
    `source` names the log field or the file that the value comes from, in SGLang's words.
    """

    name: str
    type: Type
    help: str
    labels: tuple[str, ...]
    source: str
