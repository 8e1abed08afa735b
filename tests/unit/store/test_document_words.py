"""The words of documents: as plain counting, and the same however they lie in file and memory."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.store import (
    derived,
    derived_upkeep,
    document_counting,
    document_parts,
    postings,
    sorted_words,
)
from indexer.store.document_counting import counted, joined
from indexer.store.document_counts import Part
from indexer.store.document_words import DocumentWords, Placed
from indexer.store.maintenance import Thresholds
from indexer.store.store import Store
from indexer.text.terms import forms
from tests.store_rows import rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from indexer.store.values import Float32s

LETTERS = [f"{first}{second}ed" for first in "abc" for second in "xyz"]
EACH = 6


def part_of(texts: Mapping[int, str]) -> Part:
    docs = np.array([*texts], np.int32)
    languages = pa.array(["en"] * len(texts))
    return Part.in_memory(counted(pa.array(texts.values(), pa.string()), docs, languages))


def words_of(part: Part) -> DocumentWords:
    return DocumentWords(part.docs, [Placed(part, part.docs)])


def check(words: DocumentWords, texts: Mapping[int, str]) -> None:
    """Compare all look-ups with plain counting."""
    counts = {doc: Counter(text.split()) for doc, text in texts.items()}
    frequency = Counter(word for one in counts.values() for word in one)
    stems = {stem for word in frequency for stem in forms(word, "en").stems}
    assert np.flatnonzero(words.lengths).tolist() == sorted(texts)
    assert [words.lengths[doc] for doc in texts] == [max(1, len(t.split())) for t in texts.values()]
    for group in (LETTERS[:1], LETTERS[1:4], ["none"]):
        expected = {doc: sum(one[word] for word in group) for doc, one in counts.items()}
        found = words.counts(group)
        assert {doc: found[doc] for doc in texts} == expected
    assert words.frequencies([*LETTERS, "none"]) == frequency
    for start in ("a", "bx", "bxedd"):
        ranked = sorted((w for w in frequency if w.startswith(start)), key=lambda w: -frequency[w])
        best = words.beginning(start, 2)
        assert [count for _, count in best] == [frequency[word] for word in ranked[:2]]
        assert all(frequency[word] == count for word, count in best)
    ending = {word: count for word, count in frequency.items() if word.endswith("yed")}
    assert dict(words.ending("yed", 9)) == ending
    assert words.stems_beginning("") >= stems
    (stem,) = forms("axed", "en").stems
    of = words.with_stems([stem, "none"])
    assert {word for word in of.get(stem, ()) if word in frequency} == {"axed"} & frequency.keys()


TEXTS = st.lists(st.lists(st.sampled_from(LETTERS), max_size=9).map(" ".join), max_size=12)


@given(TEXTS, st.integers(1, 4), st.sets(st.integers(0, 11)))
def test_parts_are_counted_joined_and_thinned_out(
    texts: list[str], count: int, gone: set[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in (
            (sorted_words, "TOGETHER", 2),
            (document_counting, "_JOINED", 5),
            (postings, "_TOGETHER", 3),
        ):
            patch.setattr(module, name, value)
        passages = dict(enumerate(texts, 1))
        # Each part has every so many words of all documents.
        split = [
            {doc: " ".join(text.split()[at::count]) for doc, text in passages.items()}
            for at in range(count)
        ]
        parts = [part_of(one) for one in split]
        kept = [~np.isin(one.docs, list(gone)) for one in parts]
        whole = Part.in_memory(joined(parts, kept))
        left = {doc: text for doc, text in passages.items() if doc not in gone}
        check(words_of(whole), left)
        there = np.array(sorted(left), np.int32)
        check(DocumentWords(there, [Placed(one, one.docs) for one in parts]), left)


def test_a_word_may_occur_any_number_of_times() -> None:
    whole = words_of(part_of({3: "axed " * 700, 5: "axed " * 255}))
    assert whole.counts(["axed"]).tolist() == [0, 0, 0, 700, 0, 255]
    assert whole.frequencies(["axed"]) == {"axed": 2}


def test_words_have_their_stems_in_each_language_they_occur_in() -> None:
    texts, docs = pa.array(["gifts", "gifts"]), np.array([1, 2], np.int32)
    words = words_of(Part.in_memory(counted(texts, docs, pa.array(["en", "de"]))))
    assert words.with_stems(["gift"]) == {"gift": {"gifts"}}
    assert words.frequencies(["gifts"]) == {"gifts": 2}


def test_words_of_which_a_stemmer_leaves_nothing_hide_no_others() -> None:
    texts, docs = pa.array(["οταν δρόμος"]), np.array([1], np.int32)
    assert forms("οταν", "el").stems == ("",)
    words = words_of(Part.in_memory(counted(texts, docs, pa.array(["el"]))))
    assert words.with_stems(["δρομ"]) == {"δρομ": {"δρομοσ"}}
    assert words.frequencies(["οταν"]) == {"οταν": 1}


def test_words_of_hyphenated_and_accented_text_are_folded() -> None:
    part = part_of({1: "An Élan-vital, 10-K and 1,234.5 (U.S.)"})
    found = [word for word, _ in part.words.between(0, len(part.words))]
    assert found == ["10", "10k", "1234.5", "an", "and", "elan", "elanvital", "k", "us", "vital"]


def opened(path: Path) -> Store:
    return Store.open(path / "lance", threads=1, thresholds=Thresholds(derived_from=1))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = opened(tmp_path)
    for doc in range(1, 5):
        made.add_passages(rows(doc, drawn(doc)))
    made.maintain(idle=True)
    yield made
    made.close()


def drawn(doc: int, count: int = EACH) -> list[str]:
    rng = np.random.default_rng(doc)
    return [" ".join(rng.choice(LETTERS, rng.integers(1, 9))) for _ in range(count)]


def whole(docs: Sequence[int]) -> dict[int, str]:
    return {doc: " ".join(drawn(doc)) for doc in docs}


def answers(store: Store) -> tuple[Any, ...]:
    words = store.document_words()
    counts: list[Float32s] = [words.counts([word]) for word in LETTERS]
    return (
        words.lengths.tolist(),
        [one.tolist() for one in counts],
        words.beginning("a", 9),
        words.ending("yed", 9),
        words.with_stems(forms("axed", "en").stems),
    )


def check_store(store: Store, docs: Sequence[int]) -> None:
    check(store.document_words(), whole(docs))
    before = answers(store)
    table = store.tables.passages
    file = table.files[document_parts.LAYOUT.name]
    store.document_words(without_file=True)
    alone = answers(store)
    table.files[document_parts.LAYOUT.name] = file
    assert before == alone == answers(store)


def test_rows_written_and_deleted_later_count_at_once(store: Store) -> None:
    file = store.tables.passages.files[document_parts.LAYOUT.name]
    check_store(store, [1, 2, 3, 4])
    store.add_passages(rows(9, drawn(9)[:2]))
    assert store.document_words().lengths[9] == len(" ".join(drawn(9)[:2]).split())
    store.add_passages(rows(9, drawn(9)[2:], first=2))
    check_store(store, [1, 2, 3, 4, 9])
    store.delete_docs([2, 9])
    check_store(store, [1, 3, 4])
    assert store.tables.passages.files[document_parts.LAYOUT.name] is file


def test_a_document_of_which_a_row_is_lost_is_counted_again(store: Store) -> None:
    table = store.tables.passages
    table.inner.delete("doc = 3 AND ordinal = 2")
    table.forget_rows()
    texts = whole([1, 2, 4]) | {3: " ".join(one for at, one in enumerate(drawn(3)) if at != 2)}
    check(store.document_words(), texts)


def test_counts_are_the_same_in_parts_that_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, value in (
        (derived_upkeep, "_MISSING", 0),
        (derived_upkeep, "_IDLE_TIMES", 1),
        (document_parts, "_BATCH", 4),
        (document_counting, "_JOINED", 9),
        (sorted_words, "TOGETHER", 3),
    ):
        monkeypatch.setattr(module, name, value)
    store, docs = opened(tmp_path), list[int]()
    counts = [1, 4, 2, 1, 3]
    for first, count in zip(accumulate(counts, initial=1), counts, strict=False):
        for doc in range(first, first + count):
            docs.append(doc)
            store.add_passages(rows(doc, drawn(doc)))
            check(store.document_words(), whole(docs))
        if count == 2:
            store.delete_docs([docs.pop(2)])
        store.maintain(idle=True)
        check_store(store, docs)
    assert 1 < len(store.tables.passages.files[document_parts.LAYOUT.name].parts) < len(counts)
    store.close()


def test_a_wrong_file_is_not_used_and_made_again(store: Store, tmp_path: Path) -> None:
    expected = answers(store)
    (path,) = (store.tables.passages.path / derived.FOLDER).glob("words-*.bin")
    content = path.read_bytes()
    altered = content[:-300] + bytes(200) + content[-100:]
    for wrong in (content[:-1], altered, b""):
        path.write_bytes(wrong)
        assert derived_upkeep.damaged(store.tables.passages.path)
        reader = Store.open(tmp_path / "lance", threads=1, writable=False)
        assert answers(reader) == expected
        assert document_parts.LAYOUT.name not in reader.tables.passages.files
        reader.tables.close()
    store.maintain(idle=True)
    store.tables.passages.documents = None
    assert answers(store) == expected
