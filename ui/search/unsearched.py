"""The line below "No good match" and "Perhaps …": what the search did not fully cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from indexer.api.types import FileState
from ui.search.link import Link
from ui.search.message import Muted
from ui.theme import M, S
from ui.widgets import FlowLayout
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.status import Status

# Languages that are named; a tool tip names all.
_MOST = 5


class Unsearched(QWidget):
    """Signals: ``files_requested`` with the state of the files to show."""

    files_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Not searched"))
        self._flow = FlowLayout(self, M)
        self.hide()

    def show_status(self, status: Status) -> None:
        """Show which files are not searched, and which languages only by words."""
        self.forget()
        for number, state, tip in self._missing(status):
            link = Link(number, str(state))
            link.setToolTip(tip)
            link.setAccessibleDescription(tip)
            link.followed.connect(self.files_requested)
            self._add(link)
        advice = {each.language: each.advice for each in status.languages if each.advice}
        if advice:
            # In isolates, so that a name in Arabic does not turn the order of the words.
            listed = [f"\u2068{names.language(code)}\u2069" for code in advice]
            shown = ", ".join((*listed[:_MOST], *("…" for _ in listed[_MOST : _MOST + 1])))
            label = Muted(self.tr("By words only: {languages}").format(languages=shown))
            lines = zip(listed, map(failures.note, advice.values()), strict=True)
            tip = "\n".join(f"{name}: {note}" for name, note in lines)
            label.setToolTip(tip)
            label.setAccessibleDescription(tip)
            self._add(label)
        self.setVisible(self._flow.count() > 1)

    def forget(self) -> None:
        """Empty and hide the line."""
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._add(Muted(self.tr("Not searched:")))
        self.hide()

    @property
    def texts(self) -> list[str]:
        """The texts of the line."""
        parts = [self._flow.itemAt(at) for at in range(self._flow.count())]
        widgets = [part.widget() for part in parts if part is not None]
        return [each.text() for each in widgets if isinstance(each, Link | Muted)]

    def _missing(self, status: Status) -> Iterator[tuple[str, FileState, str]]:
        counts = status.files
        if number := counts.get(FileState.QUEUED, 0):
            tip = self.tr("They are being read; ask again in a while.")
            yield self.tr("%Ln waiting to be read", "", number), FileState.QUEUED, tip
        if number := counts.get(FileState.NEEDS_PASSWORD, 0):
            tip = self.tr("Enter their passwords in the list of files.")
            yield self.tr("%Ln locked", "", number), FileState.NEEDS_PASSWORD, tip
        if number := counts.get(FileState.NO_TEXT, 0):
            tip = self.tr("Scanned pages; the list of files says what is needed to read them.")
            yield self.tr("%Ln without text", "", number), FileState.NO_TEXT, tip
        damaged = FileState.UNREADABLE
        if number := counts.get(damaged, 0) + counts.get(FileState.FAILED, 0):
            tip = self.tr("The list of files gives the reason of each.")
            yield amounts.unreadable(number), damaged, tip

    def _add(self, widget: QWidget) -> None:
        # As high as a link, so that all have one baseline.
        widget.setMinimumHeight(self.fontMetrics().height() + 2 * S)
        self._flow.addWidget(widget)
        widget.show()
