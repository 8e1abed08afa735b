"""The lines of an answer without a good match, and of a hit with near-duplicates."""

from __future__ import annotations

from dataclasses import replace

from app.hit_lines import hit_lines, result_lines
from app.render import Style
from indexer.api.types import Also, Hit, SearchResult, Why

STYLE = Style(width=60)
HIT = Hit(
    path="/a/report-2018.pdf", root="/a", file="report-2018.pdf", title="Report", page=7,
    page_last=7, start=10, end=60, score=0.5, text="The best sentence of all.", heading_path=(),
    why=Why.BOTH, best=(0, 25),
)  # fmt: skip
NO_MATCH = "No good match; the closest passages follow."


def also(year: int) -> Also:
    return Also(f"/a/report-{year}.pdf", f"report-{year}.pdf", "Report", 9, 9, 10, 60)


def test_hits_without_a_good_match_have_one_line_above() -> None:
    lines = result_lines(SearchResult((HIT,), good=False), STYLE, explain=False)
    assert lines[0] == NO_MATCH
    assert any("best sentence" in line for line in lines)


def test_a_good_match_and_no_hits_have_no_such_line() -> None:
    for result in (SearchResult((HIT,)), SearchResult((), good=False)):
        assert NO_MATCH not in result_lines(result, STYLE, explain=False)


def test_other_places_of_the_same_text_are_named_and_many_are_counted() -> None:
    few = hit_lines(1, replace(HIT, also=(also(2019), also(2020))), STYLE)
    assert few[-2:] == [
        "    also /a/report-2019.pdf, page 9",
        "    also /a/report-2020.pdf, page 9",
    ]
    many = hit_lines(1, replace(HIT, also=tuple(also(year) for year in range(2010, 2018))), STYLE)
    assert many[-1] == "    also in 5 other places"
