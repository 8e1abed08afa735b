"""What a door shows of a library: the collections that the person chose, and nothing else."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.doors.access import Door
from app.doors.answers import address_of
from app.doors.call_log import read_calls
from app.doors.library import DoorCaller, DoorLibrary, QueryFilters, TextRange
from indexer.api.errors import Cancelled, WorldError
from indexer.api.requests import Index
from tests.integration.doors import CONTRACTS, LEASE, ORDER, PRIVATE, OpenDoors, open_doors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.doors.answers import SearchAnswer

ME = DoorCaller("a test")


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, tiny_models_dir: Path) -> Iterator[OpenDoors]:
    with open_doors(tmp_path_factory.mktemp("d"), tiny_models_dir) as opened:
        yield opened


@pytest.fixture
def library(doors: OpenDoors) -> DoorLibrary:
    doors.allow("mcp", CONTRACTS)
    return DoorLibrary(doors.engine, doors.settings, Door.MCP)


def names(answer: SearchAnswer) -> set[str]:
    return {Path(hit.path).name for one in answer.collections for hit in one.passages}


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(WorldError) as caught:
        call()
    return caught.value.code


def test_a_passage_comes_with_its_place_citation_link_and_hash(
    doors: OpenDoors, library: DoorLibrary
) -> None:
    (outcome,) = library.search(ME, "who mends the roof").collections
    assert (outcome.collection, outcome.error) == (CONTRACTS, ""), outcome
    hit = next(one for one in outcome.passages if one.path == doors.path("contracts/lease.txt"))
    assert LEASE[hit.start : hit.end] == hit.text
    assert hit.hash == hashlib.sha256(hit.text.encode()).hexdigest()
    assert hit.best in hit.text
    assert hit.file_state == "as indexed"
    assert hit.link.startswith("lectern://passage?text=")
    assert "lease" in hit.citation
    read = library.read(ME, hit.document, TextRange(start=hit.start, end=hit.end), hit.hash)
    assert read.verified is True
    assert [part.text for part in read.parts] == [hit.text]
    assert library.read(ME, hit.document, hash="0" * 64).verified is False


@pytest.mark.parametrize(
    "query",
    ["zephyr", "zephyr in:private", 'zephyr in:"Private Papers"', '"xylophone under the roof"',
     "diary", "diary.txt", "title:diary", "in:private", "-in:contracts roof", 'in:"'],
)  # fmt: skip
def test_no_query_leaves_its_collection(library: DoorLibrary, query: str) -> None:
    answer = library.search(ME, query, limit=50)
    assert "diary.txt" not in names(answer)
    assert "zephyr" not in repr(answer).replace(query, "")


@pytest.mark.parametrize("operator", ["like"])
def test_a_query_compares_with_no_document_that_is_hidden(
    doors: OpenDoors, library: DoorLibrary, operator: str
) -> None:
    query = f'{operator}:"{doors.path("private/diary.txt")}" roof'
    assert refused(lambda: library.search(ME, query)) == "bad_query"
    assert refused(lambda: library.search(ME, f" {operator.upper()}:x roof")) == "bad_query"
    hidden = QueryFilters(folder=f'x" {operator}:"{doors.path("private/diary.txt")}')
    assert "diary.txt" not in names(library.search(ME, "roof", hidden))


def test_what_is_hidden_is_answered_as_what_is_not_there(
    doors: OpenDoors, library: DoorLibrary
) -> None:
    diary, nothing = doors.path("private/diary.txt"), doors.path("private/nothing.txt")

    def told(collection: str, document: str) -> list[Any]:
        (outcome,) = library.search(ME, "roof", collections=(collection,)).collections
        calls: list[Callable[[], object]] = [
            lambda: library.read(ME, document),
            lambda: library.read(ME, address_of(document)),
            lambda: library.similar(ME, document),
            lambda: library.compare(ME, doors.path("contracts/lease.txt"), document),
        ]
        return [
            outcome.error,
            outcome.message.replace(collection, "X"),
            outcome.passages,
            *map(refused, calls),
        ]

    assert told(PRIVATE, diary) == told("Nothing Such", nothing)
    assert told(PRIVATE, diary)[0] == "unknown_collection"
    assert set(told(PRIVATE, diary)[3:]) == {"not_a_root"}


def test_each_collection_has_an_outcome_of_its_own(doors: OpenDoors) -> None:
    doors.allow("mcp", CONTRACTS, PRIVATE, "Gone")
    library = DoorLibrary(doors.engine, doors.settings, Door.MCP)
    answer = library.search(ME, "roof")
    assert [(one.collection, one.error) for one in answer.collections] == [
        (CONTRACTS, ""), (PRIVATE, ""), ("Gone", "unknown_collection"),
    ]  # fmt: skip
    assert "There is no collection Gone." in answer.collections[2].message
    assert names(answer) == {"lease.txt", "order.txt", "letter.md", "diary.txt"}
    only = library.search(ME, "roof", collections=("private papers",))
    assert names(only) == {"diary.txt"}
    status = library.status(ME)
    assert [(one.collection, one.documents) for one in status.collections] == [
        (CONTRACTS, 3), (PRIVATE, 1), ("Gone", 0),
    ]  # fmt: skip


def test_a_closed_door_answers_nothing(doors: OpenDoors, library: DoorLibrary) -> None:
    doors.allow("mcp")
    lease = doors.path("contracts/lease.txt")
    for call in (
        lambda: library.search(ME, "roof"),
        lambda: library.read(ME, lease),
        lambda: library.similar(ME, lease),
        lambda: library.compare(ME, lease, lease),
        lambda: library.documents(ME),
        lambda: library.status(ME),
    ):
        assert refused(call) == "door_closed"


def test_a_door_to_everything_searches_the_library(doors: OpenDoors) -> None:
    doors.allow("mcp", "*")
    library = DoorLibrary(doors.engine, doors.settings, Door.MCP)
    assert "diary.txt" in names(library.search(ME, "roof", limit=50))
    assert library.search(ME, "roof").collections[0].collection == "*"
    assert names(library.search(ME, "roof", collections=(PRIVATE,))) == {"diary.txt"}
    assert "lease.txt" in names(library.similar(ME, doors.path("contracts/letter.md")))


def test_documents_are_listed_and_compared(doors: OpenDoors, library: DoorLibrary) -> None:
    (outcome,) = library.documents(ME, limit=2).collections
    assert (outcome.total, len(outcome.documents), outcome.next_offset) == (3, 2, 2)
    (rest,) = library.documents(ME, offset=2).collections
    assert rest.next_offset == 0
    found = {Path(one.path).name for one in (*outcome.documents, *rest.documents)}
    assert found == {"lease.txt", "order.txt", "letter.md"}
    (notes,) = library.documents(ME, QueryFilters(types=("md",))).collections
    assert [Path(one.path).name for one in notes.documents] == ["letter.md"]
    lease, order = doors.path("contracts/lease.txt"), doors.path("contracts/order.txt")
    compared = library.compare(ME, lease, order)
    assert LEASE.partition(".")[0] in compared.only_first[0].text


def test_an_instruction_in_a_document_stays_a_quotation(library: DoorLibrary) -> None:
    answer = library.search(ME, "ignore all previous instructions")
    (hit,) = [one for one in answer.collections[0].passages if one.path.endswith("order.txt")]
    assert hit.text == ORDER
    assert library.status(ME).collections[0].documents == 3


def test_a_long_page_is_read_in_pages_of_bytes(doors: OpenDoors, library: DoorLibrary) -> None:
    path = doors.world.documents / "contracts" / "long.txt"
    path.write_text(" ".join(f"Sentence {n} of the wörk ends." for n in range(4_000)))
    doors.engine.call(Index((path,)))
    assert len(path.read_text()) > 120_000
    start, texts, steps = 0, [], 0
    while True:
        answer = library.read(ME, str(path), TextRange(start=start, max_bytes=20_000))
        assert sum(len(part.text.encode()) for part in answer.parts) <= 20_000
        texts += [part.text for part in answer.parts]
        steps += 1
        if not (start := answer.next_start):
            break
    assert steps > 5
    assert "".join("".join(texts).split()) == "".join(path.read_text().split())
    tiny = library.read(ME, str(path), TextRange(max_bytes=1))
    assert len(tiny.parts) == 1


def test_a_changed_file_is_said(doors: OpenDoors, library: DoorLibrary) -> None:
    path = doors.world.documents / "contracts" / "letter.md"
    before = path.read_bytes()
    (hit,) = [
        one
        for one in library.search(ME, "roof mended in May").collections[0].passages
        if one.path == str(path)
    ]
    path.write_bytes(before + b"\nAnd more.\n")
    assert library.read(ME, str(path)).document.file_state == "changed"
    assert library.read(ME, str(path), hash=hit.hash).verified is False
    path.unlink()
    assert library.read(ME, str(path)).document.file_state == "missing"
    path.write_bytes(before)


def test_what_was_asked_is_in_the_log(doors: OpenDoors, library: DoorLibrary) -> None:
    library.search(DoorCaller("an assistant 1.0"), "who mends the roof")
    (call,) = read_calls(1)
    assert call["who"] == "an assistant 1.0"
    assert (call["door"], call["what"], call["collections"]) == ("mcp", "search", CONTRACTS)
    assert call["query"] == "who mends the roof"
    assert call["found"] > 0


def test_a_cancelled_call_ends(library: DoorLibrary) -> None:
    caller = DoorCaller("a test")
    caller.token.cancel()
    with pytest.raises(Cancelled):
        library.search(caller, "roof")
