"""The first run: from choosing folders to a hit in them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel

from indexer.api.answers import FileList
from indexer.api.progress import Step
from indexer.api.requests import GetDocument, ListFiles, Search
from indexer.api.types import FileState
from tests.answers import IDLE, running
from tests.ui.library.port import canned_context, make_row
from ui.engine_client import ActivityFeed
from ui.library import first_run
from ui.library.first_run import (
    FirstRun,
    FolderChoice,
    QuerySuggestion,
    is_good,
    usual_folders,
    without_signs,
)

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
    with qtbot.waitSignal(page.finished) as finished:
        page.card.start.click()
    assert engine.roots == [str(library_files)]
    assert finished.args == [page.suggestion.text], "a query that was just read answers"
    assert is_good(page.suggestion.text)


def test_how_far_reading_is_stands_at_the_foot_only(page: FirstRun, qtbot: QtBot) -> None:
    qtbot.waitUntil(page.card.start.isEnabled)
    page.card.start.click()
    page.show_activity(replace(IDLE, running=running(Step.INDEX, files_done=3, files_total=8)))
    said = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert any("Your documents are being read" in text for text in said)
    assert not any("%" in text or "3" in text for text in said), "the foot says how far"


def test_no_example_comes_once_the_page_was_left(page: FirstRun, qtbot: QtBot) -> None:
    page.hide()
    with qtbot.assertNotEmitted(page.finished):
        page.suggestion.found.emit("The roof")


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
    suggestion, found = QuerySuggestion(context, owner), list[str]()
    suggestion.found.connect(found.append)
    suggestion.refresh()
    (files, late), link.held = link.held, []
    files()
    qtbot.waitUntil(lambda: Search in link.kinds())
    late()
    assert link.kinds().count(GetDocument) == 1
    link.holding.clear()
    link.release()
    qtbot.waitUntil(lambda: found == [suggestion.text])
    assert link.cancelled == []


def test_a_document_that_answers_nothing_is_followed_by_the_next(
    qtbot: QtBot, tmp_path: Path
) -> None:
    context, link, _said = canned_context(tmp_path)
    rows = (make_row(1), make_row(2))
    link.answers[ListFiles] = lambda _request: FileList(rows, len(rows))
    titles = iter(("1.2.3", "The lamp of brass"))
    link.answers[GetDocument] = lambda _request: SimpleNamespace(title=next(titles))
    link.answers[Search] = lambda _request: SimpleNamespace(hits=[SimpleNamespace(heading_path=())])
    owner = QObject()
    suggestion = QuerySuggestion(context, owner)
    with qtbot.waitSignal(suggestion.found) as found:
        suggestion.refresh()
    assert found.args == ["The lamp of brass"]
