"""Shown results are refreshed when the library has changed, and keep the place in the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QPersistentModelIndex
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from PySide6.QtWidgets import QApplication

from indexer.api.requests import Index
from indexer.api.types import SearchResult
from tests.answers import IDLE
from tests.ui.engines import answer
from tests.ui.search.hits import hit, many
from ui.engine_client import ActivityFeed
from ui.search.live_search import Freshness
from ui.search.model import ResultsModel
from ui.search.page import SearchPage
from ui.search.results import ResultsPane
from ui.search.rows import grouped, key_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.status import Activity
    from indexer.api.types import Hit
    from ui.engine_client import EngineLink
    from ui.ports import Context


def activity(changes: int, embedded_share: float = 1.0) -> Activity:
    return replace(IDLE, changes=changes, embedded_share=embedded_share)


def test_what_changed_since_the_answer_is_told_once_the_time_has_come(qtbot: QtBot) -> None:
    freshness = Freshness(every_s=0.05)
    told = QSignalSpy(freshness.outdated)
    freshness.show_activity(activity(1))
    assert told.count() == 0, "there is no answer yet"
    freshness.answered(0.0)
    freshness.show_activity(activity(1))
    freshness.show_activity(None)
    with qtbot.waitSignal(freshness.outdated):
        freshness.show_activity(activity(2))
    freshness.answered(0.0)
    with qtbot.waitSignal(freshness.outdated):
        freshness.show_activity(activity(2, embedded_share=0.5))
    assert told.count() == 2


def test_long_answers_are_asked_for_less_often(qtbot: QtBot) -> None:
    freshness = Freshness(every_s=0.0)
    told = QSignalSpy(freshness.outdated)
    freshness.show_activity(activity(1))
    freshness.answered(60.0)
    freshness.show_activity(activity(2))
    QApplication.processEvents()  # in which a timer of 0 ms would end
    assert told.count() == 0
    freshness.stop()


def changed(hits: list[Hit], after: list[Hit]) -> tuple[ResultsModel, QPersistentModelIndex, int]:
    """Return a model after two answers, an index of its fourth hit, and the number of resets."""
    model = ResultsModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.show_groups(grouped(hits), same_query=False)
    kept = QPersistentModelIndex(model.index(model.place(key_of(hits[3]))))
    resets = QSignalSpy(model.modelReset)
    model.show_groups(grouped(after), same_query=True)
    assert [row.key for row in model.rows] == [
        key for group in grouped(after) for key in keys_of(group.path, group.hits)
    ]
    assert all(model.place(row.key) == at for at, row in enumerate(model.rows))
    return model, kept, resets.count()


def keys_of(path: str, hits: tuple[Hit, ...]) -> list[tuple[str, int, int]]:
    return [(path, -1, -1), *map(key_of, hits)]


def test_rows_that_stay_keep_their_indexes_whatever_comes_and_goes(qapp: QApplication) -> None:
    hits = many(6, 2)
    news = [hit("/docs/new.txt"), hits[5], hits[3], hits[9], hit("/docs/last.txt"), hits[0]]
    model, kept, resets = changed(hits, news)
    assert resets == 0
    assert model.rows[kept.row()].key == key_of(hits[3])


def test_a_row_that_goes_takes_its_index_along(qapp: QApplication) -> None:
    hits = many(4, 1)
    _, kept, resets = changed(hits, hits[:3])
    assert resets == 0
    assert not kept.isValid()


def test_an_answer_that_shares_nothing_is_another_list(qapp: QApplication) -> None:
    assert changed(many(4, 1), [hit("/elsewhere.txt")])[2] == 1


def pane_with(qtbot: QtBot, hits: list[Hit]) -> ResultsPane:
    pane = ResultsPane()
    qtbot.addWidget(pane)
    pane.resize(500, 400)
    with qtbot.waitExposed(pane):
        pane.show()
    pane.show_answer("x", SearchResult(tuple(hits)), same_query=False, more=False)
    QApplication.processEvents()
    return pane


def test_the_place_on_the_screen_is_kept(qtbot: QtBot) -> None:
    hits = many(30, 1)
    pane = pane_with(qtbot, hits)
    pane.view.setCurrentIndex(pane.model.index(pane.model.place(key_of(hits[20]))))
    QApplication.processEvents()
    before = pane.view.visualRect(pane.view.currentIndex()).top()
    news = [hit("/docs/new.txt"), *hits[4:18], *hits[19:], hits[2]]
    pane.show_answer("x", SearchResult(tuple(news)), same_query=True, more=False)
    QApplication.processEvents()
    assert pane.current is not None
    assert pane.current.hit == hits[20]
    assert pane.view.visualRect(pane.view.currentIndex()).top() == before


def test_after_a_hit_that_is_gone_comes_the_one_in_its_place(qtbot: QtBot) -> None:
    hits = many(9, 1)
    pane = pane_with(qtbot, hits)
    pane.view.setCurrentIndex(pane.model.index(pane.model.place(key_of(hits[4]))))
    pane.show_answer("x", SearchResult(tuple(hits[:4] + hits[5:])), same_query=True, more=False)
    assert pane.current is not None
    assert pane.current.hit == hits[5]
    pane.show_answer("x", SearchResult(tuple(hits[:2])), same_query=True, more=False)
    assert pane.current.hit == hits[1]


def test_the_sentence_that_a_later_answer_chooses_is_marked_in_the_list(qtbot: QtBot) -> None:
    first = hit(text="The roof leaks. The landlord mends it.", best=(0, 15), marks=())
    pane = pane_with(qtbot, [first])
    for best in ((0, 15), (16, 38)):
        later = SearchResult((replace(first, best=best),))
        pane.show_answer("x", later, same_query=True, more=False)
        assert pane.current is not None
        drawn = pane.view.results.snippet(pane.current)
        (mark,) = drawn.marks
        assert drawn.text[slice(*mark)] == first.text[slice(*best)]


def test_other_hits_of_the_document_are_told_of(qtbot: QtBot) -> None:
    first, second = hit(start=0), hit(start=100)
    pane = pane_with(qtbot, [first])
    with qtbot.waitSignal(pane.hit_current) as told:
        pane.show_answer("x", SearchResult((first, second)), same_query=True, more=False)
    assert told.args is not None
    assert told.args[0].group.hits == (first, second)


def test_the_first_documents_answer_what_was_asked_of_the_empty_library(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, library_files: Path
) -> None:
    page = SearchPage(real_context)
    feed = ActivityFeed(real_link, page)
    feed.changed.connect(page.freshness.show_activity)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    qtbot.waitUntil(lambda: page._values.roots == ())
    with qtbot.waitSignal(page.live_search.answered):
        page.search('"the tenant" gutters')
    assert not page.results.groups
    answer(qtbot, real_link, Index((library_files,)))
    qtbot.waitUntil(lambda: bool(page.results.groups))
    feed.close()
    page.stop()


def test_new_documents_come_into_the_list_by_themselves(
    qtbot: QtBot,
    real_link: EngineLink,
    real_context: Context,
    library_files: Path,
) -> None:
    """With a real engine, whose library grows while results are shown and the box has the focus."""
    page = SearchPage(real_context)
    page.freshness = short = Freshness(page, every_s=0.1)
    short.outdated.connect(page.ask_again)
    feed = ActivityFeed(real_link, page)
    feed.changed.connect(short.show_activity)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    answer(qtbot, real_link, Index((library_files,)))
    with qtbot.waitSignal(page.live_search.answered):
        page.search('"the tenant" gutters')  # with a phrase a hit is chosen, whatever the model
    shown = page.current_hit
    focus = QApplication.focusWidget()
    (library_files / "second.txt").write_text("The tenant of the mill cleans no gutters, ever.")
    answer(qtbot, real_link, Index((library_files,)))

    def files() -> set[str]:
        return {group.hits[0].file for group in page.results.groups}

    qtbot.waitUntil(lambda: "second.txt" in files())
    assert page.current_hit is not None
    assert shown is not None
    assert key_of(page.current_hit) == key_of(shown)
    assert QApplication.focusWidget() is focus
    feed.close()
    page.stop()
