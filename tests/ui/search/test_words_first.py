"""Hits by the words of a query, shown while its answer is under way, replaced without a jump."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from indexer.api.requests import Search, SearchByWords
from indexer.api.types import Match, SearchResult
from tests.ui.library.port import CannedLink, canned_context
from tests.ui.search.hits import hit, many
from tests.ui.search.pages import press, shown
from ui.search import live_search
from ui.search.live_search import QUICK_MS, WORDS_AFTER_MS, LiveSearch
from ui.search.page import SearchPage
from ui.search.results import ResultsPane

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.ui.library.port import Canned

BY_WORDS = many(4)
NEVER_MS = 10_000_000
WHOLE = [hit("/docs/meant.txt"), *reversed(BY_WORDS)]


def _link(*, words: list[Hit], slow: bool = True, link: CannedLink | None = None) -> CannedLink:
    link = link or CannedLink()
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
    asking.want_query("who pays", at_once=True)
    qtbot.waitUntil(lambda: seen == ["words"])
    assert asking.answered_text == "who pays"
    assert not asking.may_have_more
    assert not asking.is_answered  # Enter waits for the answer
    link.release()
    qtbot.waitUntil(lambda: seen == ["words", "whole"] and asking.is_answered)
    asking.stop()


def test_an_answer_in_time_comes_alone(qtbot: QtBot) -> None:
    link = _link(words=BY_WORDS, slow=False)
    asking, seen = _asking(link)
    asking.want_query("who pays", at_once=True)
    qtbot.waitUntil(lambda: seen == ["whole"])
    assert link.kinds() == [Search]
    assert not asking._words_timer.isActive()
    asking.stop()


def test_an_answer_that_is_due_soon_is_waited_for() -> None:
    asking = LiveSearch(_link(words=BY_WORDS))
    late = []
    for took in (None, 0, 100, QUICK_MS, QUICK_MS + 1):
        asking.took_ms = took
        late.append(asking.words_after_ms)
    assert late == [WORDS_AFTER_MS, WORDS_AFTER_MS, 200, 2 * QUICK_MS, WORDS_AFTER_MS]


def test_nothing_by_words_leaves_what_is_shown(qtbot: QtBot) -> None:
    link = _link(words=[])
    asking, seen = _asking(link)
    asking.want_query("who pays", at_once=True)
    qtbot.waitUntil(lambda: link.kinds() == [Search, SearchByWords] and len(link.waiting) == 1)
    assert (seen, asking.answered_text) == ([], "")
    asking.stop()


def test_the_same_query_again_shows_no_hits_by_words(qtbot: QtBot) -> None:
    link = _link(words=BY_WORDS)
    asking, seen = _asking(link)
    asking.want_query("who pays", at_once=True)
    qtbot.waitUntil(lambda: seen == ["words"])
    link.release()
    qtbot.waitUntil(lambda: seen == ["words", "whole"])
    asking.search_again()
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


def _show(
    pane: ResultsPane, hits: list[Hit], *, by_words: bool = False, match: Match = Match.GOOD
) -> None:
    result = SearchResult(tuple(hits), match=match)
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
    pane.step_hits(1)
    pane.step_hits(1)
    chosen = _current(pane)
    assert chosen not in {None, BY_WORDS[0]}
    _show(pane, WHOLE)
    assert pane.hits == tuple(WHOLE)
    assert _current(pane) == chosen
    # The next query begins at its first hit.
    _show(pane, WHOLE)
    assert _current(pane) == WHOLE[0]


def test_the_first_hit_stays_too_if_it_was_chosen(qtbot: QtBot) -> None:
    pane = _pane(qtbot)
    _show(pane, BY_WORDS, by_words=True)
    pane.step_hits(1)
    assert _current(pane) == BY_WORDS[0]
    _show(pane, WHOLE)
    assert _current(pane) == BY_WORDS[0] != pane.hits[0]


def test_a_chosen_hit_stays_unfolded_and_in_its_place(qtbot: QtBot) -> None:
    pane, current = _pane(qtbot), list[object]()
    rent = [hit("/docs/rent.txt", number) for number in range(40)]
    _show(pane, rent[30:], by_words=True)
    pane.step_hits(1)
    before = pane.view.visualRect(pane.view.currentIndex())
    pane.hit_current.connect(current.append)
    _show(pane, [*many(8), *rent], match=Match.NONE)
    assert _current(pane) == rent[30]
    assert len(current) == 1
    place = pane.view.visualRect
    qtbot.waitUntil(lambda: place(pane.view.currentIndex()) == before)


def test_a_chosen_hit_that_the_answer_lacks_is_its_last(qtbot: QtBot) -> None:
    pane = _pane(qtbot)
    _show(pane, BY_WORDS, by_words=True)
    pane.step_hits(1)
    _show(pane, many(3)[1:])
    assert _current(pane) == BY_WORDS[0] == pane.hits[-1]
    assert len(pane.hits) == 3


def test_hits_by_words_of_another_query_keep_nothing(qtbot: QtBot) -> None:
    pane = _pane(qtbot)
    _show(pane, BY_WORDS, by_words=True)
    pane.step_hits(1)
    pane.show_answer(
        "who pays rent", SearchResult(tuple(BY_WORDS)), same_query=False, more=False, by_words=True
    )
    assert _current(pane) is None


def test_a_list_that_was_scrolled_stays_there(qtbot: QtBot) -> None:
    pane = _pane(qtbot)
    _show(pane, many(30), by_words=True)
    scroll_bar = pane.view.verticalScrollBar()
    qtbot.waitUntil(lambda: scroll_bar.maximum() > 600)
    scroll_bar.setValue(600)
    in_sight = pane.model.rows[pane.view.scrolled_to.row()].group.path
    _show(pane, [hit("/docs/meant.txt"), *many(30)])
    qtbot.waitUntil(lambda: scroll_bar.value() > 600)
    current = _current(pane)
    assert current is not None
    assert current.path == in_sight


def test_hits_by_words_say_what_they_are(qtbot: QtBot) -> None:
    pane = _pane(qtbot)
    _show(pane, BY_WORDS, by_words=True)
    assert pane.summary.text.endswith("by words so far")
    _show(pane, WHOLE)
    assert "by words" not in pane.summary.text


def test_the_words_of_the_newest_text_are_not_replaced_by_an_older_answer(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_search, "MOST_PAUSE_MS", NEVER_MS)
    link = _link(words=BY_WORDS)
    asking, seen = _asking(link)
    asking.want_query("who", at_once=True)
    qtbot.waitUntil(lambda: seen == ["words"])
    older = len(link.held)
    assert older
    asking.want_query("who pays")
    qtbot.waitUntil(lambda: seen == ["words", "words"])
    link.release()
    qtbot.waitUntil(lambda: link.kinds()[-1] is Search and len(link.held) == 1)
    assert seen == ["words", "words"], "not the answer to the older query"
    link.release()
    qtbot.waitUntil(lambda: seen == ["words", "words", "whole"])
    assert asking.answered_text == "who pays"
    asking.stop()


def test_words_come_before_a_pause_in_the_typing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_search, "MOST_PAUSE_MS", NEVER_MS)
    link = _link(words=BY_WORDS)
    asking, _ = _asking(link)
    asking.want_query("who")
    qtbot.waitUntil(lambda: len(link.held) == 1)
    asking.want_query("who pays")
    qtbot.waitUntil(lambda: asking.answered_text == "who pays")
    assert link.kinds().count(Search) == 1
    asking.stop()


def test_words_of_an_older_text_are_stale_at_once(qtbot: QtBot) -> None:
    link = _link(words=BY_WORDS, slow=False)
    asking, seen = _asking(link)
    stale: list[bool] = []
    asking.stale.connect(stale.append)
    asking.want_query("who", at_once=True)
    qtbot.waitUntil(lambda: seen == ["whole"])
    link.holding.add(Search)
    asking.want_query("who pays")
    qtbot.waitUntil(lambda: seen == ["whole", "words"])
    asking.want_query("who")
    assert stale[-1]
    assert not asking.is_answered, "Enter opens no hit of another query"
    asking.stop()


def test_enter_does_not_begin_the_search_anew(qtbot: QtBot) -> None:
    link = _link(words=BY_WORDS)
    asking, seen = _asking(link)
    asking.want_query("who pays", at_once=True)
    qtbot.waitUntil(lambda: seen == ["words"])
    asking.hurry()
    assert link.kinds() == [Search, SearchByWords]
    asking.stop()


@pytest.fixture
def canned(tmp_path: Path) -> Canned:
    return canned_context(tmp_path)


@pytest.fixture
def slow(qtbot: QtBot, canned: Canned) -> Iterator[SearchPage]:
    page = SearchPage(canned[0])
    page._selected._unread.setInterval(NEVER_MS)  # until ``press`` lets it pass
    yield from shown(qtbot, page)


def test_enter_opens_what_was_chosen_and_else_the_answer(
    qtbot: QtBot, canned: Canned, slow: SearchPage
) -> None:
    link, opened = _link(words=BY_WORDS, link=canned[1]), list[object]()
    slow.actions_on_hits.opened.connect(opened.append)
    slow.search("who pays")
    qtbot.waitUntil(lambda: slow.results.hits == tuple(BY_WORDS))
    press(slow, Qt.Key.Key_Return)
    assert not opened
    press(slow, Qt.Key.Key_Down)
    press(slow, Qt.Key.Key_Return)
    assert opened == BY_WORDS[:1]
    assert slow.steps.current is not None
    assert slow.steps.current.query == "who pays"
    link.release()
    qtbot.waitUntil(lambda: slow.live_search.is_answered)
    assert slow.current_hit == BY_WORDS[0]
    assert opened == BY_WORDS[:1]
    slow.search("who pays the rent")
    qtbot.waitUntil(lambda: slow.results.hits == tuple(BY_WORDS))
    assert not slow.results.view.hasFocus()
    press(slow, Qt.Key.Key_Return)
    assert slow.results.view.hasFocus(), "before the answer"
    press(slow, Qt.Key.Key_Return)
    assert slow.results.current is None, "the answer chooses one"
    link.release()
    qtbot.waitUntil(lambda: slow.live_search.is_answered)
    assert opened == BY_WORDS[:1]
    QTest.keyClick(slow.results.view, Qt.Key.Key_Return)
    assert opened == BY_WORDS[:1], "nobody has read it yet"
    press(slow, Qt.Key.Key_Return)
    assert opened == [BY_WORDS[0], WHOLE[0]]


def test_enter_opens_nothing_that_has_just_taken_the_place_of_a_hit(
    qtbot: QtBot, canned: Canned, slow: SearchPage
) -> None:
    """The library changes while the finger is on its way to the key."""
    link, opened = _link(words=[], slow=False, link=canned[1]), list[object]()
    slow.actions_on_hits.opened.connect(opened.append)
    slow.actions_on_hits.folder_requested.connect(opened.append)
    left = iter((WHOLE, WHOLE[1:], WHOLE[2:], WHOLE[2:]))
    link.answers[Search] = lambda _request: SearchResult(tuple(next(left)))

    def answered() -> None:
        with qtbot.waitSignal(slow.live_search.answered):
            slow.live_search.refresh()

    slow.search("who pays")
    qtbot.waitUntil(lambda: slow.current_hit == WHOLE[0])
    press(slow, Qt.Key.Key_Return)
    answered()
    assert slow.current_hit == WHOLE[1]
    for held in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
        QTest.keyClick(slow.results.view, Qt.Key.Key_Return, held)
    assert not opened
    slow.focus_box()
    press(slow, Qt.Key.Key_Down)
    press(slow, Qt.Key.Key_Up)
    answered()
    press(slow, Qt.Key.Key_Return)
    assert not opened, "in the box, too"
    slow.results.view.setFocus()
    press(slow, Qt.Key.Key_Return)
    assert opened == [WHOLE[2]]
    answered()
    QTest.keyClick(slow.results.view, Qt.Key.Key_Return)
    assert opened == [WHOLE[2]] * 2, "the hit has stayed"


def test_the_hit_of_a_restored_search_is_not_that_of_what_is_typed_before_its_answer(
    qtbot: QtBot, canned: Canned, slow: SearchPage
) -> None:
    link = _link(words=[], link=canned[1])
    last = WHOLE[-1]
    slow.memory.leave("who pays", (last.path, last.start, last.end))
    slow.restore()
    slow.search("who pays the rent")
    link.holding.clear()
    qtbot.waitUntil(lambda: slow.live_search.is_answered)
    assert slow.current_hit == WHOLE[0]
    slow.restore()
    qtbot.waitUntil(lambda: slow.live_search.is_answered)
    assert slow.current_hit == last
