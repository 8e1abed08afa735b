"""``lectern`` over the fake engine: ``python -m tests.fake_cli ARGUMENTS``."""

from __future__ import annotations

import sys

from app.cli import main
from tests.fake_engine import FakeEngine

if __name__ == "__main__":
    sys.exit(main(open_engine=FakeEngine.open))
