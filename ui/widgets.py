"""The small widgets, layouts and helpers that every page of the window is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from PySide6.QtCore import QDir, QEvent, QMimeData, QObject, QPoint, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QIcon, QKeySequence, QPainter, QPaintEvent, QPalette, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from ui import theme
from ui.theme import L, M, S, current, icon, icon_size

if TYPE_CHECKING:
    from PySide6.QtCore import SignalInstance

LayoutT = TypeVar("LayoutT", bound=QBoxLayout)


def filled(
    layout: LayoutT,
    *parts: QWidget | QLayout | None,
    wide: QWidget | QLayout | None = None,
    spacing: int = M,
    edges: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> LayoutT:
    """Add widgets and layouts to a layout in their order; None adds a stretch.

    Args:
        wide: The part that gets the remaining room.
        spacing: Pixels between two parts.
    """
    layout.setContentsMargins(*edges)
    layout.setSpacing(spacing)
    for part in parts:
        stretch = int(part is wide)
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        else:
            layout.addLayout(part, stretch)
    return layout


def stacked(*parts: QWidget) -> QStackedWidget:
    """Return a stack of widgets, which shows the first one."""
    stack = QStackedWidget()
    for part in parts:
        stack.addWidget(part)
    return stack


def split(
    *parts: QWidget, shares: Sequence[int], way: Qt.Orientation = Qt.Orientation.Horizontal
) -> QSplitter:
    """Return a splitter of widgets, none of which can be collapsed.

    ``shares`` say how the widgets share room that is added or lost.
    """
    splitter = QSplitter(way)
    for at, (part, share) in enumerate(zip(parts, shares, strict=True)):
        splitter.addWidget(part)
        splitter.setStretchFactor(at, share)
    splitter.setChildrenCollapsible(False)
    return splitter


def leading(part: QWidget) -> QBoxLayout:
    """Return a row that begins with a widget, which is no wider than necessary."""
    return filled(QHBoxLayout(), part, None)


def remove_widgets(layout: QLayout) -> None:
    """Empty a layout, and delete the widgets in it."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


class ScrollPage(QScrollArea):
    """A scroll area without a frame, whose widget is as wide as itself."""

    def __init__(self, inside: QWidget | None = None) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        if inside is not None:
            self.setWidget(inside)


def resize_on_screen(window: QWidget, width: int, height: int) -> None:
    """Give a window a size that is no larger than its screen."""
    room = window.screen().availableGeometry().size() - QSize(2 * L, 4 * L)  # for its frame
    window.resize(QSize(width, height).boundedTo(room))


def make_bold(label: QWidget) -> None:
    font = label.font()
    font.setBold(True)
    label.setFont(font)


WINDOW = Qt.ShortcutContext.WindowShortcut


def add_shortcut(
    owner: QWidget,
    keys: str | QKeySequence.StandardKey,
    act: Callable[[], object],
    context: Qt.ShortcutContext = Qt.ShortcutContext.WidgetWithChildrenShortcut,
) -> None:
    """Make keys call ``act`` while the focus is in a widget or, by ``context``, in its window."""
    shortcut = QShortcut(QKeySequence(keys), owner)
    shortcut.setContext(context)
    shortcut.activated.connect(act)


def plain_label(text: str = "", *, bold: bool = False, muted: bool = False) -> QLabel:
    """Return a label of one line without markup, which names of files and passages may contain."""
    label = _PlainLabel(text)
    if bold:
        make_bold(label)
    if muted:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


def wrapped_label(text: str = "", *, bold: bool = False, muted: bool = False) -> QLabel:
    """Return a label that breaks its lines."""
    label = plain_label(text, bold=bold, muted=muted)
    label.setWordWrap(True)
    return label


class _PlainLabel(QLabel):
    """Begins at the side where the window begins; ``QLabel`` would go by the script of its text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._align()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        ours = bool(self.alignment() & Qt.AlignmentFlag.AlignAbsolute)
        if event.type() == QEvent.Type.LayoutDirectionChange and ours:
            self._align()

    def _align(self) -> None:
        side = QStyle.visualAlignment(self.layoutDirection(), Qt.AlignmentFlag.AlignLeft)
        absolute, middle = Qt.AlignmentFlag.AlignAbsolute, Qt.AlignmentFlag.AlignVCenter
        self.setAlignment(side | absolute | middle)


class ElidedLabel(QFrame):
    """A label of one line that shortens text to its width; screen readers get all of it."""

    def __init__(
        self,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        role: QPalette.ColorRole = QPalette.ColorRole.WindowText,
    ) -> None:
        super().__init__()
        self._mode = mode
        self._role = role
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        text = " ".join(text.split())
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        # One more, since Qt rounds the width down but elides by the fraction.
        return QSize(metrics.horizontalAdvance(self._text) + 1, metrics.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 8, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self._role))
        metrics = self.fontMetrics()
        shown = metrics.elidedText(self._text, self._mode, self.width())
        start = self.width() - metrics.horizontalAdvance(shown) if self.isRightToLeft() else 0
        base = metrics.ascent() + (self.height() - metrics.height()) // 2
        # An isolate keeps the slashes of a path in order among right-to-left text; drawn in a
        # rectangle, all would be lower if it comes from a higher font.
        painter.drawText(start, base, f"\u2068{shown}\u2069")


class CardFrame(QFrame):
    """A rounded surface that stands out from the page in both themes."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        edge = current().accent if self.hasFocus() else current().line
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        theme.paint_rounded(QPainter(self), area, edge, current().base)


class Restyled(QWidget if TYPE_CHECKING else object):  # type: ignore[misc]  # a QWidget for mypy
    """Calls ``restyle`` after each change of its font or of the colours."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self.restyle()

    def restyle(self) -> None:
        raise NotImplementedError


class Drawing(Restyled, QLabel):
    """A drawing beside a text, in a colour of the theme and as large as ``lines`` of the text."""

    def __init__(self, name: str, colour: str, lines: float = 1.2) -> None:
        super().__init__()
        self._drawn = name, colour, lines
        self.restyle()

    def restyle(self) -> None:
        name, colour, lines = self._drawn
        side = theme.icon_side(self.fontMetrics().height(), lines)
        ratio = self.devicePixelRatioF()
        self.setPixmap(theme.pixmap(name, side, getattr(current(), colour), ratio))


class IconButton(Restyled, QPushButton):
    """A flat button with a text and perhaps a drawing, which is sized like the text.

    Pressing it calls or emits ``pressed``. In a dialog, Enter does not press it.
    """

    def __init__(
        self, text: str, drawing: str = "",
        pressed: Callable[[], object] | SignalInstance | None = None,
    ) -> None:  # fmt: skip
        super().__init__(text)
        self.setAccessibleName(text.replace("&", "").rstrip("…"))
        self.setAutoDefault(False)
        if drawing:
            self.setIcon(icon(drawing))
        if pressed is not None:
            self.clicked.connect(pressed)
        self.restyle()
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def restyle(self) -> None:
        self.setIconSize(icon_size(self))

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        paint_flat(painter, self, down=self.isDown(), chevron=self.menu() is not None)
        self.style().drawControl(QStyle.ControlElement.CE_PushButtonLabel, option, painter, self)


class ChoiceBox(QComboBox):
    """A flat list of choices, whose chevron follows the size of the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        keep_from_wheel(self)

    def sizeHint(self) -> QSize:
        return self._enlarged(super().sizeHint())

    def minimumSizeHint(self) -> QSize:
        return self._enlarged(super().minimumSizeHint())

    def _enlarged(self, size: QSize) -> QSize:
        """Add room for the edges and the chevron, whose sizes are constant in the style."""
        room = _chevron_side(self) + 2 * M - self.fontMetrics().averageCharWidth()
        return size + QSize(max(room, 0), S)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_flat(painter, self, down=self.view().isVisible(), chevron=True)
        role = QPalette.ColorRole.ButtonText
        painter.setPen(self.palette().color(role))
        behind = _chevron_side(self) + M
        sides = (behind, M) if self.isRightToLeft() else (M, behind)
        room = self.rect().adjusted(sides[0], 0, -sides[1], 0)
        text, elide = self.currentText(), Qt.TextElideMode.ElideRight
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        text = self.fontMetrics().elidedText(text, elide, room.width())
        painter.drawText(room, QStyle.visualAlignment(self.layoutDirection(), flags), text)


def _chevron_side(control: QWidget) -> int:
    return theme.icon_side(control.fontMetrics().height(), 0.75)


def paint_flat(painter: QPainter, control: QWidget, *, down: bool, chevron: bool) -> None:
    """Paint the background and edge of a flat control, and the chevron if it has a list."""
    colours = current()
    lit = control.isEnabled() and (control.underMouse() or down)
    edge = colours.accent if control.hasFocus() else colours.line
    ground = theme.row_background(selected=down, hovered=lit)
    area = QRectF(control.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
    theme.paint_rounded(painter, area, edge, ground)
    if chevron:
        side = _chevron_side(control)
        at = S if control.isRightToLeft() else control.width() - side - S
        drawing = theme.pixmap("chevron-down", side, colours.muted, control.devicePixelRatioF())
        painter.drawPixmap(at, (control.height() - side) // 2, drawing)


class IconToolButton(Restyled, QToolButton):
    """A flat button with a drawing and no text, as large as the text around it."""

    def __init__(
        self, drawing: str = "", text: str = "",
        pressed: Callable[[], object] | SignalInstance | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if drawing:
            self.setIcon(icon(drawing))
        if pressed is not None:
            self.clicked.connect(pressed)
        self.restyle()
        self.setAutoRaise(True)
        self.setToolTip(text)
        self.setAccessibleName(text)

    def restyle(self) -> None:
        self.setIconSize(icon_size(self))


def menu_button(menu: QMenu, name: str, tip: str = "") -> IconButton:
    """Return a flat button with a text that opens a menu; the name is for screen readers."""
    button = IconButton("")
    button.setAccessibleName(name)
    button.setToolTip(tip or name)
    button.setMenu(menu)
    return button


class MenuEntry(NamedTuple):
    """An entry of a menu: its text, what it does, its drawing, whether it can be chosen."""

    text: str
    act: Callable[[], object]
    drawing: str = ""
    enabled: bool = True


def popup_menu(parent: QWidget, name: str, at: QPoint, entries: Iterable[MenuEntry]) -> None:
    """Open a menu at a point of the screen; ``name`` is for screen readers."""
    menu = QMenu(parent)
    menu.setAccessibleName(name)
    for text, act, drawing, enabled in entries:
        shown = icon(drawing) if drawing else QIcon()
        menu.addAction(shown, text, act).setEnabled(enabled)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(at)


_TOP = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignTop


class Facts(QWidget):
    """Labels and values in two columns; rows change in place, so that nothing flickers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[QLabel, QLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(L)
        self._grid.setVerticalSpacing(S)
        self._grid.setColumnStretch(1, 1)

    def show_facts(self, rows: Sequence[tuple[str, str]]) -> None:
        while len(self._rows) < len(rows):
            self._add()
        for number, (name, value) in enumerate(self._rows):
            there = number < len(rows)
            name.setVisible(there)
            value.setVisible(there)
            if there:
                name.setText(rows[number][0])
                value.setText(rows[number][1])
                value.setAccessibleName(" ".join(rows[number]))
        self.setVisible(bool(rows))

    def _add(self) -> None:
        name, value = plain_label(), wrapped_label()
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = len(self._rows)
        self._grid.addWidget(name, row, 0, _TOP)
        self._grid.addWidget(value, row, 1)
        self._rows.append((name, value))


class _WheelFilter(QObject):
    """Lets the mouse wheel scroll the page if it is over a field that does not have the focus."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        turned = event.type() is QEvent.Type.Wheel
        if turned and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


def keep_from_wheel(field: QWidget) -> None:
    """Let the wheel change a field's value only while it has the focus."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelFilter(field))


def timer(
    parent: QObject, interval_ms: int, call: Callable[[], object], *, single: bool = True
) -> QTimer:
    """Return a stopped timer of ``parent`` that calls ``call`` once, or at each interval."""
    made = QTimer(parent, interval=interval_ms, singleShot=single)
    made.timeout.connect(call)
    return made


def unread(parent: QObject) -> QTimer:
    """Return a timer to run while what an answer has just chosen cannot have been read yet."""
    return QTimer(parent, interval=250, singleShot=True)


class FocusReturn(QObject):
    """Returns the focus of a hidden ``card`` to the widget that had it before.

    By default Qt moves it to the next widget, such as the rail. Esc in the card calls ``close``.
    """

    def __init__(self, card: QWidget, close: Callable[[], None] | None) -> None:
        super().__init__(card)
        self._card = card
        self._before: QWidget | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)  # noqa: S101  # for mypy
        app.focusChanged.connect(self._note)
        if close is not None:
            add_shortcut(card, QKeySequence.StandardKey.Cancel, close)

    def give_back(self) -> None:
        """Return the focus if the card has it. Call this before the card is hidden."""
        now, before = QApplication.focusWidget(), self._before
        if now is None or not self._card.isAncestorOf(now):
            return
        if before is not None and isValid(before) and before.isVisible() and before.isEnabled():
            before.setFocus()

    def _note(self, before: QWidget | None, now: QWidget | None) -> None:
        entered = now is not None and self._card.isAncestorOf(now)
        if before is not None and entered and not self._card.isAncestorOf(before):
            self._before = before


def dropped_paths(data: QMimeData) -> list[str]:
    """Return the local paths of dragged data."""
    urls = data.urls() if data.hasUrls() else []
    paths = [QDir.toNativeSeparators(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return [path.rstrip("/") or path for path in paths if path]
