"""The first run: from choosing folders to a hit in them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QApplication

from indexer.api.answers import FileList
from indexer.api.errors import WorldError
from indexer.api.requests import GetDocument, ListFiles, Search
from indexer.api.types import FileState, SearchResult
from tests.answers import IDLE
from tests.ui.library.port import canned_context, make_row
from tests.ui.search.hits import hit
from ui.engine_client import ActivityFeed
from ui.library import first_run
from ui.library.first_run import FirstRun, FolderChoice, usual_folders
from ui.library.first_search import Lessons, Suggestions, is_good, without_signs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine
    from ui.ports import Context


@pytest.fixture
def page(
    qtbot: QtBot,
    context: Context,
    library_files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[FirstRun]:
    (tmp_path / "desktop").mkdir()
    offered = [str(library_files), str(tmp_path / "desktop")]
    monkeypatch.setattr(first_run, "usual_folders", lambda: offered)
    page = FirstRun(context)
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    feed = ActivityFeed(context.link)
    feed.changed.connect(page.show_activity)
    yield page
    feed.close()
    page.hide()


def test_from_folders_to_a_first_hit(
    page: FirstRun, qtbot: QtBot, engine: FakeEngine, library_files: Path
) -> None:
    assert [box.isChecked() for box in page.folders.boxes.values()] == [True, False]
    qtbot.waitUntil(page.card.start.isEnabled)
    assert engine.roots == []
    page.card.start.click()
    qtbot.waitUntil(lambda: engine.roots == [str(library_files)])
    # Suggestions come after files were listed and searched.
    qtbot.waitUntil(lambda: bool(page.search.suggestions.texts))
    qtbot.waitUntil(lambda: "search by words already" in page.how_far.text())
    first = page.search.suggestions.texts[0]
    qtbot.waitUntil(page.search.card.isVisible)  # an answer comes by itself
    assert page.search.example.text() == f"For example, “{first}”:"
    with qtbot.waitSignal(page.finished) as shown:
        page.search.more.click()
    assert shown.args == [first]
    page.search.lessons.buttons[0].click()
    assert page.search.field.text() == first
    page.search.field.setText("landlord")
    qtbot.waitUntil(lambda: page.search.title.text() == "lease")
    assert not page.search.example.isVisible()
    assert page.search.place.text() == "lease.txt", "a text has no pages"
    assert "The landlord mends the roof." in page.search.text.text()
    with qtbot.waitSignal(page.finished) as finished:
        page.search.more.click()
    assert finished.args == ["landlord"]


def test_three_things_to_try_get_queries_from_the_documents(qtbot: QtBot) -> None:
    lessons, tried = Lessons(), list[str]()
    qtbot.addWidget(lessons)
    lessons.tried.connect(tried.append)
    lessons.show()
    assert not any(button.isVisible() for button in lessons.buttons)
    for text in ("Rent & repairs", "The roof", "The deposit", "One too many"):
        lessons.offer_query(text, "/documents/lease.pdf")
    for button in lessons.buttons:
        button.click()
    assert tried == ["Rent & repairs", '"The roof"', "The deposit ext:pdf"]
    assert [button.accessibleName() for button in lessons.buttons] == tried


def test_each_step_fills_the_page_to_its_lower_edge(page: FirstRun, qtbot: QtBot) -> None:
    lessons, high = page.search.lessons, page.viewport().height()
    qtbot.waitUntil(page.card.start.isEnabled)
    QApplication.processEvents()
    places = []
    for _ in range(2):
        place = lessons.mapTo(page.viewport(), lessons.rect().bottomLeft()).y()
        places.append(place)
        assert 0.8 * high < place < high
        page.card.start.click()
        QApplication.processEvents()
    high_lessons = lessons.height()
    assert places[0] == places[1], "what stays does not move"
    field = page.search.field.mapTo(page, QPoint(0, 0))
    page.show_activity(replace(IDLE, embedded_share=1.0))  # all is read
    lessons.offer_query("A long query " * 4, "/documents/lease.pdf")
    QApplication.processEvents()
    assert lessons.mapTo(page.viewport(), lessons.rect().bottomLeft()).y() == places[0]
    assert lessons.height() == high_lessons
    assert page.search.field.mapTo(page, QPoint(0, 0)) == field
    page.resize(300, 700)
    assert lessons.buttons[0].width() < lessons.width()
    assert lessons.buttons[0].toolTip() == "A long query " * 4


def test_a_search_without_a_hit_is_repeated(page: FirstRun, qtbot: QtBot) -> None:
    qtbot.waitUntil(page.card.start.isEnabled)
    page.search.field.setText("landlord")
    page.search.search()
    qtbot.waitUntil(lambda: not page.search.note.isHidden())
    page.card.start.click()
    qtbot.waitUntil(lambda: not page.search.card.isHidden())


def test_a_change_of_folders_updates_the_estimate(
    page: FirstRun, qtbot: QtBot, tmp_path: Path
) -> None:
    qtbot.waitUntil(page.card.start.isEnabled)
    for box in page.folders.boxes.values():
        box.setChecked(False)
    qtbot.waitUntil(lambda: not page.card.isVisible())
    (tmp_path / "more").mkdir()
    page.folders.add_folders([str(tmp_path / "more")])
    qtbot.waitUntil(lambda: list(page.card.paths) == [str(tmp_path / "more")])
    page.folders.add_folders([str(tmp_path / "more")])
    assert len(page.folders.boxes) == 3


def test_the_first_run_can_be_left_without_a_search(page: FirstRun, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.finished) as finished:
        page.skip.click()
    assert finished.args == [""]


def test_a_failed_search_is_reported(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[Search] = lambda _request: WorldError("disk_full", needed="1 GB", path="/")
    page = FirstRun(context)
    qtbot.addWidget(page)
    page.search.field.setText("anything")
    page.search.search()
    qtbot.waitUntil(lambda: "Less than 1 GB" in page.search.note.text())
    page.search.stop()


def test_only_folders_that_exist_are_offered(qtbot: QtBot) -> None:
    from pathlib import Path

    assert all(Path(path).is_dir() for path in usual_folders())
    assert str(Path.home()) not in usual_folders()
    choice = FolderChoice(["/a & b"])
    qtbot.addWidget(choice)
    assert choice.paths == ["/a & b"]


def test_suggestions_are_plain_words() -> None:
    assert without_signs('2.1  "Rent":  the basics') == "2.1 Rent the basics"
    assert without_signs("annual_report-2023") == "annual report 2023"
    assert is_good("Repairs of the roof")
    assert not is_good("1.2.3")
    assert not is_good("IV")
    assert not is_good("word " * 20)


def test_a_late_list_of_files_cancels_no_suggestion(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _ = canned_context(tmp_path)
    rows = {FileState.INDEXED: (make_row(1), make_row(2))}
    hit = SimpleNamespace(heading_path=())

    def listed(request: ListFiles) -> FileList:
        found = rows.get(request.state, ()) if request.state else ()
        return FileList(found, len(found))

    link.answers[ListFiles] = listed
    link.answers[GetDocument] = lambda request: SimpleNamespace(title=f"Lease of {request.path}")
    link.answers[Search] = lambda _: SimpleNamespace(hits=[hit])
    link.holding |= {ListFiles, Search}
    owner = QObject()
    suggestions = Suggestions(context, owner)
    suggestions.refresh()
    (files, late), link.held = link.held, []
    files()
    qtbot.waitUntil(lambda: Search in link.kinds())
    late()
    assert link.kinds().count(GetDocument) == 1
    link.holding.clear()
    link.release()
    qtbot.waitUntil(lambda: len(suggestions.texts) == 2)
    assert link.cancelled == []


def test_a_first_answer_that_another_search_replaced_is_asked_again(
    qtbot: QtBot, tmp_path: Path
) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[Search] = lambda _request: WorldError("busy")
    page = FirstRun(context)
    qtbot.addWidget(page)
    page.search.suggestions.found.emit("Rent", "/a/lease.pdf")
    qtbot.waitUntil(lambda: Search in link.kinds() and not link.waiting)
    link.answers[Search] = lambda _request: SearchResult((hit(),))
    page.search.refresh()
    qtbot.waitUntil(lambda: not page.search.card.isHidden())
    assert page.search.example.text() == "For example, “Rent”:"
    page.search.stop()
