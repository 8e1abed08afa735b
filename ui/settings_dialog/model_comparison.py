"""Comparing two language models on the person's own questions, and going back to the one before.

Owns the questions, their file, and which passages the person marked as right. It must not know how
the questions are answered: the engine does that.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from indexer.api.model_requests import CompareModels, RollBack
from indexer.api.models import RankScore, read_questions
from ui.library.questions import Questions
from ui.settings_dialog.compared_list import ComparedList
from ui.settings_dialog.task_line import TaskLine, bring_into_view
from ui.theme import M, S
from ui.widgets import IconButton, choose_files, wrapped_label
from ui.words import amounts, failures

if TYPE_CHECKING:
    from indexer.api.errors import LecternError
    from indexer.api.models import ModelComparison
    from indexer.api.status import ModelChoice, Status
    from ui.ports import Context

LINES = 5
LARGEST = 1 << 20  # bytes of a file of questions


class ComparePanel(QWidget):
    """Signals: ``changed``: another model answers now."""

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._asked = Questions(context, self)
        self._space = ""  # of the vectors that answer
        self.told = wrapped_label()
        self.questions = QPlainTextEdit()
        self.questions.setAccessibleName(self.tr("Your questions, one a line"))
        self.questions.setPlaceholderText(self.tr("Your questions, one a line"))
        self.questions.setTabChangesFocus(True)
        self.questions.setFixedHeight(self.fontMetrics().lineSpacing() * LINES + 2 * M)
        self.questions.textChanged.connect(self._show_buttons)
        self.open = self._button(self.tr("From a &file…"), "open")
        self.open.clicked.connect(self._choose_file)
        self.compare = self._button(self.tr("C&ompare"), "compare")
        self.compare.clicked.connect(self._compare)
        self.task = TaskLine()
        self.task.stopped.connect(self._stop)
        self.list = ComparedList()
        self.list.marked.connect(self._keep_marks)
        self.score = wrapped_label()
        self.back = self._button("", "undo")
        self.back.clicked.connect(self._roll_back)
        self._inputs = QWidget()
        self._arrange()
        self._clear()

    def _button(self, text: str, drawing: str) -> IconButton:
        button = IconButton(text, drawing)
        button.setAutoDefault(False)
        return button

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        for button in (self.open, self.compare):
            buttons.addWidget(button)
        buttons.addStretch(1)
        inner = QVBoxLayout(self._inputs)
        inner.addWidget(self.questions)
        inner.addLayout(buttons)
        inner.addWidget(self.task)
        inner.addWidget(self.list)
        inner.addWidget(self.score)
        inner.addWidget(self.back, 0, Qt.AlignmentFlag.AlignLeading)
        column = QVBoxLayout(self)
        for layout in (inner, column):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(M)
        column.addWidget(self.told)
        column.addWidget(self._inputs)

    def show_status(self, status: Status) -> None:
        """Offer to compare the model that answers with the one before, if that was kept."""
        before = status.previous
        self._inputs.setVisible(before is not None)
        if before is None:
            text = self.tr(
                "Only one model has read your documents. Use another one; then the two can be "
                "compared here on your own questions, and you can go back at once."
            )
            self.told.setText(text)
            return
        if status.space != self._space:
            self._space = status.space
            self._clear()
        text = self.tr(
            "Your own questions are answered by {second}, which is in use, and by {first}, which "
            "was before. Mark the passage that is right, to see which model puts it first."
        )
        self.told.setText(text.format(first=before.model, second=status.model))
        self.back.setText(self.tr("Go &back to {model}").format(model=before.model))
        self.back.setAccessibleName(self.back.text().replace("&", ""))
        self._show_buttons()

    def _clear(self) -> None:
        self.task.end("")
        self.list.hide()
        self.score.hide()

    def _show_buttons(self) -> None:
        busy = self._asked.is_waiting(CompareModels.wire_name)
        asked = any(read_questions(self.questions.toPlainText()))
        self.compare.setEnabled(asked and not busy)

    # -- the questions --------------------------------------------------------------------------

    def _choose_file(self) -> None:
        choose_files(self, self.tr("A file of your questions, one a line"), self._read)

    def _read(self, paths: list[str]) -> None:
        try:
            with Path(paths[0]).open("rb") as file:
                text = file.read(LARGEST).decode("utf-8-sig", errors="replace")
        except OSError as error:
            said = self.tr("The file cannot be read: {reason}.")
            self.task.say(said.format(reason=error.strerror or type(error).__name__))
            return
        self.questions.setPlainText(text)
        self.compare.setFocus()

    def _compare(self) -> None:
        self._clear()
        questions = tuple(read_questions(self.questions.toPlainText()))
        self._asked.ask(
            CompareModels("", "", questions), self._show, failed=self._failed,
            progress=self.task.show_progress,
        )  # fmt: skip
        self.task.begin(self.tr("Comparing two models"))
        self._show_buttons()

    def _stop(self) -> None:
        self._asked.cancel(CompareModels.wire_name)
        self.task.end(self.tr("Stopped."))
        self._show_buttons()

    def _failed(self, error: LecternError) -> None:
        self.task.end(failures.failure(error))
        self._show_buttons()

    # -- the answers ----------------------------------------------------------------------------

    def _show(self, found: ModelComparison) -> None:
        self.list.show_comparison(found)
        self.list.show()
        self._show_buttons()
        shared = [each.shared for each in found.questions]
        self.task.end(
            self.tr("{questions}; of the first ten passages both find {number} on average.").format(
                questions=amounts.questions(len(shared)),
                number=amounts.decimal(sum(shared) / max(1, len(shared)), 1),
            )
        )
        self._show_score()
        self.list.setFocus()
        bring_into_view(self.back)

    def _show_score(self) -> None:
        """Show how often each model ranks first what was marked."""
        found = self.list.comparison
        marked = [each for each in found.questions if each.question.right]
        text = self.tr("{model}: the right passage first {first} of {all} times, among ten {ten}.")
        lines = []
        for number, model in enumerate((found.first, found.second)):
            score = RankScore.of([each.right_rank(number) for each in marked])
            lines.append(
                text.format(
                    model=model, first=amounts.count(score.first),
                    all=amounts.count(score.questions), ten=amounts.count(score.ten),
                )
            )  # fmt: skip
        self.score.setText("\n".join(lines))
        self.score.setVisible(bool(marked))

    def _keep_marks(self) -> None:
        """Write the marks behind the questions, so that they count the next time too."""
        asked = [each.question for each in self.list.comparison.questions]
        self.questions.setPlainText("\n".join(f"{q.text}\t{q.right}".strip() for q in asked))
        self._show_score()

    def _roll_back(self) -> None:
        self.back.setEnabled(False)
        self._asked.ask(RollBack(), self._rolled_back, failed=self._not_rolled_back)

    def _rolled_back(self, choice: ModelChoice) -> None:
        settings = self._context.settings
        for name, value in (("model", choice.model), ("precision", choice.precision)):
            if str(settings[name]) != value:
                settings.set(name, value)
        self.back.setEnabled(True)
        self.changed.emit()
        self.task.end(self.tr("{model} answers again.").format(model=choice.model))

    def _not_rolled_back(self, error: LecternError) -> None:
        self.back.setEnabled(True)
        self._failed(error)
