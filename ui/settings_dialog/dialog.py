"""The settings dialog: a page for each group of settings, the privacy page, and a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.requests import GetStatus
from ui import desktop
from ui.help import about
from ui.ports import Notice, ignore
from ui.requests import Questions
from ui.settings_dialog.models import ModelsPage
from ui.settings_dialog.rows import SettingRow
from ui.theme import L, M, S
from ui.widgets import (
    CardFrame,
    Facts,
    IconButton,
    RowDelegate,
    filled,
    plain_label,
    resize_on_screen,
    scrolling,
    wrapped_label,
)
from ui.words import amounts, failures, say

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from indexer.api.status import Status
    from ui.ports import Context


CONNECTIONS_SHOWN = 5


class PrivacyPage(QWidget):
    """The privacy page. Signals: ``deletion_requested`` after the confirming word was typed."""

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
        self._questions.ask_engine(GetStatus(), self.show_status, failed=ignore)

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
        tree.setFixedHeight(tree.fontMetrics().height() * (CONNECTIONS_SHOWN + 2) + 2 * M)
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
        row = filled(QHBoxLayout(), label, self.confirm, self.delete, wide=self.confirm)
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


COLUMNS, LINES = 110, 38
MODELS, PRIVACY = "models", "privacy"
START_AT_LOGIN = "start_at_login"
ROLE = int(Qt.ItemDataRole.UserRole)


class SettingsDialog(QDialog):
    """A page for each group of settings; a change is stored at once.

    Signals:
        deletion_requested: The person has confirmed that everything is to be deleted.
    """

    deletion_requested = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(self.tr("Settings"))
        about(self, "settings")
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search the settings"))
        self.search.setAccessibleName(self.tr("Search the settings"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._update)
        self.pages = QListWidget()
        self.pages.setItemDelegate(RowDelegate(self.pages))
        self.pages.setAccessibleName(self.tr("Pages"))
        self.pages.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pages.setSpacing(S // 2)
        self.rows: dict[str, SettingRow] = {}
        self._headings: dict[str, QLabel] = {}
        self.models, self.privacy = ModelsPage(context), PrivacyPage(context)
        about(self.models, "languages")
        about(self.privacy, "privacy")
        self.privacy.deletion_requested.connect(self.deletion_requested)
        self.nothing = plain_label(self.tr("No setting matches."))
        self._arrange()
        self._make_pages()
        self._show_login()
        context.settings.watch(self._changed)
        self.pages.currentItemChanged.connect(self._choose_page)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.search.setFocus)
        self.pages.setCurrentRow(0)
        self._style_fonts()
        letter = self.fontMetrics()
        resize_on_screen(self, letter.averageCharWidth() * COLUMNS, letter.lineSpacing() * LINES)
        self.pages.setFocus()

    def show_page(self, group: str) -> None:
        """Show the settings of a group of ``Setting``, ``MODELS`` or ``PRIVACY``."""
        self.search.clear()
        for row in range(self.pages.count()):
            if self.pages.item(row).data(ROLE) == group:
                self.pages.setCurrentRow(row)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_headings"):
            self._style_fonts()

    def _arrange(self) -> None:
        inner = QWidget()
        self._column = filled(QVBoxLayout(inner), spacing=S, edges=(L, 0, L, L))
        self._scroll = scrolling(inner)
        close = IconButton(self.tr("&Close"))
        close.setAutoDefault(False)
        close.clicked.connect(self.close)
        left = filled(QVBoxLayout(), self.search, self.pages)
        right = filled(QVBoxLayout(), self._scroll)
        right.addWidget(close, 0, Qt.AlignmentFlag.AlignTrailing)
        filled(QHBoxLayout(self), left, right, spacing=L, edges=(L, L, L, L), wide=right)

    def _make_pages(self) -> None:
        groups: dict[str, list[SettingRow]] = {}
        for declaration in self._context.settings.declared():
            row = SettingRow(declaration, self._context.settings)
            self.rows[declaration.name] = row
            groups.setdefault(declaration.group, []).append(row)
        for group, rows in groups.items():
            self._add_page(group, say(group), list(rows))
        self._add_page(MODELS, self.tr("Language models"), [self.models])
        self._add_page(PRIVACY, self.tr("Privacy"), [self.privacy])
        self._column.addWidget(self.nothing)
        self._column.addStretch(1)

    def _add_page(self, name: str, label: str, parts: list[QWidget]) -> None:
        item = QListWidgetItem(label)
        item.setData(ROLE, name)
        self.pages.addItem(item)
        heading = plain_label(label)
        self._headings[name] = heading
        self._column.addWidget(heading)
        for part in parts:
            self._column.addWidget(part)

    def _style_fonts(self) -> None:
        font = QFont(self.font())
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.2)
        for heading in self._headings.values():
            heading.setFont(font)
        width = self.pages.sizeHintForColumn(0) + 2 * self.pages.frameWidth() + L
        placeholder = self.fontMetrics().horizontalAdvance(self.search.placeholderText())
        self.pages.setFixedWidth(max(width, placeholder + 2 * L))
        self.search.setFixedWidth(self.pages.width())

    def _choose_page(self, _item: object = None) -> None:
        if self.search.text():
            self.search.clear()
        self._update()
        self._scroll.verticalScrollBar().setValue(0)

    def _update(self, _text: str = "") -> None:
        """Show the rows of the page or, during a search, the matching rows of all pages."""
        text = self.search.text().strip()
        # None without a page, which the stub leaves out.
        item: QListWidgetItem | None = self.pages.currentItem()
        page = str(item.data(ROLE)) if item is not None else ""
        shown: set[str] = set()
        for row in self.rows.values():
            group = row.declaration.group
            there = row.matches(text) if text else group == page
            row.setVisible(there)
            if there:
                shown.add(group)
        for name, widget in ((MODELS, self.models), (PRIVACY, self.privacy)):
            widget.setVisible(not text and page == name)
            if not text and page == name:
                shown.add(name)
        for name, heading in self._headings.items():
            heading.setVisible(name in shown)
        self.nothing.setVisible(not shown)

    def _changed(self, name: str) -> None:
        """Update a row after a change from anywhere."""
        row = self.rows.get(name)
        if row is not None:
            row.show_value()
        if name == START_AT_LOGIN:
            self._apply_login()

    def _show_login(self) -> None:
        """Reset the setting if the entry was disabled outside, in the desktop's own settings."""
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
