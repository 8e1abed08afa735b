"""The settings dialog: cards of settings on a page for each group, the models, and privacy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.requests import GetStatus
from ui import desktop
from ui.help import about
from ui.lists import style_list
from ui.ports import Context, EndAction, Ending, Notice, ignore
from ui.requests import Questions
from ui.settings_dialog.doors import DoorsPage, record_list, show_records
from ui.settings_dialog.models import ModelsPage
from ui.settings_dialog.rows import SettingRow
from ui.theme import L, M, S, icon, separator
from ui.vault import EncryptionCard
from ui.widgets import (
    CardFrame,
    Facts,
    IconButton,
    ScrollPage,
    filled,
    leading,
    resize_on_screen,
    timer,
    wrapped_label,
)
from ui.words import amounts, failures, say

if TYPE_CHECKING:
    from indexer.api.status import Status


CONNECTIONS_SHOWN = 5


class PrivacyPage(QWidget):
    """The privacy page. Signals: ``ending_chosen`` with an ``Ending`` that was confirmed."""

    ending_chosen = Signal(object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._questions = Questions(context, self)
        statement = wrapped_label(
            self.tr(
                "Lectern works without a network. Your documents, questions and results never "
                "leave this computer. Only a language model may be downloaded, once."
            )
        )
        self.facts = Facts()
        open_folder = partial(desktop.open_path, str(context.library), context.notices)
        folder = IconButton(self.tr("Open the library's &folder"), "folder-open", open_folder)
        made = wrapped_label(self.tr("Network connections so far:"))
        headers = (self.tr("When"), self.tr("What"), self.tr("Outcome"))
        self.connections = record_list(self.tr("Connections"), headers, CONNECTIONS_SHOWN)
        self.connections.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.connections.addAction(self.tr("Copy all")).triggered.connect(self._copy)
        self.no_connections = wrapped_label(
            self.tr("None. Lectern has never connected to anything.")
        )
        self.encryption = EncryptionCard(context)
        self.encryption.ending_chosen.connect(self.ending_chosen)
        parts = (statement, self.facts, leading(folder), made, self.connections)
        column = filled(QVBoxLayout(self), *parts, self.no_connections)
        for card in (self.encryption, self._make_delete()):
            column.addSpacing(L)
            column.addWidget(card)
        self.show_status(None)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.encryption.show_state()
        self._questions.ask_engine(GetStatus(), self.show_status, failed=ignore)

    def show_status(self, status: Status | None) -> None:
        """Show the engine's status; None before it has answered."""
        facts = [(self.tr("Library:"), status.library if status else str(self._context.library))]
        if status is not None:
            facts.append((self.tr("Size on disk:"), amounts.size(status.bytes)))
            facts.append((self.tr("Free on its disk:"), amounts.size(status.free_bytes)))
        facts.append((self.tr("Window:"), str(self._context.folder)))
        self.facts.show_facts(facts)
        made = status.connections if status is not None else ()
        rows = (
            [amounts.instant(each.time), each.what, failures.phrase(each.outcome, {})]
            for each in made
        )
        show_records(self.connections, rows, self.no_connections)

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
        self.delete = IconButton(self.tr("&Delete everything"), "trash", self._sure)
        self.delete.setEnabled(False)
        row = filled(QHBoxLayout(), label, self.confirm, self.delete, wide=self.confirm)
        filled(QVBoxLayout(frame), warning, row, spacing=S, edges=(L, M, L, M))
        return frame

    def _word(self) -> str:
        return self.tr("DELETE")

    def _typed(self, text: str) -> None:
        self.delete.setEnabled(text.strip().casefold() == self._word().casefold())

    def _sure(self) -> None:
        self.confirm.clear()
        self.ending_chosen.emit(Ending(EndAction.DELETE))


COLUMNS, LINES = 120, 42
MODELS, PRIVACY, DOORS = "models", "Privacy", "Other programs"
START_AT_LOGIN = "start_at_login"
ROLE = int(Qt.ItemDataRole.UserRole)
# The width of a card in average letters: 560 pixels with text of the usual size.
CARD_LETTERS = 80


class SettingsDialog(QDialog):
    """A page for each group of settings; a change is stored at once.

    Signals:
        ending_chosen: Close the window, and carry out the ``Ending``.
    """

    ending_chosen = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(self.tr("Settings"))
        about(self, "settings")
        self.pages = QListWidget()
        style_list(self.pages, self.tr("Pages"))
        self.pages.setSpacing(S // 2)
        self.rows: dict[str, SettingRow] = {}
        self._parts: dict[str, list[QWidget]] = {}  # of each page
        self._cards: list[QWidget] = []
        self.models, self.privacy = ModelsPage(context), PrivacyPage(context)
        self.doors = DoorsPage(context)
        about(self.models, "languages")
        about(self.privacy, "privacy")
        self.privacy.ending_chosen.connect(self.ending_chosen)
        self.advanced = IconButton(self.tr("&Advanced"), "chevron-right")
        self.advanced.setCheckable(True)
        self.advanced.toggled.connect(self._fold)
        self._started: dict[str, object] = {}  # first values of those that need a restart
        self._folded = QWidget()
        self._showing = timer(self, 0, self._show_folded)
        self._arrange()
        self._make_pages()
        self._show_login()
        context.settings.watch(self._changed)
        self.pages.currentItemChanged.connect(self._choose_page)
        self.pages.setCurrentRow(0)
        self._size_parts()
        self._show_pending()
        letter = self.fontMetrics()
        resize_on_screen(self, letter.averageCharWidth() * COLUMNS, letter.lineSpacing() * LINES)
        self.pages.setFocus()

    @property
    def page(self) -> str:
        """The group of the shown settings, or ``MODELS``."""
        item: QListWidgetItem | None = self.pages.currentItem()  # None at first
        return str(item.data(ROLE)) if item is not None else ""

    def show_page(self, group: str) -> None:
        """Show the settings of a group of ``Setting``, or ``MODELS``."""
        for row in range(self.pages.count()):
            if self.pages.item(row).data(ROLE) == group:
                self.pages.setCurrentRow(row)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_started"):
            self._size_parts()

    def _arrange(self) -> None:
        inner = QWidget()
        self._column = filled(QVBoxLayout(inner), spacing=L, edges=(L, 0, L, L))
        self._scroll = ScrollPage(inner)
        inner.installEventFilter(self)
        close = IconButton(self.tr("&Close"), pressed=self.close)
        self.pending = wrapped_label()
        restart = partial(self.ending_chosen.emit, Ending(EndAction.RESTART))
        self.restart = IconButton(self.tr("Re&start"), "refresh", restart)
        foot = filled(QHBoxLayout(), self.pending, self.restart, wide=self.pending)
        foot.addWidget(close, 0, Qt.AlignmentFlag.AlignTrailing)
        right = filled(QVBoxLayout(), self._scroll, foot, wide=self._scroll)
        filled(QHBoxLayout(self), self.pages, right, spacing=L, edges=(L, L, L, L), wide=right)

    def _make_pages(self) -> None:
        for declared in self._context.settings.declared():
            if not declared.at_once:
                self._started[declared.name] = self._context.settings[declared.name]
            if declared.group:
                row = self.rows[declared.name] = SettingRow(declared, self._context.settings)
                self._parts.setdefault(declared.group, []).append(row)
        self._parts[MODELS] = [self.models]
        order = sorted(self._parts, key=lambda group: group == PRIVACY)  # that one is last
        for group in order:
            item = QListWidgetItem(self.tr("Language models") if group == MODELS else say(group))
            item.setData(ROLE, group)
            self.pages.addItem(item)
            self._parts[group] = self._page(group, self._parts[group])
        self._column.addStretch(1)

    def _page(self, group: str, rows: list[QWidget]) -> list[QWidget]:
        """Put the rows of a page into cards, and return its parts."""
        if group == MODELS:
            parts = rows
        else:
            plain = [each for each in rows if not _is_advanced(each)]
            folded = [each for each in rows if _is_advanced(each)]
            parts = [self._card(plain)]
            if folded:
                self._folded = self._card(folded)
                parts += [self.advanced, self._folded]
            own = {PRIVACY: self.privacy, DOORS: self.doors}
            if group in own:
                parts.append(own[group])
        for part in parts:
            self._column.addWidget(part, 0, _START if part is self.advanced else _FILL)
        return parts

    def _card(self, rows: list[QWidget]) -> QWidget:
        card = CardFrame()
        column = filled(QVBoxLayout(card), spacing=0)
        for number, row in enumerate(rows):
            if number:
                column.addWidget(separator(QFrame.Shape.HLine))
            column.addWidget(row)
        self._cards.append(card)
        return card

    def _size_parts(self) -> None:
        self.pages.setFixedWidth(
            self.pages.sizeHintForColumn(0) + 2 * self.pages.frameWidth() + 2 * L
        )
        width = CARD_LETTERS * self.fontMetrics().averageCharWidth()
        for part in (*self._cards, self.models, self.privacy, self.doors):
            part.setMaximumWidth(width)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the page as wide as its rows need, as far as the screen has room."""
        if event.type() is QEvent.Type.LayoutRequest and watched is self._scroll.widget():
            bar = self._scroll.verticalScrollBar().sizeHint().width()
            room = self.screen().availableGeometry().width() - self.pages.width() - 6 * L
            self._scroll.setMinimumWidth(min(self._column.minimumSize().width() + bar, room))
        return False

    def _choose_page(self, _item: object = None) -> None:
        page = self.page
        for group, parts in self._parts.items():
            for part in parts:
                part.setVisible(group == page)
        self._fold()
        self._scroll.verticalScrollBar().setValue(0)

    def _fold(self, _unfolded: bool = False) -> None:
        unfolded = self.advanced.isChecked()
        self.advanced.setIcon(icon("chevron-down" if unfolded else "chevron-right"))
        self._folded.setVisible(unfolded and not self.advanced.isHidden())
        if unfolded:
            self._showing.start()

    def _show_folded(self) -> None:
        """Scroll to the unfolded settings once the page has been laid out."""
        self._scroll.verticalScrollBar().setValue(self.advanced.y())

    def _changed(self, name: str) -> None:
        """Update a row after its setting was changed, by whatever part."""
        row = self.rows.get(name)
        if row is not None:
            row.show_value()
        self.doors.show_choices()
        if name == START_AT_LOGIN:
            self._apply_login()
        self._show_pending()

    def _show_pending(self) -> None:
        """Say how many changes wait for a restart."""
        settings = self._context.settings
        number = sum(settings[name] != value for name, value in self._started.items())
        self.pending.setText(self.tr("Restart to apply %Ln change(s)", "", number))
        for part in (self.pending, self.restart):
            part.setVisible(number > 0)

    def _show_login(self) -> None:
        """Reset the setting if the entry was disabled in the desktop's own settings."""
        wanted = bool(START_AT_LOGIN in self.rows and self._context.settings[START_AT_LOGIN])
        if wanted and not desktop.starts_at_login():
            self._context.settings.set(START_AT_LOGIN, value=False)
            self.rows[START_AT_LOGIN].show_value()

    def _apply_login(self) -> None:
        wanted = bool(self._context.settings[START_AT_LOGIN])
        try:
            desktop.set_start_at_login(wanted, "gui", "--tray")
        except OSError as error:
            text = self.tr("The system did not let Lectern change what starts at login: {reason}.")
            self._context.notices.post(
                Notice(text.format(reason=error.strerror or type(error).__name__))
            )


_FILL, _START = Qt.AlignmentFlag(0), Qt.AlignmentFlag.AlignLeading


def _is_advanced(row: QWidget) -> bool:
    return isinstance(row, SettingRow) and row.declaration.advanced
