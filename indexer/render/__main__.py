"""``python -m indexer.render``: what the window starts."""

from __future__ import annotations

import sys

from indexer.render.child import main

if __name__ == "__main__":
    sys.exit(main())
