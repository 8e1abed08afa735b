"""Collecting, ordering, annotating and exporting passages, over a real engine and render child."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import docx
import pymupdf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from indexer.api.requests import Index
from tests.ui.basket.made import lease
from tests.ui.engines import answer
from tests.ui.search.hits import hit
from tests.ui.search.pages import search
from ui import keys
from ui.basket.basket import Kept
from ui.basket.export import Extent
from ui.basket.page import BasketPage, Card
from ui.export import ExportFormat
from ui.pages import BASKET, SEARCH, Pages
from ui.search.rows import FoundHits
from ui.state import WindowState
from ui.theme import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.ui.notices import RecordedNotices
    from ui.engine_client import EngineLink
    from ui.ports import Context
    from ui.search.page import SearchPage


@pytest.fixture
def pages(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, library_files: Path
) -> Iterator[Pages]:
    lease(library_files / "lease.pdf")
    answer(qtbot, real_link, Index((library_files,)))
    pages = Pages(real_context, WindowState(real_context.folder))
    qtbot.addWidget(pages)
    pages.resize(1200, 800)
    pages.show_page(SEARCH)
    with qtbot.waitExposed(pages):
        pages.show()
    yield pages
    pages.close_parts()


def found(qtbot: QtBot, pages: Pages, query: str) -> SearchPage:
    page = pages.search.search
    search(qtbot, page, query)
    qtbot.waitUntil(lambda: page.current_hit is not None)
    return page


def basket_page(pages: Pages) -> BasketPage:
    pages.show_page(BASKET)
    page = pages.page(BASKET)
    assert isinstance(page, BasketPage)
    return page


def collect(qtbot: QtBot, pages: Pages) -> BasketPage:
    """Put a passage of the lease and one of the ship into the basket."""
    found(qtbot, pages, '"three months to the end of a quarter"').keep()
    found(qtbot, pages, '"crew camped on the ice"').keep()
    assert len(pages.basket) == 2
    return basket_page(pages)


def export(qtbot: QtBot, page: BasketPage, path: Path, form: ExportFormat) -> bytes:
    with qtbot.waitSignal(page.export.finished):
        page.export.export_to(form, path)
    return path.read_bytes()


def test_passages_are_collected_by_menu(
    qtbot: QtBot, pages: Pages, notices: RecordedNotices
) -> None:
    page = found(qtbot, pages, "tenant gutters")
    current = page.current_hit
    assert current is not None
    menu = page.actions_on_hits.menu(current, FoundHits(()))
    entry = next(each for each in menu.actions() if each.text().startswith("Add to the basket"))
    entry.trigger()
    assert [kept.query for kept in pages.basket.kept] == ["tenant gutters"]
    assert notices.told[-1].text == "Added to the basket"
    undo = notices.told[-1].undo
    assert undo is not None
    undo()
    assert len(pages.basket) == 0


def test_cards_are_ordered_annotated_and_taken_out(
    qtbot: QtBot, pages: Pages, notices: RecordedNotices
) -> None:
    page = collect(qtbot, pages)
    lease_card, ice_card = page.cards.cards
    assert lease_card.accessibleName().startswith("1: lease")
    assert lease_card.more.accessibleName().endswith("passage 1")
    assert lease_card.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
    assert lease_card.actions() == lease_card.more.menu().actions()
    QTest.keyClicks(lease_card.note, "Ask Jane")
    assert pages.basket.kept[0].note == "Ask Jane"

    lease_card.setFocus()
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(lease_card, Qt.Key.Key_Down, both)
    assert page.cards.cards == [ice_card, lease_card]
    assert lease_card.note.toPlainText() == "Ask Jane"

    page.sort.click()
    assert page.cards.cards == [ice_card, lease_card]  # ice before lease
    lease_card.setFocus()
    QTest.keyClick(lease_card, Qt.Key.Key_Up)
    assert ice_card.hasFocus()
    QTest.keyClick(ice_card, Qt.Key.Key_Delete)
    assert page.cards.cards == [lease_card]
    page.clear.click()
    assert page.stack.currentWidget() is page.empty
    assert not page.export_button.isEnabled()
    page.restore.click()
    assert [card.note.toPlainText() for card in page.cards.cards] == ["Ask Jane"]
    assert page.restore.isHidden()
    page.clear.click()
    undo = notices.told[-1].undo
    assert undo is not None
    undo()
    assert [card.note.toPlainText() for card in page.cards.cards] == ["Ask Jane"]


def test_what_is_done_to_notes_and_their_order_can_be_undone(
    qtbot: QtBot, pages: Pages, notices: RecordedNotices
) -> None:
    page = collect(qtbot, pages)
    lease_card, ice_card = page.cards.cards
    lease_card.note.setFocus()
    QTest.keyClicks(lease_card.note, "Ask Jane")
    ice_card.setFocus()
    assert notices.told[-1].text == "The note was changed"
    noted = notices.told[-1].undo
    lease_card.moved.emit(lease_card.kept.key, 1)
    assert page.cards.cards == [ice_card, lease_card]
    moved = notices.told[-1].undo
    assert noted is not None
    assert moved is not None
    moved()
    assert page.cards.cards == [lease_card, ice_card]
    noted()
    qtbot.waitUntil(lambda: not lease_card.note.toPlainText())
    assert pages.basket.kept[0].note == ""
    number = len(notices.told)
    ice_card.note.setFocus()
    lease_card.setFocus()
    assert len(notices.told) == number, "nothing was changed"


def test_a_card_names_its_file_where_that_is_not_its_title(qtbot: QtBot) -> None:
    for name, said in (("draft.pdf", "draft.pdf · Lease › Rent"), ("Lease.pdf", "Lease › Rent")):
        card = Card(Kept.from_hit(hit(f"/papers/{name}", title="Lease")))
        qtbot.addWidget(card)
        assert card.where.text() == said
        assert ("draft.pdf" in card.accessibleName()) == ("draft.pdf" in said)


def test_a_passage_is_found_again_after_its_file_moved(
    qtbot: QtBot, pages: Pages, real_link: EngineLink, library_files: Path, tmp_path: Path
) -> None:
    page = collect(qtbot, pages)
    before = pages.basket.kept
    (library_files / "archive").mkdir()
    moved = library_files / "archive" / "old contract.pdf"
    (library_files / "lease.pdf").rename(moved)
    (library_files / "ice.txt").unlink()
    answer(qtbot, real_link, Index((library_files,)))

    text = export(qtbot, page, tmp_path / "basket.md", ExportFormat.MARKDOWN).decode()
    assert [kept.hit.path for kept in pages.basket.kept] == [str(moved), before[1].hit.path]
    assert "no longer in the library" in text
    assert "The crew camped on the ice" in text
    assert [each.name for each in (tmp_path / "basket-pictures").iterdir()] == ["1-1.png"]

    QTest.keyClick(page.cards.cards[0], Qt.Key.Key_Return)
    assert pages.name == SEARCH
    search_page = pages.search.search

    def shows_it() -> bool:
        hit = search_page.current_hit
        return hit is not None and hit.path == str(moved)

    qtbot.waitUntil(shows_it)


def test_each_format_has_the_page_with_its_outline(
    qtbot: QtBot, pages: Pages, tmp_path: Path
) -> None:
    page = collect(qtbot, pages)
    word = docx.Document(io.BytesIO(export(qtbot, page, tmp_path / "b.docx", ExportFormat.WORD)))
    assert len(word.inline_shapes) == 1, "plain text has no pages"
    with pymupdf.open(stream=export(qtbot, page, tmp_path / "b.pdf", ExportFormat.PDF)) as paper:
        assert sum(len(each.get_images()) for each in paper) == 1
    assert b"@misc{" in export(qtbot, page, tmp_path / "b.bib", ExportFormat.BIBTEX)
    assert b'"id": ' in export(qtbot, page, tmp_path / "b.json", ExportFormat.CSL)

    heights = {}
    for extent in (Extent.PASSAGE, Extent.PAGE):
        page.export.extent = extent
        export(qtbot, page, tmp_path / "b.md", ExportFormat.MARKDOWN)
        image = QImage(str(tmp_path / "b-pictures" / "1-1.png"))
        heights[extent] = image.height()
        assert shows(image, LIGHT.outline)
    assert heights[Extent.PASSAGE] < heights[Extent.PAGE] / 2
    menu = page.export_button.menu()
    assert isinstance(menu, QMenu)
    assert [each.text() for each in menu.actions() if each.isChecked()] == [
        "The part with the passage"
    ]


def shows(image: QImage, colour: QColor) -> bool:
    """Whether an image has pixels of a colour, or hardly another."""
    return any(
        abs(seen.red() - colour.red()) + abs(seen.blue() - colour.blue()) < 20
        for y in range(0, image.height(), 2)
        for x in range(image.width())
        if (seen := image.pixelColor(x, y)).blue() > seen.red() + 60
    )


def test_a_key_copies_the_passage_that_has_the_focus_with_its_source(
    qtbot: QtBot, pages: Pages, notices: RecordedNotices
) -> None:
    page = collect(qtbot, pages)
    clipboard = QApplication.clipboard()
    for card, words in zip(page.cards.cards, ("end of a quarter", "crew camped"), strict=True):
        card.note.setFocus()
        clipboard.clear()
        QTest.keySequence(card.note, keys.CITE)
        qtbot.waitUntil(lambda words=words: words in clipboard.text())  # type: ignore[misc]  # bound at once
    page.setFocus()
    clipboard.clear()
    QTest.keySequence(page, keys.CITE)
    qtbot.waitUntil(lambda: "end of a quarter" in clipboard.text())
    assert page.cards.cards[0].hasFocus()
    assert notices.told[-1].text == "Passage and citation copied"
