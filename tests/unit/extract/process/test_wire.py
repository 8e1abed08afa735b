"""Facts and passages cross as JSON and come back equal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.api.types import DocumentInfo, Passage
from indexer.extract.process.wire import (
    info_from_wire,
    info_to_wire,
    passage_from_wire,
    passage_to_wire,
)

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(0, 1 << 40)
STARTS = st.lists(NUMBERS, max_size=4).map(tuple)
INFOS = st.builds(
    DocumentInfo, TEXT, TEXT, NUMBERS, TEXT, TEXT, TEXT, TEXT, NUMBERS, NUMBERS, STARTS
)
PASSAGES = st.builds(
    Passage,
    *(NUMBERS for _ in range(5)),
    st.lists(TEXT, max_size=3).map(tuple),
    TEXT,
    TEXT,
    STARTS,
    STARTS,
    TEXT,
)


@given(INFOS)
def test_facts_come_back(info: DocumentInfo) -> None:
    assert info_from_wire(json.loads(json.dumps(info_to_wire(info)))) == info


@given(PASSAGES)
def test_passages_come_back(passage: Passage) -> None:
    assert passage_from_wire(json.loads(json.dumps(passage_to_wire(passage)))) == passage


def test_what_is_missing_is_a_bad_request() -> None:
    for rebuild in (info_from_wire, passage_from_wire):
        with pytest.raises(WorldError) as caught:
            rebuild({"text_id": "x"})
        assert caught.value.code == "bad_request"
