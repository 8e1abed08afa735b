"""The editor of a folder's exclude patterns, which shows their effect before they are saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QVBoxLayout, QWidget

from indexer.api.requests import EstimateIndex, SetPatterns
from indexer.api.types import FileState
from ui import theme
from ui.requests import Questions
from ui.theme import L, M, S
from ui.widgets import (
    CardFrame,
    FlowLayout,
    FocusReturn,
    IconButton,
    filled,
    plain_label,
    timer,
    wrapped_label,
)
from ui.words import amounts, failures

if TYPE_CHECKING:
    from indexer.api.answers import Estimate
    from indexer.api.errors import LecternError
    from ui.ports import Context

TYPING_MS = 400
LINES = 5


class PatternsEditor(CardFrame):
    """Signals: ``saved`` with the folder, after the engine has stored its patterns; ``closed``."""

    saved = Signal(str)
    closed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self._root = ""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._monospaced = font.family()
        self._before: tuple[str, ...] = ()
        self.setAccessibleName(self.tr("Patterns"))
        self._title = wrapped_label()
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(self.tr("Patterns, one per line"))
        self.text.setTabChangesFocus(True)
        self.text.setPlaceholderText(self.tr("One pattern per line"))
        self.text.textChanged.connect(self._changed)
        self._title.setBuddy(self.text)
        self.count = wrapped_label()
        self.save = IconButton(self.tr("Sa&ve"), "check")
        self.save.clicked.connect(self._save)
        self._close = IconButton(self.tr("Cance&l"))
        self._close.clicked.connect(self.close_editor)
        self._focus = FocusReturn(self, self.close_editor)
        self._typing = timer(self, TYPING_MS, self._count)
        self._arrange()
        self.hide()

    def edit_patterns(self, root: str, name: str) -> None:
        """Show the patterns of a folder."""
        self._root = root
        self._title.setText(self.tr("Leave out of {name}:").format(name=name))
        self.text.setPlainText("")
        self.text.setEnabled(False)
        self.count.setText("")
        self.show()
        self._questions.ask(SetPatterns(Path(root)), self._handle_patterns)

    def close_editor(self) -> None:
        self._questions.cancel_all()
        self._typing.stop()
        self._focus.give_back()
        self.hide()
        self.closed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._size_text()

    def _arrange(self) -> None:
        self._size_text()
        examples = QGridLayout()
        examples.setHorizontalSpacing(L)
        examples.setVerticalSpacing(S)
        for row, (pattern, description) in enumerate(
            (
                ("*.bak", self.tr("files that end in .bak")),
                ("drafts/", self.tr("folders named drafts, wherever they are")),
                ("/private/", self.tr("the folder private at the top only")),
                ("!letter.bak", self.tr("include this one again")),
            )
        ):
            shown = plain_label(pattern)
            shown.setFont(self.text.font())
            examples.addWidget(shown, row, 0)
            examples.addWidget(wrapped_label(description), row, 1)
        examples.setColumnStretch(1, 1)
        buttons = QWidget()
        row_of_buttons = FlowLayout(buttons)
        row_of_buttons.addWidget(self.save)
        row_of_buttons.addWidget(self._close)
        parts = (self._title, self.text, self.count, examples, buttons)
        filled(QVBoxLayout(self), *parts, edges=(L, M, L, M))

    def _size_text(self) -> None:
        font = self.font()
        font.setFamily(self._monospaced)
        if font != self.text.font():
            self.text.setFont(font)
        line = self.text.fontMetrics().lineSpacing()
        self.text.setFixedHeight(line * LINES + 2 * M)

    def _handle_patterns(self, patterns: tuple[str, ...]) -> None:
        self._before = patterns
        self.text.setPlainText("\n".join(patterns))
        self.text.setEnabled(True)
        self.text.setFocus()
        self._count()

    def _patterns(self) -> tuple[str, ...]:
        return tuple(lines_of(self.text.toPlainText()))

    def _changed(self) -> None:
        self.save.setEnabled(False)
        self._questions.cancel(EstimateIndex.wire_name)
        if self.text.isEnabled():
            self._typing.start()

    def _count(self) -> None:
        """Ask the engine for the effect of the patterns."""
        request = EstimateIndex((Path(self._root),), self._patterns())
        self._say(self.tr("Counting…"))
        self._questions.ask(request, self._counted, failed=self._refused)

    def _counted(self, estimate: Estimate) -> None:
        read = estimate.files + estimate.known
        left_out = estimate.left_out.get(FileState.EXCLUDED, 0)
        text = self.tr("{read} to read, {left_out} left out by patterns and rules.")
        self._say(text.format(read=amounts.files(read), left_out=amounts.files(left_out)))
        self.save.setEnabled(self._patterns() != self._before)

    def _refused(self, error: LecternError) -> None:
        self._say(failures.failure(error), bad=True)
        self.save.setEnabled(False)

    def _say(self, text: str, *, bad: bool = False) -> None:
        palette = self.palette()
        if bad:
            palette.setColor(self.count.foregroundRole(), theme.current().bad)
        self.count.setPalette(palette)
        self.count.setText(text)

    def _save(self) -> None:
        request = SetPatterns(Path(self._root), self._patterns())
        self._questions.ask(request, self._saved, failed=self._refused)

    def _saved(self, _patterns: object) -> None:
        root = self._root
        self.close_editor()
        self.saved.emit(root)


_SPECIAL = "\\*?["


def pattern_for(file: str) -> str:
    r"""Return the pattern that matches one file only.

    Args:
        file: Its path relative to the root, with forward slashes.

    >>> pattern_for("notes/what? [1].txt")
    '/notes/what\\? \\[1].txt'
    """
    escaped = "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in file)
    if escaped.endswith(" "):
        escaped = f"{escaped[:-1]}\\ "
    return f"/{escaped}"


def lines_of(text: str) -> list[str]:
    """Return the patterns of a text, one per line without the empty ones."""
    return [line for line in text.splitlines() if line.strip()]
