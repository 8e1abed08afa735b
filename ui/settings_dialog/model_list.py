"""The list of language models, and the facts about one of them.

It must not know what can be done with a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from indexer.api.models import ModelKind, ModelState, Origin, Unused
from ui.theme import S
from ui.widgets import Facts, RowDelegate
from ui.words import amounts
from ui.words.names import language

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from PySide6.QtWidgets import QWidget

    from indexer.api.models import ModelInfo

LINES = 8
ROLE = int(Qt.ItemDataRole.UserRole)


class ModelList(QTreeWidget):
    """Signals: ``chosen``, the current row is that of another model."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.models: dict[str, ModelInfo] = {}
        self.setItemDelegate(RowDelegate(self))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName(self.tr("Language models"))
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

    def choose(self, model: str) -> None:
        """Make the row of a model the current one."""
        for row in range(self.topLevelItemCount()):
            item = self.topLevelItem(row)
            if item is not None and item.data(0, ROLE) == model:
                self.setCurrentItem(item)

    def show_models(self, models: Iterable[ModelInfo], answering: str, reranker: str = "") -> None:
        """List models; the current one stays, at first that of the library's vectors.

        ``reranker`` is the one that orders the first hits.
        """
        before = self.current.id if self.current else answering
        used = {answering, reranker}
        self.models = {model.id: model for model in models}
        self.clear()
        for model in self.models.values():
            item = QTreeWidgetItem([model.id, self._state(model, used)])
            item.setData(0, ROLE, model.id)
            self.addTopLevelItem(item)
        self.choose(before)
        if self.current is None and self.models:
            self.choose(next(iter(self.models)))

    def _state(self, model: ModelInfo, used: Collection[str]) -> str:
        if not model.runs:
            return self.tr("cannot run here")
        if model.id in used:
            return self.tr("in use")
        return self.tr("not here") if model.state is ModelState.ABSENT else self.tr("here")


class ModelFacts(Facts):
    """What is known about a model."""

    def show_model(self, model: ModelInfo | None) -> None:
        self.show_facts(self._facts(model) if model is not None else [])

    def _facts(self, model: ModelInfo) -> list[tuple[str, str]]:
        unknown, ours = self.tr("unknown"), self.tr("comes with Lectern")
        shipped = model.origin is Origin.SHIPPED
        kinds = {
            ModelKind.EMBEDDING: self.tr("one vector for each passage"),
            ModelKind.LATE_INTERACTION: self.tr("one vector for each word of a passage"),
            ModelKind.RERANKER: self.tr("how well a passage answers a question"),
        }
        others = {Unused.SPARSE: self.tr("sparse vectors"), Unused.TOKENS: self.tr("token vectors")}
        unused = [others[each] for each in model.unused]
        named = ", ".join(map(language, model.languages or ()))
        counted = f"{model.language_count}+" if model.language_count else unknown
        late = {None: unknown, True: self.tr("with its neighbours"), False: self.tr("alone")}
        tokens = amounts.count(model.tokens) if model.tokens else unknown
        vectors = [
            (self.tr("Each passage is read:"), late[model.late]),
            (self.tr("Numbers in a vector:"), str(model.dimensions or unknown)),
        ]
        return [
            (self.tr("Makes:"), kinds[model.kind]),
            (self.tr("Languages:"), named or counted),
            (self.tr("Tokens at once:"), tokens),
            *(vectors if model.kind is not ModelKind.RERANKER else []),
            *([(self.tr("Not used:"), ", ".join(unused))] if unused else []),
            (self.tr("Parameters:"), _count(model.parameters) or unknown),
            (self.tr("Licence:"), " ".join(filter(None, (model.licence or unknown, model.terms)))),
            (self.tr("From:"), model.homepage or (ours if shipped else unknown)),
            (self.tr("Size on disk:"), amounts.size(model.disk_bytes)),
        ]


def _count(number: int | None) -> str:
    return amounts.count(number) if number is not None else ""
