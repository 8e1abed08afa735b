"""Searching while typing: the newest query wins, none is lost, none is sent twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QObject, Signal

from indexer.api.errors import LecternError, WorldError
from indexer.api.requests import Search, SearchByWords
from indexer.api.types import SearchResult
from tests.ui.search.hits import many
from ui.search import live_search
from ui.search.live_search import (
    FIRST_LIMIT,
    LEAST_PAUSE_MS,
    MOST_PAUSE_MS,
    PAGE,
    LiveSearch,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from indexer.api.contract import Request
    from indexer.api.progress import Progress
    from indexer.api.types import Hit


class Line(QObject):
    """An ``EnginePort`` that answers on demand, and never by words alone."""

    connected = Signal()
    disconnected = Signal()
    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.is_connected = True
        self.asked: list[Search] = []
        self.open: dict[int, tuple[Callable[..., None], Callable[..., None] | None]] = {}

    def send_request(
        self,
        request: Request[Any] | str,
        fields: Mapping[str, Any] | None = None,
        *,
        done: Callable[[Any], None],
        failed: Callable[[LecternError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> int:
        if isinstance(request, SearchByWords):
            return 0
        assert isinstance(request, Search)
        self.asked.append(request)
        self.open[len(self.asked)] = (done, failed)
        return len(self.asked)

    def cancel(self, number: int) -> None:
        self.open.pop(number, None)

    def answer(self, hits: list[Hit], seconds: float = 0.0) -> None:
        ((done, _failed),) = self.open.values()
        self.open.clear()
        done(SearchResult(tuple(hits), seconds=seconds))

    def refuse(self, code: str) -> None:
        ((_done, failed),) = self.open.values()
        self.open.clear()
        assert failed is not None
        failed(WorldError(code, reason="for a test"))


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def asking(line: Line) -> Iterator[LiveSearch]:
    asking = LiveSearch(line)
    yield asking
    asking.stop()


def test_the_newest_question_wins(qtbot: QtBot, line: Line, asking: LiveSearch) -> None:
    asking.want_query("r")
    asking.want_query("re")
    assert not line.asked
    qtbot.waitUntil(lambda: bool(line.asked))
    asking.want_query("rent")
    qtbot.waitUntil(lambda: len(line.asked) == 2)
    assert [each.text for each in line.asked] == ["re", "rent"]
    assert list(line.open) == [2]
    with qtbot.waitSignal(asking.answered) as caught:
        line.answer(many(1))
    assert caught.args is not None
    assert caught.args[1] is False


def test_a_query_waits_for_the_one_in_flight_and_for_nothing_else(
    qapp: QApplication, line: Line, asking: LiveSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_search, "MOST_PAUSE_MS", 60_000)
    asking.want_query("r")
    qapp.processEvents()
    asking.want_query("re")
    qapp.processEvents()
    assert [each.text for each in line.asked] == ["r"]
    answered: list[str] = []
    asking.answered.connect(lambda *_: answered.append(asking.answered_text))
    line.answer(many(1))
    assert [each.text for each in line.asked] == ["r", "re"]
    assert answered == ["r"]
    assert not asking.is_answered, "Enter opens no hit of an older query"
    line.answer(many(1))
    assert answered == ["r", "re"]
    assert asking.is_answered


def test_quick_answers_shorten_the_pause_in_the_typing(
    qtbot: QtBot, line: Line, asking: LiveSearch
) -> None:
    assert asking.pause_ms == MOST_PAUSE_MS
    for number, (seconds, pause) in enumerate(
        ((0.0, LEAST_PAUSE_MS), (0.06, 60), (3.0, MOST_PAUSE_MS)), 1
    ):
        asking.want_query(f"rent {number}")
        qtbot.waitUntil(lambda: bool(line.open))
        line.answer([], seconds)
        assert asking.pause_ms == pause


def test_spaces_around_a_question_ask_nothing_else(
    qtbot: QtBot, line: Line, asking: LiveSearch
) -> None:
    told: list[bool] = []
    asking.want_query("rent", at_once=True)
    qtbot.waitUntil(lambda: bool(line.asked))
    line.answer(many(1))
    asking.stale.connect(told.append)
    for text in ("rent ", " rent "):
        asking.want_query(text)
    assert told == []
    assert asking.is_answered
    asking.want_query("rent w")
    assert told == [True]


def test_stale_until_answered(qtbot: QtBot, line: Line, asking: LiveSearch) -> None:
    told: list[bool] = []
    asking.stale.connect(told.append)
    asking.want_query("rent", at_once=True)
    qtbot.waitUntil(lambda: bool(line.asked))
    line.answer([])
    asking.want_query("rents")
    assert told == [True, False, True]
    asking.want_query("")
    assert told[-1] is False


def test_a_question_waits_for_the_engine(qtbot: QtBot, line: Line, asking: LiveSearch) -> None:
    line.is_connected = False
    with qtbot.waitSignal(asking.waiting):
        asking.want_query("rent", at_once=True)
    assert not line.asked
    line.is_connected = True
    line.connected.emit()
    assert line.asked[0].text == "rent"
    line.is_connected = False
    line.refuse("engine_gone")
    line.is_connected = True
    line.connected.emit()
    assert len(line.asked) == 2


def test_another_program_in_between(qtbot: QtBot, line: Line, asking: LiveSearch) -> None:
    asking.want_query("rent", at_once=True)
    qtbot.waitUntil(lambda: bool(line.asked))
    line.refuse("busy")
    qtbot.waitUntil(lambda: len(line.asked) == 2)


def test_an_error_is_told(qtbot: QtBot, line: Line, asking: LiveSearch) -> None:
    asking.want_query("rent", at_once=True)
    qtbot.waitUntil(lambda: bool(line.asked))
    with qtbot.waitSignal(asking.failed) as caught:
        line.refuse("bad_query")
    assert caught.args is not None
    assert caught.args[0].code == "bad_query"


def test_a_new_question_does_not_wait_for_more_of_the_last(
    qtbot: QtBot, line: Line, asking: LiveSearch
) -> None:
    asking.want_query("rent", at_once=True)
    qtbot.waitUntil(lambda: bool(line.asked))
    line.answer(many(FIRST_LIMIT))
    asking.want_more()
    assert list(line.open) == [2]
    asking.want_query("rents")
    assert not line.open
    qtbot.waitUntil(lambda: len(line.asked) == 3)
    line.answer(many(1))
    assert asking.is_answered


def test_more_is_asked_for_while_there_may_be_more(
    qtbot: QtBot, line: Line, asking: LiveSearch
) -> None:
    asking.want_query("rent", at_once=True)
    qtbot.waitUntil(lambda: bool(line.asked))
    asking.want_more()
    line.answer(many(FIRST_LIMIT))
    asking.want_more()
    asking.want_more()
    assert [each.limit for each in line.asked] == [FIRST_LIMIT, FIRST_LIMIT + PAGE]
    line.answer(many(FIRST_LIMIT + PAGE))
    asking.want_more()
    assert line.asked[-1].limit == FIRST_LIMIT + 2 * PAGE, "no page takes longer than the last"
    with qtbot.waitSignal(asking.answered) as caught:
        line.answer(many(100))
    assert caught.args is not None
    assert caught.args[1] is True
    assert not asking.may_have_more
    asking.want_query("rents")
    qtbot.waitUntil(lambda: len(line.asked) == 4)
    assert line.asked[3].limit == FIRST_LIMIT
