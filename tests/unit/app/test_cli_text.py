"""The lines that commands print for answers: hits, files, status, summaries."""

from __future__ import annotations

import pytest
from msgspec import structs
from msgspec.structs import replace

from app.cli_index import summary_lines
from app.cli_library import file_line, reason_of, status_lines
from app.cli_search import batch_hit, filter_terms
from app.hit_lines import hit_lines
from app.render import TerminalStyle, cells
from indexer.api.phrases import Note
from indexer.api.progress import Progress, Step
from indexer.api.status import LanguageStatus, ModelChange, Running
from indexer.api.types import FileRow, FileState, Hit, Summary, Why
from tests.answers import EMPTY, root

STYLE = TerminalStyle(width=60)
HIT = Hit(
    path="/home/a/report.pdf",
    root="/home/a",
    file="report.pdf",
    title="A report\x1b[2J",
    page=7,
    page_last=8,
    start=10,
    end=60,
    score=0.5,
    text="First things. The best sentence of all.\nLast things.",
    heading_path=("One", "Two"),
    why=Why.BOTH,
    best=(14, 39),
)
ROW = FileRow("/a/b.pdf", "/a", "b.pdf", 1, 2, FileState.UNREADABLE, "unreadable", "no trailer")
TOTALS = (
    "Done after 1 min 0 s: 40 files seen, 38 documents read, 900 pages (15.0/s), 4,000 passages."
)


def test_a_hit() -> None:
    assert hit_lines(1, HIT, STYLE) == [
        " 1  A report [2J                                      page 7",
        "    One › Two",
        "    First things. «The best sentence of all.» Last things.",
        "    /home/a/report.pdf (words and meaning)",
    ]


def test_a_hit_by_meaning_says_in_which_other_language_it_is() -> None:
    lines = hit_lines(1, replace(HIT, why=Why.MEANING, language="de"), STYLE)
    assert lines[-1] == "    /home/a/report.pdf (meaning, in another language: de)"


def test_a_hit_by_name_says_what_became_of_the_file() -> None:
    named = replace(
        HIT, start=0, end=0, text="", best=(0, 0), why=Why.NAME, heading_path=(),
        state=FileState.NEEDS_PASSWORD, other_paths=("/b/copy.pdf",),
    )  # fmt: skip
    lines = hit_lines(12, named, STYLE)
    assert lines[0].startswith("12  A report")
    assert "page" not in lines[0]
    assert lines[1:] == [
        "    /home/a/report.pdf (file name, needs password)",
        "    also /b/copy.pdf",
    ]


@pytest.mark.parametrize("width", [40, 60, 110])
def test_no_line_of_a_hit_but_its_path_is_too_wide(width: int) -> None:
    long = replace(
        HIT, title="漢字" * 50, text="字" * 500, best=(100, 300), heading_path=("w" * 200,)
    )
    *lines, _path = hit_lines(1, long, TerminalStyle(width=width))
    assert all(cells(line) <= width for line in lines)


def test_batch_hits_have_the_keys_of_a_run_file() -> None:
    assert batch_hit(HIT) == {
        "path": "/home/a/report.pdf", "file": "report.pdf", "page": 7, "page_last": 8, "start": 10,
        "end": 60, "score": 0.5, "text": HIT.text, "heading_path": ["One", "Two"], "why": "both",
    }  # fmt: skip


def test_filters_with_spaces_are_quoted() -> None:
    terms = filter_terms(["no such/My Folder"], ["pdf"], "2024-03..2024-06")
    assert terms == ['in:"no such/My Folder"', "ext:pdf", "date:2024-03..2024-06"]
    assert filter_terms([], [], None) == []


@pytest.mark.parametrize(
    ("code", "detail", "reason"),
    [
        ("unreadable", "no trailer", "The document cannot be read: no trailer."),
        ("unreadable", "", "The document cannot be read: ?."),
        ("empty", "ignored", "The file has no content."),
        ("of_the_future", "who knows", "of_the_future who knows"),
        ("", "", ""),
    ],
)
def test_reasons(code: str, detail: str, reason: str) -> None:
    assert reason_of(structs.replace(ROW, code=code, detail=detail)) == reason


def test_a_line_of_the_coverage_can_be_cut_at_tabs() -> None:
    row = structs.replace(
        ROW,
        path="/a/tab\there\n.pdf",
        bad_pages=(3, 4),
        state=FileState.PARTIAL,
        code="",
        detail="",
    )
    state, path, reason = file_line(row).split("\t")
    assert (state, path, reason) == ("partial", r"/a/tab\there\n.pdf", "Not read: pages 3, 4.")
    assert file_line(structs.replace(ROW, code="", detail="")) == "unreadable\t/a/b.pdf"


def test_status_of_a_busy_engine() -> None:
    progress = Progress(Step.INDEX, 3, 9, 100, 200, 0, 0, 10.0, None)
    lines = status_lines(
        structs.replace(
            EMPTY,
            bytes=2_000_000,
            roots=(root("/a"), root("/b", 2, offline=True)),
            files={"indexed": 1, "failed": 2, "queued": 0},
            running=Running("index", progress),
        )
    )
    assert lines[0] == "Library   /lib, 2.0 MB, 5.0 GB free"
    assert [line[10:] for line in lines[1:3]] == ["/a, 1 file", "/b, 2 files, offline"]
    assert lines[3].split() == ["Files", "2", "failed"]
    assert lines[-1].startswith("Running   3/9 files · 100 pages")


def test_an_update_says_why_it_reads_again() -> None:
    lines = status_lines(structs.replace(EMPTY, rebuilding=True))
    assert "Made anew  after an update, from the documents" in lines


def test_status_of_a_change_of_model() -> None:
    languages = (
        LanguageStatus("en", 7),
        LanguageStatus("de", 2, Note("language_coming", {"model": "many"})),
        LanguageStatus("dz", 1, Note("language_offered", {"model": "more"})),
    )
    changing = ModelChange("many", "int8", 0.25)
    lines = [" ".join(line.split()) for line in status_lines(
        structs.replace(
            EMPTY, model="tiny", precision="fp32", changing=changing, languages=languages
        )
    )]  # fmt: skip
    assert "Model tiny, fp32" in lines
    assert "Changing to many, int8: 25 % done; the previous model is used until then" in lines
    at = lines.index(
        "Not covered de, 2 documents, found by words only until the change to many is complete"
    )
    assert lines[at + 1] == (
        "dz, 1 document, found by words only: the language model more covers it "
        "(`lectern reindex --model more`)"
    )


def test_summaries() -> None:
    summary = Summary({"indexed": 38, "unreadable": 2, "queued": 0}, 40, 38, 900, 4000, 9, 60.0)
    assert summary_lines(summary) == [
        TOTALS,
        "  indexed          38",
        "  unreadable        2   lectern files --state unreadable",
    ]
    stopped = summary_lines(structs.replace(summary, cancelled=True, seconds=0.0))
    assert stopped[0].startswith("Stopped after 0.0 s: ")
    assert stopped[-1] == "`lectern index` goes on where it stopped."
