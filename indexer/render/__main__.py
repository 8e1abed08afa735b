"""The render child, which the window starts as ``python -m indexer.render``."""

from __future__ import annotations

import sys

from indexer.render.child import main

if __name__ == "__main__":
    sys.exit(main())
