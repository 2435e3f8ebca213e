"""Which coding a peer wants a page in, of the two that there are: gzip, and as it is (RFC 9110, 12.5.3)."""

import re

_WEIGHT = r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?"
_ENTRY = re.compile(rf"[ \t]*([^ \t;]+)[ \t]*(?:;[ \t]*q=({_WEIGHT})[ \t]*)?", re.IGNORECASE)
_ALIASES = {"x-gzip": "gzip"}


def wants_gzip(accept: str) -> bool:
    """Tell whether a page is to be compressed, by the field `Accept-Encoding`; an entry that is malformed says nothing.

    What a peer likes as well either way is. One that takes neither gets the page as it is, not an error in its place.
    """
    weights = dict(_weights(accept))
    others = weights.get("*", 0.0)
    gzip, identity = weights.get("gzip", others), weights.get("identity", others)
    return gzip > 0 and gzip >= identity


def _weights(accept: str) -> list[tuple[str, float]]:
    found = filter(None, map(_ENTRY.fullmatch, accept.split(",")))
    return [(_ALIASES.get(entry[1].lower(), entry[1].lower()), float(entry[2] or 1)) for entry in found]
