"""The text store: what was written is read, and damage costs the document that it is in."""

from __future__ import annotations

import random
import sqlite3
import stat
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import database
from indexer.api.errors import WorldError
from indexer.api.types import Passage
from indexer.database import is_whole
from indexer.store import texts
from indexer.store.texts import TEXTS_NAME, Texts
from indexer.store.values import MAX_ORDINAL, PassageRow, key_of
from tests.store_rows import passage, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCS, EACH = 12, 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / TEXTS_NAME


@pytest.fixture
def store(path: Path) -> Iterator[Texts]:
    with closing(Texts(path)) as opened:
        yield opened


def written(doc: int, number: int) -> list[str]:
    """Texts that compress as prose does."""
    chance = random.Random(doc)
    words = [f"word{chance.randrange(10_000)}" for _ in range(400)]
    return [" ".join(chance.choices(words, k=120)) for _ in range(number)]


def fill(store: Texts) -> None:
    for doc in range(1, DOCS + 1):
        store.add_passages(rows(doc, written(doc, EACH)), [doc])


def read(store: Texts, doc: int) -> list[str]:
    return [one.text for one in store.iter_passages([doc])]


@given(
    text=st.text(st.characters(exclude_categories=["Cs"])),
    view=st.text(st.characters(exclude_categories=["Cs"])),
    starts=st.lists(st.integers(0, 2**31), max_size=5),
    path=st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=3),
    pages=st.lists(st.integers(7, 9), max_size=5),
)
def test_a_passage_comes_back_as_it_went_in(
    text: str, view: str, starts: list[int], path: list[str], pages: list[int]
) -> None:
    begins = tuple(starts)
    one = Passage(
        3, 7, 9, 5, 5 + len(text), tuple(path), text, view, begins, begins, text_pages=tuple(pages)
    )
    row = texts._packed(PassageRow(8, "id", "de", one))
    back = texts._passage(texts.StoredDocument("id", "de", 4), row)
    assert (back.doc, back.text_id, back.language, back.key) == (8, "id", "de", row.key)
    for name in Passage.__struct_fields__:
        if name != "stems":
            assert getattr(back, name) == getattr(one, name)


def test_a_text_that_differs_from_its_view_in_line_breaks_takes_hardly_more() -> None:
    view = written(1, 1)[0]
    row = texts._packed(PassageRow(1, "", "", passage(0, view.replace(" ", "\n", 9), view=view)))
    assert len(row.rest) < len(row.view) / 4


def test_documents_keys_and_counts(store: Texts, path: Path) -> None:
    fill(store)
    store.add_passages(rows(20, ["begun"]))
    store.add_passages(rows(20, ["goes on"], first=1))
    keys = store.keys()
    assert keys is store.keys()
    expected = [key_of(doc, at) for doc in range(1, DOCS + 1) for at in range(EACH)]
    assert keys.tolist() == [*expected, key_of(20, 0), key_of(20, 1)]
    assert store.counts([20, 99]) == {20: 2, 99: 0}
    assert store.documents()[20].complete == 0
    store.add_passages([], [20])
    numbers = [one.complete for one in store.documents().values()]
    assert numbers == sorted(set(numbers))
    before = store.documents()
    store.close()
    with closing(Texts(path)) as again:
        assert again.documents() == before
        assert again.keys().tolist() == keys.tolist()
        again.delete_docs([20])
        again.add_passages(rows(21, ["later"]), [21])
        assert again.documents()[21].complete > max(numbers)


def test_what_is_deleted_is_gone_and_may_be_written_again(store: Texts) -> None:
    fill(store)
    store.passages(store.keys_of([2]))
    store.delete_docs([2, 77])
    assert read(store, 2) == []
    assert store.views(np.array([key_of(2, 0), key_of(3, 0)], np.int64)).keys() == {key_of(3, 0)}
    store.add_passages(rows(2, ["another"]), [2])
    assert read(store, 2) == ["another"]
    assert store.verify() == ([], [], 0)


def test_an_ordinal_that_is_not_the_next_one_is_refused_and_nothing_is_written(
    store: Texts,
) -> None:
    for first in (1, MAX_ORDINAL + 1):
        with pytest.raises(ValueError, match="ordinal"):
            store.add_passages(rows(1, ["too far"], first=first))
    assert store.documents() == {}


def test_missing_passages_are_left_out(store: Texts) -> None:
    fill(store)
    key = key_of(1, 3)
    keys = np.array([key, key_of(9, 999)], np.int64)
    (found,) = store.passages(keys).values()
    assert (found.key, found.page_first, found.language) == (key, 4, "en")
    assert store.views(keys) == {key: found.view}


def test_only_the_owner_reads_it_and_a_reader_writes_nothing(store: Texts, path: Path) -> None:
    fill(store)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    store.close()
    with closing(Texts(path, WorldError("library_read_only", library="l"))) as reader:
        assert len(read(reader, 1)) == EACH
        with pytest.raises(WorldError) as caught:
            reader.add_passages(rows(50, ["no"]))
    assert caught.value.code == "library_read_only"


def test_free_pages_go_back_to_the_file_system(
    store: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_FREE_PAGES", 4)
    fill(store)
    assert not store.shrink()
    store.delete_docs(range(1, DOCS))
    before = store.size()
    assert store.shrink()
    after = store.size()
    assert after.live <= before.live < before.total
    assert after.rows == EACH
    assert store.verify() == ([], [], 0)


def change_row(path: Path, key: int, sql: str) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(" ".join(("UPDATE passages SET", sql, "WHERE key = ?")), (key,))


@pytest.mark.parametrize(
    "sql", ["view = zeroblob(length(view))", "rest = x''", "crc = crc + 1", "key = key + 1000"]
)
def test_a_row_that_is_not_as_it_was_written_is_left_out_and_its_document_noted(
    store: Texts, path: Path, sql: str
) -> None:
    fill(store)
    key = key_of(3, 7)
    change_row(path, key, sql)
    assert key not in store.views(store.keys_of([3]))
    assert store.damaged_docs() == [3]
    assert read(store, 3) == [text for at, text in enumerate(written(3, EACH)) if at != 7]
    store.close()
    with closing(Texts(path)) as again:
        assert again.damaged_docs() == [3]
        assert again.verify()[1] == [3]


def test_rows_of_no_document_are_found_and_taken_out(store: Texts, path: Path) -> None:
    fill(store)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DELETE FROM documents WHERE doc = 4")
    store.close()
    with closing(Texts(path)) as again:
        assert again.verify()[2] == EACH
        again.rebuild()
        assert again.verify() == ([], [], 0)
        assert sorted(again.documents()) == [1, 2, 3, *range(5, DOCS + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_flipped_bytes_cost_the_documents_they_are_in(path: Path, seed: int) -> None:
    """Nothing wrong is ever read, and the file is whole once it is rebuilt."""
    with closing(Texts(path)) as store:
        fill(store)
    content, chance = bytearray(path.read_bytes()), random.Random(seed)
    for _ in range(3):
        content[chance.randrange(100, len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    with suppress(WorldError), closing(Texts(path)) as store:
        for doc in range(1, DOCS + 1):
            assert set(read(store, doc)) <= set(written(doc, EACH))
        store.verify()
    list(texts.make_openable(path))
    assert is_whole(path)
    check_rebuilt(path, most_lost=3)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_of_a_file_that_was_cut_short_the_rest_is_kept(path: Path, share: float) -> None:
    with closing(Texts(path)) as store:
        fill(store)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share) // 4096 * 4096])
    said = list(texts.make_openable(path))
    assert "were damaged" in said[0]
    assert is_whole(path)
    check_rebuilt(path, most_lost=DOCS - int(DOCS * share) + 2)
    assert list(texts.make_openable(path)) == []


def check_rebuilt(path: Path, most_lost: int) -> None:
    with closing(Texts(path)) as again:
        whole = [doc for doc in range(1, DOCS + 1) if read(again, doc) == written(doc, EACH)]
        assert len(whole) >= DOCS - most_lost
        known = again.documents()
        assert all(known[doc].damaged for doc in known if doc not in whole)
        again.add_passages(rows(99, ["goes on"]), [99])
        assert read(again, 99) == ["goes on"]


def test_a_file_of_something_else_is_made_anew(path: Path) -> None:
    path.write_bytes(b"These are not the bytes of texts. " * 1000)
    with pytest.raises(WorldError) as caught:
        Texts(path)
    assert caught.value.code == "library_damaged"
    assert list(texts.make_openable(path))
    with closing(Texts(path)) as again:
        assert again.documents() == {}


def test_it_is_rebuilt_while_others_read(store: Texts) -> None:
    fill(store)
    reading = store.iter_passages(range(1, DOCS + 1))
    first = [next(reading) for _ in range(10)]
    store.rebuild()
    assert [one.text for one in [*first, *reading]] == [
        text for doc in range(1, DOCS + 1) for text in written(doc, EACH)
    ]
