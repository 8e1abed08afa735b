"""The entry point: ``lectern`` and ``python -m app``."""

from __future__ import annotations

import importlib
import os
import sys
import time

BEGAN = time.monotonic()

_CHILDREN = {
    "indexer.extract.process.child",
    "indexer.render.child",
    "indexer.embed.hub_child",
    "indexer.vault.keeper",
    "ui.confirm_viewer",
}


def main() -> int:
    """Run the command line, or one of the children that a frozen program starts as itself."""
    if getattr(sys, "frozen", False):
        _restore_library_path()  # before a module reads the environment
    from indexer.confine.process import CHILD_ARGUMENT

    if sys.argv[1:2] == [CHILD_ARGUMENT] and (child := "".join(sys.argv[2:3])) in _CHILDREN:
        sys.argv = [sys.argv[0], *sys.argv[3:]]
        return int(importlib.import_module(child).main())
    from app.cli import main

    return main(began=BEGAN, confined=True)


def _restore_library_path() -> None:
    """Undo PyInstaller's LD_LIBRARY_PATH: Tesseract or a viewer must not load our libraries."""
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    if before is not None:
        os.environ["LD_LIBRARY_PATH"] = before


if __name__ == "__main__":
    sys.exit(main())
