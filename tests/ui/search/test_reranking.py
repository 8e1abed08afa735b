"""A better order of the hits that are shown, which never moves what the person works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from indexer.api.requests import Rerank, Search
from indexer.api.types import SearchResult, Why
from tests.ui.library.port import CannedLink
from tests.ui.search.hits import hit, many
from tests.ui.search.pages import press
from ui.search.live_search import LiveSearch

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.fake_engine import FakeEngine
    from ui.search.page import SearchPage

FOUND = [hit("/docs/exact.txt", why=Why.PHRASE), *many(3)]


def _link() -> CannedLink:
    link = CannedLink()
    link.answers[Search] = lambda _request: SearchResult(tuple(FOUND), reranks=True)
    link.answers[Rerank] = lambda request: tuple(reversed(range(len(request.passages))))
    link.holding.add(Rerank)
    return link


def test_the_fused_order_comes_first_and_exact_phrases_stay(qtbot: QtBot) -> None:
    link = _link()
    shown: list[tuple[Hit, ...]] = []
    asking = LiveSearch(link, untouched=lambda: True)
    for signal in (asking.answered, asking.reordered):
        signal.connect(lambda result, *_: shown.append(result.hits))
    asking.want_query("who pays", at_once=True)
    qtbot.waitUntil(lambda: bool(link.held))
    assert [list(hits) for hits in shown] == [FOUND]
    link.release()
    better = [FOUND[0], *reversed(FOUND[1:])]
    qtbot.waitUntil(lambda: [list(hits) for hits in shown] == [FOUND, better])
    # The same hits, asked for again, come in that order at once.
    asking.search_again()
    qtbot.waitUntil(lambda: len(shown) == 3)
    assert list(shown[2]) == better
    assert link.kinds() == [Search, Rerank, Search]
    asking.stop()


def test_what_the_person_works_with_is_not_moved(qtbot: QtBot) -> None:
    link = _link()
    moved: list[SearchResult] = []
    asking = LiveSearch(link, untouched=lambda: False)
    asking.reordered.connect(moved.append)
    asking.want_query("who pays", at_once=True)
    qtbot.waitUntil(lambda: bool(link.held))
    link.holding.clear()
    link.release()
    asking.search_again()
    qtbot.waitUntil(lambda: link.kinds().count(Rerank) == 2 and not link.waiting)
    assert not moved
    asking.stop()


def test_the_page_tells_whether_the_person_works_with_it(
    qtbot: QtBot, page: SearchPage, engine: FakeEngine
) -> None:
    fused = engine.call(Search("the BACKWARDS")).hits
    assert len(fused) > 1
    page.search("the BACKWARDS")
    qtbot.waitUntil(lambda: page.results.result is not None)
    qtbot.waitUntil(lambda: _paths(page) == [hit.path for hit in reversed(fused)])
    assert page.current_hit == fused[-1]
    told = [page.results.is_untouched]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
        press(page, key)
        told.append(page.results.is_untouched)
    page.results.view.setFocus()
    assert [*told, page.results.is_untouched] == [True, False, True, False]


def _paths(page: SearchPage) -> list[str]:
    return [hit.path for hit in page.results.result.hits] if page.results.result else []
