"""`python -m sglang_exporter`."""

import sys

from sglang_exporter.cli import main

sys.exit(main())
