"""The twenty-eight tasks of a lawyer's first week, each played in the window and counted.

The table says how many keys and clicks a task takes here and in the best of the programs that
people use for it, with the hands on the keyboard and that program open; what is typed counts in
neither. Two tasks may take more here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import docx
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit

from tests.ui.walk.papers import READING_PAGES, SECRET
from ui.library.file_model import Column

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.settings import Settings
    from tests.ui.walk.person import Person


# The first test waits until the library is read.
pytestmark = pytest.mark.timeout(900)


class Task(NamedTuple):
    """The keys and clicks that a task takes here and in the best other program, and which."""

    here: int
    there: int
    how: str


# Screens of the long paper at the width of the window; another program has no more room.
SCREENS = 46
TASKS = {
    "a clause": Task(0, 1, "Spotlight: Return, and then one has the file and not the clause"),
    "an exact phrase": Task(0, 1, "Recoll: Return"),
    "compare two versions": Task(
        3, 8, "Word: Review, Compare, Compare…, twice the folder and the file, OK"
    ),
    "a term in both versions": Task(0, 0, "Spotlight lists both files as one types"),
    "quotes for a paper": Task(
        9,
        17,
        "Zotero: for each of three Return, Ctrl+F, Return, drag, Highlight; then a note of "
        "the annotations by its menu",
    ),
    "a file by half its name": Task(0, 0, "Everything lists it as one types"),
    "a number in a table": Task(0, 3, "Spotlight: Return; Preview: Ctrl+F, Return"),
    "a number in a sheet": Task(0, 3, "Spotlight: Return; Excel: Ctrl+F, Return"),
    "where else it is said": Task(1, 4, "Recoll: Ctrl+C, Ctrl+L, Ctrl+V, Return"),
    "filter by folder": Task(1, 1, "DEVONthink: a click in its tree, which is always open"),
    "filter by type": Task(1, 3, "Finder: +, the kind, Spreadsheet"),
    "a mail of a month": Task(0, 1, "Thunderbird: Return after a query with a month"),
    "the search of yesterday": Task(0, 0, "DEVONthink opens as it was left"),
    "a new file": Task(0, 0, "Spotlight adds it to what it lists"),
    "a moved folder": Task(0, 2, "Recoll: File, Update index"),
    "a German question": Task(0, 1, "Spotlight: Return, and only with the words of the lease"),
    "an English question to a German lease": Task(
        0, 2, "DeepL: a click to copy the German words; Spotlight: Return"
    ),
    "a French question": Task(0, 1, "Spotlight: Return, and only with the words of the contract"),
    "read twenty pages": Task(
        1 + SCREENS, 2 + SCREENS, "Acrobat: Return in Spotlight, Ctrl+2 for the width, Page Down"
    ),
    "copy a citation": Task(1, 2, "Zotero: Down, Ctrl+Shift+C, and without the passage"),
    "quote a selection": Task(2, 3, "Zotero: drag, Highlight, and a drag into the note"),
    "open in the viewer": Task(2, 3, "Spotlight: Return; Preview: Ctrl+F, Return to the page"),
    "undo a removal": Task(1, 1, "Finder: Ctrl+Z"),
    "undo an emptied basket": Task(1, 1, "Zotero: Ctrl+Z"),
    "unlock a document": Task(2, 2, "Acrobat: Return in Spotlight, and Return after the password"),
    "find in a document": Task(2, 3, "Preview: Return in Spotlight, Ctrl+F, Return"),
    "leave out Downloads": Task(
        4, 6, "Spotlight: Settings, Spotlight, Search Privacy…, +, the folder, Choose"
    ),
    "cite a chapter": Task(1, 2, "calibre: a drag and Ctrl+C, and without the chapter"),
}
MOST_SLOWER = 2


def _took(person: Person, task: str) -> None:
    assert person.count == TASKS[task].here, f"{task} took {person.count} keys and clicks"


def test_no_task_but_two_takes_more_than_elsewhere() -> None:
    assert len(TASKS) == 28
    slower = [name for name, task in TASKS.items() if task.here > task.there]
    assert len(slower) <= MOST_SLOWER, slower


def _files(person: Person) -> list[str]:
    """The names of the documents that are listed, in their order."""
    return list(dict.fromkeys(hit.file.rpartition("/")[2] for hit in person.hits))


def test_a_clause(person: Person) -> None:
    person.ask("terminate for convenience")
    assert person.hit.file.startswith("contracts/msa-harbour")
    assert person.marked.startswith("Either party may terminate this agreement for convenience")
    assert person.marked.split()[-1] in person.outlined
    _took(person, "a clause")


def test_an_exact_phrase(person: Person) -> None:
    person.ask('"five percent a year"')
    assert sorted(_files(person)[:2]) == ["msa-harbour-v1.pdf", "msa-harbour-v2.pdf"]
    assert "five percent a" in person.marked
    _took(person, "an exact phrase")


def test_compare_two_versions(person: Person) -> None:
    person.ask("msa harb")
    view = person.search.results.view
    other = next(name for name in _files(person)[:2] if name not in person.hit.file)
    person.open_menu(view.viewport(), view.visualRect(view.currentIndex()).center())
    person.choose("Compare with")
    person.choose(f"Master services agreement ({other})")
    page = person.comparison
    person.until(lambda: page.found is not None and page.list.rows)
    assert page.found is not None
    changed = {
        frozenset((each.first.text.split()[at], each.second.text.split()[at]))
        for each in page.found.changed
        for at in range(len(each.first.text.split()))
        if each.first.text.split()[at] != each.second.text.split()[at]
    }
    assert changed == {frozenset(("60", "90")), frozenset(("100", "150"))}
    assert [side.title.text().partition(" ")[0] for side in page.sides] == [
        person.hit.file.rpartition("/")[2], other,
    ]  # fmt: skip
    _took(person, "compare two versions")


def test_a_term_in_both_versions(person: Person) -> None:
    person.ask("what is the cap on the liability")
    caps = {hit.file[-6:-4]: hit.text for hit in person.hits if "is capped at" in hit.text}
    assert _files(person)[:2] in (
        ["msa-harbour-v1.pdf", "msa-harbour-v2.pdf"], ["msa-harbour-v2.pdf", "msa-harbour-v1.pdf"],
    )  # fmt: skip
    assert "100 %" in caps["v1"]
    assert "150 %" in caps["v2"]
    assert "is capped at" in person.marked
    _took(person, "a term in both versions")


def test_quotes_for_a_paper(person: Person, tmp_path: Path) -> None:
    queries = ("five percent a year", "when did the gauges stop being read", "roof of the customs")
    for number, query in enumerate(queries):
        if number:
            person.press("Ctrl+A")
        person.ask(query)
        person.press("Ctrl+B")
    person.press("Ctrl+3")
    page = person.basket
    person.click(page.export_button)
    person.choose("Word…")
    person.until(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    written = tmp_path / "quotes.docx"
    person.type(str(written))
    person.press("Return")
    person.until(lambda: person.program.notices.text.startswith("3 passage"))
    text = " ".join(each.text for each in docx.Document(str(written)).paragraphs)
    assert "five percent a year" in " ".join(text.split())
    assert "by hand until 1957" in text
    assert "tore the roof" in text
    assert "Port Authority" in text, "its author"
    _took(person, "quotes for a paper")


def test_a_file_by_half_its_name(person: Person) -> None:
    person.ask("msa harb")
    assert sorted(_files(person)[:2]) == ["msa-harbour-v1.pdf", "msa-harbour-v2.pdf"]
    _took(person, "a file by half its name")


def test_a_number_in_a_table(person: Person) -> None:
    person.ask("what were the inventories of spare parts in 2023")
    assert (person.hit.file, person.hit.page) == ("reports/annual-report-2023.pdf", 3)
    assert "8,454" in person.marked
    assert "4,131" not in person.marked
    _took(person, "a number in a table")


@pytest.mark.parametrize("library", ["office", "office_of_languages"], indirect=True)
def test_a_number_in_a_sheet(person: Person) -> None:
    person.ask("hourly rate of a paralegal")
    assert person.hit.file == "contracts/fees.xlsx"
    assert "115" in person.marked
    assert "260" not in person.marked
    _took(person, "a number in a sheet")


def test_where_else_it_is_said(person: Person) -> None:
    person.ask('"personal data within the European Union"')
    here = person.hit.path
    person.press("Ctrl+Shift+F")
    elsewhere = person.pane.elsewhere
    person.until(lambda: len(elsewhere.list.rows) > 1)
    others = {row.row.of.file for row in elsewhere.list.rows if row.row.of.path != here}
    assert {"notes/meeting.md"} <= others or "meeting" in here
    assert any("msa-harbour" in file for file in others)
    _took(person, "where else it is said")


def test_filter_by_folder(person: Person) -> None:
    person.ask("days")
    _click_offer(person, "contracts")
    person.await_answer()
    assert all(hit.file.startswith("contracts/") for hit in person.hits)
    _took(person, "filter by folder")


def test_filter_by_type(person: Person) -> None:
    person.ask("hamburg")
    _click_offer(person, "XLSX")
    person.await_answer()
    assert _files(person) == ["fees.xlsx"]
    _took(person, "filter by type")
    person.press("Ctrl+A")
    person.ask("pilot station in fog")
    assert person.hit.file == "notes/pilots.txt", "the next query is filtered no more"


def _click_offer(person: Person, name: str) -> None:
    person.click(next(each for each in person.search.chips.offers if each.text() == name))


def test_a_mail_of_a_month(person: Person) -> None:
    person.ask("what does it cost to clear the channel date:2025-11 ")
    assert person.hit.file == "mail/dredging.eml"
    assert person.marked.strip().startswith("The dredging company offers")
    assert _files(person) == ["dredging.eml"]
    _took(person, "a mail of a month")


def test_the_search_of_yesterday(open_window: Callable[[], Person]) -> None:
    person = open_window()
    person.ask("ships in the winter")
    person.press("Return", "Down")
    person.await_page()
    left = person.hit
    assert left != person.hits[0]
    person = open_window()
    person.await_answer()
    person.until(lambda: person.search.current_hit is not None)
    assert person.search.query == "ships in the winter"
    assert (person.hit.path, person.hit.start) == (left.path, left.start)
    person.await_page()
    _took(person, "the search of yesterday")


def test_a_new_file(person: Person, documents: Path) -> None:
    person.ask("quarantine of the ferry")
    assert "quarantine" not in person.hits[0].text
    new = documents / "notes" / "ferry.txt"
    new.write_text("The quarantine of the ferry ended after nine days, when nobody was ill.")
    person.until(lambda: "ferry.txt" in _files(person))
    assert _files(person)[0] == "ferry.txt"
    _took(person, "a new file")


def test_a_moved_folder(person: Person, documents: Path) -> None:
    person.ask("who sells the lighthouse to the Commissioners")
    person.press("Return")
    deed = str(documents / "archive" / "lighthouse-deed.txt")
    person.until(lambda: deed in person.search.memory.documents)  # after some seconds of reading
    person.count = 0
    (documents / "archive").rename(documents / "deeds of 1850")
    moved = documents / "deeds of 1850" / "lighthouse-deed.txt"
    person.until(lambda: person.search.current_hit and person.hit.path == str(moved))
    person.await_page()
    assert "900 pounds" in person.outlined
    _took(person, "a moved folder")
    person.press("Ctrl+L", "Delete")
    cards = person.search.results.start.documents
    person.until(lambda: cards.isVisible() and cards.model().rowCount())
    person.until(lambda: cards.model().index(0, 0).data(Qt.ItemDataRole.UserRole) == str(moved))
    person.click_row(cards, cards.model().index(0, 0))
    person.await_answer()
    assert _files(person) == ["lighthouse-deed.txt"], "a recent document follows"


def test_a_german_question(person: Person) -> None:
    person.ask("wer trägt die Schönheitsreparaturen")
    assert person.hit.file == "contracts/mietvertrag.docx"
    assert person.marked.startswith("Schönheitsreparaturen führt der Vermieter")
    _took(person, "a German question")


@pytest.mark.parametrize("library", ["office_of_languages"], indirect=True)
def test_an_english_question_to_a_german_lease(person: Person) -> None:
    person.ask("may the tenant keep pets")
    assert "mietvertrag.docx" in _files(person)[:2]
    _took(person, "an English question to a German lease")


def test_a_french_question(person: Person) -> None:
    person.ask("combien de jours de congés payés par an")
    assert person.hit.file == "contracts/contrat-travail.docx"
    assert person.marked.startswith("Le salarié a droit à vingt-cinq jours")
    _took(person, "a French question")


def test_read_twenty_pages(person: Person) -> None:
    person.ask("a history of the tide gauges of the estuary")
    assert (person.hit.file, person.hit.page) == ("reports/tide-gauges.pdf", 1)
    person.press("F11")
    pages = person.preview.pages
    person.until(lambda: pages.width() > 1200)
    assert pages.document is not None
    assert pages.document.count == READING_PAGES
    bar = pages.verticalScrollBar()
    while bar.value() < bar.maximum():
        person.press("PgDown")
    assert pages.page == READING_PAGES
    _took(person, "read twenty pages")


def test_copy_a_citation(person: Person) -> None:
    person.ask('"five percent a year"')
    QGuiApplication.clipboard().clear()
    person.press("Ctrl+Shift+C")
    person.until(lambda: person.copied)
    assert "five percent a year" in " ".join(person.copied.split())
    for part in ("Port Authority", "Master services agreement", "2024", "p. 2"):
        assert part in person.copied
    assert "lectern:" not in person.copied
    _took(person, "copy a citation")


def test_quote_a_selection(person: Person) -> None:
    person.ask('"five percent a year"')
    pages = person.preview.pages
    person.until(lambda: pages.document is not None and pages.document.letters(2) is not None)
    line = min(pages.marks.sentences[0][2], key=lambda piece: piece.box.top()).box
    place = pages.layout_.from_page(2, line)
    place.translate(-pages.offset().x(), -pages.offset().y())
    start = QPoint(round(place.left()) + 1, round(place.center().y()))
    person.drag(pages.viewport(), start, QPoint(round(place.right()) - 1, start.y()))
    selected = pages.selection.text
    assert selected == "five percent a"
    QGuiApplication.clipboard().clear()
    person.press("Ctrl+Shift+C")
    person.until(lambda: person.copied)
    assert person.copied.startswith("“five percent a”")
    assert "p. 2" in person.copied
    _took(person, "quote a selection")


def test_open_in_the_viewer(person: Person, settings: Settings, tmp_path: Path) -> None:
    called, viewer = tmp_path / "called", tmp_path / "viewer"
    viewer.write_text(f'#!/bin/sh\necho "$@" > {called}.new\nmv {called}.new {called}\n')
    viewer.chmod(0o700)
    settings.set("viewer", f"{viewer} {{page}} {{path}}")
    person.ask("what were the inventories of spare parts in 2023")
    person.press("Return", "Return")
    person.until(called.exists)
    assert called.read_text().split()[0] == "3"
    assert called.read_text().strip().endswith("annual-report-2023.pdf")
    _took(person, "open in the viewer")


def test_undo_a_removal(person: Person, documents: Path) -> None:
    person.press("Ctrl+2")
    tree = person.library.tree
    person.until(lambda: tree.roots)
    person.click_row(tree, tree.model().index(1, 0))
    person.press("Delete")
    person.until(lambda: not tree.roots)
    person.count = 0
    person.press("Ctrl+Z")
    person.until(lambda: str(documents) in tree.roots)
    person.press("Ctrl+1")
    person.ask("paralegal")
    person.count -= 1
    _took(person, "undo a removal")


def test_undo_an_emptied_basket(person: Person) -> None:
    person.ask("paralegal")
    person.press("Ctrl+B", "Ctrl+3")
    page = person.basket
    kept = page.cards.cards[0].kept
    person.click(page.clear)
    person.until(lambda: not page.cards.cards)
    person.until(lambda: not person.program.notices.text)
    person.count = 0
    person.press("Ctrl+Z")
    person.until(lambda: page.cards.cards)
    assert page.cards.cards[0].kept.hit == kept.hit
    _took(person, "undo an emptied basket")


def test_unlock_a_document(person: Person) -> None:
    person.type("settlement-draft")
    message = person.preview.message
    person.until(message.password.isVisible)
    person.click(message.password)
    person.type(SECRET)
    person.press("Return")
    person.until(lambda: person.preview.has_pages)
    _took(person, "unlock a document")
    person.press("Ctrl+L")
    person.type("what is paid for the sunken barge")
    person.await_answer()
    person.until(lambda: "settlement-draft.pdf" in _files(person)[:1])
    assert "31,000 pounds" in person.hits[0].text


def test_find_in_a_document(person: Person) -> None:
    person.ask("a history of the tide gauges of the estuary")
    person.press("Ctrl+F")
    person.type("Dredgers")
    finding = person.preview.finding
    person.until(lambda: finding.said.text().startswith("1 of ") and "…" not in finding.said.text())
    person.press("F3")
    person.until(lambda: finding.said.text().startswith("2 of "))
    assert finding.list.isVisible()
    assert finding.said.text() == f"2 of {finding.list.count()}"
    _took(person, "find in a document")


def test_leave_out_downloads(person: Person, documents: Path) -> None:
    person.press("Ctrl+2")
    page = person.library
    person.until(lambda: page.tree.roots)
    row = page.tree.visualRect(page.tree.model().index(1, 0)).center()
    person.open_menu(page.tree.viewport(), row)
    person.choose("Patterns of folder…")
    person.window.activateWindow()
    person.until(page.patterns.text.hasFocus)
    person.type("Downloads/")
    person.until(lambda: page.patterns.count.text().startswith("Leaves out 3 file"))
    assert "Downloads" in page.patterns.count.text()
    person.until(page.patterns.save.isEnabled)
    person.click(page.patterns.save)
    _took(person, "leave out Downloads")
    page.text.setText("Downloads")

    def states() -> set[str]:
        rows = range(page.model.rowCount())
        return {page.model.index(row, Column.STATE).data() for row in rows}

    person.until(lambda: states() == {"Left out"})


def test_cite_a_chapter(person: Person) -> None:
    person.ask("why did the judge acquit the pilot")
    assert person.hit.file == "books/the-keeper.epub"
    assert "because the lamp had been dark" in person.marked
    QGuiApplication.clipboard().clear()
    person.press("Ctrl+Shift+C")
    person.until(lambda: person.copied)
    assert person.copied.endswith("Mina Harker, The Keeper, 1897, The Verdict")
    _took(person, "cite a chapter")
