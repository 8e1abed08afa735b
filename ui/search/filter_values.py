"""Gives folders, languages and collections to what chooses filters: box, chips and menus.

Owns who is given what, and when. It must not know how the values are shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.search.filter_choices import FilterChoices, folders_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.ports import EnginePort
    from ui.search.actions import HitActions
    from ui.search.bar import SearchBar
    from ui.search.chips import ChipBar
    from ui.search.collections import Collections


class FilterValues(QObject):
    """``choices`` has the values that the engine gave."""

    def __init__(
        self,
        link: EnginePort,
        collections: Collections,
        bar: SearchBar,
        chips: ChipBar,
        actions: HitActions,
    ) -> None:
        super().__init__(bar)
        self._collections, self._actions = collections, actions
        self._box, self._menus = bar.box, chips.menus
        self._paths: Sequence[str] = ()
        self.choices = FilterChoices(link, self)
        self.choices.changed.connect(self._take)
        self._menus.opened.connect(self.choices.ask)
        collections.changed.connect(self._offer_collections)
        actions.collected.connect(collections.add)

    def show_documents(self, paths: Sequence[str]) -> None:
        """Offer the folders of the documents of an answer, too."""
        self._paths = paths
        self._offer_places()

    def _take(self) -> None:
        self._offer_places()
        self._collections.show(self.choices.collections)

    def _offer_places(self) -> None:
        folders = folders_of(self.choices.roots or (), self._paths)
        languages, box = self.choices.languages, self._box
        self._menus.folders, self._menus.languages = folders, languages
        box.offers = replace(box.offers, folders=folders, languages=languages)

    def _offer_collections(self) -> None:
        names, box = tuple(self._collections.known), self._box
        self._menus.collections = names
        self._actions.collections = tuple(self._collections.lists)
        box.offers = replace(box.offers, collections=names)
        self.choices.ask()  # replaces an answer that is still to come
