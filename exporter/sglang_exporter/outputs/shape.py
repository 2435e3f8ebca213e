"""The part of a record that a mapping looks at, as a type for msgspec: the rest of the line is skipped undecoded."""

from collections.abc import Iterable
from typing import Any, Literal, TypedDict

from msgspec import Raw, json

from sglang_exporter.outputs.steps import Index, Items, Key, Prefix, Step

Use = Literal["value", "presence", "text", "items"]
"""What of a place is wanted: all of it, whether it is there, a text (left undecoded), or the number of its items."""
Route = tuple[tuple[Step, ...], Use]

_Scalar = str | int | float | bool | None
_make_typed_dict: Any = TypedDict
_make_list: Any = list


class _Node:
    """One place in a record, and what is wanted of it and below it."""

    def __init__(self) -> None:
        self.keys: dict[str, _Node] = {}
        self.items: _Node | None = None
        self.whole = False
        self.listed = False

    def item(self) -> "_Node":
        """Return the node of the items of a list."""
        self.items = self.items or _Node()
        return self.items

    def add(self, steps: tuple[Step, ...], use: Use) -> None:
        """Note that the place at the end of the steps is used."""
        match steps:
            case ():
                self.whole = self.whole or use == "value"
                self.listed = self.listed or use == "items"
            case (Key(name), *rest):
                self.keys.setdefault(name, _Node()).add(tuple(rest), use)
            case (Index(), *rest):
                self.item().add(tuple(rest), use)
            case (Items(key), *rest):
                if key is not None:
                    self.item().add((Key(key),), "value")
                self.item().add(tuple(rest), use)
            case (Prefix(), *_):
                self.whole = True

    def type(self, name: str) -> Any:  # noqa: ANN401 - a type made at run time
        """Return the type to decode: any JSON value fits it, whatever shape was expected."""
        if self.whole:
            return Any
        if not (self.keys or self.items or self.listed):
            return Raw
        json.encode(list(self.keys))  # the decoder finds no key beyond ASCII before its UTF-8 has been asked for
        keys = {key: node.type(f"{name}.{key}") for key, node in self.keys.items()}
        item = self.items.type(f"{name}[]") if self.items else Raw
        return _make_typed_dict(name, keys, total=False) | _make_list[item] | _Scalar


def shape_decoder(routes: Iterable[Route]) -> json.Decoder[object]:
    """Return a decoder for lines that hold a record or a list of records, of which only these routes are decoded."""
    line = _Node()
    record = line.item()
    line.add((), "items")
    record.add((), "items")
    for steps, use in routes:
        line.add(steps, use)
        record.add(steps, use)
    return json.Decoder(line.type("record"))
