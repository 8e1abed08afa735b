"""``lectern engine --watch`` beside other commands."""

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


def test_changes_are_read_until_ctrl_c(real: Lectern, folder: Path) -> None:
    def documents() -> int:
        return int(json.loads(real("status", "--json").stdout)["documents"])

    with real.start("engine", "--watch") as engine:
        _until(engine.stderr, "Serving")
        real("index", folder)
        assert documents() == 2
        (folder / "new.txt").write_text("A theremin hums in the cellar.")
        wait_for(lambda: documents() == 3)
        # Another command uses the same engine.
        hits = json.loads(real("search", "--json", "theremin").stdout)["hits"]
        assert hits[0]["file"] == "new.txt"
        assert f"{folder}, 4 files, watched" in real("status").stdout
        shutil.rmtree(folder)
        wait_for(lambda: f"{folder}, 4 files, offline" in real("status").stdout)
        _end(engine)
    assert documents() == 3, "what a drive holds stays in the library"
