"""A row of the settings dialog: label, widget, help, reset, made from a declared setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QKeySequenceEdit,
    QLineEdit,
    QPlainTextEdit,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from indexer.api.errors import WorldError
from indexer.api.setting import SettingType
from ui import theme
from ui.library.cards import lines_of
from ui.theme import M, S
from ui.widgets import (
    IconButton,
    IconToolButton,
    choose_folder,
    filled,
    keep_from_wheel,
    plain_label,
    timer,
    wrapped_label,
)
from ui.words import amounts, failures, say
from ui.words.names import language

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QHideEvent

    from indexer.api.setting import Setting
    from ui.ports import SettingsPort

TYPING_MS = 500
LINES = 4


class SettingEditor(QWidget):
    """The control for the value of one setting; the setting's label is its accessible name.

    Signals:
        changed: With the new value, after a change by the person.
    """

    changed = Signal(object)

    def __init__(self, declaration: Setting) -> None:
        super().__init__()
        name = say(declaration.label)
        self._shown: object = None
        self._typing = timer(self, TYPING_MS, self._take_lines)
        makers: dict[SettingType, Callable[[Setting], tuple[QWidget, Callable[[Any], object]]]] = {
            SettingType.FLAG: self._make_flag,
            SettingType.INTEGER: self._make_number,
            SettingType.NUMBER: self._make_number,
            SettingType.CHOICE: self._make_choice,
            SettingType.TEXT: self._make_text,
            SettingType.FOLDER: self._make_text,
            SettingType.KEYS: self._make_keys,
            SettingType.LIST: self._make_lines,
        }
        self.control, self._display = makers[declaration.type](declaration)
        self.control.setAccessibleName(name)
        row = filled(QHBoxLayout(self), self.control)
        if declaration.type is SettingType.FOLDER:
            browse = IconButton(self.tr("&Browse…"), "folder-open")
            browse.clicked.connect(self._ask_folder)
            row.addWidget(browse)
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

    def _make_flag(self, declaration: Setting) -> tuple[QWidget, Callable[[Any], object]]:
        box = QCheckBox(say(declaration.label))
        box.clicked.connect(lambda: self._emit_change(box.isChecked()))
        return box, lambda value: box.setChecked(bool(value))

    def _make_number(self, declaration: Setting) -> tuple[QWidget, Callable[[Any], object]]:
        spin: QSpinBox | QDoubleSpinBox
        if declaration.type is SettingType.INTEGER:
            spin = QSpinBox()
            spin.setRange(int(declaration.low), int(declaration.high))
            spin.setGroupSeparatorShown(True)
        else:
            spin = QDoubleSpinBox()
            spin.setDecimals(1)
            spin.setRange(declaration.low, declaration.high)
        spin.setKeyboardTracking(False)
        keep_from_wheel(spin)
        spin.valueChanged.connect(self._emit_change)
        return spin, spin.setValue

    def _make_choice(self, declaration: Setting) -> tuple[QWidget, Callable[[Any], object]]:
        combo = QComboBox()
        keep_from_wheel(combo)
        for value, label in declaration.choices.items():
            combo.addItem(say(label) or language(value), value)
        combo.activated.connect(lambda: self._emit_change(str(combo.currentData())))
        return combo, lambda value: combo.setCurrentIndex(combo.findData(value))

    def _make_text(self, _declaration: Setting) -> tuple[QWidget, Callable[[Any], object]]:
        line = QLineEdit()
        line.editingFinished.connect(lambda: self._emit_change(line.text()))
        return line, lambda value: line.setText(str(value))

    def _ask_folder(self) -> None:
        choose_folder(self, self.tr("Choose a folder"), self._take_folder)

    def _take_folder(self, paths: list[str]) -> None:
        if paths:
            self._display(paths[0])
            self._emit_change(paths[0])

    def _make_keys(self, declaration: Setting) -> tuple[QWidget, Callable[[Any], object]]:
        """Make a field that takes the keys pressed; Backspace or the button in it empties it."""
        field = QKeySequenceEdit()
        field.setMaximumSequenceLength(1)
        field.setClearButtonEnabled(True)
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

    def _make_lines(self, _declaration: Setting) -> tuple[QWidget, Callable[[Any], object]]:
        text = QPlainTextEdit()
        text.setTabChangesFocus(True)
        text.setFixedHeight(text.fontMetrics().lineSpacing() * LINES + 2 * M)
        text.textChanged.connect(self._typing.start)
        return text, lambda value: text.setPlainText("\n".join(value))

    def _take_lines(self) -> None:
        self._typing.stop()
        assert isinstance(self.control, QPlainTextEdit)  # noqa: S101  # the only one that types
        self._emit_change(tuple(lines_of(self.control.toPlainText())))


class SettingRow(QWidget):
    """Shows and changes one setting."""

    def __init__(
        self, declaration: Setting, settings: SettingsPort, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.declaration = declaration
        self._settings = settings
        self.editor = SettingEditor(declaration)
        self.editor.changed.connect(self._change)
        self.reset = IconToolButton("undo")
        self.reset.clicked.connect(self._reset)
        self.note = wrapped_label()
        self._arrange()
        self.show_value()

    def matches(self, text: str) -> bool:
        """Return whether every word of a text occurs in the row, or in the setting's name."""
        setting = self.declaration
        labels = map(say, (setting.label, setting.help, *setting.choices.values()))
        languages = (language(value) for value, label in setting.choices.items() if not label)
        said = " ".join((setting.name, setting.help, *labels, *languages)).casefold()
        return all(word in said for word in text.casefold().split())

    def show_value(self) -> None:
        """Show the current value."""
        value = self._settings[self.declaration.name]
        self.editor.show_value(value)
        self._say_trouble("")
        self.reset.setEnabled(value != self.declaration.default)

    def _arrange(self) -> None:
        name = say(self.declaration.label)
        help_text = say(self.declaration.help)
        if not self.declaration.at_once:
            help_text = self.tr("{help} Takes effect when Lectern is started again.").format(
                help=help_text
            )
        self.editor.control.setAccessibleDescription(help_text)
        self.reset.setAccessibleName(self.tr("Reset {name}").format(name=name))
        self.reset.setToolTip(self.tr("Back to: {value}").format(value=self._default()))
        about = wrapped_label(help_text)
        about.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, S, 0, S)
        grid.setHorizontalSpacing(M)
        grid.setVerticalSpacing(S)
        row = 0
        if self.declaration.type is not SettingType.FLAG:
            label = plain_label(name)
            label.setBuddy(self.editor.control)
            grid.addWidget(label, 0, 0)
            row = 1
        grid.addWidget(self.editor, row, 0)
        grid.addWidget(self.reset, row, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(about, row + 1, 0)
        grid.addWidget(self.note, row + 2, 0)
        grid.setColumnStretch(0, 1)
        self.editor.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

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
            self.reset.setEnabled(value != self.declaration.default)

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
