"""The window goes on by itself while its engine does not answer, as on a machine that is busy."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtTest import QTest

from app.settings import Settings
from indexer.api.requests import Index
from indexer.api.types import Summary
from tests.ui.program import end, make, start
from ui.pages import LIBRARY, SEARCH

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.ui.engines import Home

FILES = 40


@pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a process there")
def test_the_window_never_waits_for_its_engine(
    home: Home, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(FILES):
        (notes / f"note {number}.txt").write_text(f"The keeper lit lantern {number} at dusk.")
    program = make(Settings(home.settings_file), home.library)
    start(program, qtbot)
    done: list[object] = []
    program.link.send_request(Index((notes,)), done=done.append, failed=done.append)
    engine = program.supervisor.pid
    os.kill(engine, signal.SIGSTOP)
    try:
        # Each of these would hang, and the time limit of the test end it, if one of them waited.
        pages = program.window.pages
        for letters in ("la", "lan", "lantern", "lantern keeper"):
            pages.search_for(letters)
            QTest.qWait(50)
            assert pages.search.search.bar.box.text() == letters
        for page in (LIBRARY, SEARCH):
            pages.show_page(page)
            program.window.grab()
        assert not done, "the engine answered while it was stopped"
    finally:
        os.kill(engine, signal.SIGCONT)
    qtbot.waitUntil(lambda: bool(done))
    qtbot.waitUntil(lambda: pages.search.search.results.model.rowCount() > 0)
    end(program, qtbot)
    assert isinstance(done[0], Summary), done
    assert done[0].files_seen == FILES
