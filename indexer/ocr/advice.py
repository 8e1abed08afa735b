"""How to install text recognition on this machine.

Owns the one table of commands; what it gives is shown and never run.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from indexer.ocr.languages import package_of

if TYPE_CHECKING:
    from collections.abc import Callable

# Of Linux: the command that installs, and what it is to install; {} is the language.
_MANAGERS = {
    "apt-get": "sudo apt install tesseract-ocr tesseract-ocr-{}",
    "dnf": "sudo dnf install tesseract tesseract-langpack-{}",
    "zypper": "sudo zypper install tesseract-ocr tesseract-ocr-traineddata-{}",
    "pacman": "sudo pacman -S tesseract tesseract-data-{}",
    "apk": "sudo apk add tesseract-ocr tesseract-ocr-data-{}",
}
_SYSTEMS = {
    "darwin": "brew install tesseract tesseract-lang",
    "win32": "winget install --id UB-Mannheim.TesseractOCR",
}
_ELSEWHERE = "tesseract-ocr"


def install_command(
    platform: str = sys.platform, which: Callable[[str], str | None] = shutil.which
) -> str:
    """Return the command that installs Tesseract here, or the name of what is to be installed."""
    if platform in _SYSTEMS:
        return _SYSTEMS[platform]
    manager = next((name for name in _MANAGERS if which(name)), None)
    if manager is None:
        return _ELSEWHERE
    # Chinese is written with a hyphen there.
    return _MANAGERS[manager].format(package_of().replace("_", "-"))
