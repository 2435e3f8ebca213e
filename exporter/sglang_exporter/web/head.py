"""The head of a request, read strictly: what two readers might take for two things is taken for nothing."""

import re
from collections.abc import Mapping
from email.message import Message
from http import HTTPStatus
from io import BufferedIOBase

LONGEST_HEAD = 32768
LARGEST_BODY = 65536
_LONGEST_LINE = 16384
_MOST_FIELDS = 100
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_REQUEST = re.compile(_TOKEN + rb" [!-~]+ HTTP/[1-9]\.[0-9]\r?\n")
_FIELD = re.compile(_TOKEN + rb":[\t -~\x80-\xff]*\r?\n")
_END = (b"\r\n", b"\n")
_ONCE = ("host", "content-length", "authorization", "transfer-encoding")
_LENGTH = re.compile(r"[0-9]{1,18}")


class RefusedError(Exception):
    """A request that is answered with a status and no more."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


def read_head(stream: BufferedIOBase) -> tuple[bytes, bytes]:
    """Return request line and fields, each with its end; empty when the peer says nothing. Raises RefusedError."""
    request = stream.readline(_LONGEST_LINE + 1)
    if len(request) > _LONGEST_LINE:
        raise RefusedError(HTTPStatus.REQUEST_URI_TOO_LONG)
    if not request:
        return b"", b""
    if not _REQUEST.fullmatch(request):
        raise RefusedError(HTTPStatus.BAD_REQUEST)
    fields: list[bytes] = []
    while (field := stream.readline(_LONGEST_LINE + 1)) not in _END:
        if len(field) > _LONGEST_LINE or len(fields) == _MOST_FIELDS:
            raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        if not _FIELD.fullmatch(field):
            raise RefusedError(HTTPStatus.BAD_REQUEST)
        fields.append(field)
    return request, b"".join([*fields, field])


def fields_of(message: Message) -> Mapping[str, str]:
    """Return the fields by their names in lower case; raises RefusedError where one is there twice that must not."""
    found: dict[str, str] = {}
    for name, value in message.items():
        key = name.lower()
        if key in found and key in _ONCE:
            raise RefusedError(HTTPStatus.BAD_REQUEST)
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found


def body_length(fields: Mapping[str, str]) -> int:
    """Return the bytes of the body; raises RefusedError where they are not told, told in two ways, or too many."""
    length = fields.get("content-length")
    if "transfer-encoding" in fields:
        raise RefusedError(HTTPStatus.NOT_IMPLEMENTED if length is None else HTTPStatus.BAD_REQUEST)
    if length is None:
        return 0
    if not _LENGTH.fullmatch(length):
        raise RefusedError(HTTPStatus.BAD_REQUEST)
    if int(length) > LARGEST_BODY:
        raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    return int(length)
