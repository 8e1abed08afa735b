"""Files handed to the desktop: opened in their own program, shown in the file manager.

Owns the calls that each system wants. Nothing here waits for an answer.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices


def open_file(path: str) -> bool:
    """Open a file in the program the person uses for its kind; False if nothing took it."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(path))


def show_in_folder(path: str) -> bool:
    """Show a file selected in its folder, or at least the folder."""
    if sys.platform == "darwin":
        return _start("open", ["-R", path])
    if sys.platform == "win32":
        return _start("explorer.exe", [f"/select,{Path(path)}"])
    return open_file(str(Path(path).parent))


def _start(program: str, arguments: list[str]) -> bool:
    started: object = QProcess.startDetached(program, arguments)
    return bool(started[0] if isinstance(started, tuple) else started)
