"""The entry point: ``lectern`` and ``python -m app``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line, or the extraction child that a frozen program starts as itself."""
    if sys.argv[1:2] == ["--extraction-child"]:
        from indexer.extract.child import main as extract

        sys.argv = [sys.argv[0], *sys.argv[2:]]
        return extract()
    from app.cli import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
