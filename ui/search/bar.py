"""The line at the top of the search page: the box, the menu of searches, and the help."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QMenu, QToolButton, QWidget

from indexer.query.grammar import clauses
from ui.icons import icon
from ui.ports import Notice
from ui.search.box import SearchBox
from ui.search.panels import GrammarHelp
from ui.search.query_text import parted, with_filter
from ui.search.safe_text import line
from ui.theme import M, icon_size
from ui.words import amounts

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QAction

    from ui.ports import Notices
    from ui.search.filter_values import Collections
    from ui.search.memory import Memory, Saved

_SHOWN = 12
_SAVE, _DISCARD, _FORGET, _RUN = "save", "discard", "forget", "run"
_COLLECT, _DISSOLVE = "collect", "dissolve"


class SearchBar(QWidget):
    """The box, with the buttons of saved searches and of the help.

    Signals:
        searched: A query to ask at once, such as a saved one or an example.
    """

    searched = Signal(str)

    def __init__(
        self,
        memory: Memory,
        collections: Collections,
        notices: Notices,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._memory = memory
        self._collections = collections
        self._notices = notices
        self._discarded: Saved | None = None
        self._saved: tuple[Saved, ...] = ()
        self.box = SearchBox()
        self.kept_button = self._button("star", self.tr("Saved and recent searches, collections"))
        self.kept_button.clicked.connect(self.show_kept)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill)
        self.menu.triggered.connect(self._chosen)
        self.help_button = self._button("help", self.tr("What you can type"))
        self.help_button.clicked.connect(self.show_help)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addWidget(self.box, 1)
        row.addWidget(self.kept_button)
        row.addWidget(self.help_button)
        memory.changed.connect(self._offer)
        self._enlarge()

    def show_kept(self) -> None:
        """Open the menu of saved and recent searches."""
        button, menu = self.kept_button, self.menu
        self._fill()
        left = 0 if self.isRightToLeft() else button.width() - menu.sizeHint().width()
        menu.popup(button.mapToGlobal(QPoint(left, button.height())))

    def show_saved(self, saved: tuple[Saved, ...]) -> None:
        """Show the number of new passages of the saved searches beside the star."""
        self._saved = saved
        new = sum(each.new for each in saved)
        name = self.tr("Saved and recent searches, collections")
        name = self.tr("{name}: {new}").format(name=name, new=amounts.new(new)) if new else name
        button = self.kept_button
        button.setText(amounts.count(new) if new else "")
        style = Qt.ToolButtonStyle
        button.setToolButtonStyle(
            style.ToolButtonTextBesideIcon if new else style.ToolButtonIconOnly
        )
        button.setToolTip(name)
        button.setAccessibleName(name)

    @cached_property
    def help(self) -> GrammarHelp:
        """The help of the grammar, made when first opened."""
        popover = GrammarHelp(self)
        popover.tried.connect(self.searched)
        return popover

    def show_help(self) -> None:
        """Open the help of the grammar."""
        self.help.open_below(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange and hasattr(self, "help_button"):
            self._enlarge()

    def _enlarge(self) -> None:
        """Make the text of the box larger than the window's."""
        font = self.font()
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * 1.15)
        self.box.setFont(font)
        for button in (self.kept_button, self.help_button):
            button.setIconSize(icon_size(self))

    def _button(self, drawing: str, name: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(drawing))
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _offer(self) -> None:
        memory = self._memory
        self.box.offers = replace(self.box.offers, recent=memory.recent, saved=memory.saved)

    def _fill(self) -> None:
        menu, memory, text = self.menu, self._memory, self.box.query.strip()
        menu.clear()
        name = memory.name_of(text)
        save = menu.addAction(icon("star"), self.tr("Save this search…"))
        save.setData((_SAVE, text))
        save.setEnabled(bool(text) and not name)
        if name:
            menu.addAction(
                icon("trash"), self.tr("Remove “{name}”").format(name=_plain(name))
            ).setData((_DISCARD, name))
        self._fill_collections(menu, text)
        if self._saved:
            menu.addSection(self.tr("Saved"))
            for saved in self._saved[:_SHOWN]:
                new = f" \u2013 {amounts.new(saved.new)}" if saved.new else ""
                self._add(menu, saved.name + new, saved.text)
        if memory.recent:
            menu.addSection(self.tr("Recent"))
            for recent in memory.recent[:_SHOWN]:
                self._add(menu, recent, recent)
            menu.addSeparator()
            menu.addAction(self.tr("Forget recent searches")).setData((_FORGET, ""))

    def _fill_collections(self, menu: QMenu, text: str) -> None:
        """Add an entry that saves the query's filters as a collection, and the collections."""
        filters = " ".join(parted(text)[0])
        keep = menu.addAction(icon("library"), self.tr("Keep the filters as a collection…"))
        keep.setData((_COLLECT, filters))
        keep.setEnabled(bool(filters))
        known = self._collections.known
        searched = {each.value for each in clauses(text) if each.operator == "in"}
        for name in sorted(searched.intersection(known)):
            remove = self.tr("Remove the collection “{name}”").format(name=_plain(name))
            menu.addAction(icon("trash"), remove).setData((_DISSOLVE, name))
        if known:
            menu.addSection(self.tr("Collections"))
            for name in list(known)[:_SHOWN]:
                self._add(menu, name, with_filter(text, "in", name))

    def _add(self, menu: QMenu, name: str, text: str) -> None:
        metrics = self.fontMetrics()
        room = metrics.averageCharWidth() * 50
        shown = metrics.elidedText(_plain(name), Qt.TextElideMode.ElideRight, room)
        menu.addAction(shown).setData((_RUN, text))

    def _chosen(self, action: QAction) -> None:
        command, text = action.data()
        match command:
            case "save":
                self._ask_name(text)
            case "discard":
                self.discard(text)
            case "forget":
                self._memory.forget_history()
            case "collect":
                self._collections.ask_name(text)
            case "dissolve":
                self._collections.remove_collection(text)
            case _:
                self.searched.emit(text)

    def _ask_name(self, text: str) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle(self.tr("Save this search"))
        dialog.setLabelText(self.tr("Name of the search:"))
        dialog.setTextValue(line(text))
        dialog.setOkButtonText(self.tr("Save"))
        dialog.textValueSelected.connect(self._save)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _save(self, name: str) -> None:
        self._memory.save_search(name, self.box.query)

    def discard(self, name: str) -> None:
        """Remove a saved search; it can be undone."""
        self._discarded = self._memory.discard_search(name)
        message = self.tr("The saved search was removed")
        self._notices.post(Notice(message, undo=self._restore))

    def _restore(self) -> None:
        if self._discarded is not None:
            self._memory.save_search(self._discarded.name, self._discarded.text)


def _plain(text: str) -> str:
    return line(text).replace("&", "&&")
