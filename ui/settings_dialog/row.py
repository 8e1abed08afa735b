"""A row of the settings dialog: label, widget, help, reset. It must not know any single setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QToolButton, QWidget

from indexer.api.errors import WorldError
from indexer.api.setting import SettingType
from ui import theme
from ui.icons import icon
from ui.settings_dialog.editors import editor_for
from ui.theme import M, S, icon_size
from ui.widgets import plain_label, wrapped_label
from ui.words import amounts, failures, say
from ui.words.names import language

if TYPE_CHECKING:
    from indexer.api.setting import Setting
    from ui.ports import SettingsPort


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
