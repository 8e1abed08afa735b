"""Spoilt files of every format, a few of each: none stops its reader or leaves anything behind."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import pytest

from tests.corpora import needs_corpus
from tests.fuzz.__main__ import hard_files
from tests.fuzz.run import Report, run
from tests.fuzz.samples import samples

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 12


@pytest.fixture
def report_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Report]:
    """Where reports go; the children's temporary folder is checked to be empty afterwards."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return {}


def test_spoilt_samples_end_in_an_outcome(tmp_path: Path, report_of: object) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    report = run(samples(), folder, 20, lambda rounds: rounds < ROUNDS)
    assert report.findings == []
    assert list(folder.iterdir()) == []
    assert list((tmp_path / "temporary").iterdir()) == []
    # Spoilt a little, most can be read; some not at all.
    assert report.outcomes["indexed"] > report.outcomes["unreadable"] > 0


@needs_corpus
@pytest.mark.corpus
def test_spoilt_hard_files_end_in_an_outcome(tmp_path: Path, report_of: object) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    small = {name: data for name, data in hard_files().items() if len(data) < 60_000}
    report = run(small, folder, 21, lambda rounds: rounds < 1)
    assert report.findings == []
    assert list((tmp_path / "temporary").iterdir()) == []
