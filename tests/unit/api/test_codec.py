"""Values survive the way through a message, whatever is in them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from indexer.api import models, requests
from indexer.api.codec import MAX_INT, check_values, decode, encode, from_json, pack, unpack
from indexer.api.contract import Queue, Request, between
from indexer.api.errors import WorldError
from indexer.api.pages import PageRequest
from indexer.api.progress import Progress
from indexer.api.types import (
    Also,
    DocumentInfo,
    FileRow,
    FileState,
    Hit,
    HitExplanation,
    Passage,
    SearchResult,
    Summary,
    Why,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
# Names that are not UTF-8 reach us as lone surrogates.
# Windows has no names that are not text.
names = st.text() if sys.platform == "win32" else st.binary().map(os.fsdecode)
ROOT_FILE = str(Path(Path.cwd().anchor, "a"))
counts: Any = st.dictionaries(st.text(), st.integers(0, 10**9), max_size=3)
numbers = st.integers(-MAX_INT, MAX_INT)
st.register_type_strategy(int, numbers)
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
    explain=st.none() | st.builds(HitExplanation, score=st.dictionaries(st.text(), finite)),
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


TEXT = st.text(max_size=20)
STARTS = st.lists(numbers, max_size=4).map(tuple)
infos = st.builds(
    DocumentInfo, TEXT, TEXT, numbers, TEXT, TEXT, TEXT, TEXT, numbers, numbers, STARTS
)
passages = st.builds(
    Passage,
    *(numbers for _ in range(5)),
    st.lists(TEXT, max_size=3).map(tuple),
    TEXT,
    TEXT,
    STARTS,
    STARTS,
    TEXT,
)


def travel(data: Mapping[str, Any]) -> dict[str, Any]:
    header, binary = unpack(pack(data))
    assert binary == b""
    return header


results = st.builds(
    SearchResult, hits=st.lists(hits, max_size=2).map(tuple), seconds=finite, embedded_share=finite
)


@given(st.one_of(hits, rows, summaries, reports, results, infos, passages))
def test_values_come_back_equal(value: Any) -> None:
    assert decode(type(value), travel({"value": value})["value"]) == value


def test_keys_of_a_newer_program_are_ignored() -> None:
    data = {"step": "scan", "files_done": 3, "mood": "good"}
    assert decode(Progress, data).files_done == 3


@pytest.mark.parametrize("data", [{}, {"step": "dance"}, {"step": None}])
def test_what_is_missing_or_wrong_is_a_bad_request(data: dict[str, Any]) -> None:
    with pytest.raises(WorldError) as caught:
        decode(Progress, data)
    assert caught.value.code == "bad_request"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (int, [0, -(2**63) + 1], [True, 1.0, "1", None]),
        (float, [1, 1.5], [True, "1", None, 10**400]),
        (bool, [True], [1, "true", None]),
        (str, ["", "\udcff"], [1, None, ["a"]]),
        (Path, [ROOT_FILE], ["a", "", 1, None]),
        (FileState, ["failed"], ["odd", 1, None, ["failed"], True]),
        (Literal["a", 1], ["a", 1], ["b", 2, True, {}]),
        (int | None, [None, 1], ["1", False]),
        (tuple[int, str], [[1, "a"]], [[1], [1, "a", 2], ["a", 1], "1a", {}]),
        (tuple[int, ...], [[], [1, 2]], [["a"], {}, "12"]),
        (list[int], [[1]], [[None], 1]),
        (Mapping[str, int], [{}, {"a": 1}], [[], {"a": "b"}, None]),
    ],
)
def test_only_what_its_type_allows_comes_in(kind: Any, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert travel({"value": decode(kind, value)}) == {"value": value}
    for value in bad:
        with pytest.raises(WorldError) as caught:
            decode(kind, value)
        assert caught.value.code == "bad_request"


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (b'{"id": 9223372036854775807, "text": "99999999999999999999", "least": -9e15}', True),
        (b'{"id": 9223372036854775808}', False),
        (b'{"ids": [1, {"id": -9999999999999999999}]}', False),
        (b'{"id": ' + b"1" * 300 + b"}", False),
        (b'{"score": 1e999}', False),
        (b'{"path": "\\udcff"}', True),
        (b'{"\\udcff": "\xc3\xa4"}', True),
        pytest.param(b'{"path": "\\ud800"}', sys.platform == "win32"),
        pytest.param(b'{"\\ud800": 1}', sys.platform == "win32"),
    ],
)
def test_values_that_no_program_of_ours_writes_are_bad_requests(text: bytes, good: bool) -> None:
    value = from_json(text)
    if good:
        check_values(value)
        return
    with pytest.raises(WorldError) as caught:
        check_values(value)
    assert caught.value.code == "bad_request"


@dataclass(frozen=True)
class Picky:
    number: int

    def __post_init__(self) -> None:
        between("number", self.number, 1, 2)


def test_the_checks_of_a_type_raise_their_own_error() -> None:
    with pytest.raises(WorldError) as caught:
        decode(Picky, {"number": 3})
    assert caught.value.reason == "number must be between 1 and 2"


def test_a_value_of_numpy_crosses_as_the_number_that_it_is() -> None:
    assert travel({"score": np.float64(0.25)}) == {"score": 0.25}


def test_a_type_that_cannot_cross_is_a_fault_of_ours() -> None:
    with pytest.raises(TypeError):
        encode(object())


# Declared when their modules are imported.
KINDS = [Request.kinds[each.wire_name] for module in (requests, models)
         for each in vars(module).values() if isinstance(each, type) and issubclass(each, Request)
         and each is not Request]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_request_of_an_engine_has_a_queue(kind: Any) -> None:
    assert isinstance(kind.queue, Queue)


@pytest.mark.parametrize("kind", [*KINDS, *PageRequest.kinds.values()])
def test_every_request_and_answer_can_cross(kind: Any) -> None:
    with pytest.raises(WorldError):
        decode(kind, 1)
    with pytest.raises(WorldError):
        decode(kind.answer, object())
    assert not {"type", "id"} & {field.name for field in structs.fields(kind)}


@pytest.mark.parametrize("kind", [list, dict])
def test_values_nested_more_deeply_than_python_calls_are_checked(kind: type[Any]) -> None:
    value: Any = 2**70
    for _level in range(2 * sys.getrecursionlimit()):
        value = [value] if kind is list else {"a": value}
    with pytest.raises(WorldError, match="64 bits"):
        check_values(value)
