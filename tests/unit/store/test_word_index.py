"""BM25 from our own postings: as a plain reference, as LanceDB, and the same however they lie."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.store import derived, derived_upkeep, postings, word_index, word_parts
from indexer.store.maintenance import Thresholds
from indexer.store.store import Store
from indexer.store.values import DocSet, PassageRow, Term, Without, docs_of, key_of
from tests.store_rows import passage, phrases, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

DOCS, EACH = 9, 40
TERMS = [
    [Term("w0"), Term("w3", 0.5), Term("w17", 0.25)],
    [Term("w1 w2"), Term("w39"), Term("w39"), Term("no-such-stem")],
    [Term("w25", 0.7)],
]


def drawn(doc: int, count: int = EACH) -> list[str]:
    """Stems of passages: some in nearly all of them, some in few, and one passage without any."""
    rng = np.random.default_rng(doc)
    numbers = [rng.zipf(1.3, rng.integers(1, 60)) % 40 for _ in range(count)]
    return ["", *(" ".join(f"w{number}" for number in one) for one in numbers[1:])]


def add(store: Store, doc: int, stems: Sequence[str]) -> None:
    store.add_passages(
        [
            PassageRow(doc, f"text-{doc}", "en", passage(at, f"view {at}", stems=one or " "))
            for at, one in enumerate(stems)
        ]
    )


def opened(path: Path) -> Store:
    return Store.open(path / "lance", threads=1, thresholds=Thresholds(derived_from=1))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = opened(tmp_path)
    for doc in range(1, DOCS + 1):
        add(made, doc, drawn(doc))
    made.maintain(idle=True)
    yield made
    made.close()


def everything(docs: Sequence[int]) -> dict[int, str]:
    return {key_of(doc, at): one for doc in docs for at, one in enumerate(drawn(doc))}


def reference(rows: Mapping[int, str], terms: Sequence[Term]) -> dict[int, float]:
    """BM25 by its definition, of the rows that have any of the terms."""
    counts = {key: Counter(stems.split()) for key, stems in rows.items()}
    filled = sum(one.total() > 0 for one in counts.values())
    mean = sum(one.total() for one in counts.values()) / filled
    scores: dict[int, float] = defaultdict(float)
    for term in terms:
        for text in term.text.split():
            having = [key for key, one in counts.items() if one[text]]
            idf = math.log(1 + (filled - len(having) + 0.5) / (len(having) + 0.5))
            for key in having:
                times, length = counts[key][text], counts[key].total()
                norm = 1.2 * (0.25 + 0.75 * length / mean)
                scores[key] += term.weight * idf * 2.2 * times / (times + norm)
    return scores


def check(store: Store, rows: Mapping[int, str]) -> None:
    """Compare all searches with the reference."""
    for terms in TERMS:
        expected = reference(rows, terms)
        found = store.match(terms, 10_000)
        assert sorted(found.keys.tolist()) == sorted(expected)
        assert np.all(np.diff(found.scores) <= 0)
        wanted = [expected[key] for key in found.keys.tolist()]
        np.testing.assert_allclose(found.scores, wanted, rtol=1e-5)
        asked = np.array([*rows, key_of(99, 9)])
        np.testing.assert_allclose(
            store.bm25_of(asked, terms), [expected.get(key, 0.0) for key in asked], rtol=1e-5
        )
        for count in (1, 5):
            best = store.match(terms, count)
            assert best.keys.tolist() == found.keys[:count].tolist()
        only = DocSet.from_docs([2, 3, 50])
        inside = found.kept(only.keeps(docs_of(found.keys)))
        assert store.match(terms, 7, only).keys.tolist() == inside.keys[:7].tolist()


def exact(store: Store) -> list[Any]:
    """The results of all searches, bit by bit."""
    found = [store.match(terms, 10_000) for terms in TERMS]
    return [(one.keys.tolist(), one.scores.tobytes()) for one in found]


def same_without(store: Store) -> bool:
    """Whether every score has the same bits if all postings are made from the table."""
    table = store.tables.passages
    file = table.files[word_parts.LAYOUT.name]
    before = exact(store)
    assert table.files[word_parts.LAYOUT.name] is file
    table.forget_file(word_parts.LAYOUT)
    alone = exact(store)
    table.files[word_parts.LAYOUT.name] = file
    return before == alone == exact(store)


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=30))
def test_postings_are_those_of_the_rows_also_packed_and_merged(rows: list[list[str]]) -> None:
    half = len(rows) // 2
    texts = [" ".join(one) for one in rows]
    parts = [postings.invert(pa.array(part, pa.string())) for part in (texts[:half], texts[half:])]
    whole = postings.merged([one for one, _ in parts], [0, half])
    lengths = np.concatenate([counted for _, counted in parts])
    assert lengths.tolist() == [len(one) for one in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings, "_TOGETHER", 7)
        patch.setattr(postings, "_DENSE", 3)
        blocks = list(postings.packed(whole, 0)) if len(whole.stems) else []
        dense = list(postings.packed(whole, 0, len(rows))) if len(whole.stems) else []
    for text in "abcde":
        stem = postings.stem_of(text)
        expected = [(at, one.count(text)) for at, one in enumerate(rows) if text in one]
        read = [postings.unpacked(*block) for block in blocks]
        every = [postings.unpacked(*block) for block in dense]
        for several in ([whole], read, [one.postings() for one in read], every):
            found = [one.of(stem).listed() for one in several]
            pairs = [pair for at, times in found for pair in zip(at, times, strict=True)]
            assert pairs == expected


def test_what_is_kept_of_a_stem_keeps_no_other() -> None:
    whole, _ = postings.invert(pa.array(["a b c"] * 3))
    (block,) = postings.packed(whole, 0)
    assert postings.unpacked(*block).of(postings.stem_of("b")).times.base is None


def test_a_stem_that_is_often_repeated_is_counted_255_times() -> None:
    found, lengths = postings.invert(pa.array(["a " * 300]))
    assert (found.times.tolist(), lengths.tolist()) == ([255], [300])


def test_scores_are_bm25(store: Store) -> None:
    rows = everything(range(1, DOCS + 1))
    check(store, rows)
    assert same_without(store)


def test_scores_are_the_same_whichever_of_two_lists_is_asked_for_first(store: Store) -> None:
    add(store, 20, drawn(20))
    store.delete_docs([3])
    question, context = TERMS[0], [Term("w5"), Term("w1", 0.5)]

    def found(terms: Sequence[Term]) -> bytes:
        return store.match(terms, 10_000).scores.tobytes()

    began = found(question), found([*question, *context])
    store.tables.passages.words = None
    assert (found([*question, *context]), found(question)) == began[::-1]
    check(store, everything([one for one in range(1, DOCS + 1) if one != 3] + [20]))


def test_scores_are_those_of_lancedb(store: Store) -> None:
    from lancedb.index import FTS
    from lancedb.query import MatchQuery

    inner = store.tables.passages.inner
    plain = FTS(base_tokenizer="whitespace", lower_case=False, ascii_folding=False,
                stem=False, remove_stop_words=False)  # fmt: skip
    inner.create_index("stems", config=plain)
    query = MatchQuery("w0 w3 w17 w39", "stems")
    table = store.tables.passages
    theirs = table.search(lambda empty: empty.nearest_to_text(query).limit(10_000), "_score")
    ours = store.match([Term(text) for text in ("w0", "w3", "w17", "w39")], 10_000)
    assert sorted(ours.keys.tolist()) == sorted(theirs.keys.tolist())
    np.testing.assert_allclose(
        ours.scores[np.argsort(ours.keys)], theirs.scores[np.argsort(theirs.keys)], rtol=1e-4
    )


def test_rows_written_and_deleted_later_count_at_once(store: Store) -> None:
    table = store.tables.passages
    file = table.files[word_parts.LAYOUT.name]
    for doc in (20, 21, 22):
        add(store, doc, drawn(doc))
        check(store, everything([*range(1, DOCS + 1), *range(20, doc + 1)]))
    store.delete_docs([3, 21])
    left = everything([one for one in (*range(1, DOCS + 1), 20, 22) if one != 3])
    check(store, left)
    assert same_without(store)
    add(store, 3, ["w0 w0", "w39"])  # the keys are there again, with other stems
    check(store, {**left, key_of(3, 0): "w0 w0", key_of(3, 1): "w39"})
    assert same_without(store)
    assert table.files[word_parts.LAYOUT.name] is file
    table.inner.optimize()
    store.maintain(idle=True)
    assert table.files[word_parts.LAYOUT.name].parts == file.parts
    assert same_without(store)


def test_scores_are_the_same_in_parts_that_are_merged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, value in (
        (derived_upkeep, "_MISSING", 0),
        (derived_upkeep, "_IDLE_TIMES", 1),
        (word_parts, "_MERGED_AT_ONCE", 64),
        (word_parts, "BATCH", 24),
        (word_index, "BATCH", 24),
        (word_index, "_AT_ONCE", 50),
        (word_index, "_GROUPED", 3),
        (postings, "_TOGETHER", 16),
    ):
        monkeypatch.setattr(module, name, value)
    store, docs = opened(tmp_path), list[int]()
    counts = [1, 6, 2, 1, 1, 1, 4, 1]
    for first, count in zip(accumulate(counts, initial=1), counts, strict=False):
        docs += range(first, first + count)
        for doc in docs[-count:]:
            add(store, doc, drawn(doc))
        if count == 4:
            store.delete_docs([docs.pop(2)])
        store.maintain(idle=True)
        check(store, everything(docs))
        assert same_without(store)
    file = store.tables.passages.files[word_parts.LAYOUT.name]
    assert [part.rows for part in file.parts] == [480, 160, 40]
    store.close()


def test_phrases_and_left_out_words_are_the_same_with_a_file_and_without(tmp_path: Path) -> None:
    store = opened(tmp_path)
    table = store.tables.passages
    texts = [
        "to be or not to be",
        "be to or not",
        "Not to Be: a naïve play",
        "学习中国的历史",
        "ภาษาไทย",
    ]
    without = Without(frozenset({"not"}), ("en",))

    def found() -> list[list[int]]:
        asked = (
            "to be",
            "be or",
            "or not",
            "not to be",
            "be",
            "习中",
            "中",
            "าษ",
            "naive",
            "to play",
        )
        hits = [store.phrases(phrases(one), 99).keys for one in asked]
        hits += [store.match([Term("be"), Term("学习")], 99, without=without).keys]
        return [sorted(one.tolist()) for one in hits]

    store.add_passages(rows(1, texts * 9))
    in_memory = found()
    assert all(in_memory[:-2])
    assert in_memory[-2:] == [[], [key_of(1, at) for at in range(3, 45, 5)]]
    store.maintain(idle=True)
    assert {layout.name for layout in table.layouts} == table.files.keys()
    assert found() == in_memory
    store.add_passages(rows(2, texts))
    store.delete_docs([1])
    later = found()
    assert list(map(len, later)) == [len(one) // 9 for one in in_memory]
    derived_upkeep.discard(table)
    assert found() == later
    store.close()


def test_pairs_of_words_are_few_enough_to_be_told_apart() -> None:
    text = [f"word{at % 50}" for at in range(200)] + ["", "北"]
    made = postings.invert_pairs([text, [], ["one"], ["word1", "word2"]])
    numbers = postings.pairs_of(["word1", "word2"])
    assert [made.of(one).listed()[0].tolist() for one in numbers] == [[0, 3]]
    assert set(postings.pairs_of(text)) == set(made.stems.tolist())
    assert postings.pairs_of(["one"]) == postings.pairs_of([]) == []


def test_the_file_is_made_while_there_is_other_work(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_MISSING", "_LAGGING"):
        monkeypatch.setattr(derived_upkeep, name, 50)
    add(store, 20, drawn(20))
    assert store.maintain().steps == ()
    add(store, 21, drawn(21))
    assert store.maintain().steps == ("passages: derived file written",)
    files = store.tables.passages.files
    assert files[word_parts.LAYOUT.name].rows == (DOCS + 2) * EACH
    assert files["rows"].rows == DOCS * EACH
    check(store, everything([*range(1, DOCS + 1), 20, 21]))


def test_of_a_table_of_any_size_the_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived_upkeep, "MOST_ROWS", EACH - 1)
    store = opened(tmp_path)
    add(store, 1, drawn(1))
    store.maintain(idle=True)
    made = [layout.name for layout in store.tables.passages.layouts if layout.always]
    assert list(store.tables.passages.files) == made
    store.close()


def test_a_wrong_file_is_not_used_and_made_again(store: Store, tmp_path: Path) -> None:
    expected = exact(store)
    table = store.tables.passages
    (path,) = (table.path / derived.FOLDER).glob("stems-*.bin")
    content = path.read_bytes()
    rotten = bytearray(content)
    rotten[-200:-100] = bytes(100)
    for wrong in (content[:-1], bytes(rotten), b""):
        path.write_bytes(wrong)
        assert derived_upkeep.damaged(table.path)
        reader = Store.open(tmp_path / "lance", threads=1, writable=False)
        if len(wrong) != len(content):
            assert word_parts.LAYOUT.name not in reader.tables.passages.files
            assert exact(reader) == expected
        reader.tables.close()
    store.close()
    again = opened(tmp_path)
    again.maintain(idle=True)
    (made,) = path.parent.glob("stems-*.bin")
    assert made.read_bytes() == content
    assert exact(again) == expected
    assert same_without(again)
    again.close()


def test_a_file_that_is_cut_while_it_is_open_is_given_up(store: Store) -> None:
    expected = exact(store)
    table = store.tables.passages
    table.words = None
    (path,) = (table.path / derived.FOLDER).glob("stems-*.bin")
    path.write_bytes(b"")
    assert exact(store) == expected
    assert word_parts.LAYOUT.name not in table.files


def test_the_indices_of_words_of_earlier_versions_are_dropped(store: Store, tmp_path: Path) -> None:
    expected = exact(store)
    inner = store.tables.passages.inner
    from lancedb.index import FTS

    for column in ("stems", "view"):
        inner.create_index(column, config=FTS(base_tokenizer="whitespace"))
    reader = Store.open(tmp_path / "lance", threads=1, writable=False)
    assert {"doc", "view", "stems"} == reader.tables.passages.indices().keys()
    assert exact(reader) == expected
    reader.tables.close()
    store.close()
    again = opened(tmp_path)
    assert {"doc"} == again.tables.passages.indices().keys()
    assert exact(again) == expected
    again.close()
