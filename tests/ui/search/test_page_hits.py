"""The actions on hits of the search page, over the fake engine."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QMenu

from indexer.api.requests import Index, Search
from indexer.api.types import Also
from tests.ui.search.pages import filters_of, press, search, titles
from ui.export import ExportFormat
from ui.search.live_search import FIRST_LIMIT
from ui.search.rows import FoundHits, ResultOrder, RowKind

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine
    from tests.ui.notices import RecordedNotices
    from ui.search.page import SearchPage


def test_keys_go_through_hits_and_documents(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "the")
    assert len(titles(page)) >= 2
    seen = [page.current_hit]
    while True:
        press(page, Qt.Key.Key_Down)
        if page.current_hit == seen[-1]:
            break
        seen.append(page.current_hit)
    assert seen == [row.hit for row in page.results.model.rows if row.is_hit]
    page.results.view.setFocus()
    press(page, Qt.Key.Key_Home)
    assert page.current_hit == seen[0]
    press(page, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert page.current_hit is not None
    assert seen[0] is not None
    assert page.current_hit.path != seen[0].path
    press(page, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert page.current_hit == seen[0]
    press(page, Qt.Key.Key_End)
    assert page.current_hit == seen[-1]
    press(page, Qt.Key.Key_PageUp)
    press(page, Qt.Key.Key_Escape)
    qtbot.waitUntil(page.bar.box.hasFocus)
    assert page.bar.box.selectedText() == "the"


def test_keys_open_show_and_preview(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "roof")
    opened, folder = (
        QSignalSpy(page.actions_on_hits.opened),
        QSignalSpy(page.actions_on_hits.folder_requested),
    )
    toggled = QSignalSpy(page.actions_on_hits.previewed)
    press(page, Qt.Key.Key_Return)
    assert page.results.view.hasFocus()
    press(page, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    press(page, Qt.Key.Key_Return)
    press(page, Qt.Key.Key_Enter, Qt.KeyboardModifier.ControlModifier)
    press(page, Qt.Key.Key_Space)
    assert (opened.count(), folder.count(), toggled.count()) == (1, 2, 1)
    assert page.memory.recent == ("roof",)
    QTest.keyClick(page.results.view, Qt.Key.Key_X)
    assert page.query == "roofx"


def test_what_is_no_good_match_and_what_may_be_none_is_told(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "POOR tenant")
    assert "No good match" in page.results.summary.text
    assert page.results.current is None
    search(qtbot, page, "VAGUE tenant")
    assert "Perhaps not what you asked for" in page.results.summary.text
    assert page.current_hit is not None
    search(qtbot, page, "tenant")
    assert page.results.summary.banner.isHidden()
    assert "Closest" not in page.results.summary.text
    search(qtbot, page, "ALIKE tenant")
    assert page.results.summary.text.startswith("Closest passages: ")
    assert page.results.summary.banner.isHidden()
    assert page.current_hit is not None


def test_copying(qtbot: QtBot, page: SearchPage, notices: RecordedNotices) -> None:
    search(qtbot, page, "roof")
    page.results.view.setFocus()
    hit = page.current_hit
    assert hit is not None
    clipboard = QGuiApplication.clipboard()
    actions = page.actions_on_hits
    actions.carry_out(actions.copy_passage, hit)
    assert clipboard.text() == "The landlord mends the roof. The tenant cleans the gutters."
    actions.carry_out(actions.copy_cited, hit)
    qtbot.waitUntil(lambda: clipboard.text().startswith("“The landlord"))
    assert hit.title in clipboard.text().splitlines()[1]
    assert "lectern:" not in clipboard.text()
    actions.carry_out(actions.copy_path, hit)
    assert clipboard.text() == hit.path
    assert len(notices.told) == 3


def test_the_menu_of_a_hit(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "roof")
    hit = page.current_hit
    assert hit is not None
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, QPoint(50, 300), page.mapToGlobal(QPoint(50, 300))
    )
    page.contextMenuEvent(event)
    menu = page.actions_on_hits.shown_menu
    assert menu is not None
    menu.hide()
    texts = [action.text().partition("\t")[0] for action in menu.actions()]
    assert texts[:3] == ["Open", "Show in folder", "Preview"]
    assert [text for text in texts if text in ("Find in document", "Similar", "Said elsewhere")]
    with qtbot.waitSignal(page.actions_on_hits.find_requested):
        menu.actions()[texts.index("Find in document")].trigger()
    with qtbot.waitSignal(page.actions_on_hits.elsewhere_requested):
        menu.actions()[texts.index("Said elsewhere")].trigger()
    menu.actions()[texts.index("Similar")].trigger()
    assert filters_of(page.query) == [("like", f"{hit.path}#{hit.start}-{hit.end}")]
    assert page.query.endswith(" ")


def rows_in(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize("form", [ExportFormat.CSV, ExportFormat.BIBTEX])
def test_export(
    qtbot: QtBot, page: SearchPage, tmp_path: Path, notices: RecordedNotices, form: ExportFormat
) -> None:
    search(qtbot, page, "the")
    assert page.results.result is not None
    file = tmp_path / f"out.{form}"
    found = FoundHits(page.results.result.hits, "the")
    page.actions_on_hits.exporter.export_to(found, form, file)
    qtbot.waitUntil(lambda: bool(notices.told))
    assert "exported" in notices.texts[0]
    if form is ExportFormat.CSV:
        assert len(rows_in(file)) == len(page.results.result.hits)
    page.actions_on_hits.exporter.export_to(found, form, tmp_path / "no" / "where")
    qtbot.waitUntil(lambda: len(notices.told) == 2)
    assert "could not" in notices.texts[1]


def test_an_export_loads_the_remaining_hits(
    qtbot: QtBot,
    page: SearchPage,
    tmp_path: Path,
    notices: RecordedNotices,
    engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[FoundHits] = []
    exporter = page.actions_on_hits.exporter
    monkeypatch.setattr(exporter, "ask_where", lambda found, _form: asked.append(found))
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FIRST_LIMIT + 20):
        (folder / f"{number}.txt").write_text("A lighthouse of its own.")
    engine.call(Index((folder,)))
    search(qtbot, page, "lighthouse")
    assert len(page.results.hits) == FIRST_LIMIT
    page.contextMenuEvent(
        QContextMenuEvent(
            QContextMenuEvent.Reason.Keyboard, QPoint(50, 300), page.mapToGlobal(QPoint(50, 300))
        )
    )
    menu = page.actions_on_hits.shown_menu
    assert menu is not None
    menu.hide()
    (exports,) = [a.menu() for a in menu.actions() if a.text() == "Export the hits"]
    assert isinstance(exports, QMenu)
    exports.actions()[1].trigger()
    (found,) = asked
    assert not found.complete
    file = tmp_path / "out.csv"
    exporter.export_to(found, ExportFormat.CSV, file)
    qtbot.waitUntil(lambda: len(notices.told) == 2)
    count = len(engine.call(Search("lighthouse", 1000)).hits)
    assert count > FIRST_LIMIT
    assert notices.texts[1].startswith(f"{count} ")
    assert len(rows_in(file)) == count


def test_another_order_begins_at_its_first(
    qtbot: QtBot, page: SearchPage, engine: FakeEngine, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FIRST_LIMIT + 20):
        file = folder / f"{number}.txt"
        file.write_text("A lighthouse of its own.")
        os.utime(file, (10**9 + number, 10**9 + number))
    engine.call(Index((folder,)))
    search(qtbot, page, "lighthouse")
    page.results.step_hits(7)
    relevance, newest, name = page.results.summary.orders.menu().actions()
    with qtbot.waitSignal(page.live_search.answered):
        newest.trigger()
    assert page.results.summary.order is ResultOrder.DATE
    dates = [group.head.modified_ns for group in page.results.groups]
    assert len(dates) > FIRST_LIMIT
    assert dates == sorted(dates, reverse=True)
    assert page.current_hit == page.results.groups[0].head
    assert page.results.view.verticalScrollBar().value() == 0, "the newest is in sight"
    with qtbot.waitSignal(page.live_search.answered):
        name.trigger()
    assert titles(page)[:3] == ["0", "1", "2"]
    assert not relevance.isChecked()


def test_near_duplicates_unfold_in_place_with_the_names_of_their_files(
    qtbot: QtBot, page: SearchPage
) -> None:
    search(qtbot, page, "tenant")
    result = page.results.result
    assert result is not None
    copies = tuple(
        Also(f"/docs/{name}", name, "Lease", 4, 4, 0, 9) for name in ("v1.txt", "v0.txt")
    )
    first, *others = result.hits
    folded = structs.replace(result, hits=(replace(first, also=copies), *others))
    page.results.show_answer("tenant", folded, same_query=False, more=False)
    rows, view = page.results.model.rows, page.results.view
    at = next(at for at, row in enumerate(rows) if row.kind is RowKind.ALIKE)
    assert rows[at - 1].hit == folded.hits[0]
    assert page.results.model.data(page.results.model.index(at)) == "2 more, nearly the same"
    view.setFocus()
    view.setCurrentIndex(page.results.model.index(at))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert page.current_hit is not None
    assert (page.current_hit.path, page.current_hit.page) == ("/docs/v1.txt", 4)
    said = [page.results.model.data(page.results.model.index(at + n)) for n in range(2)]
    assert ["v1.txt" in said[0], "v0.txt" in said[1]] == [True, True]
    with qtbot.waitSignal(page.actions_on_hits.opened) as opened:
        press(page, Qt.Key.Key_Return)
    assert opened.args is not None
    assert opened.args[0].path == "/docs/v1.txt"


def test_hits_are_selected_and_documents_searched_from_outside(
    qtbot: QtBot, page: SearchPage
) -> None:
    search(qtbot, page, "tenant")
    hit = page.current_hit
    assert hit is not None
    page.results.select_hit(1)
    assert page.current_hit is not None
    assert page.current_hit.path == hit.path
    page.results.select_hit(99)
    page.search_inside(hit.path)
    assert filters_of(page.query) == [("in", hit.path)]
    assert page.query.endswith(" tenant ")
