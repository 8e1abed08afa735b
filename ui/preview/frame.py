"""The widgets of the preview: controls, a banner, headings, and one of pages, text and message."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.private_files import is_copy
from indexer.api.requests import Unlock
from indexer.api.types import FileState
from ui import keys, passwords, theme
from ui.lists import style_tree
from ui.ports import ignore
from ui.preview.loader import Loader
from ui.preview.marks import NO_MARKS, flowing
from ui.preview.page_layout import Fit, Zoom
from ui.preview.page_view import PageView
from ui.preview.text_view import TextView
from ui.preview.toolbar import FindBar, Toolbar
from ui.theme import XL, L, S, pixmap
from ui.widgets import (
    WINDOW,
    IconButton,
    Restyled,
    ScrollPage,
    add_shortcut,
    filled,
    split,
    stacked,
    wrapped_label,
)
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.errors import LecternError
    from indexer.api.pages import TextPart
    from indexer.api.types import Hit, OutlineEntry
    from ui.ports import Context
    from ui.preview.document import PageDocument

_TITLE_SCALE = 1.15
_ICON_LINES = 2.4
# The drawing of a pane without a hit, whose sentence is muted.
NOTHING = "preview"


class MessagePane(Restyled, ScrollPage):
    """Shows a drawing, a sentence, a next step, and below them the index's text of the passage."""

    password_given = Signal(str)
    repeat_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.drawing = "document"
        self._icon = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.title, self.step, self.excerpt = _label(), _label(), _label()
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.step.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.excerpt.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._heading = _label()
        hint = self.tr("Password")
        self.password = QLineEdit(echoMode=QLineEdit.EchoMode.Password, placeholderText=hint)
        self.password.setAccessibleName(self.tr("Password of this document"))
        self.unlock = IconButton(self.tr("Unlock"), "lock", self._give)
        self.again = IconButton(self.tr("Try again"), "refresh", self.repeat_requested)
        self.password.returnPressed.connect(self._give)
        self._lay_out()
        self.restyle()

    def explain(self, name: str, title: str, step: str = "", *, again: bool = False) -> None:
        """Show a message."""
        self.drawing = name
        self.title.setText(title)
        self.title.setVisible(bool(title))
        self.step.setText(step)
        self.step.setVisible(bool(step))
        self.again.setVisible(again)
        self._field.hide()
        self.show_excerpt("", "")
        self.restyle()

    def ask_password(self, *, wrong: bool) -> None:
        """Show the field for a password; ``wrong`` says that the last one did not fit."""
        if wrong:
            self.step.setText(self.tr("That password does not open it."))
            self.step.show()
        self._field.show()
        self.password.clear()
        if wrong:
            self.password.setFocus()

    def show_excerpt(self, heading: str, text: str) -> None:
        """Show a text below the message; "" hides it."""
        self._heading.setText(heading)
        self.excerpt.setText(text)
        self._box.setVisible(bool(text))

    def _give(self) -> None:
        if self.password.text():
            self.password_given.emit(self.password.text())

    def _lay_out(self) -> None:
        self._field = QWidget()
        filled(QHBoxLayout(self._field), self.password, self.unlock, wide=self.password)
        self._box = QFrame(frameShape=QFrame.Shape.StyledPanel)
        filled(QVBoxLayout(self._box), self._heading, self.excerpt, edges=(L, L, L, L))
        inside = QWidget()
        parts = (None, self._icon, self.title, self.step, self._field)
        column = filled(QVBoxLayout(inside), *parts, spacing=L, edges=(XL, XL, XL, XL))
        column.addWidget(self.again, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._box)
        column.addStretch(2)
        self.setWidget(inside)
        for part in (self._field, self.again, self._box):
            part.hide()

    def restyle(self) -> None:
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * _TITLE_SCALE)
        says_something = self.drawing != NOTHING
        font.setBold(says_something)
        self.title.setFont(font)
        colours = theme.current()
        colour = colours.text if says_something else colours.muted
        shade = self.palette()
        shade.setColor(QPalette.ColorRole.WindowText, colour)
        self.title.setPalette(shade)
        small = self.font()
        small.setBold(True)
        self._heading.setFont(small)
        side = round(_ICON_LINES * self.fontMetrics().height())
        self._icon.setPixmap(pixmap(self.drawing, side, colour, self.devicePixelRatioF()))


def _label() -> QLabel:
    label = wrapped_label()
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return label


# The drawings of some failures; the others have a warning.
_ICONS = {
    "vanished": "document", "path_missing": "document", "empty": "document",
    "unsupported": "document", "needs_password": "lock",
}  # fmt: skip
# Failures with a button to retry.
_PASSING = frozenset({"vanished", "path_denied", "read_error", "child_died", "out_of_time"})


class DocumentPane(QWidget):
    """The page of a hit, its text, or a message in their place."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._hit: Hit | None = None
        self._tried = ""  # the password being tried
        self.pages, self.text, self.message = PageView(), TextView(), MessagePane()
        self.stack = stacked(self.message, self.pages, self.text)
        self.loader = loader = Loader(self, context.library)
        loader.opened.connect(self._opened)
        loader.marked.connect(self.pages.set_marks)
        loader.text_came.connect(self._text_came)
        loader.text_marked.connect(self.text.mark_passage)
        loader.more_came.connect(self.text.extend)
        loader.lost.connect(self._lost)
        loader.failed.connect(self._failed)
        self.text.more_requested.connect(loader.want_more)
        self.message.repeat_requested.connect(self._load_again)
        self.message.password_given.connect(self._load)

    @property
    def shown(self) -> QWidget | None:
        """The shown widget: ``pages``, ``text`` or ``message``."""
        return self.stack.currentWidget()

    @property
    def has_pages(self) -> bool:
        """Whether pages of a document are shown."""
        return self.shown is self.pages and self.pages.document is not None

    def bring(self, part: QWidget) -> None:
        """Show one of the parts."""
        self.stack.setCurrentWidget(part)

    def say_failure(self, error: LecternError, passage: str) -> None:
        """Show why there is no page, and the passage's text from the index."""
        sentence = failures.sentence(error.code, error.detail)
        step = failures.step(error.code, error.detail)
        if error.code == "vanished" and is_copy(self._context.library):
            sentence = self.tr("The document is not on this computer.")
            step = self.tr("The library was published without its documents, but with their text.")
        elif error.code == "vanished":
            sentence = self.tr("The file is no longer where it was.")
            step = self.tr("It may have been moved, renamed or deleted.")
        name = _ICONS.get(error.code, "warning")
        self._in_place_of_page(name, sentence, step, passage, again=error.code in _PASSING)

    def _in_place_of_page(
        self, name: str, sentence: str, step: str, passage: str, *, again: bool
    ) -> None:
        self.pages.show_document(None)
        self.message.explain(name, sentence, step, again=again)
        self.message.show_excerpt(self.tr("The passage, as it was read"), flowing(passage))
        self.bring(self.message)

    def _load_again(self) -> None:
        if self._hit is not None:
            self._load(passwords.shared().remembered_password(self._hit.path))

    def _load(self, password: str | None) -> None:
        if self._hit is not None:
            self._tried = password or ""
            self.loader.load_hit(self._hit, password)

    def _arrived(self) -> None:
        """Handle an opened document: a password that opened it is remembered."""
        if self._tried and self._hit is not None:
            path, password = self._hit.path, self._tried
            known = passwords.shared().remembered_password(path)
            passwords.shared().remember_password(path, password)
            if known is None or self._hit.state is FileState.NEEDS_PASSWORD:
                request = Unlock(Path(path), password)
                self._context.link.send_request(request, done=ignore)
        self._tried = ""

    def _opened(self, document: PageDocument) -> None:
        self._arrived()
        if self._hit is None:
            return
        page = min(max(self._hit.page, 1), document.count)
        if self.pages.document is not document:
            self.pages.show_document(document, page)
        elif not self._hit.text:
            self.pages.go_to(page)  # a passage is brought into view once it is found
        self.bring(self.pages)

    def _text_came(self, text: str, part: TextPart) -> None:
        self._arrived()
        self.pages.show_document(None)
        self.text.show_text(text, part, self._hit.format if self._hit is not None else "")
        self.bring(self.text)

    def _lost(self, _changed: bool) -> None:  # a slot
        """Show the page of a passage without marks, as the passage was not found there."""
        if self._hit is not None and self.has_pages:
            self.pages.set_marks(NO_MARKS)
            self.pages.go_to(self._hit.page)

    def _failed(self, error: LecternError) -> None:
        hit, tried, self._tried = self._hit, self._tried, ""
        if hit is None:
            return
        if error.code != "needs_password":
            self.say_failure(error, hit.text)
        elif tried:
            self.ask_password(hit.text, wrong=True)
        else:
            passwords.shared().find_password(hit.path, partial(self._looked_up, hit))

    def _looked_up(self, hit: Hit, password: str | None) -> None:
        """Handle the keyring's answer, unless a newer hit has replaced this one."""
        if hit is self._hit and password:
            self._load(password)
        elif hit is self._hit:
            self.ask_password(hit.text, wrong=False)

    def ask_password(self, passage: str, *, wrong: bool) -> None:
        """Ask for the password, in place of the page."""
        sentence = failures.sentence("needs_password")
        step = self.tr("Enter the password to see the page.")
        self._in_place_of_page("lock", sentence, step, passage, again=False)
        self.message.ask_password(wrong=wrong)


PAGE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
# The most entries of an outline that is shown whole; a larger one shows only its highest level.
_OPEN_ENTRIES = 60
# The width of the headings in widths of a letter, and the divisor of the room for the most of it.
_LETTERS, _SHARE = 40, 3


class OutlinePanel(QTreeWidget):
    """The headings of a document. Signals: ``page_requested`` with a page, from 1."""

    page_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.document: PageDocument | None = None
        self._page = 1
        style_tree(self, self.tr("Headings of this document"), framed=False)
        self.setUniformRowHeights(True)
        self.setIndentation(L)
        self.itemClicked.connect(self._choose)
        self.itemActivated.connect(self._choose)

    def show_document(self, document: PageDocument | None) -> None:
        """Set the document, without headings until those are shown."""
        if document is not self.document:
            self.document = document
            self.clear()

    def show_outline(self, entries: Sequence[OutlineEntry]) -> None:
        """Show the bookmarks of the document."""
        if self.document is None or not entries:
            return
        self.clear()
        top: list[QTreeWidgetItem] = []
        path: list[tuple[int, QTreeWidgetItem]] = []
        for entry in entries:
            while path and path[-1][0] >= entry.level:
                path.pop()
            item = QTreeWidgetItem([entry.title, self.document.label(entry.page)])
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column in range(2):
                item.setToolTip(column, entry.title)
            item.setData(0, PAGE_ROLE, entry.page)
            if path:
                path[-1][1].addChild(item)
            else:
                top.append(item)
            path.append((entry.level, item))
        self.addTopLevelItems(top)
        if len(top) <= _OPEN_ENTRIES:
            self.expandToDepth(0)
        self.show_page(self._page)

    def show_page(self, page: int) -> None:
        """Select the heading of the page that is in view."""
        self._page = page
        item = self._nearest(page)
        if item is not None and item is not self.currentItem():
            self.setCurrentItem(item)
            self.scrollToItem(item)

    def _nearest(self, page: int) -> QTreeWidgetItem | None:
        """Return the deepest heading on a page, else the last one before it."""
        found: QTreeWidgetItem | None = None
        parent = self.invisibleRootItem()
        while parent.childCount():
            items = [parent.child(at) for at in range(parent.childCount())]
            known = [item for item in items if item is not None and item.data(0, PAGE_ROLE) <= page]
            here = [item for item in known if item.data(0, PAGE_ROLE) == page]
            if not known:
                break
            found = parent = here[0] if here else known[-1]
        return found

    def _choose(self, item: QTreeWidgetItem) -> None:
        self.page_requested.emit(item.data(0, PAGE_ROLE))


class PreviewFrame(DocumentPane):
    """The widgets of the preview."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.setAccessibleName(self.tr("Preview"))
        self.bar = Toolbar()
        self.finding, self.side = FindBar(), OutlinePanel()
        self.banner = QLabel(wordWrap=True)
        self.banner.setContentsMargins(L, S, L, S)
        self.banner.setFrameShape(QFrame.Shape.StyledPanel)
        self._beside = split(self.side, self.stack, shares=(0, 1))
        parts = (self.bar, self.finding, self.banner, self._beside)
        filled(QVBoxLayout(self), *parts, spacing=0, wide=self._beside)
        self.find_words = self.bar.add_choice(
            self.tr("Find in document"), "search-inside", "Ctrl+F"
        )
        self.similar = self.bar.add_choice(self.tr("Similar"), "similar")
        self.elsewhere = self.bar.add_choice(self.tr("Said elsewhere"), "library", keys.ELSEWHERE)
        self.cite = self.bar.add_choice(self.tr("Copy with citation"), "copy", keys.CITE)
        self.keep = self.bar.add_choice(self.tr("Add to the basket"), "basket", keys.COLLECT)
        self.folder = self.bar.add_choice(self.tr("Show in folder"), "folder-open")
        self.bar.menu.addSeparator()
        self.reading = self.bar.add_choice(self.tr("Read in the whole window"), "window", keys.READ)
        self.apart = self.bar.add_choice(self.tr("Open in its own window"), "open", keys.OWN_WINDOW)
        self.print = self.bar.add_choice(self.tr("Print…"), "document", keys.PRINT)
        self.dark_pages = self.bar.add_choice(self.tr("Dark pages in the dark theme"), "preview")
        self.dark_pages.setCheckable(True)
        self.turn_right = self.bar.add_choice(self.tr("Turn clockwise"), "turn-right")
        self.turn_left = self.bar.add_choice(self.tr("Turn anticlockwise"), "turn-left")
        self._connect_bar()

    def _connect_bar(self) -> None:
        """Connect the toolbar with the pages and the text."""
        self.bar.page_entered.connect(self._page_entered)
        self.bar.zoom_chosen.connect(self.pages.set_zoom)
        self.turn_right.triggered.connect(partial(self._turn, 1))
        self.turn_left.triggered.connect(partial(self._turn, -1))
        self.pages.page_changed.connect(self._page_changed)
        self.pages.zoom_changed.connect(self.show_zoom)
        for key, call, step in (
            ("Ctrl++", self._zoom_step, 1),
            ("Ctrl+=", self._zoom_step, 1),
            ("Ctrl+-", self._zoom_step, -1),
            ("Ctrl+0", self._zoom_step, 0),
            ("Ctrl+R", self._turn, 1),
            ("Ctrl+Shift+R", self._turn, -1),
        ):
            add_shortcut(self, key, partial(call, step), WINDOW)

    @property
    def selected(self) -> str:
        """The selected text, "" for none."""
        text = self.text.copy_flowing() if self.shown is self.text else ""
        return text or flowing(self.pages.selection.text)

    def show_zoom(self) -> None:
        self.bar.show_zoom(self.pages.zoom, self.pages.scale)

    def _page_changed(self, page: int) -> None:
        if (document := self.pages.document) is not None:
            self.bar.show_page(document.label(page), page, document.count)

    def _page_entered(self, text: str) -> None:
        document = self.pages.document
        page = document.find_page(text) if document is not None else None
        if page is not None:
            self.pages.go_to(page)
            self.pages.setFocus()
        self._page_changed(self.pages.page)

    def _zoom_step(self, step: int) -> None:
        if self.shown is self.text:
            self.text.zoom_by(step)
        elif step == 0:
            self.pages.set_zoom(Zoom(Fit.WIDTH))
        else:
            self.pages.zoom_by(step)

    def _turn(self, step: int, _checked: bool = False) -> None:
        self.pages.turn_by(step)

    def bring(self, part: QWidget) -> None:
        """Show one of the parts, with its controls."""
        super().bring(part)
        self.bar.show_kind(pages=self.has_pages, text=part is self.text)
        self.show_side()
        for action in (self.turn_left, self.turn_right):
            action.setVisible(self.has_pages)

    def show_side(self) -> None:
        """Show the headings if the document has some and the person wants them."""
        document = self.pages.document if self.has_pages else None
        has_some = document is not None and document.outlined
        self.bar.side.setVisible(has_some)
        shown = has_some and self.bar.side.isChecked()
        if shown and self.side.isHidden():
            room = self.width()
            wide = min(_LETTERS * self.side.fontMetrics().averageCharWidth(), room // _SHARE)
            self._beside.setSizes([wide, room - wide])
        self.side.setVisible(shown)

    def say_nothing_chosen(self) -> None:
        self.banner.hide()
        self.bar.hide()
        self.message.explain("preview", self.tr("Choose a result to see its page here."))
        self.bring(self.message)

    def _lost(self, changed: bool) -> None:  # a slot
        """Say above the page that the passage was not found on it."""
        super()._lost(changed)
        gone = self.tr("This file has changed since it was read; the passage is no longer here.")
        unmarked = self.tr("The passage could not be marked here; this is where it begins.")
        self.banner.setText(gone if changed else unmarked)
        self.banner.show()

    def say_offline(self, passage: str) -> None:
        sentence = self.tr("The drive of this document is not connected.")
        step = self.tr("Connect it to see the page; what was read of it stays searchable.")
        self._in_place_of_page("offline", sentence, step, passage, again=True)
