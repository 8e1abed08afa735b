"""Hits by the words of a query, shown while its answer is under way, replaced without a jump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.requests import Search, SearchByWords
from indexer.api.types import SearchResult
from tests.ui.library.port import CannedLink
from tests.ui.search.hits import hit, many
from ui.search.live_search import LiveSearch
from ui.search.results import ResultsPane

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit

BY_WORDS = many(4)
WHOLE = [hit("/docs/meant.txt"), *reversed(BY_WORDS)]


def _link(*, words: list[Hit], slow: bool = True) -> CannedLink:
    link = CannedLink()
    link.answers[Search] = lambda _request: SearchResult(tuple(WHOLE))
    link.answers[SearchByWords] = lambda _request: SearchResult(tuple(words))
    if slow:
        link.holding.add(Search)
    return link


def _asking(link: CannedLink) -> tuple[LiveSearch, list[str]]:
    asking, seen = LiveSearch(link), list[str]()
    asking.answered_by_words.connect(lambda _result: seen.append("words"))
    asking.answered.connect(lambda *_: seen.append("whole"))
    return asking, seen


def test_words_come_first_if_the_answer_is_late(qtbot: QtBot) -> None:
    link = _link(words=BY_WORDS)
    asking, seen = _asking(link)
    asking.want("who pays", at_once=True)
    qtbot.waitUntil(lambda: seen == ["words"])
    assert asking.answered_text == "who pays"
    assert not asking.may_have_more
    qtbot.waitUntil(lambda: not asking.is_answered)  # Enter waits for the answer
    link.release()
    qtbot.waitUntil(lambda: seen == ["words", "whole"] and asking.is_answered)
    asking.stop()


def test_an_answer_in_time_comes_alone(qtbot: QtBot) -> None:
    link = _link(words=BY_WORDS, slow=False)
    asking, seen = _asking(link)
    asking.want("who pays", at_once=True)
    qtbot.waitUntil(lambda: seen == ["whole"])
    assert link.kinds() == [Search]
    assert not asking._words_timer.isActive()
    asking.stop()


def test_nothing_by_words_leaves_what_is_shown(qtbot: QtBot) -> None:
    link = _link(words=[])
    asking, seen = _asking(link)
    asking.want("who pays", at_once=True)
    qtbot.waitUntil(lambda: link.kinds() == [Search, SearchByWords] and len(link.waiting) == 1)
    assert (seen, asking.answered_text) == ([], "")
    asking.stop()


def test_the_same_query_again_shows_no_hits_by_words(qtbot: QtBot) -> None:
    link = _link(words=BY_WORDS)
    asking, seen = _asking(link)
    asking.want("who pays", at_once=True)
    qtbot.waitUntil(lambda: seen == ["words"])
    link.release()
    qtbot.waitUntil(lambda: seen == ["words", "whole"])
    asking.again()
    assert not asking._words_timer.isActive()
    asking.stop()


def _pane(qtbot: QtBot) -> ResultsPane:
    pane = ResultsPane()
    qtbot.addWidget(pane)
    pane.resize(600, 500)
    pane.show()
    return pane


def _current(pane: ResultsPane) -> Hit | None:
    return pane.current.hit if pane.current is not None else None


def _show(pane: ResultsPane, hits: list[Hit], *, by_words: bool = False) -> None:
    result = SearchResult(tuple(hits))
    pane.show_answer("who pays", result, same_query=False, more=False, by_words=by_words)


def test_no_hit_by_words_is_selected(qtbot: QtBot) -> None:
    pane, current = _pane(qtbot), list[object]()
    pane.hit_current.connect(current.append)
    _show(pane, BY_WORDS, by_words=True)
    assert pane.hits == tuple(BY_WORDS)
    assert _current(pane) is None
    assert not current
    _show(pane, WHOLE)
    assert _current(pane) == WHOLE[0]
    assert len(current) == 1


def test_a_hit_by_words_that_was_chosen_stays(qtbot: QtBot) -> None:
    pane = _pane(qtbot)
    _show(pane, BY_WORDS, by_words=True)
    pane.step(1)
    pane.step(1)
    chosen = _current(pane)
    assert chosen not in {None, BY_WORDS[0]}
    _show(pane, WHOLE)
    assert pane.hits == tuple(WHOLE)
    assert _current(pane) == chosen
    # The next query begins at its first hit.
    _show(pane, WHOLE)
    assert _current(pane) == WHOLE[0]
