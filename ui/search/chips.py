"""The row under the box: phrases and excluded words of the query as chips, and menus of filters.

Owns the texts of chips, also of those in the box. Chips are made from the query whenever it
changes, and only edit its text. It must not know how a query is answered.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from indexer.query.grammar import clauses
from ui.search.filter_menus import FilterMenus
from ui.search.pill import Pill
from ui.search.query_text import STEERING, without
from ui.search.safe_text import line
from ui.theme import S
from ui.widgets import FlowLayout

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from indexer.query.grammar import Clause
# Offsets after the path of a document, see ``ui.search.query_text.similar``.
_SPAN = re.compile(r"#\d+-\d+$")
# Filters whose values are paths.
_PLACES = frozenset({"in", "like", *STEERING})
# A pasted text may hold thousands of quotation marks.
_MOST_CHIPS = 40


class Chip(Pill):
    """A clause of the query; a click, or Delete, removes it."""

    removed = Signal()
    moved = Signal(int)

    def __init__(self, clause: Clause, parent: QWidget | None = None, pages: str = "") -> None:
        label = label_of(clause, pages)
        super().__init__(label, "close", filled=True, parent=parent)
        self.clause = clause
        self.written = ""  # the clause in the grammar
        self.setAccessibleName(self.tr("Filter {name}").format(name=label))
        self.setAccessibleDescription(self.tr("Press Delete to remove it"))
        self.setToolTip(self.tr("Remove “{name}” (Del)").format(name=label))
        self.clicked.connect(self.removed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(self.tr("Remove this filter")).triggered.connect(self.click)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match Qt.Key(event.key()):
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.removed.emit()
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key:
                forth = (key is Qt.Key.Key_Right) == self._reads_to_the_right()
                self.moved.emit(1 if forth else -1)
            case _:
                super().keyPressEvent(event)

    def _reads_to_the_right(self) -> bool:
        parent = self.parentWidget()
        return parent is None or not parent.isRightToLeft()


class ChipBar(QWidget):
    """Chips of the query, and the menus that add filters.

    Signals:
        edited: The new query, after a chip was removed or a filter added.
        typing_requested: A filter whose value is to be typed, such as ``date:``.
    """

    edited = Signal(str)
    typing_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.comes_after: QWidget | None = None  # the widget before the chips in the tab order
        self._text = ""
        self._chips: list[Chip] = []
        self._flow = FlowLayout(self, S)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Filters"))
        self.menus = FilterMenus(self)
        for button in self.menus.buttons:
            self._flow.addWidget(button)
        self.menus.chosen.connect(self._edit)
        self.menus.typing_requested.connect(self.typing_requested)

    @property
    def chips(self) -> tuple[Chip, ...]:
        return tuple(self._chips)

    def show_query(self, text: str) -> None:
        """Show a chip for each phrase and excluded word of a query."""
        self._text = self.menus.query = text
        wanted = [each for each in clauses(text) if not each.operator][:_MOST_CHIPS]
        shown = [_what(chip.clause) for chip in self._chips]
        if shown == [_what(clause) for clause in wanted]:
            for chip, clause in zip(self._chips, wanted, strict=True):
                chip.clause = clause
            return
        focused = next((at for at, chip in enumerate(self._chips) if chip.hasFocus()), None)
        for chip in self._chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = [self._made(clause, at) for at, clause in enumerate(wanted)]
        self._order_tabs()
        if focused is not None:
            self._focus(min(focused, len(self._chips) - 1))
        self.updateGeometry()

    def _made(self, clause: Clause, at: int) -> Chip:
        chip = Chip(clause, self)
        chip.removed.connect(self._remove)
        chip.moved.connect(self._move)
        self._flow.insert_widget(at, chip)
        chip.show()
        return chip

    def _order_tabs(self) -> None:
        """Put the chips before the menus in the tab order, where new widgets come last."""
        before = self.comes_after or self
        for each in (*self._chips, *self.menus.buttons):
            QWidget.setTabOrder(before, each)
            before = each

    def _remove(self) -> None:
        chip = self.sender()
        if isinstance(chip, Chip):
            self._edit(without(self._text, chip.clause))

    def _move(self, step: int) -> None:
        chip = self.sender()
        if isinstance(chip, Chip) and chip in self._chips:
            self._focus(self._chips.index(chip) + step)

    def _focus(self, at: int) -> None:
        if 0 <= at < len(self._chips):
            self._chips[at].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.menus.buttons[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _edit(self, text: str) -> None:
        self.edited.emit(text)


def label_of(clause: Clause, pages: str = "") -> str:
    """Return the text of a chip; ``pages`` are those of the passage that a clause names."""
    value = line(clause.value)
    translate = QCoreApplication.translate
    if not clause.operator:
        text = f"“{value}”" if clause.quoted else value
        return translate("Chip", "not {value}").format(value=text) if clause.excluded else text
    named = {
        "in": translate("Chip", "In: {value}"),
        "ext": translate("Chip", "Type: {value}"),
        "type": translate("Chip", "Type: {value}"),
        "date": translate("Chip", "Date: {value}"),
        "after": translate("Chip", "From: {value}"),
        "before": translate("Chip", "Before: {value}"),
        "size": translate("Chip", "Size: {value}"),
        "title": translate("Chip", "Title: {value}"),
        "author": translate("Chip", "Author: {value}"),
        "lang": translate("Chip", "Language: {value}"),
        "page": translate("Chip", "Page: {value}"),
        "like": translate("Chip", "Like: {value}"),
        "more": translate("Chip", "More like {value}"),
        "less": translate("Chip", "Less like {value}"),
    }
    short = _short(clause.operator, value)
    if pages:
        short = translate("Chip", "{pages} of {value}").format(pages=pages, value=short)
    elif clause.operator == "like" and _SPAN.search(value):
        named["like"] = translate("Chip", "Like a passage of {value}")
    label = named.get(clause.operator, "{value}").format(value=short)
    return translate("Chip", "not {value}").format(value=label) if clause.excluded else label


def readable(query: str) -> str:
    """Return a query for display: with names of documents and folders in place of their paths."""
    named: list[str] = []
    for clause in reversed(clauses(query)):
        if clause.operator in _PLACES:
            query = without(query, clause)
            named.insert(0, label_of(clause))
    return " · ".join(filter(None, (query.strip(), *named)))


def _short(operator: str, value: str) -> str:
    """Return the last part of a path; other values unchanged."""
    if operator not in _PLACES:
        return value
    value = _SPAN.sub("", value)
    parts = [part for part in value.replace(os.sep, "/").split("/") if part]
    return parts[-1] if parts else value


def _what(clause: Clause) -> tuple[str, str, bool, bool]:
    return clause.operator, clause.value, clause.excluded, clause.quoted
