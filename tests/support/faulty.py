"""The exporter with a fault that quotes what it reads: `python faulty.py serve ...`, for what becomes of its words."""

import sys

import pytest

from sglang_exporter.cli import main
from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.serverlog.decoder import LogDecoder


def fail(*arguments: object) -> None:
    raise ValueError(repr(arguments))


if __name__ == "__main__":
    patch = pytest.MonkeyPatch()
    patch.setattr(Mapping, "read", fail)
    patch.setattr(LogDecoder, "decode", fail)
    sys.exit(main())
