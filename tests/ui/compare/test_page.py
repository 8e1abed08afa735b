"""Two documents side by side, over a real engine and render children."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import docx
import pymupdf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from indexer.api.answers import ComparisonSide
from indexer.api.requests import Index
from indexer.api.system_keyring import SERVICE
from indexer.api.types import Hit
from indexer.query.grammar import clauses
from tests.ui.basket.made import LEASE, lease
from tests.ui.conftest import make_documents
from tests.ui.engines import answer, make_library
from tests.ui.menus import entries
from tests.ui.settings.test_passwords import MemoryKeyring
from tests.unit.extract.pdfs import save, text_at
from ui import keys, passwords
from ui.compare.page import ComparePage, DocumentSide
from ui.export import ExportFormat
from ui.pages import COMPARE, LIBRARY, SEARCH, Pages
from ui.search.rows import FoundHits
from ui.state import WindowState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.ui.engines import Home
    from ui.engine_client import EngineLink
    from ui.ports import Context

DOG = "The tenant keeps no more than two dogs in the yard behind the house."


@pytest.fixture(scope="module")
def leases(compiled_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that is made once, beside its documents."""
    folder = tmp_path_factory.mktemp("leases")
    documents = make_documents(folder / "documents")
    lease(documents / "old.pdf")
    lease(documents / "new.pdf", f"{LEASE.replace('30 days', '60 days')} {DOG}")
    make_library(folder / "library", compiled_models, documents)
    return folder


@pytest.fixture
def library_files(leases: Path) -> Path:
    """Documents that no test changes."""
    return leases / "documents"


@pytest.fixture
def home(home: Home, leases: Path) -> Home:
    """A home with a copy of that library."""
    shutil.copytree(leases / "library", home.library)
    return home


@pytest.fixture
def pages(qtbot: QtBot, real_context: Context) -> Iterator[Pages]:
    pages = Pages(real_context, WindowState(real_context.folder))
    qtbot.addWidget(pages)
    pages.resize(1200, 800)
    with qtbot.waitExposed(pages):
        pages.show()
    yield pages
    pages.close_parts()


def compared(
    qtbot: QtBot, pages: Pages, folder: Path, first: str = "old.pdf", second: str = "new.pdf"
) -> ComparePage:
    pages.compare(str(folder / first), str(folder / second))
    page = pages.page(COMPARE)
    assert isinstance(page, ComparePage)
    qtbot.waitUntil(lambda: page.found is not None and bool(page.list.rows))
    return page


def test_a_comparison_is_exported(
    qtbot: QtBot, pages: Pages, library_files: Path, tmp_path: Path
) -> None:
    page = compared(qtbot, pages, library_files)
    out = tmp_path / "comparison.pdf"
    page.export_to(ExportFormat.PDF, out)
    with pymupdf.open(out) as document:
        text = " ".join("".join(each.get_text() for each in document).split())
        places = [each.search_for(name) for each in document for name in ("30", "60")]
    assert "old.pdf" in text
    assert DOG[:20] in text
    assert places[0][0].x0 < places[1][0].x0, "side by side"
    page.export_to(ExportFormat.WORD, out.with_suffix(".docx"))
    opened = docx.Document(out.with_suffix(".docx"))
    heads = [each.text for each in opened.paragraphs if each.style.name.startswith("Heading")]
    assert heads[0] == "Comparison"
    assert heads[1].startswith("Changed")
    row = next(row for row in opened.tables[0].rows if "30" in row.cells[0].text)
    assert "60" in row.cells[1].text, "side by side"


def test_what_is_exported_is_whole(
    qtbot: QtBot,
    real_link: EngineLink,
    pages: Pages,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "items"
    folder.mkdir()
    said = [f"Item {number}: the tenant paints room {number}." for number in range(6)]
    (folder / "one.txt").write_text("\n\n".join(said))
    (folder / "two.txt").write_text("A lighthouse keeper trims the lamp at dusk.\n")
    answer(qtbot, real_link, Index((folder,)))
    monkeypatch.setattr("ui.compare.page._MOST", 2)
    page = compared(qtbot, pages, folder, "one.txt", "two.txt")
    assert "most different" in page.message.text()
    out = tmp_path / "comparison.pdf"
    page.export_to(ExportFormat.PDF, out)
    qtbot.waitUntil(out.exists)
    with pymupdf.open(out) as document:
        text = " ".join("".join(each.get_text() for each in document).split())
    assert all(f"room {number}" in text for number in range(6))
    assert "most different" not in text


def test_what_differs_is_aligned_and_outlined_on_both_pages(
    qtbot: QtBot, pages: Pages, library_files: Path
) -> None:
    pages.show_page(LIBRARY)
    page = compared(qtbot, pages, library_files)
    page.back.click()
    assert pages.name == LIBRARY, "where one came from"
    pages.show_page(SEARCH)
    page = compared(qtbot, pages, library_files)
    assert pages.name == COMPARE
    assert all(side.stack.currentWidget() is side.pages for side in page.sides), (
        "a chosen one loads"
    )
    rows = [widget.row for widget in page.list.rows]
    changed = next(row for row in rows if all(cell and cell.marks for cell in row.cells))
    texts = [cell.text[slice(*cell.marks[0])] for cell in changed.cells if cell is not None]
    assert texts == ["30", "60"]
    lone = next(row for row in rows if row.cells[1] is not None and DOG[:20] in row.cells[1].text)

    page.list.choose_row(rows.index(changed))
    left, right = page.sides
    for side in (left, right):
        qtbot.waitUntil(lambda side=side: bool(side.pages.marks.passage))  # type: ignore[misc]  # bound at once
        assert side.stack.currentWidget() is side.pages
    before = right.pages.marks
    page.list.rows[rows.index(changed)].setFocus()
    QTest.keyClick(page.list.rows[rows.index(changed)], Qt.Key.Key_End)
    assert page.list.current_row == rows[-1]
    page.list.choose_row(rows.index(lone))
    qtbot.waitUntil(lambda: right.pages.marks is not before and bool(right.pages.marks.passage))
    assert all(widget.accessibleName() for widget in page.list.rows)

    page.back.click()
    assert pages.name == SEARCH
    assert right.pages.document is None  # closed, and its child ended

    pages.show_page(COMPARE)
    qtbot.waitUntil(lambda: bool(right.pages.marks.passage))
    assert page.list.current_row == rows[rows.index(lone)]


def test_a_hit_is_compared_with_another_of_the_results(
    qtbot: QtBot, pages: Pages, library_files: Path
) -> None:
    page = pages.search.search
    pages.show_page(SEARCH)
    with qtbot.waitSignal(page.live_search.answered):
        page.search('"end this lease"')
    qtbot.waitUntil(lambda: page.current_hit is not None)
    hit = page.current_hit
    assert isinstance(hit, Hit)
    menu = page.actions_on_hits.menu(hit, FoundHits(page.results.hits))
    compare = next(each for each in menu.actions() if each.text() == "Compare with")
    submenu = compare.menu()
    assert isinstance(submenu, QMenu)
    other = next(each for each in submenu.actions() if hit.file not in each.text())
    other.trigger()
    assert pages.name == COMPARE
    made = pages.page(COMPARE)
    assert isinstance(made, ComparePage)
    qtbot.waitUntil(lambda: made.found is not None)
    assert made.found is not None
    assert {made.found.first.file, made.found.second.file} == {"old.pdf", "new.pdf"}
    assert made.found.first.file == hit.file


def test_an_unknown_document_is_told(qtbot: QtBot, pages: Pages, library_files: Path) -> None:
    pages.compare(str(library_files / "old.pdf"), "/none.pdf")
    page = pages.page(COMPARE)
    assert isinstance(page, ComparePage)
    begun = page.message.text()
    qtbot.waitUntil(lambda: page.message.text() != begun)
    assert page.list.rows == []


def test_a_statement_has_the_menu_of_a_hit(qtbot: QtBot, pages: Pages, library_files: Path) -> None:
    page = compared(qtbot, pages, library_files)
    both = next(each for each in page.list.rows if all(cell is not None for cell in each.row.cells))
    for label, side in zip(both.labels, ("old.pdf", "new.pdf"), strict=True):
        entries(label)["Copy path"].trigger()
        assert QApplication.clipboard().text() == str(library_files / side)
    qtbot.waitUntil(lambda: page.sides[1].stack.currentWidget() is page.sides[1].pages)
    menu = entries(page.sides[1].pages.viewport())
    assert not {"Preview", "Show the words that count"} & set(menu)
    menu["Similar"].trigger()
    assert pages.name == SEARCH
    (clause,) = clauses(pages.query)  # in quotation marks, if the path has a slash
    assert clause.operator == "like"
    assert clause.value.startswith(f"{library_files / 'new.pdf'}#")


def test_a_key_copies_the_statement_that_differs_with_its_source(
    qtbot: QtBot, pages: Pages, library_files: Path
) -> None:
    page = compared(qtbot, pages, library_files)
    clipboard = QApplication.clipboard()
    rows = [widget.row for widget in page.list.rows]
    lone = next(row for row in rows if row.cells[1] is not None and DOG[:20] in row.cells[1].text)
    page.list.choose_row(rows.index(lone))
    clipboard.clear()
    QTest.keySequence(page, keys.CITE)
    qtbot.waitUntil(lambda: "two dogs" in clipboard.text())
    changed = next(row for row in rows if all(cell and cell.marks for cell in row.cells))
    page.list.choose_row(rows.index(changed))
    right = page.sides[1]
    qtbot.waitUntil(lambda: right.stack.currentWidget() is right.pages)
    right.pages.setFocus()
    QTest.keySequence(right.pages, keys.CITE)
    qtbot.waitUntil(lambda: "60 days" in clipboard.text())


def test_a_locked_document_is_shown_once_the_keyring_or_the_person_has_its_password(
    qtbot: QtBot, context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, keyring = tmp_path / "locked.pdf", MemoryKeyring()
    save(
        path, text_at((72, 72, LEASE[:40])), encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw="door", owner_pw="owner",
    )  # fmt: skip
    monkeypatch.setattr(passwords, "_shared", [passwords.Passwords(lambda: keyring)])
    told = ComparisonSide(str(path), path.name, "", "pdf", 1, 1, 0, ())
    side = DocumentSide(context)
    qtbot.addWidget(side)
    side.show()
    side.show_beginning(told)
    field, said = side.message.password, side.message.step
    qtbot.waitUntil(field.isVisible)
    side.rest()
    monkeypatch.setattr(passwords, "_shared", [passwords.Passwords(lambda: None)])
    side.show_beginning(told)
    qtbot.waitUntil(field.isVisible)
    QTest.keyClicks(field, "window")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: said.text().startswith("That password"))
    QTest.keyClicks(field, "door")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: side.has_pages)
    side.rest()
    monkeypatch.setattr(passwords, "_shared", [passwords.Passwords(lambda: keyring)])
    keyring.kept[SERVICE, str(path)] = "door"
    side.show_beginning(told)
    qtbot.waitUntil(lambda: side.has_pages)
    side.rest()
