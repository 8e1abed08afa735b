"""The real window on a real display, worked by the keyboard from the first run to the passage."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.engines import ROOT, Home, make_home

WAIT_S = 200.0
# The folder for the pictures; a temporary one without it.
PICTURES_VARIABLE = "LECTERN_PICTURES"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a folder of documents."""
    home = make_home(tmp_path / "home")
    settings = json.loads(home.settings_file.read_text())
    # At full speed, since other tests keep the machine busy.
    settings |= {"language": "en", "theme": "light", "speed": "fast"}
    home.settings_file.write_text(json.dumps(settings))
    shutil.copytree(ROOT / "resources" / "sample" / "documents", home.folder / "Documents")
    return home


@pytest.mark.timeout(300)
def test_from_the_first_run_to_the_outlined_passage(
    home: Home, display: str, tmp_path: Path
) -> None:
    pictures = Path(os.environ.get(PICTURES_VARIABLE) or tmp_path / "pictures")
    pictures.mkdir(parents=True, exist_ok=True)
    environment = {**home.environment, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.drive_window", str(pictures)],
        cwd=home.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.split() == ["estimate", "indexed", "results", "outlined", "left"]
    for name in ("estimate", "indexed", "results", "outlined"):
        assert (pictures / f"{name}.png").stat().st_size > 10_000
