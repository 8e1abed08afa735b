"""The sentences of commands: names unchanged, no claim about what was not done, no gaps."""

from __future__ import annotations

import pytest
from msgspec import structs
from msgspec.structs import replace

from app import render
from app.cli_common import explain_failure
from app.cli_index import summary_lines
from app.cli_library import file_line, pace_line, reason_of, status_lines
from app.hit_lines import hit_lines
from app.render import TerminalStyle
from indexer.api.errors import CODES, WorldError
from indexer.api.status import Speed
from indexer.api.types import Also, FileRow, FileState, Hit, Summary, Why
from tests.answers import EMPTY, root

ODD = "back\\slash  and \n a 'quote' \x1b[2J \u202e.txt"
SHOWN = "back\\slash  and \\n a 'quote' \\x1b[2J \\u202e.txt"
ROW = FileRow(f"/a/{ODD}", "/a", ODD, 1, 2, FileState.FAILED, "path_denied")
HIT = Hit(
    path=f"/a/{ODD}", root="/a", file=ODD, title=ODD, page=1, page_last=1, start=0, end=5,
    score=1.0, text="A text", heading_path=(), why=Why.WORDS, other_paths=(f"/b/{ODD}",),
)  # fmt: skip


def test_a_name_is_shown_unchanged_but_escaped() -> None:
    assert render.name(ODD) == SHOWN
    assert render.name("Ä ö/漢字\udcff") == "Ä ö/漢字\\udcff"


def test_every_listing_shows_the_name_as_it_is() -> None:
    assert file_line(ROW) == f"failed\t/a/{SHOWN}\tLectern may not read /a/{SHOWN}."
    lines = hit_lines(1, HIT, TerminalStyle(width=110))
    assert lines[0].startswith(f" 1  {SHOWN}")
    assert lines[-2:] == [f"    /a/{SHOWN} (words)", f"    also /b/{SHOWN}"]
    shown = status_lines(structs.replace(EMPTY, library=f"/{ODD}", roots=(root(f"/a/{ODD}"),)))
    assert shown[0].startswith(f"Library   /{SHOWN}, ")
    assert shown[1] == f"Folders   /a/{SHOWN}, 1 file"


def test_a_failure_names_the_file_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    from app.cli_common import CommandContext
    from app.settings import Settings

    context = CommandContext(Settings(), library=None, offline=True, open_engine=None)  # type: ignore[arg-type]  # nothing is opened
    assert explain_failure(context, WorldError("path_missing", path=f"/a/{ODD}")) == 2
    assert f"There is nothing at /a/{SHOWN}." in capsys.readouterr().err


@pytest.mark.parametrize("code", ["path_denied", "path_missing"])
def test_the_reason_of_a_file_has_no_gap(code: str) -> None:
    assert "?" not in reason_of(structs.replace(ROW, path="/a/b", code=code))


def test_a_file_without_a_reason_has_none() -> None:
    assert (
        file_line(structs.replace(ROW, path="/a/b", state=FileState.INDEXED, code=""))
        == "indexed\t/a/b"
    )


def test_pages_that_are_not_listed_are_counted() -> None:
    many = structs.replace(ROW, code="", bad_pages=tuple(range(1, 31)))
    assert file_line(many).endswith("Not read: pages " + ", ".join(map(str, range(1, 21)))
                                    + " and 10 more.")  # fmt: skip
    assert file_line(structs.replace(many, bad_pages=(7,))).endswith("Not read: page 7.")


def test_other_places_have_pages_only_where_their_format_has() -> None:
    also = tuple(Also(f"/b/{name}", name, "", 2, 2, 0, 5) for name in ("x.txt", "y.pdf", "z.pptx"))
    assert hit_lines(1, replace(HIT, also=also), TerminalStyle(width=110))[-3:] == [
        "    also /b/x.txt",
        "    also /b/y.pdf, page 2",
        "    also /b/z.pptx, slide 2",
    ]


def test_a_hit_on_an_offline_drive_is_marked() -> None:
    away = replace(HIT, path="/a/b", other_paths=(), state=FileState.OFFLINE)
    assert hit_lines(1, away, TerminalStyle(width=110))[-1] == "    /a/b (words, offline)"


def test_an_empty_library_has_no_embedded_share() -> None:
    (line,) = [each for each in status_lines(EMPTY) if each.startswith("Passages")]
    assert line == "Passages  0"


def test_a_run_without_a_scan_counts_no_files() -> None:
    summary = Summary({}, 0, 1, 1, 1, 1, 1.0)
    (line,) = summary_lines(summary)
    assert line == "Done after 1.0 s: 1 document read, 1 page (1.0/s), 1 passage."


@pytest.mark.parametrize(
    ("speed", "reason", "said"),
    [
        ("slow", "busy", "slow"),
        ("slow", "paused", "slow, paused"),
        ("normal", "busy", "normal, slower: the computer is busy"),
    ],
)
def test_reasons_that_change_nothing_are_left_out(speed: str, reason: str, said: str) -> None:
    assert pace_line(structs.replace(EMPTY, speed=Speed(speed), reason=reason)) == said


def test_a_part_past_a_limit_has_a_sentence() -> None:
    for code in ("too_complex", "too_large"):
        assert WorldError(code, limit="1 MB").reason not in CODES
