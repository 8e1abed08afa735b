"""Files and folders dropped on a page or chosen in a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, Qt
from PySide6.QtWidgets import QFileDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QMimeData
    from PySide6.QtWidgets import QWidget


def dropped_paths(data: QMimeData) -> list[str]:
    """Return the local paths of dragged data."""
    urls = data.urls() if data.hasUrls() else []
    paths = [QDir.toNativeSeparators(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return [path.rstrip("/") or path for path in paths if path]


def choose_folder(parent: QWidget, title: str, chosen: Callable[[list[str]], None]) -> QFileDialog:
    """Ask for a folder, without blocking."""
    dialog = _dialog(parent, title, chosen)
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.open()
    return dialog


def choose_files(parent: QWidget, title: str, chosen: Callable[[list[str]], None]) -> QFileDialog:
    """Ask for files, without blocking."""
    dialog = _dialog(parent, title, chosen)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.open()
    return dialog


def _dialog(parent: QWidget, title: str, chosen: Callable[[list[str]], None]) -> QFileDialog:
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.filesSelected.connect(chosen)
    return dialog
