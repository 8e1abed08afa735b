"""The modules of the model compiler, which is no part of the program."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "packaging" / "model"


def compiler(name: str) -> Any:
    """A module of it, by its name."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    return importlib.import_module(name)
