"""HTML that is safe by construction: text is escaped where it goes in, unless it was made here."""

from functools import cache
from html import escape

Attribute = str | float | bool | None


class Markup(str):
    """HTML."""

    __slots__ = ()


def tag(name: str, *children: str | None, **attributes: Attribute) -> Markup:
    """Return an element around its children, which are markup, text, or None for nothing.

    `class_` is `class`, `aria_label` is `aria-label`; an attribute is bare for True, and left out for None and False.
    """
    written = [_attribute(key, value) for key, value in attributes.items() if value is not None and value is not False]
    return Markup(f"<{name}{''.join(written)}>{together(*children)}</{name}>")


def together(*children: str | None) -> Markup:
    """Return one piece of HTML after the other."""
    return Markup(
        "".join(
            [
                child if isinstance(child, Markup) else escape(child, quote=False)
                for child in children
                if child is not None
            ]
        )
    )


def _attribute(key: str, value: Attribute) -> str:
    return f" {_name(key)}" if value is True else f' {_name(key)}="{escape(str(value))}"'


@cache
def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
