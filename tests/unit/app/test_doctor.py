"""The checks of ``doctor`` that need no engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app import doctor
from app.settings import Settings, engine_config

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("installed", [True, False])
def test_a_missing_libreoffice_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, installed: bool
) -> None:
    program = tmp_path / "soffice"
    if installed:
        program.touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("indexer.extract.office.libreoffice._PLACES", {})
    settings = Settings(tmp_path / "settings.json")
    found = {each.name: each for each in doctor.checks(settings, engine_config(settings, tmp_path))}
    row = found["old office files"]
    assert row.ok
    assert row.value == (
        f"read through {program}" if installed else "not read: LibreOffice is not installed"
    )
