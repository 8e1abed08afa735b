"""The page of language models: getting one from a hub, using and removing one.

Owns what can be done, and the question before anything is fetched or changed. It must not know how
a model is fetched or when a change is complete: the engine does both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from indexer.api.models import ModelInfo, ModelKind, ModelState
from indexer.api.requests import (
    EstimateReindex,
    GetModel,
    GetStatus,
    ListModels,
    Reindex,
    RemoveModel,
    UseReranker,
)
from ui.labels import wrapped_label
from ui.library.buttons import IconButton, open_menu
from ui.library.questions import Questions
from ui.ports import ignore
from ui.settings_dialog.model_list import ModelFacts, ModelList
from ui.theme import L, M, S
from ui.words import amounts, failures

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QShowEvent

    from indexer.api.answers import ReindexCost
    from indexer.api.errors import LecternError
    from indexer.api.progress import Progress
    from indexer.api.status import Status
    from ui.ports import Context

FETCHING = "fetching"


class ModelsPage(QWidget):
    """What can be done with each model is what the buttons below the list offer."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._agreed: Callable[[], None] = ignore
        self._answering = ""  # the model of the library's vectors
        self._ordering = ""  # the model that orders the first hits
        self.list = ModelList()
        self.list.chosen.connect(self._show_chosen)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.facts = ModelFacts()
        self.get = self._button(self.tr("&Get…"), "arrow-down", self._ask_to_get)
        self.use = self._button(self.tr("&Use…"), "check", self._ask_to_use)
        self.remove = self._button(self.tr("&Remove"), "trash", self._remove)
        self.question = wrapped_label()
        self.agree = self._button(self.tr("&Get it"), "check", self._agree)
        self.refuse = self._button(self.tr("&Not now"), "close", self._close_question)
        self._asking = QFrame()
        self._asking.setFrameShape(QFrame.Shape.StyledPanel)
        self.bar = QProgressBar()
        self.cancel = self._button(self.tr("Sto&p"), "stop", self._cancel)
        self.note = wrapped_label()
        self._arrange()
        self._close_question()
        self._show_fetching(None)
        self._say("")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._reload()

    def _button(self, text: str, drawing: str, pressed: Callable[[], None]) -> IconButton:
        button = IconButton(text, drawing)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: pressed())
        return button

    def _arrange(self) -> None:
        asked = QVBoxLayout(self._asking)
        asked.setContentsMargins(L, M, L, M)
        asked.addWidget(self.question)
        asked.addLayout(_row(self.agree, self.refuse))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(
            wrapped_label(
                self.tr(
                    "A language model reads your documents and questions for their meaning, on "
                    "this computer. The ones that come with Lectern do for most; others are "
                    "fetched from huggingface.co when you ask for one."
                )
            )
        )
        column.addWidget(self.list)
        column.addLayout(_row(self.get, self.use, self.remove))
        column.addWidget(self._asking)
        progress = QHBoxLayout()
        progress.setSpacing(M)
        progress.addWidget(self.bar, 1)
        progress.addWidget(self.cancel)
        column.addLayout(progress)
        column.addWidget(self.note)
        column.addWidget(self.facts)
        column.addStretch(1)

    def _open_menu(self, at: QPoint) -> None:
        name, buttons = self.tr("What to do with this model"), (self.get, self.use, self.remove)
        open_menu(self, name, buttons, self.list.viewport().mapToGlobal(at))

    # -- the list -----------------------------------------------------------------------------

    def _reload(self) -> None:
        self._questions.ask(GetStatus(), self._show_status, failed=self._failed)

    def _show_status(self, status: Status) -> None:
        self._answering, self._ordering = status.model, status.reranker
        self._questions.ask(ListModels(), self._show_models, failed=self._failed)

    def _show_models(self, models: tuple[ModelInfo, ...]) -> None:
        self.list.show_models(models, self._answering, self._ordering)
        self._show_chosen()

    def _show_chosen(self) -> None:
        model, busy = self.list.current, self._questions.is_waiting(FETCHING)
        self._close_question()
        here = model is not None and model.state is not ModelState.ABSENT
        setting = self._context.settings["model"]
        wanted = setting if setting in self.list.models else self._answering  # it may be "auto"
        used = model is not None and model.id in {wanted, self._answering}
        self.get.setEnabled(model is not None and model.runs and not here and not busy)
        self.use.setEnabled(model is not None and here and model.id not in {wanted, self._ordering})
        self.remove.setEnabled(model is not None and model.disk_bytes > 0 and not used)
        self.facts.show_model(model)

    # -- getting, using, removing ---------------------------------------------------------------

    def _ask_to_get(self) -> None:
        model = self.list.current
        if model is None:
            return
        licence = model.licence or self.tr("unknown")
        texts = [
            self.tr("{model} is fetched from {address}. Its licence: {licence}.").format(
                model=model.id, address=model.homepage or "", licence=licence
            )
        ]
        if model.terms:
            terms = self.tr("The licence restricts how you may use it: {terms}. Read it first.")
            texts.append(terms.format(terms=model.terms))
        label = self.tr("&Accept the licence and get it") if model.terms else self.tr("&Get it")
        self._ask(" ".join(texts), label, lambda: self._get(model))

    def _get(self, model: ModelInfo) -> None:
        self._say("")
        self._questions.ask(
            GetModel(model.id, accepted=bool(model.terms)), self._got, failed=self._failed,
            progress=self._show_fetching, slot=FETCHING,
        )  # fmt: skip
        self.bar.setAccessibleName(self.tr("Getting {model}").format(model=model.id))
        self._show_chosen()
        self.bar.setRange(0, 0)
        self.bar.show()
        self.cancel.show()
        self.cancel.setFocus()

    def _show_fetching(self, progress: Progress | None) -> None:
        """Show how much is there; the range 0 to 0 while the rest is prepared."""
        self.bar.setVisible(progress is not None)
        self.cancel.setVisible(progress is not None)
        if progress is None or not progress.bytes_total:
            return
        done = progress.bytes_done >= progress.bytes_total
        self.bar.setRange(0, 0 if done else 1000)
        self.bar.setValue(1000 * progress.bytes_done // progress.bytes_total)
        sizes = amounts.size(progress.bytes_done), amounts.size(progress.bytes_total)
        preparing = self.tr("All is here; it is checked and compiled.")
        amount = self.tr("{done} of {total}").format(done=sizes[0], total=sizes[1])
        self._say(preparing if done else amount)

    def _cancel(self) -> None:
        self._questions.cancel(FETCHING)
        self._show_fetching(None)
        self._say(self.tr("Stopped. What is here stays, and the next time goes on from there."))
        self._reload()

    def _got(self, model: ModelInfo) -> None:
        self._show_fetching(None)
        said = self.tr("{model} is here. Your documents still use the one before.")
        if model.kind is not ModelKind.EMBEDDING:
            said = self.tr("{model} is here. It can order the first hits of every answer.")
        self._say(said.format(model=model.id))
        self._reload()

    def _ask_to_use(self) -> None:
        model = self.list.current
        if model is not None and model.kind is not ModelKind.EMBEDDING:
            self._context.settings.set("reranker", model.id)
            self._questions.ask(UseReranker(model.id), self._ordered, failed=self._failed)
        elif model is not None:
            self._questions.ask(
                EstimateReindex(model.id), lambda cost: self._show_cost(model, cost),
                failed=self._failed,
            )  # fmt: skip

    def _ordered(self, name: str) -> None:
        model = self.list.models.get(name)
        said = self.tr("{model} orders the first hits of every answer.")
        if model is not None and model.kind is ModelKind.LATE_INTERACTION:
            said = self.tr("{model} orders the first hits once it has read your documents.")
        self._say(said.format(model=name))
        self._reload()

    def _show_cost(self, model: ModelInfo, cost: ReindexCost) -> None:
        text = self.tr(
            "{model} reads your documents anew: {time}, {size} more on the disk. Until it is done "
            "the present one answers, and afterwards you can return to that at once."
        ).format(model=model.id, time=amounts.about(cost.seconds), size=amounts.size(cost.bytes))
        self._ask(text, self.tr("&Use it"), lambda: self._use(model))

    def _use(self, model: ModelInfo) -> None:
        self._context.settings.set("model", model.id)
        # Not cancelled with this page: the activity page shows it and can pause it.
        self._questions.send(Reindex(model.id), ignore, failed=self._failed)
        said = self.tr("{model} is being prepared; the activity page shows how far it is.")
        self._say(said.format(model=model.id))
        self._show_chosen()

    def _remove(self) -> None:
        if (model := self.list.current) is not None:
            self._questions.ask(RemoveModel(model.id), self._removed, failed=self._failed)

    def _removed(self, freed: int) -> None:
        self._say(self.tr("{size} are free again.").format(size=amounts.size(freed)))
        self._reload()

    # -- what is said ---------------------------------------------------------------------------

    def _ask(self, text: str, label: str, agreed: Callable[[], None]) -> None:
        self._agreed = agreed
        self.question.setText(text)
        self.agree.setText(label)
        self.agree.setAccessibleName(f"{label.replace('&', '')}. {text}")
        self._asking.show()
        self.refuse.setFocus()

    def _agree(self) -> None:
        agreed = self._agreed
        self._close_question()
        agreed()

    def _close_question(self) -> None:
        self._agreed = ignore
        self._asking.hide()

    def _failed(self, error: LecternError) -> None:
        self._show_fetching(None)
        self._say(failures.failure(error))
        self._show_chosen()

    def _say(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))


def _row(*buttons: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(S)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row
