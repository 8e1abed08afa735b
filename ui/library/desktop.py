"""Files handed to the desktop: opened in their own program, shown in the file manager.

Owns nothing but the calls. Nothing here waits for an answer.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from ui.preview.viewers import show_path_in_folder


def open_file(path: str) -> bool:
    """Open a file in the program the person uses for its kind; False if nothing took it."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(path))


def show_in_folder(path: str) -> None:
    """Show a file selected in its folder, or at least the folder."""
    show_path_in_folder(Path(path))
