"""The commands pause, resume, pace, retry and estimate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from app.cli_library import estimate_lines, pace_line
from indexer.api.answers import Estimate, FormatEstimate
from indexer.api.labels import PACE_REASONS
from tests.answers import EMPTY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern


def test_a_pause_lasts_until_resume(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    assert lectern("pause").stdout == "Pace: normal, paused.\n"
    assert "normal, paused" in lectern("status").stdout
    assert lectern("resume").stdout == "Pace: normal.\n"
    status = json.loads(lectern("status", "--json").stdout)
    assert (status["paused"], status["speed"], status["reason"]) == (False, "normal", "")


def test_the_pace_is_set_and_printed(lectern: Lectern) -> None:
    assert lectern("pace", "slow").stdout == "Pace: slow.\n"
    assert lectern("pace").stdout == "Pace: slow.\n"
    said = lectern("pace", "ludicrous", status=2).stderr
    assert "fast" in said


@pytest.mark.parametrize("reason", [*PACE_REASONS, "some_new_reason"])
def test_every_reason_has_a_text(reason: str) -> None:
    line = pace_line(replace(EMPTY, reason=reason))
    assert line.startswith("normal, ")
    assert "_" not in line


def test_what_failed_is_read_again(lectern: Lectern, folder: Path) -> None:
    broken = folder / "broken.txt"
    broken.write_text("BROKEN")
    lectern("index", folder)
    assert "unreadable" in lectern("files", "--state", "unreadable").stdout
    broken.write_text("The mast is whole again.")
    done = lectern("retry", broken)
    assert "1 file to read again" in done.stderr
    assert "indexed" in done.stdout
    assert "broken.txt" in lectern("search", "mast").stdout
    assert "nothing to read again" in lectern("retry", folder / "ice.txt").stdout


def test_an_estimate_comes_before_any_work(lectern: Lectern, folder: Path) -> None:
    said = lectern("estimate", folder).stdout
    assert "3 files to read" in said
    assert "a guess before any work" in said
    assert json.loads(lectern("estimate", "--json", folder).stdout)["files"] == 3
    assert json.loads(lectern("status", "--json").stdout)["roots"] == []
    lectern("index", folder)
    again = lectern("estimate", folder).stdout
    assert "0 files to read" in again
    assert "known already" in again
    said = lectern("estimate", folder / "nowhere", status=2).stderr
    assert "path_missing" in said


def test_an_estimate_names_its_basis() -> None:
    found = Estimate(
        files=2, bytes=3000, formats={"pdf": FormatEstimate(2, 3000)},
        left_out={"not_document": 4}, known=0, pages=9, seconds_words=1.0,
        seconds_meaning=75.0, measured=True,
    )  # fmt: skip
    lines = estimate_lines(found)
    assert any("not document" in line and "left out" in line for line in lines)
    assert lines[-1] == (
        "Found by words in less than a minute, by meaning in about 2 minutes "
        "(at the rates of this library)."
    )
