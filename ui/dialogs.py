"""The dialogs in which a person chooses a folder or files, or types a text; none of them blocks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget


def ask_text(
    parent: QWidget, title: str, label: str, chosen: Callable[[str], object], *, text: str = "",
    saves: str = "",
) -> None:  # fmt: skip
    """Ask for a text that begins as ``text``: a name if ``saves`` labels a button, else a note."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setTextValue(text)
    if saves:
        dialog.setOkButtonText(saves)
    else:
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
    dialog.textValueSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def choose_paths(
    parent: QWidget, title: str, chosen: Callable[[list[str]], None], *, folder: bool
) -> None:
    """Ask for a folder, or for files."""
    dialog = QFileDialog(parent, title)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    modes = QFileDialog.FileMode
    dialog.setFileMode(modes.Directory if folder else modes.ExistingFiles)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, folder)
    dialog.filesSelected.connect(chosen)
    dialog.open()


def choose_export(
    parent: QWidget, title: str, name: str, suffix: str, chosen: Callable[[Path], None]
) -> None:
    """Ask for the file of an export; a name is proposed."""
    saves = QFileDialog.AcceptMode.AcceptSave
    dialog = QFileDialog(parent, title, acceptMode=saves, defaultSuffix=suffix)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilter(f"*.{suffix}")
    dialog.selectFile(f"{name}.{suffix}")
    dialog.fileSelected.connect(lambda file: chosen(Path(file)))
    dialog.open()
