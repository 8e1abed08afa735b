"""The privacy page: where data are stored, all connections made, and deleting everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.requests import GetStatus
from ui import desktop
from ui.library.questions import Questions
from ui.ports import ignore
from ui.theme import L, M, S
from ui.widgets import CardFrame, Facts, IconButton, RowDelegate, filled, wrapped_label
from ui.words import amounts, failures

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from indexer.api.status import Status
    from ui.ports import Context

LINES = 5


class PrivacyPage(QWidget):
    """Signals: ``deletion_requested`` after the person has typed the word that confirms it."""

    deletion_requested = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._statement = wrapped_label(
            self.tr(
                "Lectern works without a network. Your documents, questions and results never "
                "leave this computer. Only a language model may be downloaded, once."
            )
        )
        self.facts = Facts()
        self._open = IconButton(self.tr("Open the library's &folder"), "folder-open")
        self._open.clicked.connect(self._open_folder)
        self._made = wrapped_label(self.tr("Every connection ever made:"))
        self.connections = self._make_list()
        self.no_connections = wrapped_label(
            self.tr("None. Lectern has never connected to anything.")
        )
        self._delete = self._make_delete()
        column = filled(QVBoxLayout(self), self._statement, self.facts)
        column.addWidget(self._open, 0, Qt.AlignmentFlag.AlignLeading)
        column.addSpacing(M)
        for widget in (self._made, self.connections, self.no_connections):
            column.addWidget(widget)
        column.addSpacing(L)
        column.addWidget(self._delete)
        column.addStretch(1)
        self.show_status(None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._questions.ask(GetStatus(), self.show_status, failed=ignore)

    def show_status(self, status: Status | None) -> None:
        """Show the engine's status; None before it has answered."""
        rows = [(self.tr("Library:"), status.library if status else str(self._context.library))]
        if status is not None:
            rows.append((self.tr("Size on disk:"), amounts.size(status.bytes)))
            rows.append((self.tr("Free on its disk:"), amounts.size(status.free_bytes)))
        rows.append((self.tr("Window:"), str(self._context.folder)))
        self.facts.show_facts(rows)
        made = status.connections if status is not None else ()
        self.connections.clear()
        for each in made:
            cells = [
                amounts.instant(each.time),
                each.what,
                failures.phrase(each.outcome, {}),
            ]
            item = QTreeWidgetItem(cells)
            item.setToolTip(2, cells[2])
            self.connections.addTopLevelItem(item)
        self.connections.setVisible(bool(made))
        self.no_connections.setVisible(not made)

    def _make_list(self) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setItemDelegate(RowDelegate(tree))
        tree.setAccessibleName(self.tr("Connections"))
        tree.setColumnCount(3)
        tree.setHeaderLabels([self.tr("When"), self.tr("What"), self.tr("Outcome")])
        tree.setRootIsDecorated(False)
        tree.setUniformRowHeights(True)
        tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        tree.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        tree.header().setStretchLastSection(True)
        tree.setFixedHeight(tree.fontMetrics().height() * (LINES + 2) + 2 * M)
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        tree.addAction(self.tr("Copy all")).triggered.connect(self._copy)
        return tree

    def _copy(self) -> None:
        """Copy the connections, a line for each."""
        items = (
            self.connections.topLevelItem(at) for at in range(self.connections.topLevelItemCount())
        )
        rows = ("\t".join(map(item.text, range(3))) for item in items if item is not None)
        QGuiApplication.clipboard().setText("\n".join(rows))

    def _make_delete(self) -> CardFrame:
        frame = CardFrame()
        word = self._word()
        warning = wrapped_label(
            self.tr(
                "Delete everything that Lectern has made from your documents: the library, the "
                "history and the log. The documents themselves are not touched. This cannot be "
                "undone."
            )
        )
        label = QLabel(self.tr("T&ype {word} to confirm:").format(word=word))
        self.confirm = QLineEdit()
        self.confirm.setAccessibleName(label.text().replace("&", ""))
        self.confirm.textChanged.connect(self._typed)
        label.setBuddy(self.confirm)
        self.delete = IconButton(self.tr("&Delete everything"), "trash")
        self.delete.setEnabled(False)
        self.delete.clicked.connect(self._sure)
        row = filled(QHBoxLayout(), label, self.confirm, self.delete)
        row.setStretch(1, 1)
        filled(QVBoxLayout(frame), warning, row, spacing=S, edges=(L, M, L, M))
        return frame

    def _word(self) -> str:
        return self.tr("DELETE")

    def _typed(self, text: str) -> None:
        self.delete.setEnabled(text.strip().casefold() == self._word().casefold())

    def _sure(self) -> None:
        self.confirm.clear()
        self.deletion_requested.emit()

    def _open_folder(self) -> None:
        desktop.open_path(str(self._context.library), self._context.notices)
