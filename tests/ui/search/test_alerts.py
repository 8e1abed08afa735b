"""A saved search says how many passages are new, and which."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.requests import GetActivity, Index, Search
from indexer.api.types import SearchResult
from tests.answers import IDLE
from tests.ui.engines import answer
from tests.ui.library.port import CannedLink
from tests.ui.search.hits import hit
from tests.ui.search.pages import search
from ui.file_worker import FileWorker
from ui.search import memory
from ui.search.live_search import LiveSearch
from ui.search.memory import Alerts, Memory
from ui.search.page import SearchPage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from ui.engine_client import EngineLink
    from ui.ports import Context


class Desk:
    """A saved search over canned answers."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot, self.folder = qtbot, folder
        self.link = CannedLink()
        self.found: list[Hit] = [hit()]
        self.answers = 0
        self.link.answers[Search] = self._answer
        self.worker = FileWorker(self.link)
        self.memory = Memory(folder, self.worker, remembers=True, parent=self.link)
        self.live = LiveSearch(self.link, self.link)
        self.alerts = self.watch()

    def watch(self) -> Alerts:
        return Alerts(self.folder, self.worker, self.memory, self.live, self.link, self.link)

    def _answer(self, _request: Search) -> SearchResult | WorldError:
        self.answers += 1
        return SearchResult(tuple(self.found)) if self.found else WorldError("busy")

    def change(self, number: int) -> None:
        """The library has changed, and the engine is at rest; wait for the answer."""
        before = self.answers
        self.alerts.show_activity(replace(IDLE, changes=number))
        self.qtbot.waitUntil(lambda: self.answers > before)

    @property
    def new(self) -> list[int]:
        return [each.new for each in self.alerts.annotated()]


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(memory, "EVERY_MS", 10)
    desk = Desk(qtbot, tmp_path)
    desk.memory.save_search("Rent", "rent")
    qtbot.waitUntil(lambda: desk.answers == 1)
    yield desk
    desk.alerts.stop()
    desk.live.stop()
    desk.worker.close()
    desk.link.deleteLater()


def test_what_came_since_is_new_until_somebody_looks(desk: Desk, tmp_path: Path) -> None:
    assert desk.new == [0]
    desk.found.append(hit("/docs/new.txt", text="The rent is higher."))
    desk.change(2)
    assert desk.new == [1]
    desk.change(3)
    assert desk.new == [1]
    assert len(desk.alerts.visit(" rent ", desk.found)) == 1
    assert desk.new == [0]
    assert desk.alerts.visit("rent", desk.found) == frozenset()
    desk.worker.close()
    (seen,) = json.loads((tmp_path / "seen.json").read_text())["seen"]
    assert (seen["text"], len(seen["digests"])) == ("rent", 2)


def test_what_moved_or_fits_less_is_not_new(desk: Desk) -> None:
    desk.found = [hit("/moved/lease.txt"), hit("/docs/far.txt", text="Far off.", score=0.1)]
    desk.change(2)
    assert desk.new == [0]


def test_what_was_seen_is_known_at_the_next_start(qtbot: QtBot, desk: Desk) -> None:
    desk.worker.close()
    desk.found.append(hit("/docs/new.txt", text="The rent is higher."))
    desk.alerts = desk.watch()
    desk.change(2)
    assert desk.new == [1]
    desk.memory.discard_search("Rent")
    assert desk.alerts.annotated() == ()
    desk.memory.save_search("Rent", "rent")
    assert desk.new == [0]


def test_it_waits_for_what_the_person_asks(qtbot: QtBot, desk: Desk) -> None:
    kept, desk.found = desk.found, []
    desk.change(2)  # the answer is that another search came in between
    desk.found = [*kept, hit("/docs/new.txt", text="The rent is higher.")]
    qtbot.waitUntil(lambda: desk.new == [1])
    working = replace(IDLE, changes=3, running=object())
    asked = len(desk.link.asked)
    desk.alerts.show_activity(working)
    desk.alerts.show_activity(None)
    assert len(desk.link.asked) == asked


def test_a_real_engine_brings_a_new_passage(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, library_files: Path
) -> None:
    def read() -> None:
        answer(qtbot, real_link, Index((library_files,)))
        page.alerts.show_activity(answer(qtbot, real_link, GetActivity()))

    real_context.folder.mkdir()
    page = SearchPage(real_context)
    qtbot.addWidget(page)
    page.show()
    read()
    page.memory.save_search("Lamps", "lamp")
    seen = real_context.folder / "seen.json"
    qtbot.waitUntil(seen.exists)
    (library_files / "harbour.txt").write_text("The lamp of the harbour is green.")
    read()
    star = page.bar.kept_button
    qtbot.waitUntil(lambda: star.text() == "1")
    assert "1 new passage" in star.accessibleName()
    search(qtbot, page, "lamp")
    rows = page.results.model.rows
    new = [row.hit.file for row in rows if row.is_hit and row.key in page.results.model.new]
    assert new == ["harbour.txt"]
    place = next(at for at, row in enumerate(rows) if row.key in page.results.model.new)
    assert page.results.model.index(place).data().startswith("New. ")
    assert star.text() == ""
    page.stop()
