"""Adding and removing filters in the text of any query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.query.filters import TYPES
from indexer.query.grammar import clauses, parse, without
from tests.ui.search.hits import hit
from ui.search.query_text import (
    asks,
    inside,
    similar_to,
    with_filter,
    without_filters,
    written,
)

if TYPE_CHECKING:
    from indexer.query.grammar import Clause

VALUES = st.text("ab é中/\\:.-_()#='\"„“\t\n", max_size=12)
PIECES = st.sampled_from(
    ["rent", "-draft", '"to be"', "ext:pdf", "-in:old", 'in:"My Folder"', "date:2024", "soon:", "-"]
)
TYPED = st.lists(PIECES, max_size=6).map(" ".join) | st.text('ab -:"in:ext: \n', max_size=30)


def what(clause: Clause) -> tuple[str, str, bool]:
    return clause.operator, clause.value, clause.excluded


def test_values_are_quoted_only_where_they_must_be() -> None:
    assert written("ext", "pdf") == "ext:pdf"
    assert written("in", "My Folder") == 'in:"My Folder"'
    assert written("in", "/home/me/a b.pdf", excluded=True) == '-in:"/home/me/a b.pdf"'
    assert written("", "to be") == '"to be"'
    assert written("in", 'the "best" of') == "in:the"


@given(VALUES)
def test_a_written_clause_is_parsed_to_the_same(value: str) -> None:
    text = written("in", value)
    plain = " ".join(value.split())
    if '"' not in plain and "“" not in plain and "„" not in plain and plain:
        assert [what(each) for each in clauses(text)] == [("in", plain, False)]


@given(TYPED)
def test_removing_a_clause_keeps_the_others(text: str) -> None:
    found = clauses(text)
    for at, clause in enumerate(found):
        if not clause.quoted and text[clause.end : clause.end + 1] == '"':
            continue  # half a word of what would be a phrase without it
        left = clauses(without(text, clause))
        assert [what(each) for each in left] == [
            what(each) for each in (*found[:at], *found[at + 1 :])
        ]


@given(TYPED)
def test_without_filters_removes_all_filters(text: str) -> None:
    bare = parse(without_filters(text))
    assert not bare.filters
    assert bare.phrases == parse(text).phrases
    assert bare.terms == parse(text).terms


@given(TYPED, st.sampled_from(["2024", "2025"]))
def test_a_filter_occurs_once(text: str, value: str) -> None:
    once = with_filter(text, "date", value)
    assert [each.value for each in clauses(once) if each.operator == "date"] == [value]
    assert with_filter(once, "date", value) == once
    assert parse(once).terms == parse(text).terms


@given(TYPED | st.just('an "open quote'))
def test_a_folder_with_a_space_is_quoted(text: str) -> None:
    assert "My Files" in parse(with_filter(text, "in", "My Files")).filters.folders


def test_folders_add_up_and_kinds_replace_each_other() -> None:
    text = with_filter("rent in:a ext:pdf", "in", "b")
    assert parse(text).filters.folders == ("a", "b")
    assert parse(with_filter(text, "type", "mail")).filters.extensions == TYPES["mail"]


def test_inside_and_similar() -> None:
    assert inside("/a b/c.pdf", 'rent in:"x y" like:z') == 'rent in:"/a b/c.pdf" '
    passage = hit("/a b.pdf", start=3)
    assert parse(similar_to(passage)).filters.like == f"/a b.pdf#3-{passage.end}"
    assert similar_to(replace(passage, path="/a.pdf", end=3)) == 'like:"/a.pdf"'


def test_filters_alone_ask_for_nothing() -> None:
    assert not asks("in:a ext:pdf ")
    assert all(map(asks, ("rent", "in:a rent", "-draft", "like:/a.pdf", "like:/a.pdf#1-2 in:a")))
