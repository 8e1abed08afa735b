"""What is asked before a model is imported from a folder: its name, and how it was trained.

It must not know what the folder holds: the engine reads it.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QHBoxLayout, QLineEdit, QWidget

from indexer.api.model_requests import ImportModel
from ui.theme import L, M, S
from ui.widgets import IconButton, choose_folder, plain_label, wrapped_label


class ImportForm(QFrame):
    """Signals: ``agreed``: the folder is to be imported, see ``request``."""

    agreed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._folder = Path()
        self._told = wrapped_label()
        self.name = QLineEdit()
        self.name.setAccessibleName(self.tr("Name of the model"))
        self.late = QCheckBox(self.tr("Its makers &trained it for late chunking"))
        self.late.setToolTip(
            self.tr("Then a passage is read together with its neighbours, else alone.")
        )
        self.take = IconButton(self.tr("Ta&ke it over"), "check")
        self.take.clicked.connect(self._agree)
        self.name.textChanged.connect(lambda text: self.take.setEnabled(bool(text.strip())))
        self.name.returnPressed.connect(self._agree)
        self.refuse = IconButton(self.tr("Not no&w"), "close")
        self.refuse.clicked.connect(self.hide)
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        for button in (self.take, self.refuse):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        label = plain_label(self.tr("N&ame:"))
        label.setBuddy(self.name)
        form = QFormLayout(self)
        form.setContentsMargins(L, M, L, M)
        form.setSpacing(M)
        form.addRow(self._told)
        form.addRow(label, self.name)
        form.addRow(self.late)
        form.addRow(buttons)
        self.hide()

    @property
    def request(self) -> ImportModel:
        return ImportModel(self._folder, self.name.text().strip(), self.late.isChecked())

    def choose(self) -> None:
        """Ask for the folder, without blocking; then for the rest."""
        choose_folder(self, self.tr("The folder of a language model"), self._choose)

    def _choose(self, paths: list[str]) -> None:
        self._folder = Path(paths[0])
        text = self.tr(
            "The model in {folder} is copied, compared with a reference and compiled; nothing in "
            "the folder is run. Read its licence before you use it."
        )
        self._told.setText(text.format(folder=self._folder))
        self.name.setText(self._folder.name)
        self.late.setChecked(False)
        self.show()
        self.name.setFocus()
        self.name.selectAll()

    def _agree(self) -> None:
        if self.take.isEnabled():
            self.hide()
            self.agreed.emit()
