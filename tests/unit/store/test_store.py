"""The facade: what is written is found, fetched and deleted."""

from __future__ import annotations

import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.database import Database
from indexer.store import vectors as vectors_module
from indexer.store import word_queries
from indexer.store.store import Store
from indexer.store.values import MAX_ORDINAL, NO_KEYS, DocSet, Term, VectorRows, Without, key_of
from indexer.store.vectors import vectors_name
from indexer.text.terms import MAX_LENGTH
from tests.store_rows import DIMENSION, passage, phrases, rows, vector_for, vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPACE = "tiny/int8 v1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "index", threads=2)
    yield opened
    opened.close()


def fill(store: Store) -> None:
    store.add_passages(
        rows(1, ["the quick brown fox", "to be or not to be"])
        + rows(2, ["lazy dogs sleep", "我们在北京的大学学习中文"])
    )
    store.add_vectors(SPACE, vectors(1, [0, 1]))
    store.add_vectors(SPACE, vectors(2, [0, 1]))


def test_an_empty_store_finds_nothing(store: Store) -> None:
    assert len(store.knn(SPACE, vector_for(1, 0), 5)) == 0
    assert len(store.match([Term("fox")], 5)) == 0
    assert len(store.phrases(phrases("the fox"), 5)) == 0
    assert store.texts.counts([1, 2]) == {1: 0, 2: 0}
    assert store.texts.passages(np.array([5], np.int64)) == {}
    assert store.vectors_of(SPACE, np.array([5], np.int64)).shape == (1, 0)


def test_the_directory_is_for_its_owner_only(store: Store, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / "index").stat().st_mode) == 0o700


def test_nothing_to_write_makes_no_table(store: Store) -> None:
    keys = np.array([key_of(1, 0)], np.int64)
    store.add_passages([])
    store.add_vectors(SPACE, vectors_of_none())
    store.copy_vectors(SPACE, keys, keys)
    assert store.vectors == {}
    assert store.vector_counts(SPACE, [1]) == {1: 0}
    assert len(store.keys_with_vectors(SPACE, 1)) == 0


def vectors_of_none() -> VectorRows:
    nothing = np.empty((0, DIMENSION), np.float32)
    return VectorRows(NO_KEYS, nothing, nothing, np.zeros(1, np.int64))


def test_a_passage_whose_ordinal_fits_no_key_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="ordinal"):
        store.add_passages(rows(1, ["too far"], first=MAX_ORDINAL + 1))
    assert store.texts.counts([1]) == {1: 0}


def test_nothing_to_look_for_finds_nothing(store: Store) -> None:
    fill(store)
    assert len(store.match([], 5)) == 0
    gone = np.array([key_of(9, 0)], np.int64)
    assert store.bm25_of(gone, [Term("fox")]).tolist() == [0.0]
    assert store.bm25_of(np.array([key_of(1, 0)], np.int64), []).tolist() == [0.0]


def test_a_store_that_is_only_read_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        Store.open(tmp_path / "index", threads=1, writable=False)
    assert caught.value.code == "library_damaged"
    assert not (tmp_path / "index").exists()


def test_a_file_whose_making_was_cut_short_is_no_obstacle(store: Store, tmp_path: Path) -> None:
    fill(store)
    begun = tmp_path / "index" / "vectors_begun.sqlite"
    Database(begun, vectors_module.LAYOUT).close()
    reader = Store.open(tmp_path / "index", threads=1, writable=False)
    assert reader.texts.counts([1]) == {1: 2}
    reader.close()
    assert begun.exists()  # whoever only reads leaves it
    Store.open(tmp_path / "index", threads=1).close()
    assert not begun.exists()


def test_passages_are_found_by_words_at_once(store: Store) -> None:
    fill(store)
    assert store.match([Term("fox")], 5).keys.tolist() == [key_of(1, 0)]
    assert store.phrases(phrases("FOX"), 5).keys.tolist() == [key_of(1, 0)]
    assert store.phrases(phrases("北京"), 5).keys.tolist() == [key_of(2, 1)]


def test_phrases_hold_word_for_word(store: Store) -> None:
    fill(store)
    assert store.phrases(phrases("to be or not to be"), 5).keys.tolist() == [key_of(1, 1)]
    assert store.phrases(phrases("大学学习"), 5).keys.tolist() == [key_of(2, 1)]
    assert len(store.phrases(phrases("be to"), 5)) == 0


def test_nearest_passages_come_with_their_cosine(store: Store) -> None:
    fill(store)
    found = store.knn(SPACE, vector_for(2, 0), 4)
    assert found.keys[0] == key_of(2, 0)
    assert found.scores[0] == pytest.approx(1.0, abs=1e-3)
    every = np.stack([vector_for(doc, n) for doc in (1, 2) for n in (0, 1)])
    expected = np.sort(every @ vector_for(2, 0))[::-1]
    np.testing.assert_allclose(found.scores, expected, atol=2e-3)


def test_a_filter_keeps_documents_in_or_out(store: Store) -> None:
    fill(store)
    assert set(store.knn(SPACE, vector_for(2, 0), 4, DocSet.from_docs([1])).keys >> 20) == {1}
    out = DocSet.from_docs([1], allowed=False)
    assert set(store.knn(SPACE, vector_for(2, 0), 4, out).keys >> 20) == {2}
    assert len(store.match([Term("fox")], 5, out)) == 0
    assert len(store.phrases(phrases("quick brown"), 5, DocSet.from_docs([2]))) == 0
    assert len(store.knn(SPACE, vector_for(2, 0), 4, DocSet.from_docs([9]))) == 0


def test_vectors_are_fetched_in_the_order_asked(store: Store) -> None:
    fill(store)
    keys = np.array([key_of(2, 1), key_of(9, 9), key_of(1, 0), key_of(2, 1)], np.int64)
    fetched = store.vectors_of(SPACE, keys)
    expected = np.stack([vector_for(2, 1), np.zeros(DIMENSION), vector_for(1, 0), vector_for(2, 1)])
    np.testing.assert_allclose(fetched, expected, atol=1e-3)
    flat, offsets = store.sentence_vectors_of(SPACE, keys)
    assert offsets.tolist() == [0, 2, 2, 4, 6]
    np.testing.assert_allclose(flat[2], vector_for(1, 0), atol=1e-2)
    np.testing.assert_allclose(np.linalg.norm(flat, axis=1), 1.0, atol=1e-3)


def test_passages_come_back_as_they_went_in(store: Store) -> None:
    row = rows(3, ["x"])[0]
    original = passage(0, "A line-\nbreak.\r\nNext.", view="A linebreak. Next.")
    store.add_passages([type(row)(3, "t", "de", original)])
    (stored,) = store.texts.iter_passages([3])
    for name in ("ordinal", "page_first", "char_end", "heading_path", "text", "view",
                 "text_starts", "view_starts"):  # fmt: skip
        assert getattr(stored, name) == getattr(original, name)
    assert (stored.doc, stored.text_id, stored.language) == (3, "t", "de")
    key = np.array([stored.key], np.int64)
    assert store.texts.passages(key) == {stored.key: stored}


def test_passages_stream_in_order(store: Store) -> None:
    store.add_passages(rows(5, [f"word{i}" for i in range(300)]))
    store.add_passages(rows(4, ["one"]) + rows(5, [f"word{i}" for i in range(300)], first=300))
    ordinals = [(p.doc, p.ordinal) for p in store.texts.iter_passages([5, 4])]
    assert ordinals == [(5, i) for i in range(600)] + [(4, 0)]


def test_deleted_documents_never_appear(store: Store) -> None:
    fill(store)
    store.delete_docs([1])
    assert store.texts.counts([1, 2]) == {1: 0, 2: 2}
    assert len(store.match([Term("fox")], 5)) == 0
    assert len(store.phrases(phrases("to be"), 5)) == 0
    assert set(store.knn(SPACE, vector_for(1, 0), 9).keys >> 20) == {2}
    assert store.keys_with_vectors(SPACE, 1).tolist() == []
    assert store.verify() == []


def test_a_document_may_be_written_again(store: Store) -> None:
    fill(store)
    store.delete_docs([1])
    store.add_passages(rows(1, ["another fox"]))
    store.add_vectors(SPACE, vectors(1, [0]))
    assert store.match([Term("fox")], 5).keys.tolist() == [key_of(1, 0)]
    assert store.keys_with_vectors(SPACE, 1).tolist() == [key_of(1, 0)]
    assert store.verify() == []


def test_vectors_without_a_passage_are_told(store: Store) -> None:
    fill(store)
    store.add_vectors(SPACE, vectors(1, [0]))
    assert store.verify() == []
    store.add_vectors(SPACE, vectors(8, [0]))
    assert len(store.verify()) == 1


def test_bm25_of_given_passages_is_that_of_the_search(store: Store) -> None:
    store.add_passages(rows(1, [f"fox number {i} " + "and more " * i for i in range(30)]))
    terms = [Term("fox"), Term("more", 2.0)]
    found = store.match(terms, 30)
    keys = np.concatenate([found.keys[::-1], [key_of(7, 7)]])
    scores = store.bm25_of(keys, terms)
    np.testing.assert_allclose(scores, [*found.scores[::-1], 0.0], rtol=1e-5)


def test_excluded_words_keep_passages_out(store: Store) -> None:
    store.add_passages(rows(1, ["brown fox", "brown bear", "brown fox and bear"]))
    found = store.match([Term("brown")], 9, without=Without(frozenset({"bear"}), ("en",)))
    assert found.keys.tolist() == [key_of(1, 0)]


def test_spaces_stand_side_by_side(store: Store) -> None:
    fill(store)
    store.add_vectors("other", vectors(1, [0]))
    assert store.keys_with_vectors("other", 1).tolist() == [key_of(1, 0)]
    store.drop_vectors(vectors_name(SPACE))
    assert len(store.knn(SPACE, vector_for(1, 0), 5)) == 0
    assert len(store.knn("other", vector_for(1, 0), 5)) == 1


def test_another_dimension_is_refused(store: Store) -> None:
    fill(store)
    made = vectors(3, [0])
    wrong = type(made)(made.keys, made.vectors[:, :8], made.sentences, made.offsets)
    with pytest.raises(ValueError, match="32 dimensions"):
        store.add_vectors(SPACE, wrong)


def test_everything_is_there_after_opening_again(store: Store, tmp_path: Path) -> None:
    fill(store)
    store.close()
    again = Store.open(tmp_path / "index", threads=2)
    assert again.match([Term("fox")], 5).keys.tolist() == [key_of(1, 0)]
    assert again.knn(SPACE, vector_for(2, 1), 1).keys.tolist() == [key_of(2, 1)]
    again.close()


def test_a_phrase_without_spaces_is_found_wherever_it_is_cut(store: Store) -> None:
    fill(store)
    store.add_passages(rows(3, ["学习中国的历史"]))
    asked = phrases("学习中")
    assert set(store.phrases(asked, 9).keys.tolist()) == {key_of(2, 1), key_of(3, 0)}
    assert store.phrases(asked, 9, DocSet.from_docs([3])).keys.tolist() == [key_of(3, 0)]
    assert store.phrases(phrases("京的大"), 1).keys.tolist() == [key_of(2, 1)]
    assert store.phrases(phrases("京"), 9).keys.tolist() == [key_of(2, 1)]


def test_a_passage_has_all_phrases_each_in_one_way_to_write_it(store: Store) -> None:
    store.add_passages(rows(1, ["a fox and a hen", "a fox and the geese", "a hen and the geese"]))
    wanted = phrases("a fox", "the fox") + phrases("the hen", "the geese")
    assert store.phrases(wanted, 9).keys.tolist() == [key_of(1, 1)]
    assert len(store.phrases([], 9)) == len(store.phrases(wanted, 0)) == 0


def test_a_long_phrase_is_compared_to_its_end(store: Store) -> None:
    text = " ".join(f"word{at}" for at in range(900))
    store.add_passages(rows(1, [text, text.replace("word890", "other")]))
    store.maintain(idle=True)
    assert store.phrases(phrases(text), 9).keys.tolist() == [key_of(1, 0)]


def test_of_very_many_passages_with_a_phrase_the_best_are_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_queries, "_LEAST_READ", 2)
    texts = [f"of the fox {'and the other one ' * (i % 7)}" for i in range(60)]
    store.add_passages(rows(1, [*texts, "the fox of"]))
    every = store.phrases(phrases("of the fox"), 99)
    assert sorted(every.keys.tolist()) == [key_of(1, i) for i in range(60)]
    assert np.all(np.diff(every.scores) <= 0)
    best = store.phrases(phrases("of the fox"), 5)
    assert (best.keys.tolist(), best.scores.tolist()) == (
        every.keys[:5].tolist(), every.scores[:5].tolist()
    )  # fmt: skip


def test_long_words_are_found(store: Store) -> None:
    digest = "0123456789abcdef" * 4
    store.add_passages(rows(1, [f"the digest {digest} is good", "the digest is bad"]))
    assert store.phrases(phrases(f"digest {digest} is"), 9).keys.tolist() == [key_of(1, 0)]
    assert store.match([Term(digest[:MAX_LENGTH])], 9).keys.tolist() == [key_of(1, 0)]


@pytest.mark.parametrize("text", ["", " ", "'", '"', "%", "。", "a' OR 1=1 --", "北'x"])
def test_odd_phrases_find_nothing_and_do_no_harm(store: Store, text: str) -> None:
    fill(store)
    assert len(store.phrases(phrases(text), 9)) == 0


def test_a_library_without_an_index_of_vectors_loads_no_lancedb(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.unit.store.test_store import *;"
        "store = Store.open(Path(sys.argv[1]) / 'index', threads=1); fill(store);"
        "store.maintain(idle=True); assert len(store.knn(SPACE, vector_for(1, 0), 5)) == 4;"
        "print({'lancedb', 'pyarrow', 'pydantic'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
