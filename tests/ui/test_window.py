"""The whole program over the fake engine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psutil
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFileOpenEvent

from app.settings import Settings
from indexer.api.requests import Index
from indexer.confine.process import own_command
from tests.ui.engines import answer
from tests.ui.program import application, end, index, make, start
from ui import desktop, programs
from ui.application import Start
from ui.library.first_run import FirstRun
from ui.pages import FIRST_RUN, LIBRARY, SEARCH
from ui.ports import EndAction, Ending
from ui.search.rows import key_of
from ui.settings_dialog.dialog import MODELS, SettingsDialog
from ui.supervisor import EngineState

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from tests.fake_engine import FakeEngine
    from ui.main_window import MainWindow


def test_an_empty_library_begins_with_the_first_run(
    engine: FakeEngine, program: Program, qtbot: QtBot
) -> None:
    assert program.window.pages.name == FIRST_RUN
    start(program, qtbot)
    assert program.window.pages.name == FIRST_RUN


def test_a_library_begins_with_the_search_box(window: MainWindow, qtbot: QtBot) -> None:
    window.pages.show_page(SEARCH)
    focus = application().focusWidget()
    assert focus is not None
    assert window.pages.search.search.isAncestorOf(focus)


def test_the_rail_changes_the_page_and_follows_it(window: MainWindow) -> None:
    for name in (LIBRARY, SEARCH):
        window.rail.buttons[name].click()
        assert window.pages.name == name
        assert window.rail.buttons[name].isChecked()


def test_the_query_survives_a_crash_of_the_engine(
    program_library: Path, settings: Settings, library_files: Path, qtbot: QtBot
) -> None:
    program = make(settings, program_library)
    program.supervisor.command = [
        sys.executable, "-m", "tests.fake_cli", "--library", str(program_library), "engine",
    ]  # fmt: skip
    start(program, qtbot)
    answer(qtbot, program.link, Index((library_files,)))
    program.window.pages.search_for("who mends the roof")
    with qtbot.waitSignal(program.link.disconnected):
        psutil.Process(program.supervisor.pid).kill()
    assert "Nothing is lost" in program.window.status.text
    qtbot.waitUntil(lambda: program.supervisor.state is EngineState.READY)
    assert program.window.pages.search.search.query == "who mends the roof"
    assert program.window.pages.name == SEARCH
    end(program, qtbot)


def test_no_page_is_shown_of_a_search_that_found_nothing(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.pages.search
    nothing_chosen = pane.preview.message
    for text in ("zzyzx", ""):
        with qtbot.waitSignal(pane.search.hit_selected):
            pane.search.search("lamp")
        qtbot.waitUntil(pane.preview.bar.isVisible)
        pane.search.search(text)
        qtbot.waitUntil(lambda: not pane.preview.bar.isVisible())
        assert pane.preview.shown is nothing_chosen


def test_settings_of_the_command_line_reach_the_window(
    window: MainWindow, settings: Settings, qtbot: QtBot
) -> None:
    preview = window.pages.search.preview
    window.resize(1050, 700)
    window.pages.search_for("the")
    qtbot.waitUntil(preview.isVisible)
    elsewhere = Settings(settings.file)
    elsewhere.set("preview", value=False)
    qtbot.waitUntil(lambda: not preview.isVisible())
    elsewhere.reset("preview")
    qtbot.waitUntil(preview.isVisible)


def test_documents_set_aside_are_reported_once(
    engine: FakeEngine, window: MainWindow, shown: Program, qtbot: QtBot
) -> None:
    engine.activity_now = {"set_aside": 2}
    shown.feed.refresh()
    qtbot.waitUntil(lambda: "set aside" in shown.notices.text)
    assert shown.notices.text.startswith("2 ")
    shown.notices.dismiss()
    with qtbot.waitSignal(shown.feed.changed):
        shown.feed.refresh()
    assert shown.feed.latest is not None
    assert shown.feed.latest.set_aside == 2
    assert shown.notices.text == ""


def test_a_second_start_hands_its_query_over(
    window: MainWindow, shown: Program, qtbot: QtBot
) -> None:
    window.pages.show_page(LIBRARY)
    shown.single.handed_over.emit(Start("ice"))
    assert window.pages.name == SEARCH
    assert window.pages.search.search.query == "ice"


def test_a_file_of_the_library_is_searched_in(
    window: MainWindow, shown: Program, library_files: Path, qtbot: QtBot
) -> None:
    file = library_files / "ice.txt"
    shown.single.handed_over.emit(Start(paths=(str(file),)))
    search = window.pages.search.search
    qtbot.waitUntil(lambda: str(file) in search.query)
    assert window.pages.name == SEARCH


def test_what_is_not_in_the_library_is_offered_to_be_added(
    window: MainWindow, shown: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "elsewhere.txt"
    file.write_text("A lamp of brass.")
    shown.single.handed_over.emit(Start(paths=(str(file),)))
    qtbot.waitUntil(lambda: window.pages.name == LIBRARY)
    assert window.pages.library.card.paths == [str(file)]


def test_the_first_folder_is_offered_by_the_first_run(
    program: Program, library_files: Path, qtbot: QtBot
) -> None:
    start(program, qtbot)
    program.window.pages.show_page(LIBRARY)
    system = QFileOpenEvent(QUrl.fromLocalFile(str(library_files)))
    application().sendEvent(application(), system)
    qtbot.waitUntil(lambda: program.window.pages.name == FIRST_RUN)
    first = program.window.findChild(FirstRun)
    assert isinstance(first, FirstRun)
    assert str(library_files) in first.folders.paths


def test_a_link_that_the_system_hands_over_is_followed(window: MainWindow, qtbot: QtBot) -> None:
    link = QUrl("lectern://passage?text=the%20lamp%20of%20brass%20stands")
    application().sendEvent(application(), QFileOpenEvent(link))
    assert window.pages.search.search.query == '"the lamp of brass stands"'


def test_closing_may_mean_staying_in_the_tray(
    window: MainWindow, shown: Program, qtbot: QtBot
) -> None:
    window.has_tray = True
    shown.settings.set("close_to_tray", True)
    window.close()
    assert window.isHidden()
    assert shown.supervisor.state is EngineState.READY
    window.show_search()
    assert window.isVisible()
    with qtbot.waitSignal(shown.supervisor.ended):
        window.quit()


def test_the_hotkey_brings_the_search_box_and_hides_it_again(
    window: MainWindow, shown: Program, qtbot: QtBot
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    shown.hotkey.pressed.emit()
    qtbot.waitUntil(window.isMinimized)
    box = window.pages.search.search.bar.box
    box.set_query("seal")
    window.pages.show_page(LIBRARY)
    shown.hotkey.pressed.emit()
    assert not window.isMinimized()
    assert window.pages.name == SEARCH
    assert box.selectedText() == "seal", "the next letter replaces it"
    window.has_tray = True
    qtbot.waitUntil(window.isActiveWindow)
    shown.hotkey.pressed.emit()
    assert window.isHidden()


def test_a_hotkey_that_is_refused_is_said_in_a_notice(shown: Program) -> None:
    shown.hotkey.refused.emit("The desktop lets no program listen for keys.")
    assert shown.notices.text == "The desktop lets no program listen for keys."


def test_geometry_and_splitter_are_restored(
    engine: FakeEngine, program_library: Path, settings: Settings, qtbot: QtBot
) -> None:
    (program_library / "catalog.sqlite").touch()
    one = make(settings, program_library)
    one.window.resize(700, 500)
    one.window.show()
    search = one.window.pages.search
    search.search.results.stack.setCurrentWidget(search.search.results.view)
    qtbot.waitUntil(search.preview.isVisible)
    search.panes.setSizes([250, 350])
    search.panes.splitterMoved.emit(250, 1)
    left, right = search.panes.sizes()
    end(one, qtbot)
    other = make(settings, program_library)
    assert other.window.width() == 700
    other.window.show()
    search = other.window.pages.search
    search.search.results.stack.setCurrentWidget(search.search.results.view)
    qtbot.waitUntil(lambda: search.panes.sizes()[1] > 0)
    now_left, now_right = search.panes.sizes()
    assert now_left / now_right == pytest.approx(left / right, abs=0.05)
    end(other, qtbot)


@pytest.mark.parametrize("history", [True, False])
def test_the_last_search_is_restored_with_its_hit_where_the_history_is_on(
    engine: FakeEngine,
    library_files: Path,
    program_library: Path,
    settings: Settings,
    qtbot: QtBot,
    history: bool,
) -> None:
    (program_library / "catalog.sqlite").touch()
    index(engine, library_files)
    settings.set("history", history)
    one = make(settings, program_library)
    start(one, qtbot)
    search = one.window.pages.search.search
    one.window.pages.search_for("the type:txt")
    qtbot.waitUntil(lambda: search.live_search.is_answered and len(search.results.groups) > 1)
    search.results.go_to(key_of(search.results.groups[-1].head))
    chosen = search.current_hit
    assert chosen is not None
    end(one, qtbot)
    other = make(settings, program_library)
    start(other, qtbot)
    search = other.window.pages.search.search
    if history:

        def is_there() -> bool:
            hit = search.current_hit
            return hit is not None and key_of(hit) == key_of(chosen)

        qtbot.waitUntil(is_there)
    assert search.query == ("type:txt the" if history else "")
    other.window.pages.search_for("")
    search.bar.box.set_query("")
    end(other, qtbot)
    again = make(settings, program_library)
    assert again.window.pages.query == "", "an emptied box stays empty"
    end(again, qtbot)


def test_the_speed_of_the_settings_is_sent_to_the_engine(
    engine: FakeEngine, program: Program, qtbot: QtBot
) -> None:
    program.settings.set("speed", "slow")
    start(program, qtbot)
    qtbot.waitUntil(lambda: engine.speed == "slow")
    program.settings.set("speed", "fast")
    qtbot.waitUntil(lambda: engine.speed == "fast")


def test_a_restart_ends_the_program_and_starts_it_again_as_it_was(
    program: Program, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with qtbot.waitSignal(program.window.quit_requested):
        program.window.dialogs.ending_chosen.emit(Ending(EndAction.RESTART))
    assert program.restarting
    started: list[list[str]] = []
    monkeypatch.setattr(programs, "_start_program", started.append)
    monkeypatch.setattr(sys, "argv", ["lectern", "--library", "/books"])
    desktop.start_again()
    assert started == [[*own_command(window=True), "--library", "/books"]]


def test_the_library_has_the_only_line_on_the_work(window: MainWindow) -> None:
    window.pages.show_page(LIBRARY)
    assert not window.status.isVisible()
    assert window.pages.library.work.sentence.text() == window.status.text
    window.pages.show_page(SEARCH)
    assert window.status.isVisible()


def test_the_choice_of_the_model_opens_from_the_library(window: MainWindow) -> None:
    window.pages.library.models_requested.emit()
    dialog = window.findChild(SettingsDialog)
    assert isinstance(dialog, SettingsDialog)
    assert dialog.isVisible()
    assert dialog.page == MODELS
    dialog.close()
