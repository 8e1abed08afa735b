"""The folders offered in the first run, with check boxes.

It must not know what happens to the folders.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QStandardPaths, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from ui.theme import S
from ui.widgets import IconButton, choose_folder
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Sequence

_PLACES = (
    QStandardPaths.StandardLocation.DocumentsLocation,
    QStandardPaths.StandardLocation.DesktopLocation,
    QStandardPaths.StandardLocation.DownloadLocation,
)


def usual_folders() -> list[str]:
    """Return the system's folders for documents that exist, without the home folder itself."""
    home = QDir.homePath()
    found = [QStandardPaths.writableLocation(place) for place in _PLACES]
    return [path for path in dict.fromkeys(found) if path and path != home and QDir(path).exists()]


class FolderChoice(QWidget):
    """Signals: ``changed`` when the checked folders change."""

    changed = Signal()

    def __init__(self, offered: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Folders to search"))
        self._boxes: dict[str, QCheckBox] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(S)
        self.add_button = IconButton(self.tr("&Add folder…"), "folder-add")
        self.add_button.clicked.connect(self._ask)
        self._column.addSpacing(S)
        row = QVBoxLayout()
        row.addWidget(self.add_button)
        row.setAlignment(self.add_button, Qt.AlignmentFlag.AlignLeading)
        self._column.addLayout(row)
        for number, path in enumerate(offered):
            self._add(path, ticked=number == 0)

    @property
    def paths(self) -> list[str]:
        """The selected folders."""
        return [path for path, box in self._boxes.items() if box.isChecked()]

    @property
    def boxes(self) -> dict[str, QCheckBox]:
        return self._boxes

    def add(self, paths: Sequence[str]) -> None:
        """Offer more folders, checked."""
        for path in paths:
            if path in self._boxes:
                self._boxes[path].setChecked(True)
            else:
                self._add(path, ticked=True)
        self.changed.emit()

    def _add(self, path: str, *, ticked: bool) -> None:
        name = PurePath(path).name or path
        text = self.tr("{name} ({path})").format(name=name, path=from_home(path))
        box = QCheckBox(text.replace("&", "&&"))
        box.setChecked(ticked)
        box.setAccessibleName(path)
        box.toggled.connect(self.changed)
        self._column.insertWidget(len(self._boxes), box)
        self._boxes[path] = box

    def _ask(self) -> None:
        choose_folder(self, self.tr("Add a folder"), self.add)
