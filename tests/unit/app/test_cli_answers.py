"""The lines of an answer without a good match, and of a hit with near-duplicates."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from app.hit_lines import hit_lines, result_lines, unsearched
from app.render import TerminalStyle
from indexer.api.types import Also, FileState, Hit, Match, SearchResult, Why

STYLE = TerminalStyle(width=60)
HIT = Hit(
    path="/a/report-2018.pdf", root="/a", file="report-2018.pdf", title="Report", page=7,
    page_last=7, start=10, end=60, score=0.5, text="The best sentence of all.", heading_path=(),
    why=Why.BOTH, best=(0, 25),
)  # fmt: skip
NO_MATCH = "No good match; the closest passages follow."
CLOSEST = "The closest passages; whether they answer it cannot be told here."
PERHAPS = "Perhaps not what you asked for."


def also(year: int) -> Also:
    return Also(f"/a/report-{year}.pdf", f"report-{year}.pdf", "Report", 9, 9, 10, 60)


@pytest.mark.parametrize(
    ("match", "line"),
    [(Match.NONE, NO_MATCH), (Match.PERHAPS, PERHAPS), (Match.CLOSEST, CLOSEST)],
)
def test_hits_that_may_be_no_answer_have_one_line_above(match: Match, line: str) -> None:
    lines = result_lines(SearchResult((HIT,), match=match), STYLE)
    assert lines[0] == line
    assert any("best sentence" in each for each in lines)


def test_a_good_match_and_no_hits_have_no_such_line() -> None:
    for result in (SearchResult((HIT,)), SearchResult((), match=Match.NONE)):
        assert {NO_MATCH, PERHAPS, CLOSEST}.isdisjoint(result_lines(result, STYLE))


def test_other_places_of_the_same_text_are_named_and_many_are_counted() -> None:
    few = hit_lines(1, replace(HIT, also=(also(2019), also(2020))), STYLE)
    assert few[-2:] == [
        "    also /a/report-2019.pdf, page 9",
        "    also /a/report-2020.pdf, page 9",
    ]
    many = hit_lines(1, replace(HIT, also=tuple(also(year) for year in range(2010, 2018))), STYLE)
    assert many[-1] == "    also in 5 other places"


def test_what_no_search_covers_is_said_beside_a_poor_answer() -> None:
    files: dict[str, int] = {
        FileState.INDEXED: 9,
        FileState.QUEUED: 1200,
        FileState.NEEDS_PASSWORD: 2,
    }
    line = "Not searched: 1,200 queued, 2 needs password; `lectern files` lists them."
    assert unsearched(files) == line
    assert unsearched({FileState.INDEXED: 9, FileState.QUEUED: 0}) == ""
    assert "empty" in unsearched({FileState.QUEUED: 0})
