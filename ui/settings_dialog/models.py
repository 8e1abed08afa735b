"""The page of language models: it lists them, and fetches, uses or removes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QProgressBar,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.models import (
    EstimateReindex,
    GetModel,
    ListModels,
    ModelInfo,
    ModelState,
    Origin,
    Reindex,
    RemoveModel,
)
from indexer.api.requests import GetStatus
from ui.flow_layout import FlowLayout
from ui.lists import style_list
from ui.ports import Context, ignore
from ui.requests import Questions
from ui.theme import L, M, S, icon
from ui.widgets import (
    CardFrame,
    Facts,
    IconButton,
    MenuEntry,
    filled,
    leading,
    popup_menu,
    wrapped_label,
)
from ui.words import amounts, failures
from ui.words.names import language

if TYPE_CHECKING:
    from indexer.api.answers import ReindexCost
    from indexer.api.errors import LecternError
    from indexer.api.progress import Progress
    from indexer.api.status import Status


_STEPS = 1000


class TaskLine(QWidget):
    """A bar, a button that stops the task, and its outcome.

    Signals:
        stopped: The person pressed the button.
    """

    stopped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QProgressBar()
        self.cancel = IconButton(self.tr("Sto&p"), "stop", self.stopped)
        self.note = wrapped_label()
        row = filled(QHBoxLayout(), self.bar, self.cancel, wide=self.bar)
        filled(QVBoxLayout(self), row, self.note)
        self.end("")

    def begin(self, name: str) -> None:
        """Show that a task has begun; ``name`` is for screen readers."""
        self.say_outcome("")
        self.bar.setAccessibleName(name)
        self.bar.setRange(0, 0)
        self.bar.show()
        self.cancel.show()
        self.cancel.setFocus()

    def show_progress(self, progress: Progress) -> None:
        """Show how much is done; the bar has no end while the rest cannot be counted."""
        if progress.bytes_total:
            done, total = progress.bytes_done, progress.bytes_total
            sizes = amounts.size(done), amounts.size(total)
            counted = self.tr("{done} of {total}").format(done=sizes[0], total=sizes[1])
            self.say_outcome(
                self.tr("Downloaded; the files are being checked.") if done >= total else counted
            )
        else:
            done, total = progress.files_done, progress.files_total
        there = 0 < total > done
        self.bar.setRange(0, _STEPS if there else 0)
        self.bar.setValue(_STEPS * done // total if there else 0)

    def end(self, text: str) -> None:
        """Show the outcome of the task."""
        self.bar.hide()
        self.cancel.hide()
        self.say_outcome(text)

    def say_outcome(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))


class Confirmation(QFrame):
    """A question with a button to agree and one to decline; hidden while nothing is asked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._agreed: Callable[[], None] = ignore
        self.question = wrapped_label()
        self.agree = IconButton("", "check", self._agree)
        self.refuse = IconButton(self.tr("&Not now"), "close", self.dismiss)
        row = filled(QHBoxLayout(), self.agree, self.refuse, None, spacing=S)
        filled(QVBoxLayout(self), self.question, row, edges=(L, M, L, M))
        self.hide()

    def ask_consent(self, text: str, label: str, agreed: Callable[[], None]) -> None:
        """Ask a question; ``label`` is the text of the button that calls ``agreed``."""
        self._agreed = agreed
        self.question.setText(text)
        self.agree.setText(label)
        self.agree.setAccessibleName(f"{label.replace('&', '')}. {text}")
        self.show()
        self.refuse.setFocus()

    def dismiss(self) -> None:
        self._agreed = ignore
        self.hide()

    def _agree(self) -> None:
        agreed = self._agreed
        self.dismiss()
        agreed()


FETCHING = "fetching"
# The most languages that are named; if there are more, they are counted.
MOST_NAMED = 4
LINES = 8
ROLE = int(Qt.ItemDataRole.UserRole)


class ModelList(QTreeWidget):
    """The list of models. Signals: ``chosen`` when another model becomes the current one."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.models: dict[str, ModelInfo] = {}
        style_list(self, self.tr("Language models"), across=True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setHeaderLabels([self.tr("Model"), self.tr("State")])
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.header().setStretchLastSection(True)
        self.setFixedHeight(self.fontMetrics().height() * (LINES + 2) + LINES * S)
        self.currentItemChanged.connect(lambda *_items: self.chosen.emit())

    @property
    def current(self) -> ModelInfo | None:
        """The model of the current row."""
        item: QTreeWidgetItem | None = self.currentItem()
        return self.models.get(str(item.data(0, ROLE))) if item is not None else None

    def choose_model(self, model: str) -> None:
        """Make the row of a model the current one."""
        for row in range(self.topLevelItemCount()):
            item = self.topLevelItem(row)
            if item is not None and item.data(0, ROLE) == model:
                self.setCurrentItem(item)

    def show_models(self, models: Iterable[ModelInfo], answering: str) -> None:
        """List models; the current one stays, at first the model of the library's vectors."""
        before = self.current.id if self.current else answering
        self.models = {model.id: model for model in models}
        self.clear()
        for model in self.models.values():
            item = QTreeWidgetItem([model.id, self._state(model, answering)])
            item.setData(0, ROLE, model.id)
            self.addTopLevelItem(item)
        self.choose_model(before)
        if self.current is None and self.models:
            self.choose_model(next(iter(self.models)))

    def _state(self, model: ModelInfo, answering: str) -> str:
        if model.id == answering:
            return self.tr("in use")
        return (
            self.tr("not installed") if model.state is ModelState.ABSENT else self.tr("installed")
        )


class ModelFacts(Facts):
    """The known facts about a model."""

    def show_model(self, model: ModelInfo | None) -> None:
        self.show_facts(self._facts(model) if model is not None else [])

    def _facts(self, model: ModelInfo) -> list[tuple[str, str]]:
        unknown = self.tr("unknown")
        return [
            (self.tr("Languages:"), spoken(model) or unknown),
            (self.tr("Licence:"), model.licence or unknown),
            (self.tr("From:"), model.homepage or unknown),
            (self.tr("Size on disk:"), _size(model) or self.tr("comes with Lectern")),
        ]


def _size(model: ModelInfo) -> str:
    """Return the size of a model's own folder; "" for one installed with Lectern."""
    return amounts.size(model.disk_bytes) if model.disk_bytes else ""


def spoken(model: ModelInfo) -> str:
    """Return the names of a model's languages, or the number of many; "" if unknown."""
    number = _number_of_languages(model)
    if number > MOST_NAMED or not model.languages:
        return amounts.languages(number) if number else ""
    return ", ".join(map(language, model.languages))


def _number_of_languages(model: ModelInfo) -> int:
    return max(len(model.languages or ()), model.language_count or 0)


class ModelCard(CardFrame):
    """A model that comes with Lectern. Signals: ``wanted`` with its id, to use it."""

    wanted = Signal(str)

    def __init__(self, model: ModelInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        one = _number_of_languages(model) == 1
        title = wrapped_label(self.tr("English") if one else self.tr("Many languages"), bold=True)
        parts = ("" if one else spoken(model), _size(model), model.id)
        told = wrapped_label(" · ".join(filter(None, parts)), muted=True)
        self.use = IconButton("", pressed=partial(self.wanted.emit, model.id))
        texts = filled(QVBoxLayout(), title, told, spacing=S)
        filled(QHBoxLayout(self), texts, self.use, edges=(L, L, L, L), wide=texts)

    def show_use(self, *, used: bool) -> None:
        """Show whether it is the model of the library."""
        self.use.setText(self.tr("In use") if used else self.tr("Use…"))
        self.use.setAccessibleName(f"{self.use.text()} {self.model.id}")
        self.use.setIcon(icon("check") if used else QIcon())
        self.use.setEnabled(not used)


class ModelsPage(QWidget):
    """The page of models: the list, and buttons for what can be done with the chosen model."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._answering = ""  # the model of the library's vectors
        self._then: Callable[[], None] = ignore  # called once the list is shown again
        self.list = ModelList()
        self.list.chosen.connect(self._show_chosen)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.facts = ModelFacts()
        self.get = IconButton(self.tr("&Get…"), "arrow-down", self._ask_to_get)
        self.use = IconButton(self.tr("&Use…"), "check", self._ask_to_use)
        self.remove = IconButton(self.tr("&Remove"), "trash", self._remove)
        self.confirmation = Confirmation()
        self.task = TaskLine()
        self.task.stopped.connect(self._cancel)
        self.cards: dict[str, ModelCard] = {}
        self.other = IconButton(self.tr("&Other models…"), "chevron-right")
        self.other.setCheckable(True)
        self.other.toggled.connect(self._show_others)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._reload()

    def _show_others(self, shown: bool) -> None:
        self.other.setIcon(icon("chevron-down" if shown else "chevron-right"))
        self._others.setVisible(shown)

    def _show_cards(self) -> None:
        shipped = [model for model in self.list.models.values() if model.origin is Origin.SHIPPED]
        for model in sorted(shipped, key=_number_of_languages):
            if model.id not in self.cards:
                card = self.cards[model.id] = ModelCard(model)
                card.wanted.connect(self._ask_to_use_shipped)
                self._card_column.addWidget(card)
            self.cards[model.id].show_use(used=model.id == self._answering)

    def _ask_to_use_shipped(self, model: str) -> None:
        self.list.choose_model(model)
        self._ask_to_use()

    def _arrange(self) -> None:
        told = wrapped_label(
            self.tr(
                "A language model reads your documents and questions for their meaning, on this "
                "computer. Most people need only those that come with Lectern; others are fetched "
                "from huggingface.co when you ask for one."
            )
        )
        self._card_column = filled(QVBoxLayout())
        self._others = QWidget()
        row = FlowLayout(self.get, self.use, self.remove, spacing=S)
        filled(QVBoxLayout(self._others), self.list, row, self.facts, None)
        parts = (self._card_column, self.confirmation, self.task, leading(self.other))
        filled(QVBoxLayout(self), told, *parts, self._others)
        self._others.hide()

    def _open_menu(self, at: QPoint) -> None:
        buttons = {self.get: "arrow-down", self.use: "check", self.remove: "trash"}
        entries = [
            MenuEntry(button.text(), button.click, drawing, button.isEnabled())
            for button, drawing in buttons.items()
        ]
        name = self.tr("What to do with this model")
        popup_menu(self, name, self.list.viewport().mapToGlobal(at), entries)

    # -- the list -----------------------------------------------------------------------------

    def _reload(self) -> None:
        self._questions.ask_engine(GetStatus(), self._show_status, failed=self._failed)

    def _show_status(self, status: Status) -> None:
        self._answering = status.model
        self._questions.ask_engine(ListModels(), self._show_models, failed=self._failed)

    def _show_models(self, models: tuple[ModelInfo, ...]) -> None:
        self.list.show_models(models, self._answering)
        self._show_cards()
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
        self.get.setEnabled(model is not None and not here and not busy)
        self.use.setEnabled(model is not None and here and model.id != wanted)
        self.remove.setEnabled(model is not None and model.disk_bytes > 0 and not used)
        self.facts.show_model(model)

    # -- getting, using, removing ---------------------------------------------------------------

    def _ask_to_get(self) -> None:
        model = self.list.current
        if model is None:
            return
        licence = model.licence or self.tr("unknown")
        text = self.tr("{model} is fetched from {address}. Its licence: {licence}.").format(
            model=model.id, address=model.homepage or "", licence=licence
        )
        self.confirmation.ask_consent(text, self.tr("&Get it"), lambda: self._get(model))

    def _get(self, model: ModelInfo) -> None:
        self._questions.ask_engine(
            GetModel(model.id), self._got, failed=self._failed,
            progress=self.task.show_progress, slot=FETCHING,
        )  # fmt: skip
        self._show_chosen()
        self.task.begin(self.tr("Getting {model}").format(model=model.id))

    def _cancel(self) -> None:
        self._questions.cancel(FETCHING)
        self.task.end(self.tr("Stopped. What was downloaded is kept for the next time."))
        self._reload()

    def _got(self, model: ModelInfo) -> None:
        said = self.tr("{model} is installed. Your documents still use the previous one.")
        licence = self.tr("Its licence: {licence}.").format(
            licence=model.licence or self.tr("unknown")
        )
        self.task.end(f"{said.format(model=model.id)} {licence}")
        self._then = partial(self.list.choose_model, model.id)
        self._reload()

    def _ask_to_use(self) -> None:
        model = self.list.current
        if model is not None:
            self._questions.ask_engine(
                EstimateReindex(model.id), lambda cost: self._show_cost(model, cost),
                failed=self._failed,
            )  # fmt: skip

    def _show_cost(self, model: ModelInfo, cost: ReindexCost) -> None:
        text = self.tr(
            "{model} reads your documents anew: {time}, {size} more on the disk. Until it is done "
            "the present one answers, and afterwards you can return to that at once."
        ).format(model=model.id, time=amounts.about(cost.seconds), size=amounts.size(cost.bytes))
        self.confirmation.ask_consent(text, self.tr("&Use it"), lambda: self._use(model))

    def _use(self, model: ModelInfo) -> None:
        self._context.settings.set("model", model.id)
        # It is not cancelled with this page, as the page of the library shows and pauses it.
        self._questions.send_lasting(Reindex(model.id), ignore, failed=self._failed)
        said = self.tr("{model} is being prepared; the library shows how far it is.")
        self.task.say_outcome(said.format(model=model.id))
        self._show_chosen()

    def _remove(self) -> None:
        if (model := self.list.current) is not None:
            self._questions.ask_engine(RemoveModel(model.id), self._removed, failed=self._failed)

    def _removed(self, freed: int) -> None:
        self.task.say_outcome(self.tr("{size} are free again.").format(size=amounts.size(freed)))
        self._reload()

    def _failed(self, error: LecternError) -> None:
        self.task.end(failures.failure(error))
        self._show_chosen()
