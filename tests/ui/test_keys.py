"""Every key of the list does what its text says."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtPrintSupport import QPrintDialog
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QInputDialog, QWidget
from shiboken6 import isValid

from indexer.api.errors import WorldError
from tests.ui.program import application
from tests.ui.search.pages import read_hit
from ui.basket.page import BasketPage
from ui.compare.page import ComparePage
from ui.keys import KEYS
from ui.library.file_table import FileTable
from ui.pages import BASKET, COMPARE, HIGHLIGHTS, LIBRARY, SEARCH
from ui.supervisor import EngineState

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from tests.fake_engine import FakeEngine
    from ui.basket.page import Card
    from ui.search.page import SearchPage


class Person:
    """Uses the window with the keyboard alone."""

    def __init__(self, program: Program, engine: FakeEngine, qtbot: QtBot) -> None:
        self.program = program
        self.window = program.window
        self.engine = engine
        self.qtbot = qtbot

    @property
    def focus(self) -> QWidget:
        widget = application().focusWidget()
        assert widget is not None
        return widget

    @property
    def search(self) -> SearchPage:
        return self.window.pages.search.search

    def press(self, keys: str) -> None:
        combination = QKeySequence(keys)[0]  # type: ignore[index]  # its stub knows no indexing
        QTest.keyClick(self.focus, combination.key(), combination.keyboardModifiers())

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition)

    def results(self) -> None:
        """Search for something that several documents hold, and go to the results."""
        self.window.go_to_search()
        QTest.keyClicks(self.focus, "the")
        search = self.search
        self.until(lambda: search.current_hit is not None and search.live_search.is_answered)
        read_hit(search)
        search.results.view.setFocus()

    def place(self) -> tuple[str, int]:
        hit = self.search.current_hit
        assert hit is not None
        return hit.path, hit.start

    def files(self) -> None:
        """Go to the list of files, and choose one."""
        self.window.pages.show_files()
        from ui.library.file_table import FileTable

        table = self.window.pages.page(LIBRARY).findChild(FileTable)
        assert table is not None
        flags = QItemSelectionModel.SelectionFlag

        def chosen() -> bool:
            # selectRow would apply the modifiers of the last key.
            first = table.model().index(0, 0)
            table.selectionModel().select(first, flags.ClearAndSelect | flags.Rows)
            # Two are needed to compare.
            actions = [each for each in table.actions() if each.data() != "compare"]
            return table.isVisible() and all(action.isEnabled() for action in actions)

        self.until(chosen)
        table.setFocus()


@pytest.fixture
def person(shown: Program, engine: FakeEngine, qtbot: QtBot) -> Person:
    qtbot.waitUntil(shown.window.isActiveWindow)
    shown.window.go_to_search()
    return Person(shown, engine, qtbot)


def goes_to_the_box(person: Person, keys: str) -> None:
    person.results()
    person.press(keys)
    assert person.focus is person.search.bar.box


def goes_to_a_page(person: Person, keys: str) -> None:
    person.window.pages.show_page(LIBRARY if keys == "Ctrl+1" else SEARCH)
    person.press(keys)
    assert person.window.pages.name == {
        "Ctrl+1": SEARCH, "Ctrl+2": LIBRARY, "Ctrl+3": BASKET, "Ctrl+4": HIGHLIGHTS,
    }[keys]  # fmt: skip


def toggles_the_preview(person: Person, keys: str) -> None:
    person.results()
    preview = person.window.pages.search.preview
    assert preview.isVisible()
    person.press(keys)
    assert not preview.isVisible()
    person.press(keys)
    assert preview.isVisible()


def pauses(person: Person, keys: str) -> None:
    person.press(keys)
    person.until(lambda: person.engine.paused)
    person.until(lambda: person.program.feed.paused)
    person.press(keys)
    person.until(lambda: not person.engine.paused)


def opens_a_dialog(person: Person, keys: str) -> None:
    if keys == "?":
        person.results()
    person.press(keys)
    dialogs = person.window.findChildren(QDialog)
    assert [each.isVisible() for each in dialogs] == [True]
    dialogs[0].reject()


def ends(person: Person, keys: str) -> None:
    with person.qtbot.waitSignal(person.window.quit_requested):
        person.press(keys)


def goes_through_hits(person: Person, keys: str) -> None:
    person.results()
    forth, back = ("Down", "Up") if "Ctrl" not in keys else ("Ctrl+Down", "Ctrl+Up")
    before = person.place()
    person.press(forth)
    after = person.place()
    assert after != before
    if "Ctrl" in keys:
        assert after[0] != before[0]
    person.press(back)
    assert person.place() == before


def opens_a_hit(person: Person, keys: str) -> None:
    person.results()
    pane = person.window.pages.search
    heard: list[object] = []
    person.search.actions_on_hits.opened.disconnect(pane.open_hit)
    person.search.actions_on_hits.folder_requested.disconnect(pane.show_folder)
    (
        person.search.actions_on_hits.folder_requested
        if "Ctrl" in keys
        else person.search.actions_on_hits.opened
    ).connect(heard.append)
    person.press(keys)
    assert heard == [person.search.current_hit]


def suggests(person: Person, keys: str) -> None:
    person.search.bar.box.setText("ext:")
    person.press(keys)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    popup.close()


def copies(person: Person, keys: str) -> None:
    person.results()
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    person.press(keys)
    person.until(lambda: bool(clipboard.text()))
    if keys == "Ctrl+Shift+C":  # from anywhere
        clipboard.clear()
        person.search.focus_box()
        person.press(keys)
        person.until(lambda: bool(clipboard.text()))
    clipboard.clear()


def goes_through_hits_of_a_document(person: Person, keys: str) -> None:
    person.window.go_to_search()
    QTest.keyClicks(person.focus, "landlord tenant lease")
    person.until(lambda: person.search.current_hit is not None)
    before = person.place()
    person.press("Alt+Down")
    person.until(lambda: person.place() != before)
    assert person.place()[0] == before[0]
    person.press("Alt+Up")
    person.until(lambda: person.place() == before)


def zooms(person: Person, keys: str) -> None:
    person.results()
    preview = person.window.pages.search.preview
    person.until(lambda: preview.shown is not None)
    heard: list[str] = []
    for name in ("zoom_by",):
        _listen(preview.text, name, heard)
    for name in ("zoom_by", "set_zoom"):
        _listen(preview.pages, name, heard)
    person.press(keys)
    assert heard


def _listen(widget: object, name: str, heard: list[str]) -> None:
    do = getattr(widget, name)

    def note(*arguments: object) -> None:
        heard.append(name)
        do(*arguments)

    setattr(widget, name, note)


def turns(person: Person, keys: str) -> None:
    person.results()
    heard: list[str] = []
    _listen(person.window.pages.search.preview.pages, "turn_by", heard)
    person.press(keys)
    assert heard == ["turn_by"]


def shows_small_pages(person: Person, keys: str) -> None:
    person.results()
    side = person.window.pages.search.preview.bar.side
    person.press(keys)
    assert side.isChecked()
    person.press(keys)
    assert not side.isChecked()


def reads_alone(person: Person, keys: str) -> None:
    person.results()
    pane, rail = person.window.pages.search, person.window.rail
    person.until(lambda: pane.preview.shown is pane.preview.text)
    person.press(keys)
    assert pane.preview.isVisible()
    assert not any(part.isVisible() for part in (pane.left, pane.search.head, rail))
    person.press(keys)
    assert all(part.isVisible() for part in (pane.left, pane.search.head, rail))
    person.press(keys)
    person.press("Esc")
    assert all(part.isVisible() for part in (pane.left, pane.search.head, rail))


def shows_reasons(person: Person, keys: str) -> None:
    person.results()
    explained = person.search.results.view.results
    person.press(keys)
    person.until(lambda: explained.explained is not None)
    person.press(keys)
    assert explained.explained is None


def reads_again(person: Person, keys: str) -> None:
    person.files()
    person.press(keys)
    person.until(lambda: bool(person.program.notices.text))
    assert "again" in person.program.notices.text
    person.program.notices.dismiss()


def compares(person: Person, keys: str) -> None:
    person.files()
    table = person.focus
    assert isinstance(table, FileTable)

    def both_chosen() -> bool:
        names = [table.model().index(row, 0).data() for row in range(table.model().rowCount())]
        if not {"ice.txt", "lease.txt"} <= set(names):
            return False
        flags = QItemSelectionModel.SelectionFlag
        table.selectionModel().clearSelection()
        for name in ("ice.txt", "lease.txt"):
            index = table.model().index(names.index(name), 0)
            table.selectionModel().select(index, flags.Select | flags.Rows)
        return any(each.data() == "compare" and each.isEnabled() for each in table.actions())

    person.until(both_chosen)
    table.setFocus()
    person.press(keys)
    assert person.window.pages.name == COMPARE
    page = person.window.pages.page(COMPARE)
    assert isinstance(page, ComparePage)
    person.until(lambda: bool(page.list.rows))


def leaves_out(person: Person, keys: str, *, dismiss: bool = True) -> None:
    person.files()
    person.press(keys)
    person.until(lambda: "left out" in person.program.notices.text)
    if dismiss:
        person.program.notices.dismiss()


def collects(person: Person, keys: str) -> None:
    person.results()
    person.press(keys)
    basket = person.window.pages.basket
    assert [kept.hit for kept in basket.kept] == [person.search.current_hit]
    person.window.pages.search.preview.setFocus()
    person.press(keys)
    assert person.program.notices.text == "It is in the basket already"
    person.program.notices.dismiss()


def asks_elsewhere(person: Person, keys: str) -> None:
    person.results()
    pane = person.window.pages.search
    for part in (person.search.results.view, pane.preview):
        part.setFocus()
        person.press(keys)
        assert pane.left.currentWidget() is pane.elsewhere
        assert pane.elsewhere.hit == person.search.current_hit
        person.press("Esc")
        assert pane.left.currentWidget() is person.search.listing


def opens_apart(person: Person, keys: str) -> None:
    person.results()
    person.press(keys)
    apart = person.window.pages.apart[0]
    assert apart.isWindow()
    person.until(lambda: apart.shown is apart.text)
    QTest.keyClick(apart, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert len(person.window.pages.basket) == 1
    QTest.keyClick(apart, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    person.until(lambda: not isValid(apart))
    person.window.activateWindow()


def prints(person: Person, keys: str) -> None:
    person.results()
    preview = person.window.pages.search.preview
    person.until(lambda: preview.shown is preview.text)
    person.press(keys)
    (dialog,) = preview.findChildren(QPrintDialog)
    # On Windows that of the system stands in place of Qt's.
    assert dialog.isVisible() or sys.platform == "win32"
    dialog.reject()


def highlights(person: Person, keys: str) -> None:
    person.results()
    pages = person.window.pages
    person.until(lambda: pages.search.preview.shown is pages.search.preview.text)
    person.press(keys)
    assert len(pages.highlights) == 1
    for dialog in person.window.findChildren(QInputDialog):
        dialog.reject()
    person.press("Ctrl+Z")
    assert not len(pages.highlights)


def cards(person: Person) -> list[Card]:
    """Put two passages into the basket, and go to the first."""
    person.results()
    person.press("Ctrl+B")
    person.press("Down")
    person.press("Ctrl+B")
    person.program.notices.dismiss()
    person.press("Ctrl+3")
    page = person.window.pages.page(BASKET)
    assert isinstance(page, BasketPage)
    return page.cards.cards


def reorders(person: Person, keys: str) -> None:
    first, second = cards(person)
    (second if keys.endswith("Up") else first).setFocus()
    person.press(keys)
    kept = [kept.key for kept in person.window.pages.basket.kept]
    assert kept == [second.kept.key, first.kept.key]
    person.press("Ctrl+Shift+Down" if keys.endswith("Up") else "Ctrl+Shift+Up")
    kept = [kept.key for kept in person.window.pages.basket.kept]
    assert kept == [first.kept.key, second.kept.key]


def leaves_or_takes_out(person: Person, keys: str) -> None:
    leaves_out(person, keys)
    first, second = cards(person)
    first.setFocus()
    person.press(keys)
    assert [kept.key for kept in person.window.pages.basket.kept] == [second.kept.key]
    assert person.focus is second
    person.press("Ctrl+Z")
    assert len(person.window.pages.basket) == 2


def undoes(person: Person, keys: str) -> None:
    leaves_out(person, "Del", dismiss=False)
    person.until(lambda: any(person.engine.rules.values()))
    person.press(keys)
    assert person.program.notices.text == ""
    person.until(lambda: not any(person.engine.rules.values()))


def filters(person: Person, keys: str) -> None:
    person.files()
    table = person.focus
    person.press(keys)
    assert person.focus is not table
    assert person.focus.inherits("QLineEdit")


def finds_or_filters(person: Person, keys: str) -> None:
    filters(person, keys)
    person.results()
    preview = person.window.pages.search.preview
    person.until(lambda: preview.shown is preview.text)
    person.press(keys)
    assert person.focus is preview.finding.text


def finds_on(person: Person, keys: str) -> None:
    finds_or_filters(person, "Ctrl+F")
    preview = person.window.pages.search.preview
    QTest.keyClicks(person.focus, "the")
    said = preview.finding.said
    person.until(lambda: said.text() != "")
    first = said.text()
    person.press("F3")
    person.until(lambda: said.text() not in ("", first))
    person.press("Shift+F3")
    person.until(lambda: said.text() == first)


def goes_back_and_forward(person: Person, keys: str) -> None:
    person.results()
    person.press("Down")
    first = person.place()
    person.window.pages.search_for("roof")
    person.until(lambda: person.search.live_search.is_answered)
    assert person.place() != first
    person.press("Alt+Left")
    person.until(lambda: person.search.query == "the" and person.place() == first)
    person.press("Alt+Right")
    person.until(lambda: person.search.query == "roof" and person.search.live_search.is_answered)


CHECKS: dict[str, Callable[[Person, str], None]] = {
    "Ctrl+L": goes_to_the_box, "Esc": goes_to_the_box,
    "Ctrl+1": goes_to_a_page, "Ctrl+2": goes_to_a_page, "Ctrl+3": goes_to_a_page,
    "Ctrl+4": goes_to_a_page, "Ctrl+N": opens_apart, "Ctrl+P": prints,
    "Ctrl+H": highlights, "Ctrl+Shift+H": highlights,
    "Ctrl+B": collects, "Ctrl+Shift+F": asks_elsewhere,
    "Ctrl+Shift+Up": reorders, "Ctrl+Shift+Down": reorders,
    "F9": toggles_the_preview, "Space": toggles_the_preview,
    "Ctrl+Shift+P": pauses,
    "Ctrl+,": opens_a_dialog, "?": opens_a_dialog, "F1": opens_a_dialog,
    "Ctrl+W": ends, "Ctrl+Q": ends,
    "Up": goes_through_hits, "Down": goes_through_hits,
    "Ctrl+Up": goes_through_hits, "Ctrl+Down": goes_through_hits,
    "Return": opens_a_hit, "Ctrl+Return": opens_a_hit,
    "Ctrl+Space": suggests, "Ctrl+E": shows_reasons,
    "Ctrl+C": copies, "Ctrl+Shift+C": copies,
    "Alt+Up": goes_through_hits_of_a_document, "Alt+Down": goes_through_hits_of_a_document,
    "Ctrl+R": turns, "Ctrl+Shift+R": turns, "F7": shows_small_pages, "F11": reads_alone,
    "Ctrl++": zooms, "Ctrl+-": zooms, "Ctrl+0": zooms,
    "F5": reads_again, "F6": compares, "Del": leaves_or_takes_out, "Ctrl+Z": undoes,
    "Ctrl+F": finds_or_filters, "F3": finds_on, "Shift+F3": finds_on,
    "Alt+Left": goes_back_and_forward, "Alt+Right": goes_back_and_forward,
}  # fmt: skip

LISTED = [keys for group in KEYS for key in group.keys for keys in key.keys]


@pytest.mark.parametrize("keys", LISTED)
def test_each_key_does_what_the_list_says(person: Person, keys: str) -> None:
    CHECKS[keys](person, keys)


def test_no_key_is_listed_twice() -> None:
    assert len(LISTED) == len(set(LISTED))


def test_text_typed_anywhere_goes_to_the_box(person: Person) -> None:
    person.window.pages.show_page(LIBRARY)
    person.window.pages.library.work.pause.setFocus()
    person.press("R")
    QTest.keyClicks(person.focus, "oof")
    assert person.window.pages.name == SEARCH
    assert person.search.query.lower() == "roof"
    person.until(lambda: person.search.current_hit is not None)


def test_the_mouse_goes_back(person: Person) -> None:
    person.results()
    person.press("Down")  # a query that was only typed through is no step
    person.window.pages.search_for("roof")
    person.until(lambda: person.search.live_search.is_answered)
    QTest.mouseClick(person.search.results.view.viewport(), Qt.MouseButton.BackButton)
    person.until(lambda: person.search.query == "the")


def test_a_long_question_is_seen_from_its_beginning(person: Person) -> None:
    box = person.search.bar.box
    person.window.present("who " * 100)
    assert box.cursorPosition() == 0
    assert box.selectedText() == box.text()


def test_a_question_mark_can_be_typed(person: Person) -> None:
    person.press("?")
    assert person.search.query == "?"
    assert person.window.findChildren(QDialog) == []


def test_tab_reaches_every_part_and_comes_round(person: Person) -> None:
    # Of the foot it reaches what is nowhere else; a key pauses, as the library does.
    person.window.status.show_engine(EngineState.FAILED, WorldError("engine_gone"))
    first = person.focus
    seen: list[QWidget] = []
    for _ in range(200):
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier)
        application().sendEvent(person.focus, event)
        if person.focus is first:
            break
        assert person.focus not in seen, "the focus goes in a circle that leaves parts out"
        seen.append(person.focus)
    else:
        pytest.fail("the focus never comes back")
    assert any(person.window.rail.isAncestorOf(each) for each in seen)
    assert any(person.window.status.isAncestorOf(each) for each in seen)
