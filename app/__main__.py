"""The entry point: ``lectern`` and ``python -m app``."""

from __future__ import annotations

import importlib
import sys
import time

BEGAN = time.monotonic()

_CHILDREN = {
    "--extraction-child": "indexer.extract.process.child",
    "--render-child": "indexer.render.child",
    "--compiler": "indexer.compiler.__main__",
}


def main() -> int:
    """Run the command line, or one of the children that a frozen program starts as itself."""
    if (child := _CHILDREN.get("".join(sys.argv[1:2]))) is not None:
        sys.argv = [sys.argv[0], *sys.argv[2:]]
        return int(importlib.import_module(child).main())
    from app.cli import main
    from app.confined import begin

    return main(began=BEGAN, confine=begin)


if __name__ == "__main__":
    sys.exit(main())
