"""A person's account for a scenario: a home of its own with the tiny model, and commands in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.e2e.conftest import Lectern
from tests.soak.patience import communicate
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path


def make_account(folder: Path) -> Lectern:
    """Make an account below a folder; commands run in it use the tiny model."""
    (folder / "run").mkdir(mode=0o700)
    lectern = Lectern(folder, "app")
    install_tiny_model(lectern.library.parent / "models")
    settings = folder / "home" / "config" / "lectern" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"model": TINY, "precision": "fp32", "min_free_gb": 0}))
    return lectern


def run(lectern: Lectern, *command: str | Path) -> str:
    """Run a command to its good end; gives what it printed."""
    with lectern.start(*command) as process:
        printed, complaints = communicate(process)
    assert process.returncode == 0, complaints
    return printed
