"""HTML that is safe by construction: text is escaped where it goes in, unless it was made here."""

from html import escape

Attribute = str | float | bool | None


class Markup(str):
    """HTML."""

    __slots__ = ()


def tag(name: str, *children: str | None, **attributes: Attribute) -> Markup:
    """Return an element around its children, which are markup, text, or None for nothing.

    `class_` is `class`, `aria_label` is `aria-label`; an attribute is bare for True, and left out for None and False.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    return Markup(f"<{name}{written}>{together(*children)}</{name}>")


def together(*children: str | None) -> Markup:
    """Return one piece of HTML after the other."""
    return Markup("".join(_escaped(child) for child in children if child is not None))


def _escaped(child: str) -> str:
    return child if isinstance(child, Markup) else escape(child, quote=False)


def _attribute(key: str, value: Attribute) -> str:
    name = key.rstrip("_").replace("_", "-")
    if isinstance(value, bool):
        return f" {name}" if value else ""
    return f' {name}="{escape(str(value))}"'
