"""The filters on offer: folders as a tree, kinds, years, each with its number of documents."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QCoreApplication, QPoint, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from indexer.query.filters import TYPES
from ui.lists import style_tree
from ui.search.rows import natural
from ui.search.safe_text import line
from ui.theme import L, S
from ui.widgets import filled
from ui.words import amounts
from ui.words.names import group, language

if TYPE_CHECKING:
    from indexer.api.types import Hit

_COLUMNS, _LINES = 52, 14  # the width of the panel in letters, and its least number of lines
_ALL = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive
_YEARS = 4  # how many years are offered while no documents are found
_QUICK_FOLDERS, _QUICK_KINDS = 3, 6  # the most folders and kinds that are offered beside the button


class Facet(Struct, frozen=True):
    """A filter on offer, and how many documents would remain with it; -1 if not known."""

    name: str
    operator: str = ""
    value: str = ""
    count: int = -1
    inside: tuple[Facet, ...] = ()


def facets_of(
    roots: Sequence[str], collections: Iterable[str], languages: Iterable[str], heads: Sequence[Hit]
) -> list[Facet]:
    """Return the filters that the library offers, in sections.

    ``heads`` has a hit of each document that was found; if it is empty, nothing is counted.
    """
    translate = QCoreApplication.translate
    paths = [head.path for head in heads]
    listed = [Facet(name, "in", name) for name in collections]
    spoken = [Facet(language(code), "lang", code) for code in languages if code]
    sections = (
        Facet(translate("Facets", "Folder"), inside=tuple(_folders(roots, paths))),
        Facet(translate("Facets", "Collection"), inside=tuple(listed)),
        Facet(translate("Facets", "Type"), inside=tuple(_kinds(paths))),
        Facet(translate("Facets", "Year"), inside=tuple(_years(heads))),
        Facet(translate("Facets", "Language"), inside=tuple(spoken)),
    )
    return [section for section in sections if section.inside]


def _folders(roots: Sequence[str], paths: Sequence[str]) -> list[Facet]:
    """Return the roots, and below each the folders that have documents."""
    counts = Counter(str(folder) for path in paths for folder in PurePath(path).parents)
    below: dict[str, list[str]] = {}
    for folder in counts:
        below.setdefault(str(PurePath(folder).parent), []).append(folder)

    def made(folder: str, name: str) -> Facet:
        inner = sorted((each for each in below.get(folder, ()) if each != folder), key=natural)
        inside = tuple(made(each, PurePath(each).name) for each in inner)
        return Facet(name, "in", folder, counts[folder] if paths else -1, inside)

    return [made(root, amounts.from_home(root)) for root in roots if not paths or counts[root]]


def _kinds(paths: Sequence[str]) -> list[Facet]:
    """Return the groups of formats, and in each the endings that were found."""
    endings = Counter(PurePath(path).suffix.removeprefix(".").lower() for path in paths)
    made = []
    for kind, known in TYPES.items():
        found = [Facet(each, "ext", each, endings[each]) for each in known if endings[each]]
        if found or not paths:
            count = sum(each.count for each in found) if paths else -1
            inside = tuple(found) if len(found) > 1 else ()
            made.append(Facet(group(kind), "type", kind, count, inside))
    return made


def _years(heads: Iterable[Hit]) -> list[Facet]:
    days = [time.localtime(each.dated_ns / 1e9) for each in heads if each.dated_ns > 0]
    counts = Counter(day.tm_year for day in days)
    this = time.localtime().tm_year
    known = sorted(counts, reverse=True) or range(this, this - _YEARS, -1)
    return [Facet(str(year), "date", str(year), counts.get(year, -1)) for year in known]


def quick_facets(roots: Sequence[str], paths: Sequence[str]) -> list[Facet]:
    """Return the folders and endings that the most documents have, but not all documents."""
    folders = _folders(roots, paths)
    while len(folders) == 1 and folders[0].count == len(paths) and folders[0].inside:
        folders = list(folders[0].inside)
    endings = Counter(PurePath(path).suffix.removeprefix(".").lower() for path in paths)
    kinds = [Facet(each.upper(), "ext", each, endings[each]) for each in endings if each]
    by_count = attrgetter("count")
    most = heapq.nlargest(_QUICK_FOLDERS, folders, by_count)
    most += heapq.nlargest(_QUICK_KINDS, kinds, by_count)
    return [each for each in most if 0 <= each.count < len(paths)]


class FacetPanel(QFrame):
    """A tree of filters below the button. Signals: ``chosen`` with an operator and a value."""

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameStyle(int(QFrame.Shape.Box) | int(QFrame.Shadow.Plain))
        self.setForegroundRole(QPalette.ColorRole.Mid)
        self.tree = QTreeWidget()
        style_tree(self.tree, self.tr("Filters"), framed=False)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.itemClicked.connect(self._choose)
        self.tree.itemActivated.connect(self._choose)
        filled(QVBoxLayout(self), self.tree, edges=(S, S, S, S))

    def show_facets(self, sections: Sequence[Facet]) -> None:
        """Fill the tree; unfolded items stay unfolded."""
        open_before = {item.data(0, Qt.ItemDataRole.UserRole) for item in self._open()}
        self.tree.clear()
        for section in sections:
            item = self._add(self.tree.invisibleRootItem(), section)
            font = item.font(0)
            font.setBold(True)
            item.setFont(0, font)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            item.setExpanded(True)
        for item in self.tree.findItems("", _ALL):
            section_of = item.parent()
            root = section_of is not None and section_of.parent() is None
            alone = root and section_of is not None and section_of.childCount() == 1
            known = item.data(0, Qt.ItemDataRole.UserRole) in open_before
            item.setExpanded(item.isExpanded() or alone or known)

    def open_below(self, button: QWidget) -> None:
        """Show the panel under a button, inside its window."""
        letter, room = self.fontMetrics(), button.window().size()
        wide = min(_COLUMNS * letter.averageCharWidth(), room.width() - 2 * L)
        corner = QPoint(0 if not self.isRightToLeft() else button.width() - wide, button.height())
        below = room.height() - button.mapTo(button.window(), corner).y() - L
        rows = len(self.tree.findItems("", _ALL)) + 1
        self.resize(wide, min(max(rows, _LINES) * (letter.height() + S), below))
        self.move(button.mapToGlobal(corner + QPoint(0, S)))
        self.show()
        self.tree.setFocus(Qt.FocusReason.PopupFocusReason)

    def _add(self, parent: QTreeWidgetItem, facet: Facet) -> QTreeWidgetItem:
        number = amounts.count(facet.count) if facet.count >= 0 else ""
        item = QTreeWidgetItem(parent, [line(facet.name), number])
        item.setToolTip(0, line(facet.value or facet.name))
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setData(0, Qt.ItemDataRole.UserRole, f"{facet.operator}:{facet.value}")
        for each in facet.inside:
            self._add(item, each)
        return item

    def _open(self) -> list[QTreeWidgetItem]:
        return [item for item in self.tree.findItems("", _ALL) if item.isExpanded()]

    def _choose(self, item: QTreeWidgetItem) -> None:
        operator, _, value = str(item.data(0, Qt.ItemDataRole.UserRole)).partition(":")
        if operator:
            self.hide()
            self.chosen.emit(operator, value)
