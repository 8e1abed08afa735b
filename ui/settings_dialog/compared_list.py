"""The answers of two models to the same questions, with a mark for the passage that is right.

It must not know how answers are found or counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from indexer.api.models import ModelComparison
from ui.theme import S
from ui.widgets import RowDelegate
from ui.words import amounts

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from indexer.api.models import ComparedPassage, ComparedQuestion

LINES = 12
_SPOKEN = Qt.ItemDataRole.AccessibleTextRole
_CHECKED = Qt.CheckState.Checked


class ComparedList(QTreeWidget):
    """A row for each question, and below it one for each passage with its ranks.

    Attributes:
        comparison: What is shown; its questions say which passage was marked as right.

    Signals:
        marked: Another passage is right, or none is any more.
    """

    marked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.comparison = ModelComparison("", "", ())
        self.setItemDelegate(RowDelegate(self))
        self.setAccessibleName(self.tr("What either model finds"))
        self.setFixedHeight(self.fontMetrics().height() * (LINES + 2) + LINES * S)
        header = self.header()
        header.setStretchLastSection(False)
        self.setColumnCount(3)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.itemChanged.connect(self._mark)

    def show_comparison(self, found: ModelComparison) -> None:
        self.comparison = found
        names = [self.tr("Question and passages"), self.tr("Before"), self.tr("In use")]
        self.setHeaderLabels(names)
        for column, model in enumerate((found.first, found.second), 1):
            self.headerItem().setToolTip(column, model)
        self.blockSignals(True)
        self.clear()
        rows = [self._row_of(question) for question in found.questions]
        self.addTopLevelItems(rows)
        self.blockSignals(False)
        for row in rows[:1]:
            self.expandItem(row)
            self.setCurrentItem(row)

    def _row_of(self, question: ComparedQuestion) -> QTreeWidgetItem:
        shared = self.tr("{question} – {number} of the first ten in both").format(
            question=question.question.text, number=amounts.count(question.shared)
        )
        row = QTreeWidgetItem([shared])
        row.setToolTip(0, shared)
        for passage in question.passages:
            row.addChild(self._row_of_passage(passage))
        return row

    def _row_of_passage(self, passage: ComparedPassage) -> QTreeWidgetItem:
        row = QTreeWidgetItem([f"{passage.place}: {passage.text}"])
        row.setToolTip(0, passage.text)
        _check(row, on=passage.right)
        for column, rank in enumerate(passage.ranks, 1):
            row.setText(column, amounts.count(rank) if rank is not None else "–")
            if rank is None:
                row.setData(column, _SPOKEN, self.tr("not among the first ten"))
        return row

    def _mark(self, item: QTreeWidgetItem, _column: int) -> None:
        """Take the passage that was marked for the right one of its question, and no other."""
        parent: QTreeWidgetItem | None = item.parent()
        if parent is None:
            return
        number, chosen = self.indexOfTopLevelItem(parent), parent.indexOfChild(item)
        checked = item.checkState(0) == _CHECKED
        questions = list(self.comparison.questions)
        asked = questions[number]
        passages = tuple(
            replace(passage, right=checked and index == chosen)
            for index, passage in enumerate(asked.passages)
        )
        right = passages[chosen].place if checked else ""
        questions[number] = replace(
            asked, question=replace(asked.question, right=right), passages=passages
        )
        self.comparison = replace(self.comparison, questions=tuple(questions))
        self.blockSignals(True)
        for index, passage in enumerate(passages):
            _check(parent.child(index), on=passage.right)
        self.blockSignals(False)
        self.marked.emit()


def _check(item: QTreeWidgetItem | None, *, on: bool) -> None:
    if item is not None:  # None without a row, which there is
        item.setCheckState(0, _CHECKED if on else Qt.CheckState.Unchecked)
