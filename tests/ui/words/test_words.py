"""Every code of the engine has a text in the window, and amounts have their format."""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QLocale

from indexer.api.errors import CODES, WorldError
from indexer.api.phrases import PHRASES, Note, english
from indexer.api.progress import Progress, Step
from indexer.api.types import FileRow, FileState
from indexer.files.excludes import Reason
from ui.words import amounts, failures, names
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_US"))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_text(code: str) -> None:
    assert failures.reason(code)
    assert failures.sentence(code)[-1] in ".)"
    assert "`" not in failures.sentence(code) + failures.step(code), (
        "the window has no command line"
    )


def _keys(text: str) -> set[str]:
    return {name for _text, name, _spec, _how in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("state", FileState)
def test_every_state_has_a_text(state: FileState) -> None:
    assert names.state(state) != state.value
    assert names.state_help(state).endswith(".")


def test_every_reason_of_the_excludes_is_a_phrase() -> None:
    assert {str(reason) for reason in Reason} <= set(PHRASES)


@pytest.mark.parametrize("code", sorted(PHRASES))
def test_phrases_are_filled_from_their_details(code: str) -> None:
    detail = {key: f"<{key}>" for key in _keys(PHRASES[code])}
    told = english(code, detail)
    assert "{" not in told
    assert all(value in told for value in detail.values())
    assert failures.note(Note(code, detail)) == told


def test_a_phrase_within_a_phrase_is_translated() -> None:
    note = Note("not_a_value", {"typed": "date:x", "reason": "date_is"})
    assert failures.note(note).startswith("date:x is searched as text: a date is 2024,")


def test_a_failure_can_be_a_note() -> None:
    told = failures.note(WorldError("not_a_root", path="/a/b").note())
    assert told == "/a/b is not in this library. Add its folder first."


def test_an_unknown_code_is_shown_as_it_is() -> None:
    assert names.state("brand_new") == "brand new"
    assert names.state_help("brand_new") == ""
    assert failures.reason("brand_new") == "brand new"
    assert failures.sentence("brand_new") == ""
    assert names.kind("xyz") == "XYZ"
    assert names.pause("") == ""


def test_a_step_with_nothing_counted_yet_is_a_scan() -> None:
    told = names.doing(Progress(Step.INDEX))
    assert told == names.doing(Progress(Step.SCAN))
    assert names.doing(Progress(Step.INDEX, files_total=5, files_done=2)) != told
    assert names.pause("brand_new") == "brand new"


def test_once_all_is_read_the_step_is_understanding() -> None:
    progress = Progress(Step.INDEX, files_done=3, files_total=3, passages=2, passages_pending=1500)
    assert names.doing(progress) == "Understanding: 1,500 passages to go"
    assert names.doing(replace(progress, files_done=2)) == "Reading: 2 of 3 files"
    assert names.doing(replace(progress, passages_pending=0)) == "Reading: 3 of 3 files"


def test_a_detail_is_put_into_the_sentence_from_json_too() -> None:
    detail = json.dumps({"limit": "1 GB"})
    assert failures.sentence("too_large", detail) == "The file is larger than 1 GB."
    assert failures.sentence("too_large", {"limit": "1 GB"}) == "The file is larger than 1 GB."
    assert failures.sentence("too_large") == "The file is larger than ?."
    assert failures.sentence("excluded", "plain") == "It is left out: plain."


def test_a_pattern_is_named() -> None:
    told = failures.sentence("excluded", {"reason": "pattern", "pattern": "*.tmp"})
    assert told == "It is left out: the pattern *.tmp."


def test_braces_in_a_name_are_no_placeholders() -> None:
    assert "{0.x}" in failures.sentence("path_missing", {"path": "/a/{0.x}"})


def test_an_error_is_a_sentence_and_a_step() -> None:
    told = failures.failure(WorldError("disk_full", needed="2 GB", path="/data"))
    assert told.startswith("Less than 2 GB is free on the disk of /data.")
    assert "Free some space" in told


def test_pages_that_could_not_be_read_are_named() -> None:
    row = FileRow("/a/b.pdf", "/a", "b.pdf", 1, 0, FileState.PARTIAL, bad_pages=tuple(range(1, 31)))
    told = failures.row_reason(row)
    assert told.startswith("Pages that could not be read: 1, 2, 3")
    assert told.endswith("20, ….")


def test_parts_that_could_not_be_read_are_named_with_their_reasons() -> None:
    unread = [["bill.pdf", "part_locked"], ["", "mail_too_large"]]
    detail = json.dumps({"reason": "parts_unread", "unread": unread, "more": 3})
    row = FileRow("/a", "/", "a", 1, 0, FileState.PARTIAL, detail=detail, bad_pages=(2,))
    assert failures.row_reason(row) == (
        "Not read inside it: bill.pdf (it is behind a password); a mail in it is too large; + 3."
    )


def test_the_reason_of_unread_pages_is_named() -> None:
    row = FileRow(
        "/a/b.pdf", "/a", "b.pdf", 1, 0, FileState.PARTIAL, detail="letters_unknown", bad_pages=(4,)
    )
    told = failures.row_reason(row)
    assert told == (
        "Pages that could not be read: 4 (the fonts do not say which letters they show)."
    )


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 bytes"), (999, "999 bytes"), (1200, "1.2 kB"), (2.5e9, "2.5 GB")]
)
def test_sizes(number: float, shown: str) -> None:
    assert amounts.size(number) == shown


@pytest.mark.parametrize(
    ("seconds", "begins"),
    [
        (3, "less than a minute"),
        (200, "about 4 minute"),
        (61 * 60, "about 65 minute"),
        (7200, "about 2 hour"),
        (3 * 86_400, "about 3 day"),
    ],
)
def test_estimates_are_round(seconds: float, begins: str) -> None:
    assert amounts.about(seconds).startswith(begins)


def test_only_1_is_100_percent() -> None:
    assert amounts.share(0.9999) == "99 %"
    assert amounts.share(1.0) == "100 %"


def test_amounts_follow_the_country() -> None:
    QLocale.setDefault(QLocale("de_DE"))
    assert amounts.count(1_234_567) == "1.234.567"
    assert amounts.size(1_500_000) == "1,5 MB"
    assert amounts.files(12_345).startswith("12.345 ")
    assert amounts.rate(2.25) in {"2,2", "2,3"}


def test_dates() -> None:
    assert amounts.moment(0) == ""
    assert "2024" in amounts.moment(1_709_500_000 * 10**9) or "/24" in amounts.moment(
        1_709_500_000 * 10**9
    )
    assert amounts.instant("no date") == "no date"
    assert amounts.instant("2024-03-05T10:00:00Z") != "2024-03-05T10:00:00Z"


def test_a_path_below_the_home_folder_begins_with_a_tilde() -> None:
    home = Path.home()
    assert from_home(str(home / "a" / "b.pdf")) == str(Path("~") / "a" / "b.pdf")
    for path in (str(home), f"{home}ly", "/elsewhere/b.pdf", ""):
        assert from_home(path) == path


def test_a_retry_of_nothing_says_so() -> None:
    assert amounts.retried(0) == "There is nothing to read again."
    assert amounts.retried(2).startswith("2 file")
