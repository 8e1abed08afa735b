"""The search page over the fake engine behind the real service."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
from msgspec.structs import replace
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolButton, QWidget

from indexer.api.requests import Index, Search
from indexer.api.types import SearchResult
from tests.ui.conftest import attach
from tests.ui.library.port import canned_context
from tests.ui.menus import entries
from tests.ui.notices import RecordedNotices
from tests.ui.search.hits import many
from tests.ui.search.pages import filters_of, links, press, search, shown, titles
from ui.engine_client import EngineLink
from ui.ports import Context
from ui.preview.client import RenderClient
from ui.search.facets import quick_facets
from ui.search.filters import readable
from ui.search.labels import Link
from ui.search.page import SearchPage
from ui.search.panels import NothingPanel
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.settings import Settings
    from tests.fake_engine import FakeEngine

FIND = Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive


def one_page(text: str) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), text)
        return bytes(document.tobytes())


def test_typing_finds_and_selects_the_first_hit(qtbot: QtBot, page: SearchPage) -> None:
    with qtbot.waitSignal(page.hit_selected) as caught:
        QTest.keyClicks(page.bar.box, "tenant gutters")
    assert caught.args is not None
    hit, hits, number, query = caught.args
    assert "tenant gutters".startswith(query)
    assert hit.title == "lease"
    assert hits[number] == hit
    assert page.current_hit == hit
    qtbot.waitUntil(lambda: "passage" in page.results.summary.text)


def test_enter_waits_for_the_answer(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "roof")
    QTest.keyClicks(page.bar.box, "lamp")
    opened = QSignalSpy(page.actions_on_hits.opened)
    press(page, Qt.Key.Key_Return)
    qtbot.waitUntil(page.results.view.hasFocus)
    assert page.current_hit is not None
    assert page.current_hit.title == "lighthouse"
    assert opened.count() == 0, "nothing opens that was not seen"
    page.focus_box()
    QTest.keyClicks(page.bar.box, "roo")
    press(page, Qt.Key.Key_Return)
    with qtbot.waitSignal(page.live_search.answered):
        QTest.keyClicks(page.bar.box, "f")
    assert opened.count() == 0


def test_stale_results_stay_until_the_answer(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "roof")
    QTest.keyClicks(page.bar.box, "lamp")
    assert page.results.view.results.stale
    assert titles(page) == ["lease"]
    qtbot.waitUntil(lambda: titles(page) == ["lighthouse"])
    assert not page.results.view.results.stale


def test_the_box_leaves_undo_to_others_while_it_has_nothing_to_undo(page: SearchPage) -> None:
    undo = QKeyEvent(
        QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
    )
    for typed in (False, True):
        undo.setAccepted(False)
        if typed:
            page.type_text("lamp")
        QApplication.sendEvent(page.bar.box, undo)
        assert undo.isAccepted() is typed


def chips(page: SearchPage) -> list[str]:
    return [chip.text() for chip in page.chips.chips]


def test_filters_stand_in_one_place(qtbot: QtBot, page: SearchPage) -> None:
    box = page.bar.box
    QTest.keyClicks(box, 'lamp ext:md -draft in:"a b" "at dusk"')
    assert box.text() == 'lamp -draft "at dusk"'
    assert chips(page) == ["Type: md", "In: a b"], "only filters are chips"
    assert page.query == 'ext:md in:"a b" lamp -draft "at dusk"'
    QTest.keyClick(page.chips.chips[0], Qt.Key.Key_Delete)
    assert page.query == 'in:"a b" lamp -draft "at dusk"'
    QTest.mouseClick(page.chips.chips[0], Qt.MouseButton.LeftButton)
    assert page.query == 'lamp -draft "at dusk"'
    assert page.live_search.text == page.query
    assert not page.chips.clear.isVisible()
    page.search("ext:md in:south lamp")
    page.chips.clear.click()
    assert page.query == "lamp"
    assert box.hasFocus()


def test_the_cross_and_ctrl_a_clear_the_filters_too(page: SearchPage) -> None:
    box = page.bar.box
    for start in ("ext:md in:south lamp", "ext:md in:south "):
        for replacing in (Qt.Key.Key_Delete, Qt.Key.Key_X):
            page.search(start)
            QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
            assert all(chip.isChecked() for chip in page.chips.chips), "they look selected"
            QTest.keyClick(box, replacing)
            assert (page.query, chips(page)) == ("x" if replacing == Qt.Key.Key_X else "", [])
    page.search("ext:md lamp")
    QTest.keyClick(box, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(box, Qt.Key.Key_End)
    QTest.keyClick(box, Qt.Key.Key_X)
    assert page.query == "ext:md lampx"
    cross = box.findChild(QToolButton)
    assert cross is not None
    cross.click()
    assert page.query == ""
    assert page.results.shown is page.results.start


def test_typing_goes_on_beside_a_filter_that_was_chosen(
    qtbot: QtBot, page: SearchPage, library_files: Path
) -> None:
    box = page.bar.box
    search(qtbot, page, "the")
    page.chips.button.setFocus()
    page.chips.button.click()
    tree = page.facets.tree
    root = from_home(str(library_files))  # the temporary folder of Windows is in it
    qtbot.waitUntil(lambda: bool(tree.findItems(root, FIND)))
    (folder,) = tree.findItems(root, FIND)
    documents = {group.path for group in page.results.groups}
    assert folder.text(1) == str(len(documents))
    (inner,) = tree.findItems("contracts", FIND)
    assert (inner.text(1), inner.parent()) == ("1", folder)
    assert tree.findItems("2026", FIND) or tree.findItems("20", Qt.MatchFlag.MatchStartsWith | FIND)
    tree.itemClicked.emit(inner, 0)
    assert not page.facets.isVisible()
    assert box.hasFocus()
    QTest.keyClicks(box, "rent")
    assert page.query == f'in:"{library_files / "contracts"}" the rent' or (
        page.query == f"in:{library_files / 'contracts'} the rent"
    )


def test_folders_and_kinds_of_the_documents_are_a_click_away(
    qtbot: QtBot, page: SearchPage, library_files: Path
) -> None:
    search(qtbot, page, "the")
    offers = {each.text(): each for each in page.chips.offers}
    assert set(offers) == {"contracts", "TXT", "MD"}
    assert all(each.isVisible() for each in offers.values())
    page.chips.button.setFocus()
    for _ in range(2):  # one has no stop for the Tab key, but keys reach it
        QTest.keyClick(page.chips.focusWidget(), Qt.Key.Key_Right)
    assert page.chips.offers[1].hasFocus()
    QTest.keyClick(offers["contracts"], Qt.Key.Key_Return)
    assert chips(page) == ["In: contracts"]
    assert page.bar.box.hasFocus()
    page.chips.setMaximumWidth(page.chips.button.width() + 40)
    search(qtbot, page, "the")
    qtbot.waitUntil(lambda: bool(page.chips.offers))
    assert not any(each.isVisible() for each in page.chips.offers), "there is no room"


def test_what_all_documents_have_is_not_offered() -> None:
    paths = [f"/d/{name}" for name in ("a/1.pdf", "b/2.pdf", "b/3.pdf", "b/c/4.pdf")]
    roots = [str(Path(each)) for each in ("/d", "/e")]  # as this system writes them

    def offered(paths: list[str]) -> list[str]:
        return [each.name for each in quick_facets(roots, paths)]

    assert offered(paths) == ["b", "a"]
    assert offered([*paths, "/e/5.txt"]) == [*roots, "PDF", "TXT"]
    assert offered(paths[1:]) == ["c"]
    assert offered(paths[1:2]) == offered([]) == []


def test_typing_replaces_the_text_but_not_the_filters(page: SearchPage) -> None:
    box = page.bar.box
    page.search_inside("/docs/lease.txt")
    page.focus_box()
    QTest.keyClicks(box, "rent")
    assert page.query == 'in:"/docs/lease.txt" rent'
    box.selectAll()
    QTest.keyClick(box, Qt.Key.Key_Delete)
    assert page.query == 'in:"/docs/lease.txt" '
    assert box.accessibleDescription() == "In: lease.txt"


def test_keys_go_between_the_text_and_the_filters(page: SearchPage) -> None:
    box = page.bar.box
    page.search("ext:md in:south lamp")
    first, second = page.chips.chips
    box.setCursorPosition(0)
    QTest.keyClick(box, Qt.Key.Key_Left)
    assert second.hasFocus()
    QTest.keyClick(second, Qt.Key.Key_Left)
    assert first.hasFocus()
    QTest.keyClick(first, Qt.Key.Key_Right)
    QTest.keyClick(second, Qt.Key.Key_Right)
    assert box.hasFocus()
    QTest.keyClick(box, Qt.Key.Key_Backspace)
    assert page.query == "ext:md lamp"
    page.chips.chips[0].actions()[0].trigger()  # of its menu
    assert page.query == "lamp"


def test_filters_fit_on_one_line(page: SearchPage) -> None:
    long = 'in:"a folder with rather a long name" like:/docs/contracts/lease.pdf ext:md lang:de x'
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        page.chips.setLayoutDirection(direction)
        page.chips.setFixedWidth(420)
        page.search(long)
        QApplication.processEvents()
        parts = [*page.chips.chips, page.chips.button, page.chips.clear]
        edges = sorted((part.x(), part.x() + part.width()) for part in parts)
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(edges))
        assert all(page.chips.rect().contains(part.geometry()) for part in parts)


def test_a_filter_shows_no_offsets(page: SearchPage) -> None:
    page.search('like:"/docs/lease.pdf#120-340"')
    assert chips(page) == ["Like a passage of lease.pdf"]
    assert readable('roof like:"/docs/lease.pdf"') == "roof · Like: lease.pdf"
    assert readable('in:"/docs/old leases" ext:pdf rent') == "ext:pdf rent · In: old leases"
    page.chips.places["/docs/lease.pdf#120-340"] = "p. 27"
    page.search("roof")
    page.search('like:"/docs/lease.pdf#120-340" roof')
    assert chips(page) == ["Like: p. 27 of lease.pdf"]
    page.search("like:/docs/lease.pdf")
    assert chips(page) == ["Like: lease.pdf"]


def test_where_nothing_was_asked_no_sentence_is_marked(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[Search] = lambda _request: SearchResult(tuple(many(2)))
    page = SearchPage(context)
    qtbot.addWidget(page)
    for query, marked in (("rent ext:pdf", True), ("ext:pdf", False), ("like:/a.pdf", True)):
        search(qtbot, page, query)
        assert [bool(hit.best[1]) for hit in page.results.hits] == [marked, marked]
    page.stop()


def test_a_line_moves_under_the_box_while_a_search_runs(qtbot: QtBot, page: SearchPage) -> None:
    page.live_search.busy.emit(True)
    qtbot.waitUntil(lambda: page.busy.is_moving)
    assert page.busy.height() == 2
    search(qtbot, page, "tenant")
    assert not page.busy.is_moving


def test_names_are_offered_whole_where_there_is_room(qtbot: QtBot, page: SearchPage) -> None:
    box = page.bar.box
    name = "A folder with rather a long name"
    box.offers = replace(box.offers, folders=("short", name), recent=())
    QTest.keyClicks(box, "in:")
    qtbot.waitUntil(box.popup.isVisible)
    needed = box.popup.fontMetrics().horizontalAdvance(name)
    assert needed < box.popup.viewport().width() / 2
    assert box.popup.columnWidth(0) >= needed
    box.popup.hide()


def test_a_long_pasted_text_has_a_limited_number_of_chips(page: SearchPage) -> None:
    page.chips.show_query("in:a " * 3000)
    assert len(page.chips.chips) == 40
    page.chips.show_query("")
    assert not page.chips.chips


def test_tab_goes_through_the_page_as_it_is_read(page: SearchPage) -> None:
    page.search("lamp ext:md in:south")
    wanted = [
        page.bar.box, page.bar.kept_button, page.chips.button, *page.chips.chips,
        page.chips.clear,
    ]  # fmt: skip
    seen: list[QWidget] = [page.bar.box]
    for _ in wanted[1:]:
        page.focusNextChild()
        seen.append(page.focusWidget())
    assert seen == wanted


def test_without_a_search_the_filters_are_those_of_the_library(
    qtbot: QtBot, page: SearchPage, library_files: Path
) -> None:
    page.chips.button.click()
    tree = page.facets.tree
    qtbot.waitUntil(lambda: bool(tree.findItems(from_home(str(library_files)), FIND)))
    assert all(tree.findItems(name, FIND) for name in ("Folder", "Type", "Year"))
    assert not any(item.text(1) for item in tree.findItems("", Qt.MatchFlag.MatchContains | FIND))
    page.facets.hide()


def test_nothing_found_says_what_to_try(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "zebra -draft ext:pdf author:xyz")
    assert page.results.shown is page.results.nothing
    assert "All filters" in links(page)
    link = next(each for each in page.results.nothing.findChildren(Link) if "draft" in each.text())
    link.click()
    assert page.query == "ext:pdf author:xyz zebra"
    search(qtbot, page, "zebra")
    assert links(page) == []


def test_an_excluded_word_alone_offers_no_empty_query(qtbot: QtBot) -> None:
    panel = NothingPanel()
    qtbot.addWidget(panel)
    panel.show_nothing("-lamp")
    assert not panel.findChildren(Link)
    panel.show_nothing("roof -lamp")
    assert [link.text() for link in panel.findChildren(Link)] == ["not lamp"]


def searches(page: SearchPage) -> list[str]:
    found = page.results.start.searches.findItems("", Qt.MatchFlag.MatchContains)
    return [item.text(0) for item in found]


def test_the_start_panel_has_examples(qtbot: QtBot, page: SearchPage) -> None:
    panel = page.results.start
    assert page.results.shown is panel
    qtbot.waitUntil(lambda: len(searches(page)) == 4)
    with qtbot.waitSignal(page.live_search.answered):
        panel.searches.itemClicked.emit(panel.searches.topLevelItem(2), 0)
    assert page.query == "date:2024-03..2024-06 "
    page.memory.save_search("Roofs", "roof")
    page.search("")
    assert page.results.shown is panel
    assert searches(page) == ["Roofs", "Search syntax…"]
    with qtbot.waitSignal(page.help_requested):
        panel.searches.itemClicked.emit(panel.searches.topLevelItem(1), 0)
    panel.searches.setCurrentItem(panel.searches.findItems("Roofs", FIND)[0])
    panel.searches.setFocus()
    QTest.keyClick(panel.searches, Qt.Key.Key_Delete)
    assert page.memory.saved == ()
    assert "Roofs" not in searches(page)


def test_an_empty_library_leads_to_folders(qtbot: QtBot, context: Context) -> None:
    for page in shown(qtbot, SearchPage(context)):
        qtbot.waitUntil(partial(_is_empty, page))
        search(qtbot, page, "lamp")
        qtbot.waitUntil(partial(_is_empty, page))  # not that nothing was found
        with qtbot.waitSignal(page.folders_requested):
            page.results.start.findChildren(QAbstractButton)[-1].click()


def _is_empty(page: SearchPage) -> bool:
    return links(page) == ["Choose folders…"]


def test_new_folders_are_offered_when_the_page_is_shown(
    qtbot: QtBot, context: Context, engine: FakeEngine, library_files: Path
) -> None:
    for page in shown(qtbot, SearchPage(context)):
        offered = partial(links, page)
        qtbot.waitUntil(lambda: offered() == ["Choose folders…"])  # noqa: B023  # called at once
        page.hide()
        engine.call(Index((library_files,)))
        page.show()
        qtbot.waitUntil(lambda: "Choose folders…" not in offered())  # noqa: B023  # called at once


def test_a_failure_is_shown_below_the_box(qtbot: QtBot, page: SearchPage) -> None:
    with qtbot.waitSignal(page.live_search.failed):
        page.search('an "open quote')
    assert page.message.isVisible()
    assert "quote is not closed" in page.message.text()
    search(qtbot, page, "tenant")
    assert "quote" not in page.message.text()


def test_without_an_engine_the_query_waits(
    qtbot: QtBot, engine: FakeEngine, settings: Settings, notices: RecordedNotices, tmp_path: Path,
    library_files: Path,
) -> None:  # fmt: skip
    engine.call(Index((library_files,)))
    link = EngineLink(tmp_path / "library")
    context = Context(link, settings, notices, tmp_path, tmp_path / "library")
    for page in shown(qtbot, SearchPage(context)):
        page.search("roof")
        qtbot.waitUntil(page.message.isVisible)
        assert "starting" in page.message.text()
        with qtbot.waitSignal(page.live_search.answered):
            attach(qtbot, link)
        assert titles(page) == ["lease"]
        assert not page.message.isVisible()
    link.close()


def test_history_can_be_switched_off(qtbot: QtBot, page: SearchPage, settings: Settings) -> None:
    search(qtbot, page, "roof")
    press(page, Qt.Key.Key_Return)
    assert list(page.memory.recent) == ["roof"]
    settings.set("history", False)
    press(page, Qt.Key.Key_Return)
    assert list(page.memory.recent) == []


def test_recent_documents_are_a_click_away(
    qtbot: QtBot, page: SearchPage, library_files: Path
) -> None:
    search(qtbot, page, "lamp")
    page._history.timer.timeout.emit()
    assert page.memory.recent == ("lamp",)
    assert page.memory.documents == (), "nobody chose it"
    page.actions_on_hits.used.emit()
    page.search("")
    cards = page.results.start.documents
    qtbot.waitUntil(cards.isVisible)
    assert [cards.model().index(row, 0).data() for row in range(cards.model().rowCount())] == [
        "lighthouse.md"
    ]
    path = library_files / "lighthouse.md"
    cards.clicked.emit(cards.model().index(0, 0))
    assert filters_of(page.query) == [("in", str(path))]
    page.search("")
    menu = entries(cards.viewport(), cards.visualRect(cards.model().index(0, 0)).center())
    assert list(menu) == ["Open", "Show in folder", "Copy path", "Remove from this list"]
    menu["Copy path"].trigger()
    assert QGuiApplication.clipboard().text() == str(path)
    menu["Remove from this list"].trigger()
    qtbot.waitUntil(lambda: not cards.isVisible())
    assert "lamp" in searches(page)
    tree = page.results.start.searches
    first = tree.visualItemRect(tree.findItems("lamp", FIND)[0]).center()
    entries(tree.viewport(), first)["Remove"].trigger()
    assert "lamp" not in searches(page)
    assert not [*page.memory.recent, *page.memory.documents]


def test_cards_show_the_first_pages(qtbot: QtBot, page: SearchPage, library_files: Path) -> None:
    client = RenderClient(page, None)
    notices = RecordedNotices()
    page.results.start.take_client(client, notices)
    (library_files / "report.pdf").write_bytes(one_page("A lamp is lit at dusk."))
    for name in ("ice.txt", "report.pdf", "gone.txt"):
        page.memory.note_document(str(library_files / name))
    page.search("")
    model = page.results.start.documents.model()

    def shown_pages() -> list[bool]:
        items = [model.index(row, 0) for row in range(model.rowCount())]
        drawn = [item.data(Qt.ItemDataRole.DecorationRole) is not None for item in items]
        return [*drawn, "seal" in str(items[2].data(Qt.ItemDataRole.UserRole + 1))]

    qtbot.waitUntil(lambda: shown_pages() == [False, True, False, True])
    cards = page.results.start.documents
    assert not cards.grab().isNull()
    entries(cards.viewport(), cards.visualRect(model.index(0, 0)).center())["Open"].trigger()
    assert notices.texts == ["gone.txt is no longer where it was."]
    client.close()
