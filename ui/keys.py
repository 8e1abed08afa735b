"""The keys of the window: one table, from which the list under ``?`` is made.

Owns which keys there are and what they do, in words. What happens at a key is up to the part of
the window that hears it; a test presses every one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ui.theme import XL, L, M, S
from ui.words.mark import QT_TRANSLATE_NOOP

if TYPE_CHECKING:
    from collections.abc import Sequence


class Key(NamedTuple):
    """``keys`` in Qt's portable notation; several are alternatives, or a pair."""

    keys: tuple[str, ...]
    text: str


class Group(NamedTuple):
    """The keys of one part of the window."""

    title: str
    keys: tuple[Key, ...]


SEARCH_BOX, PREVIEW, SETTINGS, LIST, PAUSE = "Ctrl+L", "F1", "Ctrl+,", "?", "Ctrl+Shift+P"
BACK, CLOSE, QUIT = "Esc", "Ctrl+W", "Ctrl+Q"
PAGES = ("Ctrl+1", "Ctrl+2", "Ctrl+3")

KEYS = (
    Group(QT_TRANSLATE_NOOP("Keys", "Everywhere"), (
        Key((SEARCH_BOX, BACK), QT_TRANSLATE_NOOP("Keys", "Go to the search box")),
        Key(PAGES, QT_TRANSLATE_NOOP("Keys", "Search, library, activity")),
        Key((PREVIEW,), QT_TRANSLATE_NOOP("Keys", "Show or hide the preview")),
        Key((PAUSE,), QT_TRANSLATE_NOOP("Keys", "Pause reading, or go on")),
        Key((SETTINGS,), QT_TRANSLATE_NOOP("Keys", "Settings")),
        Key((LIST,), QT_TRANSLATE_NOOP("Keys", "This list")),
        Key((CLOSE,), QT_TRANSLATE_NOOP("Keys", "Close the window")),
        Key((QUIT,), QT_TRANSLATE_NOOP("Keys", "Quit Lectern")),
    )),
    Group(QT_TRANSLATE_NOOP("Keys", "Search box and results"), (
        Key(("Up", "Down"), QT_TRANSLATE_NOOP("Keys", "Previous or next passage")),
        Key(("Ctrl+Up", "Ctrl+Down"), QT_TRANSLATE_NOOP("Keys", "Previous or next document")),
        Key(("Return",), QT_TRANSLATE_NOOP("Keys", "Open the document at its page")),
        Key(("Ctrl+Return",), QT_TRANSLATE_NOOP("Keys", "Show the file in its folder")),
        Key(("Space",), QT_TRANSLATE_NOOP("Keys", "Show or hide the preview, in the results")),
        Key(("Ctrl+Space",), QT_TRANSLATE_NOOP("Keys", "Suggestions, in the search box")),
        Key(("Ctrl+C",), QT_TRANSLATE_NOOP("Keys", "Copy the passage, in the results")),
        Key(("Ctrl+Shift+C",), QT_TRANSLATE_NOOP("Keys", "Copy the passage with its source")),
    )),
    Group(QT_TRANSLATE_NOOP("Keys", "Preview"), (
        Key(("Alt+Up", "Alt+Down"),
            QT_TRANSLATE_NOOP("Keys", "Previous or next hit in this document")),
        Key(("Ctrl++", "Ctrl+-"), QT_TRANSLATE_NOOP("Keys", "Larger or smaller")),
        Key(("Ctrl+0",), QT_TRANSLATE_NOOP("Keys", "Fit the width")),
    )),
    Group(QT_TRANSLATE_NOOP("Keys", "List of files"), (
        Key(("F5",), QT_TRANSLATE_NOOP("Keys", "Read the file again")),
        Key(("Del",), QT_TRANSLATE_NOOP("Keys", "Leave the file out")),
        Key(("Ctrl+F",), QT_TRANSLATE_NOOP("Keys", "Filter by name")),
    )),
)  # fmt: skip


def say(text: str) -> str:
    return QCoreApplication.translate("Keys", text)


def shown(keys: Sequence[str]) -> str:
    """Keys as they are called on this system."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(each).toString(native) for each in keys)


class KeyList(QDialog):
    """Shows the table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keys"))
        grid = QGridLayout()
        grid.setContentsMargins(L, M, L, M)
        grid.setHorizontalSpacing(XL)
        grid.setVerticalSpacing(S)
        for group in KEYS:
            self._add_group(grid, group)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        inside = QWidget()
        inside.setLayout(grid)
        scroll = QScrollArea()
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setAccessibleName(self.tr("Keys"))
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(
            inside.sizeHint().width() + scroll.verticalScrollBar().sizeHint().width()
        )
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(scroll, 1)
        column.addWidget(close)
        edges = column.contentsMargins()
        around = edges.top() + edges.bottom() + column.spacing() + close.sizeHint().height()
        self.resize(self.sizeHint().width(), inside.sizeHint().height() + around)

    def _add_group(self, grid: QGridLayout, group: Group) -> None:
        title = QLabel(say(group.title))
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        title.setContentsMargins(0, M, 0, 0)
        grid.addWidget(title, grid.rowCount(), 0, 1, 2)
        for key in group.keys:
            row = grid.rowCount()
            grid.addWidget(QLabel(shown(key.keys)), row, 0)
            grid.addWidget(QLabel(say(key.text)), row, 1)
