"""The entry point: ``lectern`` and ``python -m app``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line."""
    from app.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
