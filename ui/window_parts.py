"""The parts around the window's pages: the rail of buttons, notices, the status line."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QActionGroup,
    QKeySequence,
    QPainter,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.keys import PAUSE, shown
from ui.ports import Notice
from ui.supervisor import EngineState
from ui.theme import L, M, S, Theme, current, icon, icon_size, paint_rounded
from ui.widgets import (
    WINDOW,
    CardFrame,
    FocusReturn,
    IconButton,
    IconToolButton,
    Restyled,
    add_shortcut,
    filled,
    timer,
    wrapped_label,
)
from ui.words import failures, work

if TYPE_CHECKING:
    from PySide6.QtGui import QAction, QEnterEvent, QPaintEvent

    from indexer.api.errors import LecternError
    from indexer.api.status import Activity


ICON_LINES = 1.5
_COLUMNS = 90  # the width of the widest notice in letters


class RailButton(Restyled, QToolButton):
    """A flat button that paints itself in the theme's colours, as a style sheet cannot."""

    count = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current()
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        edge = theme.line if self.isChecked() else Qt.PenStyle.NoPen
        lit = self.isChecked() or self.underMouse()
        ground = theme.base if lit else Qt.BrushStyle.NoBrush
        paint_rounded(painter, QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), edge, ground)
        option.rect = self.rect().adjusted(0, S, 0, 0)
        self.style().drawControl(QStyle.ControlElement.CE_ToolButtonLabel, option, painter, self)
        if self.count:
            self._draw_count(painter, theme)

    def _draw_count(self, painter: QPainter, theme: Theme) -> None:
        """Draw the number at the corner of the icon."""
        text = QLocale().toString(self.count)
        metrics = self.fontMetrics()
        high = metrics.height()
        wide = max(high, metrics.horizontalAdvance(text) + 2 * S)
        middle = self.rect().center().x() + self.iconSize().width() / 2
        badge = QRectF(min(middle - high / 3, self.width() - wide - 1), 1, wide, high)
        if self.isRightToLeft():
            badge.moveRight(self.width() - badge.left())
        paint_rounded(painter, badge, Qt.PenStyle.NoPen, theme.selection, high / 2)
        painter.setPen(theme.selection_text)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(M, M)

    def restyle(self) -> None:
        self.setIconSize(icon_size(self, ICON_LINES))


class Rail(QFrame):
    """The column of buttons, each for an action."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Pages"))
        self.buttons: dict[str, RailButton] = {}
        self._pages = QActionGroup(self)
        self._column = filled(QVBoxLayout(self), spacing=S, edges=(S, M, S, M))

    def add_page(self, name: str, action: QAction) -> None:
        """Add the button of a page; the first one is pressed."""
        action.setCheckable(True)
        action.setChecked(not self.buttons)
        self._pages.addAction(action)
        self._add(name, action)

    def add_last(self, name: str, action: QAction) -> None:
        """Add a button at the end of the column, which does not open a page."""
        self._column.addStretch(1)
        self._add(name, action)

    def show_chosen(self, name: str) -> None:
        """Press the button of a page, without triggering its action."""
        if name in self.buttons:
            self.buttons[name].defaultAction().setChecked(True)

    def _add(self, name: str, action: QAction) -> None:
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(self.tr("{name} ({keys})").format(name=action.text(), keys=keys))
        button = self.buttons[name] = RailButton(self)
        button.setDefaultAction(action)
        button.restyle()
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setAutoRaise(True)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(action.text())
        self._column.addWidget(button)

    def show_count(self, name: str, number: int, spoken: str) -> None:
        """Show a number other than 0 at the button of a page; ``spoken`` says what it counts."""
        button = self.buttons[name]
        button.count = number
        button.setAccessibleDescription(spoken)
        button.update()


# How many of the latest actions can be undone.
MOST_UNDONE = 100


class NoticeBar(CardFrame):
    """Shows one notice at a time over the foot of the page, so that nothing moves.

    A new notice replaces the old one. It implements ``ports.Notices``. Ctrl+Z undoes the latest
    action that can be undone, even if its notice has gone.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Notice"))
        self._shown = Notice("")
        self._timer = timer(self, 0, self.dismiss)
        self._text = wrapped_label()
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._button = IconButton(self.tr("Act on this notice"), pressed=self._accept)
        self._close = IconToolButton("close", self.tr("Dismiss"), self.dismiss)
        self._close.setAccessibleName(self.tr("Dismiss this notice"))
        self._focus = FocusReturn(self, self.dismiss)
        self._undoable: deque[Notice] = deque(maxlen=MOST_UNDONE)
        parts = (self._text, self._button, self._close)
        filled(QHBoxLayout(self), *parts, edges=(L, M, M, M), wide=self._text)
        self.hide()

    def float_over(self, page: QWidget) -> None:
        """Show notices over the foot of a widget."""
        self.setParent(page)
        page.installEventFilter(self)
        # The bar itself gets no keys while it is hidden.
        add_shortcut(page, QKeySequence.StandardKey.Undo, self.undo, WINDOW)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parent():
            self._place()
        return False

    def _place(self) -> None:
        """Place the bar in the middle of the foot, as wide as the text needs."""
        page = self.parentWidget()
        if page is None:
            return
        room = page.width() - 2 * L
        text = self._text.fontMetrics().horizontalAdvance(self._text.text())
        around = self.minimumSizeHint().width() - self._text.minimumSizeHint().width()
        width = min(text + around + L, room, self.fontMetrics().averageCharWidth() * _COLUMNS)
        height = max(self.heightForWidth(width), self.sizeHint().height())
        self.setGeometry((page.width() - width) // 2, page.height() - height - L, width, height)
        self.raise_()

    @property
    def text(self) -> str:
        """The text of the current notice; empty if there is none."""
        return "" if self.isHidden() else self._text.text()

    def post(self, notice: Notice) -> None:
        """See ``ports.Notices``."""
        self.dismiss()
        self._shown = notice
        if notice.undo is not None:
            self._undoable.append(notice)
        action = self.tr("Undo") if notice.undo is not None else notice.action
        self._text.setText(notice.text)
        self._button.setText(action)
        self._button.setAccessibleName(action)
        self._button.setVisible(bool(action))
        self._place()
        self.show()
        self._start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, notice.text))

    def dismiss(self) -> None:
        """Remove the notice and call its ``expired``."""
        expired = self._shown.expired
        self._clear()
        if expired is not None:
            expired()

    def leave_page(self) -> None:
        """Hide a notice that would pass by itself, as it may not concern the next page."""
        if self._shown.seconds > 0 and self.isVisible():
            self._focus.give_back()
            self.hide()
            self._start()  # the pointer may have stopped the timer

    def undo(self) -> None:
        """Undo the latest action of this session that was not undone yet."""
        if not self._undoable:
            return
        notice = self._undoable.pop()
        seen = notice is self._shown and not self.isHidden()
        if notice is self._shown:
            self._clear()  # without its ``expired``
        if not seen:
            self.post(Notice(self.tr("Undone: {action}").format(action=notice.text)))
        if notice.undo is not None:
            notice.undo()

    def _accept(self) -> None:
        if self._undoable and self._shown is self._undoable[-1]:
            self.undo()
            return
        act = self._shown.undo or self._shown.act
        self._clear()
        if act is not None:
            act()

    def _clear(self) -> None:
        self._timer.stop()
        self._shown = Notice("")
        self._focus.give_back()
        self.hide()

    def _start(self) -> None:
        if self._shown.seconds > 0:
            self._timer.start(round(self._shown.seconds * 1000))

    def enterEvent(self, event: QEnterEvent) -> None:
        # The notice stays while the pointer is on it, since its button may be pressed next.
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        if self._text.text() and self.isVisible():
            self._start()
        super().leaveEvent(event)


class StatusLine(QFrame):
    """The line at the foot. Signals: ``pause_requested`` with a bool; ``retry_requested``."""

    pause_requested = Signal(bool)
    retry_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Status"))
        self._engine = EngineState.STARTING
        self._problem: LecternError | None = None
        self._activity: Activity | None = None
        self._sentence = wrapped_label()
        self._sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._retry = IconButton(self.tr("Try again"), pressed=self.retry_requested)
        self._retry.setAccessibleName(self.tr("Start the engine again"))
        self._embedded = QLabel()
        self._embedded.setToolTip(
            self.tr("How much of the text can be found by its meaning; all of it by its words.")
        )
        self._pause = IconToolButton(pressed=self.pause_requested)
        self._pause.setCheckable(True)
        self._pause.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a key and the library do the same
        kept = self._pause.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # the line stays as high
        self._pause.setSizePolicy(kept)
        parts = (self._sentence, self._retry, self._embedded, self._pause)
        filled(QHBoxLayout(self), *parts, spacing=L, edges=(L, S, M, S)).setStretch(0, 1)
        self._show()

    @property
    def text(self) -> str:
        return self._sentence.text()

    def show_engine(self, state: EngineState, problem: LecternError | None) -> None:
        self._engine, self._problem = state, problem
        self._show()

    def show_activity(self, activity: Activity | None) -> None:
        self._activity = activity
        self._show()

    def _show(self) -> None:
        activity = self._activity if self._engine is EngineState.READY else None
        self._sentence.setText(self._state_sentence())
        self._retry.setVisible(self._engine is EngineState.FAILED)
        if activity is not None:
            self._show_activity(activity)
            return
        for part in (self._pause, self._embedded):
            part.hide()

    def _show_activity(self, activity: Activity) -> None:
        share = work.meaning(activity.embedded_share)
        self._embedded.setVisible(bool(share) and share != self.text)
        self._embedded.setText(share)
        paused = activity.paused
        self._pause.setVisible(paused or activity.pending > 0 or activity.running is not None)
        name = self.tr("Go on reading") if paused else self.tr("Pause reading")
        self._pause.setChecked(paused)
        self._pause.setIcon(icon("play" if paused else "pause"))
        self._pause.setToolTip(f"{name} ({shown([PAUSE])})")
        self._pause.setAccessibleName(name)

    def _state_sentence(self) -> str:
        match self._engine:
            case EngineState.FAILED if self._problem is not None:
                return failures.failure(self._problem)
            case EngineState.RESTARTING:
                return self.tr("The engine stopped and is being started again. Nothing is lost.")
            case EngineState.READY if self._activity is not None:
                return work.sentence(self._activity)
            case _:
                return self.tr("Starting…")
