"""The page of language models: getting one from a hub, using and removing one.

Owns what can be done, and the question before anything is fetched or changed. It must not know how
a model is fetched or when a change is complete: the engine does both.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from indexer.api.model_requests import (
    EstimateReindex,
    GetModel,
    ListModels,
    Reindex,
    RemoveModel,
    UseReranker,
)
from indexer.api.models import ModelInfo, ModelKind, ModelState
from indexer.api.requests import GetStatus
from ui.library.questions import Questions
from ui.ports import ignore
from ui.settings_dialog.confirmation import Confirmation
from ui.settings_dialog.model_bench import BenchPanel
from ui.settings_dialog.model_comparison import ComparePanel
from ui.settings_dialog.model_import import ImportForm
from ui.settings_dialog.model_list import ModelFacts, ModelList
from ui.settings_dialog.task_line import TaskLine
from ui.theme import M, S
from ui.widgets import FlowLayout, IconButton, open_menu, plain_label, wrapped_label
from ui.words import amounts, failures

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QShowEvent

    from indexer.api.answers import ReindexCost
    from indexer.api.errors import LecternError
    from indexer.api.model_requests import ImportModel
    from indexer.api.status import Status
    from ui.ports import Context

FETCHING = "fetching"


class ModelsPage(QWidget):
    """What can be done with each model is what the buttons below the list offer."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._answering = ""  # the model of the library's vectors
        self._ordering = ""  # the model that orders the first hits
        self._then: Callable[[], None] = ignore  # once the list is shown again
        self._stopped = ""  # what is said if the person stops what goes on
        self.list = ModelList()
        self.list.chosen.connect(self._show_chosen)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.facts = ModelFacts()
        self.get = self._button(self.tr("&Get…"), "arrow-down", self._ask_to_get)
        self.use = self._button(self.tr("&Use…"), "check", self._ask_to_use)
        self.remove = self._button(self.tr("&Remove"), "trash", self._remove)
        self.form = ImportForm()
        self.form.agreed.connect(lambda: self._import(self.form.request))
        self.take = self._button(self.tr("&Import a folder…"), "folder-add", self.form.choose)
        self.confirmation = Confirmation()
        self.task = TaskLine()
        self.task.stopped.connect(self._cancel)
        self.bench = BenchPanel(context)
        self.bench.changed.connect(self._reads_otherwise)
        self.comparison = ComparePanel(context)
        self.comparison.changed.connect(self._reload)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._reload()

    def _button(self, text: str, drawing: str, pressed: Callable[[], None]) -> IconButton:
        button = IconButton(text, drawing)
        button.setAutoDefault(False)
        button.clicked.connect(lambda _checked=False: pressed())
        return button

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(
            wrapped_label(
                self.tr(
                    "A language model reads your documents and questions for their meaning, on "
                    "this computer. The ones that come with Lectern do for most; others are "
                    "fetched from huggingface.co when you ask for one, or taken from a folder that "
                    "sentence-transformers saved."
                )
            )
        )
        column.addWidget(self.list)
        row = FlowLayout(spacing=S)
        for button in (self.get, self.use, self.remove, self.take):
            row.addWidget(button)
        column.addLayout(row)
        column.addWidget(self.confirmation)
        column.addWidget(self.form)
        column.addWidget(self.task)
        column.addWidget(self.facts)
        for text, panel in (
            (self.tr("Measure a model"), self.bench),
            (self.tr("Compare two models"), self.comparison),
        ):
            column.addSpacing(M)
            column.addWidget(_heading(text))
            column.addWidget(panel)
        column.addStretch(1)

    def _open_menu(self, at: QPoint) -> None:
        name, buttons = self.tr("What to do with this model"), (self.get, self.use, self.remove)
        open_menu(self, name, buttons, self.list.viewport().mapToGlobal(at))

    # -- the list -----------------------------------------------------------------------------

    def _reload(self) -> None:
        self._questions.ask(GetStatus(), self._show_status, failed=self._failed)

    def _show_status(self, status: Status) -> None:
        self._answering, self._ordering = status.model, status.reranker
        self.comparison.show_status(status)
        self._questions.ask(ListModels(), self._show_models, failed=self._failed)

    def _show_models(self, models: tuple[ModelInfo, ...]) -> None:
        self.list.show_models(models, self._answering, self._ordering)
        self._show_chosen()
        then, self._then = self._then, ignore
        then()

    def _show_chosen(self) -> None:
        model, busy = self.list.current, self._questions.is_waiting(FETCHING)
        self.confirmation.dismiss()
        here = model is not None and model.state is not ModelState.ABSENT
        setting = self._context.settings["model"]
        wanted = setting if setting in self.list.models else self._answering  # it may be "auto"
        used = model is not None and model.id in {wanted, self._answering}
        self.get.setEnabled(model is not None and model.runs and not here and not busy)
        self.take.setEnabled(not busy)
        self.use.setEnabled(model is not None and here and model.id not in {wanted, self._ordering})
        self.remove.setEnabled(model is not None and model.disk_bytes > 0 and not used)
        self.facts.show_model(model)
        self.bench.show_model(model)

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
        self.confirmation.ask(" ".join(texts), label, lambda: self._get(model))

    def _get(self, model: ModelInfo) -> None:
        self._begin(GetModel(model.id, accepted=bool(model.terms)))
        self._stopped = self.tr(
            "Stopped. What is here stays, and the next time goes on from there."
        )
        self.task.begin(self.tr("Getting {model}").format(model=model.id))

    def _import(self, request: ImportModel) -> None:
        self._begin(request)
        self._stopped = self.tr("Stopped. Nothing was taken over.")
        self.task.begin(self.tr("Importing {model}").format(model=request.name))

    def _begin(self, request: GetModel | ImportModel) -> None:
        self._questions.ask(
            request, self._got, failed=self._failed, progress=self.task.show_progress,
            slot=FETCHING,
        )  # fmt: skip
        self._show_chosen()

    def _cancel(self) -> None:
        self._questions.cancel(FETCHING)
        self.task.end(self._stopped)
        self._reload()

    def _got(self, model: ModelInfo) -> None:
        said = self.tr("{model} is here. Your documents still use the one before.")
        if model.kind is not ModelKind.EMBEDDING:
            said = self.tr("{model} is here. It can order the first hits of every answer.")
        licence = self.tr("Its licence: {licence}.").format(
            licence=model.licence or self.tr("unknown")
        )
        self.task.end(f"{said.format(model=model.id)} {licence}")
        self._then = partial(self.list.choose, model.id)
        self._reload()

    def _ask_to_use(self) -> None:
        model = self.list.current
        if model is not None and model.kind is not ModelKind.EMBEDDING:
            self._context.settings.set("reranker", model.id)
            self._questions.ask(UseReranker(model.id), self._ordered, failed=self._failed)
        elif model is not None:
            self._ask_cost(model)

    def _ask_cost(self, model: ModelInfo) -> None:
        self._questions.ask(
            EstimateReindex(model.id), lambda cost: self._show_cost(model, cost),
            failed=self._failed,
        )  # fmt: skip

    def _reads_otherwise(self, model: ModelInfo) -> None:
        """Ask whether the library's model is to read the documents in the other way now."""
        self._then = partial(self._ask_cost, model) if model.id == self._answering else ignore
        self._reload()

    def _ordered(self, name: str) -> None:
        model = self.list.models.get(name)
        said = self.tr("{model} orders the first hits of every answer.")
        if model is not None and model.kind is ModelKind.LATE_INTERACTION:
            said = self.tr("{model} orders the first hits once it has read your documents.")
        self.task.say(said.format(model=name))
        self._reload()

    def _show_cost(self, model: ModelInfo, cost: ReindexCost) -> None:
        text = self.tr(
            "{model} reads your documents anew: {time}, {size} more on the disk. Until it is done "
            "the present one answers, and afterwards you can return to that at once."
        ).format(model=model.id, time=amounts.about(cost.seconds), size=amounts.size(cost.bytes))
        self.confirmation.ask(text, self.tr("&Use it"), lambda: self._use(model))

    def _use(self, model: ModelInfo) -> None:
        self._context.settings.set("model", model.id)
        # Not cancelled with this page: the activity page shows it and can pause it.
        self._questions.send(Reindex(model.id), ignore, failed=self._failed)
        said = self.tr("{model} is being prepared; the activity page shows how far it is.")
        self.task.say(said.format(model=model.id))
        self._show_chosen()

    def _remove(self) -> None:
        if (model := self.list.current) is not None:
            self._questions.ask(RemoveModel(model.id), self._removed, failed=self._failed)

    def _removed(self, freed: int) -> None:
        self.task.say(self.tr("{size} are free again.").format(size=amounts.size(freed)))
        self._reload()

    def _failed(self, error: LecternError) -> None:
        self.task.end(failures.failure(error))
        self._show_chosen()


def _heading(text: str) -> QLabel:
    label, bold = plain_label(text), QFont()
    bold.setBold(True)
    label.setFont(bold)
    return label
