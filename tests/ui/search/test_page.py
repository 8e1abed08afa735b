"""The search page over the fake engine behind the real service."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from indexer.api.requests import Index
from tests.ui.conftest import attach
from tests.ui.search.pages import links, press, search, shown, titles
from ui.engine_client import EngineLink
from ui.ports import Context
from ui.search.filters import readable
from ui.search.labels import DocumentLink, Link
from ui.search.page import SearchPage
from ui.search.panels import NothingPanel

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.settings import Settings
    from tests.fake_engine import FakeEngine
    from tests.ui.notices import RecordedNotices


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
    assert "50" in page.results.summary.text


def test_enter_waits_for_the_answer(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "roof")
    QTest.keyClicks(page.bar.box, "lamp")
    opened = QSignalSpy(page.opened)
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


def test_chips_and_text_agree(qtbot: QtBot, page: SearchPage) -> None:
    box = page.bar.box
    QTest.keyClicks(box, 'lamp ext:md -draft in:"a b" ')
    assert box.text() == "lamp -draft "
    assert [token.text() for token in box.tokens] == ["Type: md", "In: a b"]
    assert page.query == 'ext:md in:"a b" lamp -draft '
    assert [chip.text() for chip in page.chips.chips] == ["not draft"]
    QTest.keyClick(page.chips.chips[0], Qt.Key.Key_Delete)
    assert page.query == 'ext:md in:"a b" lamp'
    QTest.mouseClick(box.tokens[1], Qt.MouseButton.LeftButton)
    assert page.query == "ext:md lamp"
    assert page.live_search.text == page.query
    page.chips.menus.chosen.emit("lamp date:2024 ")
    assert [token.text() for token in box.tokens] == ["Date: 2024"]
    page.chips.typing_requested.emit("page:")
    assert page.query == "date:2024 lamp page:"
    qtbot.waitUntil(box.popup.isVisible)
    QTest.keyClick(box.popup, Qt.Key.Key_Down)
    QTest.keyClick(box.popup, Qt.Key.Key_Return)
    assert page.query.split() == ["date:2024", "page:1", "lamp"]
    assert len(box.tokens) == 2


def test_typing_goes_on_beside_a_filter_that_was_chosen(qtbot: QtBot, page: SearchPage) -> None:
    box = page.bar.box
    page.chips.menus.buttons[0].setFocus()
    page.chips.menus.chosen.emit("lamp ext:md ")
    assert box.hasFocus()
    QTest.keyClicks(box, "oil")
    assert page.query == "ext:md lamp oil"
    page.search_inside("/docs/lease.txt")
    QTest.keyClicks(box, "rent")
    assert page.query == 'ext:md in:"/docs/lease.txt" lamp oil rent'


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
    box.setCursorPosition(0)
    QTest.keyClick(box, Qt.Key.Key_Left)
    assert box.tokens[1].hasFocus()
    QTest.keyClick(box.tokens[1], Qt.Key.Key_Left)
    assert box.tokens[0].hasFocus()
    QTest.keyClick(box.tokens[0], Qt.Key.Key_Right)
    QTest.keyClick(box.tokens[1], Qt.Key.Key_Right)
    assert box.hasFocus()
    QTest.keyClick(box, Qt.Key.Key_Backspace)
    assert page.query == "ext:md lamp"
    box.tokens[0].actions()[0].trigger()  # of its menu
    assert page.query == "lamp"


def test_filters_leave_room_for_the_text(page: SearchPage) -> None:
    box = page.bar.box
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        box.setLayoutDirection(direction)
        page.search('in:"a folder with rather a long name" like:/docs/contracts/lease.pdf ext:md x')
        widths = [token.width() for token in box.tokens]
        assert sum(widths) < 0.7 * box.width()
        edges = sorted((token.x(), token.x() + token.width()) for token in box.tokens)
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(edges))
        assert all(box.rect().contains(token.geometry()) for token in box.tokens)


def test_a_filter_shows_no_offsets(page: SearchPage) -> None:
    page.search('like:"/docs/lease.pdf#120-340"')
    assert [token.text() for token in page.bar.box.tokens] == ["Like a passage of lease.pdf"]
    assert readable('roof more:"/docs/lease.pdf#120-340"') == "roof · More like lease.pdf"
    assert readable('in:"/docs/old leases" ext:pdf rent') == "ext:pdf rent · In: old leases"
    page.bar.box.places["/docs/lease.pdf#120-340"] = "p. 27"
    page.search('more:"/docs/lease.pdf#120-340" roof')
    assert [token.text() for token in page.bar.box.tokens] == ["More like p. 27 of lease.pdf"]
    page.search("like:/docs/lease.pdf")
    assert [token.text() for token in page.bar.box.tokens] == ["Like: lease.pdf"]


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
    page.bar.box.setText("-a " * 3000)
    assert len(page.chips.chips) == 40
    page.bar.box.clear()
    assert not page.chips.chips


def test_tab_goes_through_the_page_as_it_is_read(page: SearchPage) -> None:
    page.search("lamp ext:md -draft")
    wanted = [
        page.bar.box, *page.bar.box.tokens, page.bar.kept_button, page.bar.help_button,
        *page.chips.chips,
        *page.chips.menus.buttons,
    ]  # fmt: skip
    seen: list[QWidget] = [page.bar.box]
    for _ in wanted[1:]:
        page.focusNextChild()
        seen.append(page.focusWidget())
    assert seen == wanted


def test_menus_offer_what_the_library_has(
    qtbot: QtBot, page: SearchPage, library_files: Path
) -> None:
    qtbot.waitUntil(lambda: page.chips.menus.folders == (str(library_files),))
    for button in page.chips.menus.buttons:
        menu = button.menu
        menu.aboutToShow.emit()
        assert menu.actions()
    page.chips.menus.buttons[0].menu.actions()[0].trigger()
    assert page.query == f'in:"{library_files}" '
    page.chips.menus.buttons[1].menu.actions()[1].trigger()
    assert "type:document " in page.query
    page.chips.menus.buttons[2].menu.actions()[-1].trigger()
    assert page.query.endswith("date:")


def test_nothing_found_says_what_to_try(qtbot: QtBot, page: SearchPage) -> None:
    search(qtbot, page, "zebra -draft ext:pdf author:xyz")
    assert page.results.shown is page.results.nothing
    assert "without any filter" in links(page)
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
    assert [link.text() for link in panel.findChildren(Link)] == ["without “not lamp”"]


def test_the_start_panel_has_examples(qtbot: QtBot, page: SearchPage) -> None:
    assert page.results.shown is page.results.start
    qtbot.waitUntil(lambda: len(links(page)) == 4)
    with qtbot.waitSignal(page.live_search.answered):
        page.results.start.findChildren(Link)[-2].click()
    assert page.query == "date:2024-03..2024-06 "
    page.memory.save_search("Roofs", "roof")
    page.search("")
    assert page.results.shown is page.results.start
    assert links(page)[0] == "Roofs"
    roofs = page.results.start.findChildren(Link)[-5]
    assert [each.text() for each in roofs.actions()] == ["Search for this", "Remove"]
    roofs.actions()[1].trigger()
    assert page.memory.saved == ()
    assert "Roofs" not in links(page)


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


def test_the_help_lists_the_grammar_with_clickable_examples(qtbot: QtBot, page: SearchPage) -> None:
    page.bar.show_help()
    assert page.bar.help.isVisible()
    examples = page.bar.help.findChildren(Link)
    assert '"to be or not to be"' in [each.text() for each in examples]
    examples[0].click()
    assert not page.bar.help.isVisible()
    assert page.query == "rental income after the merger"


def test_recent_documents_are_a_click_away(
    qtbot: QtBot, page: SearchPage, library_files: Path
) -> None:
    search(qtbot, page, "lamp")
    page._history.timer.timeout.emit()
    assert page.memory.recent == ("lamp",)
    assert page.memory.documents == (), "nobody chose it"
    page.actions_on_hits.used.emit()
    page.search("")
    qtbot.waitUntil(lambda: "lighthouse.md" in links(page))
    panel = page.results.start
    shown_links = [each for each in panel.findChildren(Link) if each.isVisible()]
    link = next(each for each in shown_links if each.text() == "lighthouse.md")
    link.click()
    path = library_files / "lighthouse.md"
    assert page.query.strip() == f'in:"{path}"'
    page.search("")
    qtbot.waitUntil(lambda: "lighthouse.md" in links(page))
    link = next(each for each in panel.findChildren(DocumentLink) if each.isVisible())
    entries = {each.text(): each for each in link.actions()}
    assert list(entries) == [
        "Search inside this document", "Open", "Show in folder", "Copy path",
        "Remove from this list",
    ]  # fmt: skip
    assert link.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
    entries["Copy path"].trigger()
    assert QGuiApplication.clipboard().text() == str(path)
    entries["Remove from this list"].trigger()
    qtbot.waitUntil(lambda: "lamp" in links(page))
    assert "lighthouse.md" not in links(page)
    shown_links = [each for each in panel.findChildren(Link) if each.isVisible()]
    lamp = next(each for each in shown_links if each.text() == "lamp")
    lamp.actions()[1].trigger()
    assert "lamp" not in links(page)
    assert not [*page.memory.recent, *page.memory.documents]
