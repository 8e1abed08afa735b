"""A row of the settings dialog: label, widget, help, reset, made from a declared setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
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
    QToolButton,
    QWidget,
)

from indexer.api.errors import WorldError
from indexer.api.setting import SettingType
from ui import theme
from ui.icons import icon
from ui.library.patterns_editor import lines_of
from ui.theme import M, S, icon_size
from ui.widgets import IconButton, choose_folder, keep_from_wheel, plain_label, timer, wrapped_label
from ui.words import amounts, failures, say
from ui.words.names import language

if TYPE_CHECKING:
    from indexer.api.setting import Setting
    from ui.ports import SettingsPort

TYPING_MS = 500
LINES = 4


class Editor(QWidget):
    """A widget for one value.

    Signals:
        changed: With the new value, after a change by the person.
    """

    changed = Signal(object)

    def __init__(self, control: QWidget, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.control = control
        control.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addWidget(control)
        self.setFocusProxy(control)

    def show_value(self, value: Any) -> None:
        """Show a value without emitting ``changed``."""
        raise NotImplementedError


class Flag(Editor):
    def __init__(self, declaration: Setting, name: str) -> None:
        self._box = QCheckBox(name)
        super().__init__(self._box, name)
        self._box.clicked.connect(self._tell)

    def show_value(self, value: Any) -> None:
        self._box.setChecked(bool(value))

    def _tell(self) -> None:
        self.changed.emit(self._box.isChecked())


class Number(Editor):
    def __init__(self, declaration: Setting, name: str) -> None:
        whole = declaration.type is SettingType.INTEGER
        self._spin: QSpinBox | QDoubleSpinBox
        if whole:
            self._spin = QSpinBox()
            self._spin.setRange(int(declaration.low), int(declaration.high))
            self._spin.setGroupSeparatorShown(True)
        else:
            self._spin = QDoubleSpinBox()
            self._spin.setDecimals(1)
            self._spin.setRange(declaration.low, declaration.high)
        self._spin.setKeyboardTracking(False)
        keep_from_wheel(self._spin)
        super().__init__(self._spin, name)
        self._spin.valueChanged.connect(self._tell)
        self._quiet = False

    def show_value(self, value: Any) -> None:
        self._quiet = True
        self._spin.setValue(value)
        self._quiet = False

    def _tell(self, value: float) -> None:
        if not self._quiet:
            self.changed.emit(value)


class Choice(Editor):
    def __init__(self, declaration: Setting, name: str) -> None:
        self._combo = QComboBox()
        keep_from_wheel(self._combo)
        for value, label in declaration.choices.items():
            self._combo.addItem(say(label) or language(value), value)
        super().__init__(self._combo, name)
        self._combo.activated.connect(self._tell)

    def show_value(self, value: Any) -> None:
        self._combo.setCurrentIndex(self._combo.findData(value))

    def _tell(self, _index: int) -> None:
        self.changed.emit(str(self._combo.currentData()))


class Text(Editor):
    def __init__(self, declaration: Setting, name: str) -> None:
        self._line = QLineEdit()
        self._shown = ""
        super().__init__(self._line, name)
        self._line.editingFinished.connect(self._tell)

    def show_value(self, value: Any) -> None:
        self._shown = str(value)
        self._line.setText(self._shown)

    def _tell(self) -> None:
        if self._line.text() != self._shown:
            self._shown = self._line.text()
            self.changed.emit(self._shown)


class Folder(Text):
    def __init__(self, declaration: Setting, name: str) -> None:
        super().__init__(declaration, name)
        self._browse = IconButton(self.tr("&Browse…"), "folder-open")
        self._browse.clicked.connect(self._ask)
        layout = self.layout()
        if layout is not None:
            layout.addWidget(self._browse)

    def _ask(self) -> None:
        choose_folder(self, self.tr("Choose a folder"), self._set_folder)

    def _set_folder(self, paths: list[str]) -> None:
        if paths:
            self._line.setText(paths[0])
            self._tell()


class Keys(Editor):
    """Takes the keys that are pressed; Backspace or the button in it empties it."""

    def __init__(self, declaration: Setting, name: str) -> None:
        self._keys = QKeySequenceEdit()
        self._keys.setMaximumSequenceLength(1)
        self._keys.setClearButtonEnabled(True)
        self._keys.setToolTip(self.tr("Press the keys"))
        self._shown = ""
        super().__init__(self._keys, name)
        for field in self._keys.findChildren(QLineEdit):
            field.setAccessibleName(name)
        self._keys.keySequenceChanged.connect(self._tell)

    def show_value(self, value: Any) -> None:
        self._shown = str(value)
        self._keys.setKeySequence(QKeySequence(self._shown))

    def _tell(self, keys: QKeySequence) -> None:
        pressed = keys.toString(QKeySequence.SequenceFormat.PortableText)
        if pressed in {"Backspace", "Del"}:
            self._keys.clear()
            return
        if QKeySequence(self._shown) != keys:
            self._shown = pressed
            self.changed.emit(pressed)


class Lines(Editor):
    def __init__(self, declaration: Setting, name: str) -> None:
        self._text = QPlainTextEdit()
        self._text.setTabChangesFocus(True)
        super().__init__(self._text, name)
        self._shown: tuple[str, ...] = ()
        self._typing = timer(self, TYPING_MS, self._tell)
        self._text.setFixedHeight(self._text.fontMetrics().lineSpacing() * LINES + 2 * M)
        self._text.textChanged.connect(self._typing.start)

    def show_value(self, value: Any) -> None:
        self._shown = tuple(value)
        self._text.setPlainText("\n".join(self._shown))
        self._typing.stop()

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        if self._typing.isActive():
            self._typing.stop()
            self._tell()

    def _tell(self) -> None:
        value = tuple(lines_of(self._text.toPlainText()))
        if value != self._shown:
            self._shown = value
            self.changed.emit(value)


_EDITORS: dict[SettingType, type[Flag | Number | Choice | Text | Keys | Lines]] = {
    SettingType.FLAG: Flag,
    SettingType.INTEGER: Number,
    SettingType.NUMBER: Number,
    SettingType.CHOICE: Choice,
    SettingType.TEXT: Text,
    SettingType.FOLDER: Folder,
    SettingType.KEYS: Keys,
    SettingType.LIST: Lines,
}


def editor_for(declaration: Setting) -> Editor:
    """Make the widget for a setting; its label is its accessible name."""
    return _EDITORS[declaration.type](declaration, say(declaration.label))


class SettingRow(QWidget):
    """Shows and changes one setting."""

    def __init__(
        self, declaration: Setting, settings: SettingsPort, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.declaration = declaration
        self._settings = settings
        self.editor = editor_for(declaration)
        self.editor.changed.connect(self._change)
        self.reset = QToolButton()
        self.reset.setIcon(icon("undo"))
        self.reset.setIconSize(icon_size(self))
        self.reset.setAutoRaise(True)
        self.reset.clicked.connect(self._reset)
        self.note = plain_label()
        self.note.setWordWrap(True)
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
        self._say("")
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
            self._say(failures.failure(error))
        else:
            self._say("")
            self.reset.setEnabled(value != self.declaration.default)

    def _reset(self) -> None:
        try:
            self._settings.reset(self.declaration.name)
        except WorldError as error:
            self._say(failures.failure(error))
        else:
            self.show_value()

    def _say(self, text: str) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme.current().bad)
        self.note.setPalette(palette)
        self.note.setText(text)
        self.note.setVisible(bool(text))
