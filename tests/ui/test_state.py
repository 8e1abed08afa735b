"""The window's state is stored, readable by its owner only."""

from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSplitter, QWidget

from ui.state import WindowState

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot


def test_geometry_splitters_and_numbers_are_restored(tmp_path: Path, qtbot: QtBot) -> None:
    folder = tmp_path / "person"
    window, splitter = QWidget(), QSplitter()
    for each in (window, splitter):
        qtbot.addWidget(each)
    for _ in range(2):
        splitter.addWidget(QWidget())
    state = WindowState(folder)
    assert not state.restore_window(window)
    window.resize(500, 300)
    splitter.resize(400, 100)
    splitter.setSizes([300, 95])
    state.save_window(window)
    state.save_splitter("search", splitter)
    state.keep_number("set_aside", 3)
    state.sync()
    again = WindowState(folder)
    window.resize(200, 200)
    splitter.setSizes([100, 295])
    assert again.restore_window(window)
    assert again.restore_splitter("search", splitter)
    assert window.size() == QSize(500, 300)
    assert splitter.sizes()[0] > splitter.sizes()[1]
    assert (again.number("set_aside"), again.number("nothing")) == (3, 0)
    if sys.platform != "win32":  # where a file has the rights of its folder
        assert stat.S_IMODE(again.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_damaged_file_counts_as_empty(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "window.ini").write_bytes(b"\x00\xff[General\ngeometry=@Invalid(\nnumbers/x=zz")
    window = QWidget()
    qtbot.addWidget(window)
    state = WindowState(tmp_path)
    assert not state.restore_window(window)
    assert state.number("x") == 0


def test_an_unwritable_folder_only_loses_the_state(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "file").touch()
    state = WindowState(tmp_path / "file")
    window = QWidget()
    qtbot.addWidget(window)
    state.save_window(window)
    state.sync()
