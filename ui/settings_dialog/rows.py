"""A row of a card of settings: name and help at the left, the control at the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from indexer.api.errors import WorldError
from indexer.api.setting import Setting, SettingType
from ui import theme
from ui.dialogs import choose_paths
from ui.flow_layout import FlowLayout
from ui.library.cards import lines_of
from ui.programs import viewer_commands
from ui.theme import L, M, S
from ui.widgets import (
    ChoiceBox,
    IconButton,
    IconToolButton,
    filled,
    keep_from_wheel,
    timer,
    wrapped_label,
)
from ui.words import amounts, failures, say
from ui.words.names import language

if TYPE_CHECKING:
    from ui.ports import SettingsPort

    Made = tuple[QWidget, Callable[[Any], object]]

TYPING_MS = 500
LINES = 3
# Kinds whose controls take the whole width below the name, as do choices with longer labels.
_WIDE = frozenset({SettingType.LIST, SettingType.FOLDER, SettingType.VIEWER, SettingType.STYLE})
_LONGEST_LABEL = 20


class Look(QAbstractButton):
    """A choice that is drawn as a small picture of the window in its colours."""

    PX = QSize(112, 72)

    def __init__(self, value: str, label: str) -> None:
        super().__init__()
        self.value = value
        self.setText(label)
        self.setAccessibleName(label)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        width = max(self.PX.width(), metrics.horizontalAdvance(self.text()) + 2 * S)
        return QSize(width, self.PX.height() + metrics.height() + M)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        picture = QRectF((self.width() - self.PX.width()) / 2, 0, self.PX.width(), self.PX.height())
        whole = picture.adjusted(2, 2, -2, -2)
        shown = {"light": [theme.LIGHT], "dark": [theme.DARK]}
        looks = shown.get(self.value, [theme.LIGHT, theme.DARK])
        part = whole.width() / len(looks)
        for number, colours in enumerate(looks):
            painter.setClipRect(QRectF(whole.left() + number * part, 0, part, self.height()))
            _paint_window(painter, whole, colours)
        painter.setClipping(False)
        now = theme.current()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(now.accent if self.isChecked() else now.edge, 2 + self.isChecked()))
        painter.drawRoundedRect(whole, S, S)
        painter.setPen(now.text)
        below = self.rect().adjusted(0, self.PX.height(), 0, 0)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, self.text())


def _paint_window(painter: QPainter, area: QRectF, colours: theme.Theme) -> None:
    """Paint a window with a box, a chosen row and three others."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.raised)
    painter.drawRoundedRect(area, S, S)
    left, top, wide = area.left() + 2 * M, area.top() + M, area.width() - 3 * M
    for number, colour in enumerate(
        (colours.base, colours.selection, colours.muted, colours.muted, colours.muted)
    ):
        high = M if number == 0 else S
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(left, top, wide * (1 - number % 2 / 4), high), 2, 2)
        top += high + S + 2


class Looks(QWidget):
    """The choices of a setting as pictures. Signals: ``chosen`` with a value."""

    chosen = Signal(str)

    def __init__(self, choices: dict[str, str]) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        self.looks = {value: Look(value, label) for value, label in choices.items()}
        for look in self.looks.values():
            self._group.addButton(look)
        self._group.buttonClicked.connect(lambda look: self.chosen.emit(look.value))
        FlowLayout(*self.looks.values(), parent=self, spacing=L)
        self.setFocusProxy(next(iter(self.looks.values())))

    def show_value(self, value: str) -> None:
        self.looks[value].setChecked(True)


class ChoiceOrText(QWidget):
    """Choices, the last of which is the person's own text. Signals: ``chosen`` with a value."""

    chosen = Signal(str)

    def __init__(self, choices: Mapping[str, str], label: str, example: str) -> None:
        super().__init__()
        self.choices = ChoiceBox()
        for value, name in choices.items():
            self.choices.addItem(name, value)
        self._other = self.choices.count()
        self.choices.addItem(self.tr("Other…"))
        self.own = QLineEdit(placeholderText=example)
        for part in (self.choices, self.own):
            part.setAccessibleName(label)
        self.choices.activated.connect(self._choose)
        self.own.editingFinished.connect(lambda: self.chosen.emit(self.own.text()))
        filled(QHBoxLayout(self), self.choices, self.own, wide=self.own).addStretch(0)
        self.setFocusProxy(self.choices)
        self.own.hide()

    def show_value(self, value: str) -> None:
        at = self.choices.findData(value)
        self.choices.setCurrentIndex(at if at >= 0 else self._other)
        self.own.setText(value)
        self.own.setVisible(at < 0)

    def _choose(self, at: int) -> None:
        self.own.setVisible(at == self._other)
        if at == self._other:
            self.own.setFocus()
        else:
            self.chosen.emit(str(self.choices.currentData()))


class NumberField(QDoubleSpinBox):
    """A field for a number, as high as the buttons and the lists of choices beside it."""

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        least = QSize(hint.width() + M, self.fontMetrics().height() + 2 * S + 2)
        return hint.expandedTo(least)


class SettingEditor(QWidget):
    """The control for the value of one setting; the setting's label is its accessible name.

    Signals:
        changed: The new value, after the person changed it.
    """

    changed = Signal(object)

    def __init__(self, declaration: Setting) -> None:
        super().__init__()
        self._shown: object = None
        self._typing = timer(self, TYPING_MS, self._take_lines)
        makers: dict[SettingType, Callable[[Setting], Made]] = {
            SettingType.FLAG: self._make_flag,
            SettingType.INTEGER: self._make_number,
            SettingType.NUMBER: self._make_number,
            SettingType.CHOICE: self._make_choice,
            SettingType.TEXT: self._make_text,
            SettingType.FOLDER: self._make_text,
            SettingType.KEYS: self._make_keys,
            SettingType.LIST: self._make_lines,
            SettingType.VIEWER: self._make_viewer,
            SettingType.STYLE: self._make_style,
        }
        make = self._make_looks if declaration.drawn else makers[declaration.type]
        self.control, self._display = make(declaration)
        self.control.setAccessibleName(say(declaration.label))
        row = filled(QHBoxLayout(self), self.control)
        if declaration.type is SettingType.FOLDER:
            row.addWidget(IconButton(self.tr("&Browse…"), "folder-open", self._ask_folder))
        self.setFocusProxy(self.control)

    def show_value(self, value: Any) -> None:
        """Show a value without emitting ``changed``."""
        self._shown = value
        with QSignalBlocker(self.control):
            self._display(value)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._typing.isActive():
            self._take_lines()

    def _emit_change(self, value: object) -> None:
        if value != self._shown:
            self._shown = value
            self.changed.emit(value)

    def _make_flag(self, _declaration: Setting) -> Made:
        box = QCheckBox()
        box.clicked.connect(lambda: self._emit_change(box.isChecked()))
        return box, lambda value: box.setChecked(bool(value))

    def _make_number(self, declaration: Setting) -> Made:
        spin, whole = NumberField(), declaration.type is SettingType.INTEGER
        spin.setDecimals(0 if whole else 1)
        spin.setRange(declaration.low, declaration.high)
        spin.setGroupSeparatorShown(whole)
        spin.setKeyboardTracking(False)
        keep_from_wheel(spin)
        number = int if whole else float
        spin.valueChanged.connect(lambda value: self._emit_change(number(value)))
        return spin, spin.setValue

    def _make_choice(self, declaration: Setting) -> Made:
        combo = ChoiceBox()
        for value, label in declaration.choices.items():
            combo.addItem(say(label) or language(value), value)
        combo.activated.connect(lambda: self._emit_change(str(combo.currentData())))
        return combo, lambda value: combo.setCurrentIndex(combo.findData(value))

    def _make_looks(self, declaration: Setting) -> Made:
        choices = {value: say(label) for value, label in declaration.choices.items()}
        return self._chosen_in(Looks(choices))

    def _make_viewer(self, _declaration: Setting) -> Made:
        installed = {command: name for name, command in viewer_commands().items()}
        choices = {"": self.tr("The system’s viewer"), **installed}
        label, example = self.tr("Command of the viewer"), "okular --page {page} {path}"
        return self._chosen_in(ChoiceOrText(choices, label, example))

    def _make_style(self, declaration: Setting) -> Made:
        choices = {value: say(label) for value, label in declaration.choices.items()}
        example = "[{author}, ]*{title}*[ ({year})][, {page}]"
        return self._chosen_in(ChoiceOrText(choices, self.tr("Template of citations"), example))

    def _chosen_in(self, editor: Looks | ChoiceOrText) -> Made:
        editor.chosen.connect(self._emit_change)
        return editor, editor.show_value

    def _make_text(self, _declaration: Setting) -> Made:
        line = QLineEdit()
        line.editingFinished.connect(lambda: self._emit_change(line.text()))
        return line, lambda value: line.setText(str(value))

    def _ask_folder(self) -> None:
        choose_paths(self, self.tr("Choose a folder"), self._take_folder, folder=True)

    def _take_folder(self, paths: list[str]) -> None:
        if paths:
            self._display(paths[0])
            self._emit_change(paths[0])

    def _make_keys(self, declaration: Setting) -> Made:
        """Make a field that records pressed keys; Backspace or its button empties it."""
        field = QKeySequenceEdit(maximumSequenceLength=1, clearButtonEnabled=True)
        field.setToolTip(self.tr("Press the keys"))
        for line in field.findChildren(QLineEdit):
            line.setAccessibleName(say(declaration.label))

        def take(keys: QKeySequence) -> None:
            pressed = keys.toString(QKeySequence.SequenceFormat.PortableText)
            if pressed in {"Backspace", "Del"}:
                field.clear()
            else:
                self._emit_change(pressed)

        field.keySequenceChanged.connect(take)
        return field, lambda value: field.setKeySequence(QKeySequence(str(value)))

    def _make_lines(self, _declaration: Setting) -> Made:
        text = QPlainTextEdit(tabChangesFocus=True)
        text.setFixedHeight(text.fontMetrics().lineSpacing() * LINES + 2 * M)
        text.textChanged.connect(self._typing.start)
        return text, lambda value: text.setPlainText("\n".join(value))

    def _take_lines(self) -> None:
        self._typing.stop()
        assert isinstance(self.control, QPlainTextEdit)  # noqa: S101  # the only one that types
        self._emit_change(tuple(lines_of(self.control.toPlainText())))


class SettingRow(QWidget):
    """Shows and changes one setting."""

    def __init__(self, declaration: Setting, settings: SettingsPort) -> None:
        super().__init__()
        self.declaration = declaration
        self._settings = settings
        self.editor = SettingEditor(declaration)
        self.editor.changed.connect(self._change)
        self.reset = IconToolButton("undo", pressed=self._reset)
        self.note = wrapped_label()
        self._arrange()
        self.show_value()

    def show_value(self) -> None:
        """Show the current value."""
        value = self._settings[self.declaration.name]
        self.editor.show_value(value)
        self._say_trouble("")
        self.reset.setVisible(value != self.declaration.default)

    def _arrange(self) -> None:
        name, help_text = say(self.declaration.label), say(self.declaration.help)
        self.editor.control.setAccessibleDescription(help_text)
        self.reset.setAccessibleName(self.tr("Reset {name}").format(name=name))
        self.reset.setToolTip(self.tr("Back to: {value}").format(value=self._default()))
        label, told = wrapped_label(name), wrapped_label(help_text, muted=True)
        label.setBuddy(self.editor.control)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing
        grid = QGridLayout(self)
        grid.setContentsMargins(L, M, L, M)
        grid.setHorizontalSpacing(L)
        grid.setVerticalSpacing(2)
        labels = map(say, self.declaration.choices.values())
        long = max(map(len, labels), default=0) > _LONGEST_LABEL
        wide = self.declaration.type in _WIDE or self.declaration.drawn or long
        texts = 1 if wide else 2
        grid.addWidget(label, 0, 0)
        grid.addWidget(told, 1, 0)
        grid.addWidget(self.reset, 0, 1, texts, 1, middle)
        if wide:
            grid.addWidget(self.editor, 2, 0, 1, 3)
        else:
            grid.addWidget(self.editor, 0, 2, 2, 1, middle)
        grid.addWidget(self.note, 3, 0, 1, 3)
        grid.setColumnStretch(0, 1)

    def _default(self) -> str:
        value = self.declaration.default
        if isinstance(value, bool):
            return self.tr("on") if value else self.tr("off")
        if isinstance(value, str):
            return say(self.declaration.choices.get(value, value)) or self.tr("nothing")
        if isinstance(value, tuple):
            return ", ".join(value) or self.tr("nothing")
        return amounts.count(value) if isinstance(value, int) else str(value)

    def _change(self, value: Any) -> None:
        try:
            self._settings.set(self.declaration.name, value)
        except WorldError as error:
            self._say_trouble(failures.failure(error))
        else:
            self._say_trouble("")
            self.reset.setVisible(value != self.declaration.default)

    def _reset(self) -> None:
        try:
            self._settings.reset(self.declaration.name)
        except WorldError as error:
            self._say_trouble(failures.failure(error))
        else:
            self.show_value()

    def _say_trouble(self, text: str) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme.current().bad)
        self.note.setPalette(palette)
        self.note.setText(text)
        self.note.setVisible(bool(text))
