"""The toolbar of the preview, and the line for finding words in the shown document."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui import keys
from ui.preview.page_layout import Fit, Zoom
from ui.search.labels import Muted
from ui.theme import M, S, icon, icon_size
from ui.widgets import ElidedLabel, filled
from ui.words import names

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QResizeEvent


class FindBar(QWidget):
    """A field with buttons and keys; hidden until it is opened.

    Signals:
        wanted: The text to find, and 1 for the next place, -1 for the one before, 0 for the first
            one from the current page on.
        closed: The bar was closed.
    """

    wanted = Signal(str, int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLineEdit()
        self.text.setPlaceholderText(self.tr("Find in this document"))
        self.text.setAccessibleName(self.text.placeholderText())
        self.text.textEdited.connect(self._type)
        self.said = Muted()
        self.before = self._button("chevron-up", self.tr("Previous place (Shift+F3)"))
        self.after = self._button("chevron-down", self.tr("Next place (F3)"))
        close = self._button("close", self.tr("Close (Esc)"))
        self.before.clicked.connect(partial(self.step_places, -1))
        self.after.clicked.connect(partial(self.step_places, 1))
        close.clicked.connect(self.close_bar)
        row = filled(QHBoxLayout(self), self.text, spacing=S, edges=(M, S, M, S), wide=self.text)
        for part in (self.said, self.before, self.after, close):
            row.addWidget(part)
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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange:
            for button in self.findChildren(QToolButton):
                button.setIconSize(icon_size(self))

    def _type(self, text: str) -> None:
        if text.strip():
            self.wanted.emit(text, 0)
        else:
            self.say_places("")

    def _button(self, drawing: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(drawing))
        button.setIconSize(icon_size(self))
        button.setAutoRaise(True)
        button.setToolTip(text)
        button.setAccessibleName(text.partition(" (")[0])
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button


SCALES = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0)
_LABEL_CHARS = 5


class Toolbar(QWidget):
    """Two rows of controls: for the document; for its hits, pages and zoom."""

    hit_step = Signal(int)  # 1 for the next one, -1 for the one before
    page_entered = Signal(str)
    zoom_chosen = Signal(object)  # a Zoom
    zoom_step = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zoomable = False
        self.title = ElidedLabel(Qt.TextElideMode.ElideMiddle)
        self.open = self._button("open", self.tr("Open in your viewer"), "Return")
        self.folder = self._button("folder-open", self.tr("Show in folder"), "Ctrl+Return")
        self.copy = self._button("copy", self.tr("Copy the passage"))
        self.more = self._button("more", self.tr("More"))
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self)
        self.more.setMenu(self.menu)
        self.before = self._button("chevron-up", self.tr("Previous hit in this document"), "Alt+Up")
        self.after = self._button("chevron-down", self.tr("Next hit in this document"), "Alt+Down")
        self.place = QLabel()
        self.page = QLineEdit()
        self.page.setAccessibleName(self.tr("Page"))
        self.page.setToolTip(self.tr("Page: type a number or a label and press Enter"))
        self.page.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.total, self.unit = QLabel(), QLabel()
        self.smaller = self._button("zoom-out", self.tr("Smaller"), "Ctrl+-")
        self.larger = self._button("zoom-in", self.tr("Larger"), "Ctrl++")
        self.zoom = QToolButton()
        self.zoom.setAutoRaise(True)
        self.zoom.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.zoom.setMenu(self._zoom_menu())
        self.zoom.setAccessibleName(self.tr("Zoom"))
        self.zoom.setToolTip(self.tr("Zoom"))
        self.side = self._button("outline", self.tr("Pages and outline"), keys.SIDE)
        self.side.setCheckable(True)
        self._connect()
        self._lay_out()
        self._measure()

    def show_hits(self, index: int, count: int) -> None:
        """Show the number of the current hit of the document, from an index from 0."""
        several = count > 1
        text = self.tr("Hit {n} of {total}").format(n=index + 1, total=count)
        self.place.setText(text if several else "")
        self.before.setVisible(several)
        self.after.setVisible(several)
        self._fit()
        self.before.setEnabled(index > 0)
        self.after.setEnabled(index < count - 1)

    def show_page(self, label: str, number: int, count: int) -> None:
        """Show the current page: its label and, if different, its number."""
        self.page.setText(label)
        plain = label == str(number)
        total = self.tr("of {total}") if plain else self.tr("({n} of {total})")
        self.total.setText(total.format(n=number, total=count))
        self._fit()

    def show_unit(self, unit: str, number: int) -> None:
        """Show the slide, sheet or message of a text; ``unit`` is "" if there are none."""
        self.unit.setText(names.place(unit, str(number)))

    def show_zoom(self, zoom: Zoom, scale: float) -> None:
        self.zoom.setText(self.tr("{n} %").format(n=round(100 * scale)))
        for action in self.zoom.menu().actions():
            chosen = action.data()
            if isinstance(chosen, Zoom):
                same = chosen.fit is zoom.fit
                action.setChecked(same and (zoom.fit is not Fit.SCALE or _near(chosen, scale)))

    def show_kind(self, *, pages: bool, text: bool) -> None:
        """Show the controls for pages or text."""
        self.page.setVisible(pages)
        self.total.setVisible(pages)
        self.unit.setVisible(text)
        self.zoom.setVisible(pages)
        self.side.setVisible(pages)
        self._zoomable = pages or text
        self._fit()

    def add_choice(self, text: str, name: str) -> QAction:
        """Add an entry to the menu of further actions."""
        action = QAction(icon(name), text, self)
        self.menu.addAction(action)
        return action

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        extra = sum(part.sizeHint().width() + S for part in self._optional() if not part.isHidden())
        return QSize(max(0, hint.width() - extra), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()
            self._fit()

    def _optional(self) -> tuple[QWidget, ...]:
        """The controls to hide where room is short; keys and menus do the same."""
        return self.smaller, self.larger, self.place

    def _fit(self) -> None:
        """Show the optional controls for which there is room."""
        always = (self.before, self.after, self.page, self.total, self.unit, self.zoom,
                  self.side)  # fmt: skip
        room = self.width() - 2 * M
        room -= sum(each.sizeHint().width() + S for each in always if not each.isHidden())
        zooms = self.smaller.sizeHint().width() + self.larger.sizeHint().width() + 2 * S
        place = self.place.sizeHint().width() + S if self.place.text() else 0
        self.place.setVisible(bool(place) and place <= room)
        shown = self._zoomable and zooms + place <= room
        self.smaller.setVisible(shown)
        self.larger.setVisible(shown)

    def _button(self, name: str, text: str, shortcut: str = "") -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(name))
        button.setAutoRaise(True)
        button.setAccessibleName(text)
        native = QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)
        tip = self.tr("{text} ({keys})").format(text=text, keys=native) if shortcut else text
        button.setToolTip(tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _zoom_menu(self) -> QMenu:
        menu = QMenu(self)
        choices = [
            (self.tr("Fit width"), Zoom(Fit.WIDTH)),
            (self.tr("Fit page"), Zoom(Fit.PAGE)),
            (self.tr("Fit passage"), Zoom(Fit.PASSAGE)),
            *(
                (self.tr("{n} %").format(n=round(100 * each)), Zoom(Fit.SCALE, each))
                for each in SCALES
            ),
        ]
        for text, zoom in choices:
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setData(zoom)
            action.triggered.connect(partial(self._choose_zoom, zoom))
            if zoom.fit is Fit.PASSAGE:
                menu.addSeparator()
        return menu

    def _choose_zoom(self, zoom: Zoom, _checked: bool = False) -> None:
        self.zoom_chosen.emit(zoom)

    def _connect(self) -> None:
        self.before.clicked.connect(partial(self._step, -1))
        self.after.clicked.connect(partial(self._step, 1))
        self.smaller.clicked.connect(partial(self._zoom, -1))
        self.larger.clicked.connect(partial(self._zoom, 1))
        self.page.returnPressed.connect(self._enter)

    def _step(self, step: int, _checked: bool = False) -> None:
        self.hit_step.emit(step)

    def _zoom(self, step: int, _checked: bool = False) -> None:
        self.zoom_step.emit(step)

    def _enter(self) -> None:
        self.page_entered.emit(self.page.text())

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        for row in (top, bottom):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(S)
        top.addWidget(self.title, 1)
        for part in (self.copy, self.open, self.folder, self.more):
            top.addWidget(part)
        bottom.addWidget(self.before)
        bottom.addWidget(self.after)
        bottom.addWidget(self.place)
        bottom.addStretch(1)
        bottom.addWidget(self.page)
        bottom.addWidget(self.total)
        bottom.addWidget(self.unit)
        bottom.addStretch(1)
        for part in (self.smaller, self.zoom, self.larger, self.side):
            bottom.addWidget(part)
        filled(QVBoxLayout(self), top, bottom, spacing=S, edges=(M, S, M, S))

    def _measure(self) -> None:
        """Size icons and fields by the font."""
        metrics = self.fontMetrics()
        for button in self.findChildren(QToolButton):
            button.setIconSize(icon_size(self))
        self.page.setFixedWidth(metrics.horizontalAdvance("0" * _LABEL_CHARS) + 2 * M)
        font = self.font()
        font.setBold(True)
        self.title.setFont(font)


def _near(zoom: Zoom, scale: float) -> bool:
    return abs(zoom.scale - scale) < 0.005
