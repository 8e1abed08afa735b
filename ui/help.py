"""The help: pages in Markdown that come with the program, their window, and which one F1 opens."""

from __future__ import annotations

import re
from importlib import resources

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextCursor, QTextTable
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QWidget,
)

from ui.keys import key_tables, shown
from ui.lists import style_list
from ui.theme import L, current
from ui.widgets import Restyled, filled, resize_on_screen
from ui.words import say

START, KEYS = "index", "keys"
COLUMNS, LINES = 120, 40
_ROLE = int(Qt.ItemDataRole.UserRole)
_PROPERTY = "help"
# Marks the generated parts of a page; Qt would show an empty line for each mark.
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)


def about(widget: QWidget, page: str) -> None:
    """Set the help page of a widget: its name, optionally with ``#`` and a heading."""
    widget.setProperty(_PROPERTY, page)


def page_about(widget: QWidget | None) -> str:
    """Return the page of a widget, or of the nearest one around it that has one."""
    while widget is not None:
        if page := widget.property(_PROPERTY):
            return str(page)
        widget = widget.parentWidget()
    return START


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as the generator of the site makes it."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


class HelpWindow(Restyled, QDialog):
    """A list of all pages beside the current one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Help"))
        self._files = {
            file.name.removesuffix(".md"): file
            for file in (resources.files("resources") / "help").iterdir()
        }
        self.list = QListWidget()
        style_list(self.list, self.tr("Pages"))
        self.text = QTextBrowser(openLinks=False)
        self.text.setAccessibleName(self.tr("Help"))
        self.text.anchorClicked.connect(self._follow)
        self.page = ""
        self._fill_list()
        self._arrange()
        self.list.currentItemChanged.connect(self._choose)

    def show_page(self, place: str) -> None:
        """Show a page, scrolled to the heading after a ``#``; START for an unknown name."""
        name, _, heading = place.partition("#")
        if name not in self._files:
            name = START
        if name != self.page:
            self.page = name
            self.text.setMarkdown(
                self._keys() if name == KEYS else _COMMENT.sub("", self._read(name))
            )
            self.restyle()
            for row in range(self.list.count()):
                if self.list.item(row).data(_ROLE) == name:
                    self.list.setCurrentRow(row)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        if heading:
            self._go_to(heading)

    def restyle(self) -> None:
        """Draw tables with the lines of the theme, for which Markdown has no word."""
        for frame in self.text.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                table = frame.format().toTableFormat()
                table.setBorderBrush(current().line)
                frame.setFormat(table)

    def _fill_list(self) -> None:
        start = self._read(START)
        contents = re.findall(r"\[([^]]+)\]\((\w[\w-]*)\.md\)", start)
        for title, name in [(start.partition("\n")[0].removeprefix("# "), START), *contents]:
            item = QListWidgetItem(title[:1].upper() + title[1:])
            item.setData(_ROLE, name)
            self.list.addItem(item)

    def _arrange(self) -> None:
        filled(QHBoxLayout(self), self.list, self.text, edges=(L, L, L, L), wide=self.text)
        letter = self.fontMetrics()
        self.list.setFixedWidth(self.list.sizeHintForColumn(0) + 2 * self.list.frameWidth() + 2 * L)
        resize_on_screen(self, letter.averageCharWidth() * COLUMNS, letter.lineSpacing() * LINES)

    def _read(self, name: str) -> str:
        return self._files[name].read_text(encoding="utf-8")

    def _keys(self) -> str:
        """Return the page of keys in the window's language, with this system's names of keys."""
        title = self.tr("Keys")
        return "\n".join([f"# {title}", "", *key_tables(say, lambda key: shown([key]))])

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.data(_ROLE) != self.page:
            self.show_page(item.data(_ROLE))

    def _follow(self, link: QUrl) -> None:
        name = link.path().removesuffix(".md") or self.page
        self.show_page(f"{name}#{link.fragment()}")

    def _go_to(self, heading: str) -> None:
        document = self.text.document()
        block = document.begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and anchor(block.text()) == heading:
                self.text.setTextCursor(QTextCursor(block))
                top = document.documentLayout().blockBoundingRect(block).top()
                self.text.verticalScrollBar().setValue(round(top))
                return
            block = block.next()
