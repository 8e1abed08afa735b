"""The cards of the library's pages: the estimate before reading, and a folder's exclude patterns.

Nothing is read before Start is pressed, and the effect of patterns is shown before they are saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QFormLayout, QPlainTextEdit, QProgressBar, QVBoxLayout

from indexer.api.requests import EstimateIndex, SetPatterns
from ui import theme
from ui.flow_layout import FlowLayout
from ui.requests import Questions
from ui.theme import L, M, S
from ui.widgets import (
    CardFrame,
    Facts,
    FocusReturn,
    IconButton,
    Restyled,
    filled,
    plain_label,
    timer,
    wrapped_label,
)
from ui.words import amounts, failures
from ui.words.names import kind

if TYPE_CHECKING:
    from indexer.api.answers import Estimate, FormatEstimate
    from indexer.api.errors import LecternError
    from ui.ports import Context


MOST_KINDS = 6


class EstimateCard(CardFrame):
    """Asks whether to start.

    Signals:
        accepted: Start was pressed; carries the paths.
        dismissed: Cancel was pressed.
    """

    accepted = Signal(list)
    dismissed = Signal()

    def __init__(self, context: Context, *, can_cancel: bool = True) -> None:
        super().__init__()
        self._context = context
        self._questions = Questions(context, self)
        self.paths: list[str] = []
        self._focus = FocusReturn(self, self.dismiss if can_cancel else None)
        self.setAccessibleName(self.tr("Estimate"))
        self._title = wrapped_label(bold=True)
        self.note = wrapped_label()
        self._busy = QProgressBar(maximum=0, textVisible=False)
        self._busy.setAccessibleName(self.tr("Counting"))
        self.facts = Facts()
        self.start = IconButton(self.tr("&Start"), "play", self._accept)
        self.start.setDefault(True)
        self.start.setEnabled(False)
        self.cancel = IconButton(self.tr("Cance&l"), pressed=self.dismiss)
        if not can_cancel:  # a ``setVisible(can_cancel)`` would show it before it has a parent
            self.cancel.hide()
        buttons = FlowLayout(self.start, self.cancel)
        parts = (self._title, self._busy, self.facts, self.note, buttons)
        filled(QVBoxLayout(self), *parts, spacing=L, edges=(L, L, L, L))
        self.hide()

    def estimate_paths(self, paths: Sequence[str]) -> None:
        """Ask the engine for an estimate of these paths, and show it."""
        self.paths = list(dict.fromkeys(paths))
        self._title.setText(self._named())
        self.facts.hide()
        self.note.setText(self.tr("Counting files. Nothing is read yet."))
        self.note.show()
        self._busy.show()
        self.start.setEnabled(False)
        self.show()
        request = EstimateIndex(tuple(map(Path, self.paths)))
        self._questions.ask_engine(request, self._handle_estimate, failed=self._fail)

    def dismiss(self) -> None:
        """Hide the card and drop its folders."""
        self._questions.cancel_all()
        self.paths = []
        self._focus.give_back()
        self.hide()
        self.dismissed.emit()

    def _named(self) -> str:
        names = [PurePath(path).name or path for path in self.paths]
        if len(names) <= 3:
            return QLocale().createSeparatedList(names)
        return self.tr("%Ln folders or files", "", len(names))

    def _accept(self) -> None:
        paths, self.paths = self.paths, []
        self._focus.give_back()
        self.hide()
        self.accepted.emit(paths)

    def _fail(self, error: LecternError) -> None:
        self._busy.hide()
        if error.code == "engine_gone":
            self.note.setText(self.tr("The engine is starting; this is counted in a moment."))
            self._context.link.connected.connect(
                self._count_again, Qt.ConnectionType.SingleShotConnection
            )
        else:
            self.note.setText(failures.failure(error))

    def _count_again(self) -> None:
        if self.paths and self.isVisible():
            self.estimate_paths(self.paths)

    def _handle_estimate(self, estimate: Estimate) -> None:
        self._busy.hide()
        self.facts.show_facts(self._fact_rows(estimate))
        self.note.setText(self._said(estimate))
        self.note.setVisible(bool(self.note.text()))
        self.start.setEnabled(bool(estimate.files or estimate.known))
        self.start.setFocus()

    def _fact_rows(self, estimate: Estimate) -> list[tuple[str, str]]:
        rows = []
        if estimate.files:
            text = self.tr("{files} ({size}), about {pages}").format(
                files=amounts.files(estimate.files),
                size=amounts.size(estimate.bytes),
                pages=amounts.pages(estimate.pages),
            )
            rows.append((self.tr("To read:"), text))
            rows.append((self.tr("Kinds:"), _kinds(estimate.formats)))
            soon = amounts.about(estimate.seconds_words)
            late = amounts.about(estimate.seconds_meaning)
            rows.append((self.tr("Found by words:"), self.tr("in {time}").format(time=soon)))
            rows.append((self.tr("Found by meaning:"), self.tr("in {time}").format(time=late)))
        left_out = {code: n for code, n in estimate.left_out.items() if n}
        if left_out:
            rows.append((self.tr("Skipped:"), _left_out(left_out)))
        if estimate.known:
            rows.append((self.tr("Known already:"), amounts.files(estimate.known)))
        return rows

    def _said(self, estimate: Estimate) -> str:
        if not estimate.files:
            if estimate.known:
                return self.tr("Everything in it has been read already.")
            return self.tr("There is nothing in it that Lectern can read.")
        if estimate.measured:
            return ""
        return self.tr(
            "A first estimate of the time; it improves once this computer’s speed is known."
        )


def _kinds(formats: Mapping[str, FormatEstimate]) -> str:
    counted = sorted(((one.files, name) for name, one in formats.items()), reverse=True)
    parts = [f"{kind(name)}:\u00a0{amounts.count(files)}" for files, name in counted[:MOST_KINDS]]
    if len(counted) > MOST_KINDS:
        parts.append("…")
    return " · ".join(parts)


def _left_out(counts: Mapping[str, int]) -> str:
    counted = sorted(counts.items(), key=lambda item: -item[1])
    return " · ".join(
        amounts.empty(n) if code == "empty" else f"{failures.reason(code)}:\u00a0{amounts.count(n)}"
        for code, n in counted
    )


TYPING_MS = 400
LINES = 5


class PatternsEditor(Restyled, CardFrame):
    """Edits the patterns of a folder.

    Signals:
        saved: New patterns are stored; carries the folder and the patterns that it had before.
        closed: The editor was hidden.
    """

    saved = Signal(str, tuple)
    closed = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._questions = Questions(context, self)
        self._root = ""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self._monospaced = font.family()
        self._before: tuple[str, ...] = ()
        self.setAccessibleName(self.tr("Patterns"))
        self._title = wrapped_label()
        self.text = QPlainTextEdit(tabChangesFocus=True)
        self.text.setAccessibleName(self.tr("Patterns, one per line"))
        self.text.setPlaceholderText(self.tr("One pattern per line"))
        self.text.textChanged.connect(self._changed)
        self._title.setBuddy(self.text)
        self.count = wrapped_label()
        self.save = IconButton(self.tr("Sa&ve"), "check", self._save)
        self._close = IconButton(self.tr("Cance&l"), pressed=self.close_editor)
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
        self._questions.ask_engine(SetPatterns(Path(root)), self._handle_patterns)

    def close_editor(self) -> None:
        self._questions.cancel_all()
        self._typing.stop()
        self._focus.give_back()
        self.hide()
        self.closed.emit()

    def _arrange(self) -> None:
        self.restyle()
        examples = QFormLayout(horizontalSpacing=L, verticalSpacing=S)
        examples.setLabelAlignment(Qt.AlignmentFlag.AlignLeading)
        for pattern, description in (
            ("*.bak", self.tr("files that end in .bak")),
            ("drafts/", self.tr("folders named drafts, wherever they are")),
            ("/private/", self.tr("the folder private at the top only")),
            ("!letter.bak", self.tr("include this one again")),
        ):
            shown = plain_label(pattern)
            shown.setFont(self.text.font())
            examples.addRow(shown, wrapped_label(description))
        parts = (self._title, self.text, self.count, examples, FlowLayout(self.save, self._close))
        filled(QVBoxLayout(self), *parts, edges=(L, M, L, M))

    def restyle(self) -> None:
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
        self._questions.ask_engine(request, self._counted, failed=self._refused)

    def _counted(self, estimate: Estimate) -> None:
        said = []
        if leaving := estimate.leaving:
            text = self.tr("Leaves out {files} of the library: {names}.")
            number = amounts.files(sum(leaving.values()))
            said.append(text.format(files=number, names=_named(leaving)))
        stay = amounts.files(estimate.files + estimate.known)
        said.append(self.tr("{files} stay.").format(files=stay))
        self._say(" ".join(said))
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
        self._questions.ask_engine(request, self._saved, failed=self._refused)

    def _saved(self, _patterns: object) -> None:
        root, before = self._root, self._before
        self.close_editor()
        self.saved.emit(root, before)


# The most folders and files that are named.
MOST_NAMES = 6


def _named(leaving: Mapping[str, int]) -> str:
    """Name the folders and files that the patterns exclude, the largest folders first."""
    largest = sorted((name for name in leaving if name), key=lambda name: -leaving[name])
    parts = [
        f"\u2068{name}\u2069 ({amounts.count(leaving[name])})" if leaving[name] > 1 else name
        for name in largest[:MOST_NAMES]
    ]
    return ", ".join(parts + (["…"] if len(leaving) > len(parts) else []))


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
    """Return the patterns of a text: its lines, except for empty ones."""
    return [line for line in text.splitlines() if line.strip()]
