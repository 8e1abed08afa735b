"""Collections in the window: creating, extending, searching and removing, over a real engine."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu

from indexer.api.endpoint import EngineClient
from indexer.api.requests import Index, SetCollection
from tests.ui.engines import answer
from tests.ui.search.pages import search
from ui.search.page import SearchPage
from ui.search.rows import FoundHits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

    from tests.ui.engines import Home
    from tests.ui.notices import RecordedNotices
    from ui.engine_client import EngineLink
    from ui.ports import Context


RECURSIVE = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive


def entry(menu: QMenu, text: str) -> QAction:
    """Return the entry of a menu or of a submenu."""
    actions = list(menu.actions())
    for each in menu.findChildren(QMenu):
        actions += each.actions()
    return next(action for action in actions if action.text() == text)


def name_it(qtbot: QtBot, page: SearchPage, name: str) -> None:
    qtbot.waitUntil(lambda: bool(page.findChildren(QInputDialog)))
    dialog = page.findChildren(QInputDialog)[-1]
    with qtbot.waitSignal(page.collections.changed):
        dialog.setTextValue(name)
        dialog.accept()
    QApplication.processEvents()


def documents(page: SearchPage) -> set[str]:
    return {row.hit.file for row in page.results.model.rows if row.is_document}


@pytest.fixture
def page(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, library_files: Path
) -> Iterator[SearchPage]:
    answer(qtbot, real_link, Index((library_files,)))
    page = SearchPage(real_context)
    qtbot.addWidget(page)
    page.show()
    yield page
    page.stop()


def test_the_filters_of_a_query_become_a_collection(
    qtbot: QtBot, page: SearchPage, notices: RecordedNotices
) -> None:
    search(qtbot, page, "ext:md the")
    page.bar.show_kept()
    entry(page.bar.menu, "Keep the filters as a collection…").trigger()
    page.bar.menu.hide()
    name_it(qtbot, page, 'At "night"')
    assert dict(page.collections.known) == {"At night": "ext:md"}
    assert notices.told[-1].text == "“At night” is a collection now"
    assert page.collections.lists == []  # a collection of filters is no list of documents

    search(qtbot, page, 'in:"At night" the')
    assert [chip.text() for chip in page.chips.chips] == ["In: At night"]
    assert documents(page) == {"lighthouse.md"}
    page._offer_filters()
    assert page.facets.tree.findItems("At night", RECURSIVE)
    page.facets.hide()


def test_documents_join_a_collection_which_can_be_removed(
    qtbot: QtBot, page: SearchPage, notices: RecordedNotices
) -> None:
    search(qtbot, page, "tenant gutters")
    hit = page.current_hit
    assert hit is not None
    actions = page.actions_on_hits
    menu = actions.menu(hit, FoundHits(()))
    entry(menu, "New collection…").trigger()
    name_it(qtbot, page, "Home")
    assert page.collections.lists == ["Home"]
    search(qtbot, page, "ice")
    ice = page.current_hit
    assert ice is not None
    menu = actions.menu(ice, FoundHits(()))
    with qtbot.waitSignal(page.collections.changed):
        entry(menu, "Home").trigger()
    search(qtbot, page, "in:Home the")
    assert documents(page) == {"contracts/lease.txt", "ice.txt"}
    page.collections.add_document("Home", ice.path)
    assert notices.told[-1].text == "It is in “Home” already"

    page.bar.show_kept()
    with qtbot.waitSignal(page.collections.changed):
        entry(page.bar.menu, "Remove the collection “Home”").trigger()
    page.bar.menu.hide()
    assert "Home" not in page.collections.known
    undo = notices.told[-1].undo
    assert undo is not None
    with qtbot.waitSignal(page.collections.changed):
        undo()
    assert "Home" in page.collections.known


def test_what_another_window_changed_is_neither_undone_nor_removed(
    qtbot: QtBot, page: SearchPage, home: Home, notices: RecordedNotices
) -> None:
    other = EngineClient.attach(home.library)
    assert other is not None
    with contextlib.closing(other):
        page.collections.add_document("Home", "/a.txt")
        qtbot.waitUntil(lambda: bool(notices.told))
        undo = notices.told[-1].undo
        assert undo is not None
        other.call(SetCollection("Home", "ext:md", adds=True))
        undo()
        qtbot.waitUntil(lambda: dict(page.collections.known) == {"Home": "ext:md"})
        other.call(SetCollection("Home", "ext:txt", adds=True))
        page.collections.remove_collection("Home")
        qtbot.waitUntil(lambda: "changed meanwhile" in notices.told[-1].text)
        qtbot.waitUntil(lambda: dict(page.collections.known) == {"Home": "ext:md ext:txt"})
