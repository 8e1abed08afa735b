"""The toolbar of the preview, and the line for finding words in the shown document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui import keys
from ui.lists import style_list
from ui.preview.page_layout import Fit, Zoom
from ui.search.safe_text import line
from ui.theme import M, S, icon
from ui.widgets import (
    ElidedLabel,
    IconToolButton,
    Restyled,
    filled,
    make_bold,
    menu_button,
    plain_label,
)
from ui.words import amounts, names

_MOST_ROWS = 6  # of the list of places


class FindBar(QWidget):
    """A field with buttons and keys, and the list of found places; hidden until it is opened.

    Signals:
        wanted: The text to find, and a step: 1 for the next place, -1 for the one before, 0 for the
            first one from the current page on.
        chosen: The number of a place in the list.
        closed: The bar was closed.
    """

    wanted = Signal(str, int)
    chosen = Signal(int)
    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.text = QLineEdit(placeholderText=self.tr("Find in this document"))
        self.text.setAccessibleName(self.text.placeholderText())
        self.text.textEdited.connect(self._type)
        self.said = plain_label(muted=True)
        self.before = self._button("chevron-up", self.tr("Previous place (Shift+F3)"))
        self.after = self._button("chevron-down", self.tr("Next place (F3)"))
        close = self._button("close", self.tr("Close (Esc)"))
        self.before.clicked.connect(partial(self.step_places, -1))
        self.after.clicked.connect(partial(self.step_places, 1))
        close.clicked.connect(self.close_bar)
        self.list = QListWidget()
        style_list(self.list, self.tr("Places"), framed=False)
        self.list.itemClicked.connect(self._choose)
        self.list.itemActivated.connect(self._choose)
        parts = (self.text, self.said, self.before, self.after, close)
        row = filled(QHBoxLayout(), *parts, spacing=S, wide=self.text)
        filled(QVBoxLayout(self), row, self.list, spacing=S, edges=(M, S, M, S))
        self.list.hide()
        self.hide()

    def open_bar(self, text: str = "") -> None:
        """Show the bar, and look for a text if one is given."""
        self.show()
        if text:
            self.text.setText(text)
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        if self.text.text():
            self.step_places(0)

    def close_bar(self) -> None:
        if not self.isHidden():
            self.hide()
            self.show_places([], -1)
            self.say_places("")
            self.closed.emit()

    def step_places(self, step: int, _checked: bool = False) -> None:
        """Look for the next place, or the one before."""
        if self.text.text().strip():
            self.wanted.emit(self.text.text(), step)

    def say_places(self, text: str) -> None:
        """Show the outcome of a search."""
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def show_places(self, places: Sequence[str], current: int) -> None:
        """List the places found so far; the current one by its number, -1 for none."""
        for row, text in enumerate(map(line, places)):
            if row < self.list.count():
                self.list.item(row).setText(text)
            else:
                self.list.addItem(text)
        for row in range(self.list.count() - 1, len(places) - 1, -1):
            self.list.takeItem(row)
        self.list.setCurrentRow(current)
        rows = min(len(places), _MOST_ROWS)
        self.list.setFixedHeight(max(rows * self.list.sizeHintForRow(0), 0) if rows else 0)
        self.list.setVisible(len(places) > 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match Qt.Key(event.key()):
            case Qt.Key.Key_Escape:
                self.close_bar()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.step_places(-1 if shift else 1)
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(self.list.row(item))

    def _type(self, text: str) -> None:
        self.show_places([], -1)
        if text.strip():
            self.wanted.emit(text, 0)
        else:
            self.say_places("")

    def _button(self, drawing: str, text: str) -> IconToolButton:
        button = IconToolButton(drawing, text)
        button.setAccessibleName(text.partition(" (")[0])
        return button


SCALES = (0.75, 1.0, 1.25, 1.5, 2.0)
_LABEL_CHARS = 5
_TITLE_CHARS = 16  # with less room the title has a line of its own


class Toolbar(Restyled, QWidget):
    """One row of controls: the document's name, its pages, the zoom, and actions on it.

    The buttons for the next and the previous hit are shown if there is no list of hits.
    """

    hit_step = Signal(int)  # 1 for the next one, -1 for the one before
    page_entered = Signal(str)
    zoom_chosen = Signal(object)  # a Zoom

    def __init__(self) -> None:
        super().__init__()
        self._steps = False
        self.side = self._button("outline", self.tr("Headings of this document"), keys.SIDE)
        self.side.setCheckable(True)
        self.title = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.before = self._button("chevron-up", self.tr("Previous hit in this document"), "Alt+Up")
        self.after = self._button("chevron-down", self.tr("Next hit in this document"), "Alt+Down")
        self.place = plain_label(muted=True)
        self.page = QLineEdit(alignment=Qt.AlignmentFlag.AlignRight)
        self.page.setAccessibleName(self.tr("Page"))
        self.page.setToolTip(self.tr("Page: type a number or a label and press Enter"))
        self.total, self.unit = plain_label(muted=True), plain_label(muted=True)
        self.zoom = menu_button(self._zoom_menu(), self.tr("Zoom"))
        self.copy = self._button("copy", self.tr("Copy the passage"))
        self.open = self._button("open", self.tr("Open in your viewer"), "Return")
        self.more = self._button("more", self.tr("More"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self)
        self.more.setMenu(self.menu)
        self.before.clicked.connect(lambda: self.hit_step.emit(-1))
        self.after.clicked.connect(lambda: self.hit_step.emit(1))
        self.page.returnPressed.connect(lambda: self.page_entered.emit(self.page.text()))
        self._parts = (
            self.before, self.after, self.place, self.page, self.total, self.unit, self.zoom,
            self.copy, self.open, self.more,
        )  # fmt: skip
        self._controls = filled(QHBoxLayout(), None, *self._parts, spacing=S)
        self._head = filled(QHBoxLayout(), self.side, self.title, spacing=S, wide=self.title)
        self._lines = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        filled(
            self._lines, self._head, self._controls, spacing=S, edges=(M, S, M, S), wide=self._head
        )
        self.restyle()

    def show_steps(self, *, shown: bool) -> None:
        """Show or hide the buttons that step through the hits."""
        self._steps = shown
        for part in (self.before, self.after, self.place):
            part.setVisible(shown and bool(self.place.text()))

    def show_hits(self, index: int, count: int) -> None:
        """Show which hit of the document is the current one; ``index`` counts from 0."""
        numbers = {"n": amounts.count(index + 1), "total": amounts.count(count)}
        text = self.tr("Hit {n} of {total}").format(**numbers)
        self.place.setText(text if count > 1 else "")
        self.before.setEnabled(index > 0)
        self.after.setEnabled(index < count - 1)
        self.show_steps(shown=self._steps)

    def show_page(self, label: str, number: int, count: int) -> None:
        """Show the current page: its label and, if different, its number."""
        self.page.setText(label)
        plain = label == str(number)
        total = self.tr("of {total}") if plain else self.tr("({n} of {total})")
        self.total.setText(total.format(n=amounts.count(number), total=amounts.count(count)))

    def show_unit(self, unit: str, number: int) -> None:
        """Show the slide, sheet or message of a text; ``unit`` is "" if there are none."""
        self.unit.setText(names.place(unit, str(number)))

    def show_zoom(self, zoom: Zoom, scale: float) -> None:
        self.zoom.setText(self._percent(scale))
        for action in self.zoom.menu().actions():
            chosen = action.data()
            if isinstance(chosen, Zoom):
                same = chosen.fit is zoom.fit
                near = abs(chosen.scale - scale) < 0.005
                action.setChecked(same and (zoom.fit is not Fit.SCALE or near))

    def show_kind(self, *, pages: bool, text: bool) -> None:
        """Show the controls for pages or text."""
        for part in (self.page, self.total, self.zoom):
            part.setVisible(pages)
        self.unit.setVisible(text)

    def add_choice(self, text: str, name: str, key: str = "") -> QAction:
        """Add an entry to the menu of further actions; ``key`` names the key that does the same."""
        action = QAction(icon(name), f"{text}\t{keys.shown([key])}" if key else text, self)
        self.menu.addAction(action)
        return action

    def event(self, event: QEvent) -> bool:
        """Put the title on a line of its own if too little of it would fit beside the controls."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            beside = _TITLE_CHARS * self.fontMetrics().averageCharWidth() + 2 * M
            for part in (self.side, *self._parts):
                if not part.isHidden():
                    beside += min(part.sizeHint().width(), part.maximumWidth()) + S
            way = QBoxLayout.Direction
            self._lines.setDirection(way.TopToBottom if self.width() < beside else way.LeftToRight)
        return super().event(event)

    def minimumSizeHint(self) -> QSize:
        """Return the size of the layout in two lines, even if it has one line now."""
        for each in (self._head, self._controls):
            each.invalidate()  # when a part is hidden, Qt invalidates only the outer layout
        wide = max(each.minimumSize().width() for each in (self._head, self._controls))
        return QSize(wide + 2 * M, super().minimumSizeHint().height())

    def _button(self, name: str, text: str, shortcut: str = "") -> IconToolButton:
        button = IconToolButton(name, text)
        if shortcut:
            tip = self.tr("{text} ({keys})")
            button.setToolTip(tip.format(text=text, keys=keys.shown([shortcut])))
        return button

    def _zoom_menu(self) -> QMenu:
        menu = QMenu(self)
        choices = [
            (self.tr("Fit the text"), Zoom(Fit.WIDTH)),
            (self.tr("Fit page"), Zoom(Fit.PAGE)),
            *((self._percent(each), Zoom(Fit.SCALE, each)) for each in SCALES),
        ]
        for text, zoom in choices:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setData(zoom)
        menu.triggered.connect(lambda action: self.zoom_chosen.emit(action.data()))
        return menu

    def _percent(self, scale: float) -> str:
        return self.tr("{n} %").format(n=amounts.count(round(100 * scale)))

    def restyle(self) -> None:
        """Size the field by the font."""
        wide = self.fontMetrics().horizontalAdvance("0" * _LABEL_CHARS)
        self.page.setFixedWidth(wide + 2 * M)
        self.setMinimumHeight(self.page.sizeHint().height() + 2 * S)
        make_bold(self.title)
