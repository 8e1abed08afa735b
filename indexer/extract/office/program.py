"""Finds LibreOffice. Standard library only, so that ``lectern doctor`` can use it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

_PLACES = {
    "darwin": ("/Applications/LibreOffice.app/Contents/MacOS/soffice",),
    "win32": (
        r"C:\Program Files\LibreOffice\program\soffice.com",
        r"C:\Program Files (x86)\LibreOffice\program\soffice.com",
    ),
}


def find_program() -> str:
    """Return the path of LibreOffice, "" if it is not installed."""
    for name in ("soffice", "libreoffice"):
        if found := shutil.which(name):
            return found
    return next((place for place in _PLACES.get(sys.platform, ()) if Path(place).is_file()), "")
