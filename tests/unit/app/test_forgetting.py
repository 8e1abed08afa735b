"""Deleting everything that Lectern made, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app import gui, paths
from indexer.api.errors import WorldError
from indexer.api.private_files import LibraryLock
from tests.ui.engines import make_home, real_engine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = make_home(tmp_path / "home")
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    with real_engine(home):
        pass  # it makes the library
    paths.window_folder().mkdir(parents=True)
    (paths.window_folder() / "history.json").write_text("[]")
    return home.library


def test_library_and_window_files_are_deleted_and_settings_and_models_stay(library: Path) -> None:
    assert library.exists()
    gui.forget_everything(library)
    assert not library.exists()
    assert not paths.window_folder().exists()
    assert paths.settings_file().exists()
    assert paths.models_folder().exists()


def test_a_locked_library_is_not_deleted(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gui, "RELEASE_S", 0.5)
    lock = LibraryLock.acquire(library, "another program")
    with pytest.raises(WorldError, match="in use"):
        gui.forget_everything(library)
    lock.release()
    assert paths.window_folder().exists()
