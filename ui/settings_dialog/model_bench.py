"""Measuring a language model on this computer and on the library's own text.

Owns what is said of the measurement. It must not know how it is made: the engine does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from indexer.api.model_requests import BenchModel, ReadTogether
from indexer.api.models import ModelKind, ModelState, Origin
from ui.library.questions import Questions
from ui.settings_dialog.task_line import TaskLine, bring_into_view
from ui.theme import M
from ui.widgets import Facts, IconButton, wrapped_label
from ui.words import amounts, failures

if TYPE_CHECKING:
    from indexer.api.errors import LecternError
    from indexer.api.models import ContextBenefit, ModelBench, ModelInfo
    from ui.ports import Context


class BenchPanel(QWidget):
    """Measures the model that ``show_model`` was last given.

    Signals:
        changed: A model reads passages in the other way now.
    """

    changed = Signal(object)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self._model: ModelInfo | None = None
        self.measure = IconButton(self.tr("&Measure it here"), "speed")
        self.measure.setAutoDefault(False)
        self.measure.clicked.connect(self._measure)
        self.apply = IconButton("", "check")
        self.apply.setAutoDefault(False)
        self.apply.clicked.connect(self._apply)
        self._together = False  # what ``apply`` does
        self.task = TaskLine()
        self.task.stopped.connect(self._stop)
        self.facts = Facts()
        self.facts.hide()
        told = wrapped_label(
            self.tr(
                "How fast is the chosen model on this computer? And does it find passages of your "
                "own documents better if it reads them with their neighbours, or alone? A sentence "
                "of each of some passages stands for a question, the rest for its answer."
            )
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(told)
        column.addWidget(self.measure, 0, Qt.AlignmentFlag.AlignLeading)
        column.addWidget(self.task)
        column.addWidget(self.facts)
        column.addWidget(self.apply, 0, Qt.AlignmentFlag.AlignLeading)
        self.apply.hide()

    def show_model(self, model: ModelInfo | None) -> None:
        """Offer to measure a model; what was measured of another one is not shown any more."""
        if model is None or self._model is None or model.id != self._model.id:
            self._questions.cancel_all()
            self._clear()
            self.task.end("")
        self._model = model
        self._show_button()

    def _clear(self) -> None:
        self.facts.show_facts([])
        self.apply.hide()

    def _show_button(self) -> None:
        model, busy = self._model, self._questions.is_waiting(BenchModel.wire_name)
        here = model is not None and model.state is not ModelState.ABSENT
        reads = model is not None and model.kind is ModelKind.EMBEDDING and model.runs
        self.measure.setEnabled(here and reads and not busy)

    def _measure(self) -> None:
        assert self._model is not None  # noqa: S101  # else the button is disabled
        self._clear()
        self._questions.ask(
            BenchModel(self._model.id), self._show, failed=self._failed,
            progress=self.task.show_progress,
        )  # fmt: skip
        self.task.begin(self.tr("Measuring {model}").format(model=self._model.id))
        self._show_button()

    def _stop(self) -> None:
        self._questions.cancel_all()
        self.task.end(self.tr("Stopped."))
        self._show_button()

    def _failed(self, error: LecternError) -> None:
        self.task.end(failures.failure(error))
        self._show_button()

    def _show(self, found: ModelBench) -> None:
        self._show_button()
        if not found.passages:
            self.task.end(self.tr("There is nothing to measure: no document was read yet."))
            return
        rate = 1 / max(found.seconds, 1e-9)
        passages = self.tr("{passages} passages, {tokens} tokens a second").format(
            passages=amounts.rate(found.passages * rate),
            tokens=amounts.count(round(found.tokens * rate)),
        )
        milliseconds = amounts.count(round(1000 * found.query_seconds))
        asked = self.tr("{number} ms").format(number=milliseconds)
        rows = [
            (self.tr("Precision:"), found.precision),
            (self.tr("Device:"), found.provider),
            (self.tr("Reads:"), passages),
            (self.tr("A question takes:"), asked),
        ]
        if (benefit := found.benefit) is not None:
            rows += [
                (self.tr("Found if read together:"), amounts.decimal(benefit.together, 3)),
                (self.tr("Found if read alone:"), amounts.decimal(benefit.alone, 3)),
            ]
            self._offer(together=benefit.better_together)
        self.facts.show_facts(rows)
        self.task.end(self._conclusion(benefit))
        bring_into_view(self.facts)

    def _offer(self, *, together: bool) -> None:
        """Offer the other way of reading, for a model that can be changed."""
        model = self._model
        fixed = model is None or model.origin not in {Origin.IMPORTED, Origin.PUBLISHED}
        self._together = together
        text = self.tr("Rea&d passages with their neighbours")
        self.apply.setText(text if together else self.tr("Rea&d passages alone"))
        self.apply.setAccessibleName(self.apply.text().replace("&", ""))
        self.apply.setVisible(not fixed and model is not None and model.late != together)

    def _apply(self) -> None:
        assert self._model is not None  # noqa: S101  # else it is hidden
        self.apply.hide()
        request = ReadTogether(self._model.id, self._together)
        self._questions.ask(request, self.changed.emit, failed=self._failed)

    def _conclusion(self, benefit: ContextBenefit | None) -> str:
        if benefit is None:
            return self.tr(
                "Whether neighbours help was not measured: there is too little text, or the model "
                "does not make a vector by the mean of its tokens."
            )
        if benefit.better_together:
            better = self.tr("Read with its neighbours a passage is found better here.")
        else:
            better = self.tr("Read alone a passage is found better, or as well, here.")
        scale = self.tr("1 would be always first, 0.5 always second ({questions}).")
        return f"{better} {scale.format(questions=amounts.questions(benefit.questions))}"
