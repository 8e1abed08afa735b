"""The self-test runs all its checks, and reports those that fail."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern

CHECKS = (
    "indexing", "search", "scanned page", "device", "text recognition", "network of the engine",
    "readers of documents", "network sockets", "window",
)  # fmt: skip


@pytest.fixture
def installed(lectern: Lectern, own_models_dir: Path) -> Lectern:
    """The real program, with the default model compiled as in an installation."""
    data = lectern.folder / "home" / "data" / "lectern"
    data.mkdir(parents=True)
    (data / "models").symlink_to(own_models_dir)
    return replace(lectern, module="app")


def test_without_tesseract_every_check_holds(installed: Lectern, tmp_path: Path) -> None:
    (tmp_path / "no programs").mkdir()
    without_tesseract = {"PATH": str(tmp_path / "no programs")}
    with installed.start("self-test", "--json", environment=without_tesseract) as process:
        out, err = process.communicate(timeout=280)
    found = {check["name"]: check for check in json.loads(out)}
    assert tuple(found) == CHECKS, err
    assert all(check["ok"] for check in found.values())
    assert process.returncode == 0
    # Neither the person's library nor the window's files are touched.
    assert {path.name for path in installed.library.parent.iterdir()} == {"models"}
