"""Values survive the way through a message, whatever is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.api.progress import Progress
from indexer.api.protocol import pack, unpack
from indexer.api.types import Also, FileRow, FileState, Hit, SearchResult, Summary, Why
from indexer.api.wire import from_wire, result_to_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

finite = st.floats(allow_nan=False, allow_infinity=False)
# Names that are not UTF-8 reach us as lone surrogates.
names = st.text(st.characters(exclude_categories=()))
counts: Any = st.dictionaries(st.text(), st.integers(0, 10**9), max_size=3)
numbers = st.integers(0, 2**53)
spans = st.tuples(numbers, numbers)
places = st.builds(
    Also, path=names, file=names, title=st.text(), page=numbers, page_last=numbers,
    start=numbers, end=numbers,
)  # fmt: skip
hits = st.builds(
    Hit,
    path=names,
    root=names,
    file=names,
    title=st.text(),
    page=numbers,
    page_last=numbers,
    start=numbers,
    end=numbers,
    score=finite,
    text=st.text(),
    heading_path=st.lists(st.text(), max_size=3).map(tuple),
    why=st.sampled_from(Why),
    best=spans,
    state=st.sampled_from(FileState),
    other_paths=st.lists(names, max_size=2).map(tuple),
    explain=counts,
    also=st.lists(places, max_size=2).map(tuple),
)
rows = st.builds(FileRow, path=names, file=names)
summaries = st.builds(
    Summary,
    states=counts,
    files_seen=numbers,
    documents_added=numbers,
    pages=numbers,
    passages=numbers,
    tokens=numbers,
    seconds=finite,
)
reports = st.builds(Progress, seconds=finite, eta_seconds=st.none() | finite)


def travel(data: Mapping[str, Any]) -> dict[str, Any]:
    header, binary = unpack(pack(data))
    assert binary == b""
    return header


@given(hits)
def test_hits(hit: Hit) -> None:
    assert from_wire(Hit, travel(to_wire(hit))) == hit


@given(rows)
def test_rows(row: FileRow) -> None:
    assert from_wire(FileRow, travel(to_wire(row))) == row


@given(summaries)
def test_summaries(summary: Summary) -> None:
    assert from_wire(Summary, travel(to_wire(summary))) == summary


@given(reports)
def test_reports(progress: Progress) -> None:
    assert from_wire(Progress, travel(to_wire(progress))) == progress


@given(
    st.builds(
        SearchResult,
        hits=st.lists(hits, max_size=2).map(tuple),
        seconds=finite,
        understood=finite,
        query=counts,
    )
)
def test_results(result: SearchResult) -> None:
    assert from_wire(SearchResult, travel(result_to_wire(result))) == result


def test_keys_of_a_newer_program_are_ignored() -> None:
    data = {"step": "scan", "files_done": 3, "mood": "good"}
    assert from_wire(Progress, data).files_done == 3


@pytest.mark.parametrize("data", [{}, {"step": "dance"}, {"step": None}])
def test_what_is_missing_or_wrong_is_a_bad_request(data: dict[str, Any]) -> None:
    with pytest.raises(WorldError) as caught:
        from_wire(Progress, data)
    assert caught.value.code == "bad_request"
