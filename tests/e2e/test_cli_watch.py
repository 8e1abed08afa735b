"""``lectern watch``: alone, beside other commands, and over an engine that runs already."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from typing import IO, TYPE_CHECKING

import pytest

from tests.e2e.conftest import Lectern
from tests.tiny_model import TINY
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it is ended with SIGINT")


@pytest.fixture
def real(tiny_models_dir: Path, tmp_path: Path) -> Lectern:
    """The real engine with the tiny model."""
    (tmp_path / "run").mkdir(mode=0o700)
    lectern = Lectern(tmp_path, "app")
    shutil.copytree(tiny_models_dir, lectern.library.parent / "models")
    settings = tmp_path / "home" / "config" / "lectern" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"model": TINY, "min_free_gb": 0}))
    return lectern


def _until(stream: IO[str] | None, words: str) -> str:
    assert stream is not None
    for line in stream:
        if words in line:
            return line
    raise AssertionError(f"it never said {words!r}")


def _end(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGINT)
    assert process.wait(WAIT_S) == 0


def test_watch_indexes_changes_until_ctrl_c(real: Lectern, folder: Path) -> None:
    real("index", folder)
    with real.start("watch") as watch:
        assert str(folder) in _until(watch.stderr, "Watching")
        _until(watch.stderr, "Up to date: 2 documents")
        (folder / "new.txt").write_text("A theremin hums in the cellar.")
        _until(watch.stderr, "Up to date: 3 documents")
        # Another command uses the same engine.
        hits = json.loads(real("search", "--json", "theremin").stdout)["hits"]
        assert hits[0]["file"] == "new.txt"
        assert f"{folder}, 4 files, watched" in real("status").stdout
        shutil.rmtree(folder)
        assert "offline" in _until(watch.stderr, "stays in the library")
        _end(watch)
    assert json.loads(real("status", "--json").stdout)["documents"] == 3


def test_a_folder_that_is_added_later_is_watched(real: Lectern, folder: Path) -> None:
    with real.start("watch") as watch:
        _until(watch.stderr, "Nothing to watch yet")
        real("index", folder)
        _until(watch.stderr, "Watching")
        (folder / "new.txt").write_text("A theremin hums in the cellar.")
        _until(watch.stderr, "Up to date: 3 documents")
        _end(watch)


def test_watch_uses_a_running_engine(real: Lectern, folder: Path) -> None:
    real("index", folder)
    with real.start("engine", "--watch") as engine:
        _until(engine.stderr, "Serving")
        (folder / "new.txt").write_text("A theremin hums in the cellar.")
        wait_for(lambda: json.loads(real("status", "--json").stdout)["documents"] == 3)
        with real.start("watch") as watch:
            _until(watch.stderr, "Up to date: 3 documents")
            _end(watch)
        real("engine", "--stop")
        assert engine.wait(WAIT_S) == 0


def test_watching_works_over_any_engine(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    with lectern.serving(), lectern.start("watch") as watch:
        _until(watch.stderr, "Up to date")
        _end(watch)
