"""Words of passages and documents: as plain counting, and made again whatever happens to files."""

from __future__ import annotations

import errno
import math
import os
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.store import word_queries, words
from indexer.store.store import Store
from indexer.store.values import DocSet, PassageRow, Phrase, Term, Without, docs_of, key_of
from indexer.store.word_index import TantivyIndex
from indexer.store.word_queries import WordSequence
from indexer.text.terms import forms, sequence, stems
from tests.store_rows import passage, phrases, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from indexer.arrays import Int64s

DOCS, EACH = 9, 40
TERMS = [
    [Term("w0"), Term("w3", 0.5), Term("w17", 0.25)],
    [Term("w1 w2"), Term("w39"), Term("w39"), Term("no-such-stem")],
    [Term("w25", 0.7)],
]
LETTERS = [f"{first}{second}ed" for first in "abc" for second in "xyz"]


def drawn(doc: int, count: int = EACH) -> list[str]:
    """Stems of passages: some in nearly all of them, some in few. tantivy rounds lengths of 40."""
    rng = np.random.default_rng(doc)
    numbers = [rng.zipf(1.3, rng.integers(1, 40)) % 40 for _ in range(count)]
    return [" ".join(f"w{number}" for number in one) for one in numbers]


def add(store: Store, doc: int, texts: Sequence[str]) -> None:
    store.add_passages(rows(doc, texts))


def opened(path: Path, *, writable: bool = True) -> Store:
    return Store.open(path / "index", threads=1, writable=writable)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = opened(tmp_path)
    for doc in range(1, DOCS + 1):
        add(made, doc, drawn(doc))
    yield made
    made.close()


def everything(docs: Sequence[int]) -> dict[int, str]:
    return {key_of(doc, at): one for doc in docs for at, one in enumerate(drawn(doc))}


def reference(held: Mapping[int, str], terms: Sequence[Term]) -> dict[int, float]:
    """BM25 by its definition, of the passages that have any of the terms."""
    counts = {key: Counter(text.split()) for key, text in held.items()}
    mean = sum(one.total() for one in counts.values()) / len(counts)
    scores: dict[int, float] = defaultdict(float)
    for term in terms:
        for text in term.text.split():
            having = [key for key, one in counts.items() if one[text]]
            idf = math.log(1 + (len(counts) - len(having) + 0.5) / (len(having) + 0.5))
            for key in having:
                times, length = counts[key][text], counts[key].total()
                norm = 1.2 * (0.25 + 0.75 * length / mean)
                scores[key] += term.weight * idf * 2.2 * times / (times + norm)
    return scores


def check(store: Store, held: Mapping[int, str]) -> None:
    """Compare all searches with the reference."""
    for terms in TERMS:
        expected = reference(held, terms)
        found = store.match(terms, 10_000)
        assert sorted(found.keys.tolist()) == sorted(expected)
        assert np.all(np.diff(found.scores) <= 0)
        wanted = [expected[key] for key in found.keys.tolist()]
        np.testing.assert_allclose(found.scores, wanted, rtol=1e-4)
        asked = np.array([*held, key_of(99, 9)])
        np.testing.assert_allclose(
            store.bm25_of(asked, terms), [expected.get(key, 0.0) for key in asked], rtol=1e-4
        )
        for count in (0, 1, 5):
            np.testing.assert_allclose(store.match(terms, count).scores, found.scores[:count])
        for only in (
            DocSet.from_docs([2, 3, 50]),
            DocSet.from_docs(range(2, 9)),
            DocSet.from_docs([1, 50], allowed=False),
            DocSet.from_docs([1, *range(3, 30)], allowed=False),
            DocSet.from_docs([]),
        ):
            inside = found.kept(only.keeps(docs_of(found.keys)))
            best = store.match(terms, 7, only)
            assert only.keeps(docs_of(best.keys)).all()
            np.testing.assert_allclose(best.scores, inside.scores[:7])


def answers(store: Store) -> list[Any]:
    """What all searches find, and how often documents have words."""
    found = [store.match(terms, 10_000) for terms in TERMS]
    counted = store.words.documents()
    counts = [sorted(np.stack(counted.counts(word)).T.tolist()) for word in ("w0", "w3")]
    return [*(sorted(one.keys.tolist()) for one in found), counted.lengths.tolist(), counts]


def test_scores_are_bm25(store: Store) -> None:
    check(store, everything(range(1, DOCS + 1)))


def test_rows_written_and_deleted_later_count_at_once(store: Store) -> None:
    for doc in (20, 21, 22):
        add(store, doc, drawn(doc))
        check(store, everything([*range(1, DOCS + 1), *range(20, doc + 1)]))
    store.delete_docs([3, 21])
    left = everything([one for one in (*range(1, DOCS + 1), 20, 22) if one != 3])
    found = store.match([Term("w0")], 10_000)
    assert sorted(found.keys.tolist()) == sorted(reference(left, [Term("w0")]))
    add(store, 3, ["w0 w0", "w39"])  # the keys are there again, with other stems
    assert store.match([Term("w39")], 9, DocSet.from_docs([3])).keys.tolist() == [key_of(3, 1)]
    assert store.words.documents().lengths[[3, 21]].tolist() == [3, 0]


def test_many_deleted_entries_are_made_away_with(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "_FEW_ENTRIES", 1)
    store.delete_docs(range(4, DOCS + 1))
    store.maintain(idle=True)
    check(store, everything([1, 2, 3]))  # document frequencies too


TEXTS = {
    "en": "Not to Be: a naïve play of John's re-read 10-K, U.S. state-of-the-art to be or not to",
    "fr": "L'été, où les élèves d'aujourd'hui étaient peut-être là-bas",
    "de": "Die Fußgänger-Überwege über 1.234,5 Straßen; die Gebäude",
    "vi": "Cộng hòa xã hội chủ nghĩa Việt Nam, hoá đơn thuỷ điện và sầu riêng",
    "ar": "والكتاب في المدرسة الكبيرة وبالقلم كتبت الدروس",
    "he": "הספר הגדול שבבית הספר של צה״ל",
    "ru": "Ёлки и берёзы росли у домов, а Москва-река текла в бетоне.",
    "el": "Οι άνθρωποι της Ελλάδας όταν δρόμος",
    "ko": "학교에서 공부하고 있는 학생들은 한국어를 배웁니다.",
    "ja": "東京大学では、学生がコンピューターを使って2019年に勉強 Python 3 を",
    "zh": "我们在北京的大学学习中文，臺灣的歷史 IBM 與漢語。",
    "th": "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำ",
}


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store.open(tmp_path_factory.mktemp("spoken") / "index", threads=1)
    listed = [
        PassageRow(doc, f"text-{doc}", language, passage(0, text, stems=stems(text, language)))
        for doc, (language, text) in enumerate(TEXTS.items(), 1)
    ]
    store.add_passages(listed)
    yield store
    store.close()


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_every_passage_with_a_phrase_is_found(spoken: Store, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([*TEXTS.values()]))
    there = sequence(text)
    first = data.draw(st.integers(0, len(there) - 1))
    phrase = " ".join(there[first : first + data.draw(st.integers(1, 6))])
    wanted = WordSequence(sequence(phrase))
    having = [doc for doc, one in enumerate(TEXTS.values(), 1) if wanted.is_in(one)]
    for common in (0, 99):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(word_queries, "_COMMON", common)
            found = spoken.phrases([Phrase((phrase,), tuple(TEXTS))], 99)
        assert docs_of(np.sort(found.keys)).tolist() == having


def test_of_a_phrase_of_common_words_few_texts_are_read(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_queries, "_COMMON", 50)
    monkeypatch.setattr(word_queries, "_LEAST_READ", 10)
    near, having = ["and so the then of"] * 90, ["a far longer text, and the of it"] * 20
    add(store, DOCS + 1, [*near, *having, "and e-the of"])
    read: list[int] = []
    views = store.texts.views

    def noted(keys: Int64s) -> dict[int, str]:
        read.append(len(keys))
        return views(keys)

    monkeypatch.setattr(store.texts, "views", noted)
    first = {key_of(DOCS + 1, at) for at in range(90, 110)}
    assert first.issuperset(store.phrases(phrases("and the of"), 9).keys.tolist())
    assert read == [10]
    assert set(store.phrases(phrases("and the of"), 99).keys.tolist()) == first
    every = store.phrases(phrases("the of"), 99).keys.tolist()
    assert set(every) == {*first, key_of(DOCS + 1, 110)}


def test_phrases_and_left_out_words_follow_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_queries, "_LEAST_READ", 2)
    monkeypatch.setattr(word_queries, "_MOST_READ", 3)
    store = opened(tmp_path)
    texts = ["to be or not to be", "be to or not", "Not to Be: a naïve play", "学习中国的历史"]
    store.add_passages(rows(1, texts * 9))

    def found(*ways: str) -> set[int]:
        hits = store.phrases(phrases(*ways), 99).keys
        assert len(hits) == 9 * len({key % 4 for key in hits.tolist()})
        return {key % 4 for key in hits.tolist()}

    assert [found("to be"), found("be to"), found("or not")] == [{0, 2}, {1}, {0, 1}]
    assert [found("not to be"), found("naive"), found("to play")] == [{0, 2}, {2}, set()]
    assert [found("习中"), found("中"), found("be to", "a naive")] == [{3}, {3}, {1, 2}]
    without = Without(frozenset({"not"}), ("en",))
    hits = store.match([Term("be"), Term("学习")], 99, without=without).keys
    assert {key % 4 for key in hits.tolist()} == {3}
    assert len(hits) == 9
    assert len(store.match([Term("be"), Term("学习")], 4, without=without)) == 4
    store.close()


COUNTED = st.lists(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=9), min_size=1,
                   max_size=6)  # fmt: skip


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(COUNTED, st.sets(st.integers(1, 6)))
def test_words_of_documents_are_counted(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]], gone: set[int]
) -> None:
    store = opened(tmp_path_factory.mktemp("counted"))
    for doc, listed in enumerate(texts, 1):  # in two commits each
        store.add_passages(rows(doc, [" ".join(listed[::2])]))
        store.add_passages(rows(doc, [" ".join(listed[1::2])], first=1))
    left = {doc: Counter(one) for doc, one in enumerate(texts, 1) if doc not in gone}
    store.delete_docs([doc for doc in gone if doc <= len(texts)])
    counted = store.words.documents()
    assert np.flatnonzero(counted.lengths).tolist() == sorted(left)
    assert all(counted.lengths[doc] == one.total() for doc, one in left.items())
    for word in [*LETTERS, "none"]:
        sums: Counter[int] = Counter()
        for doc, times in zip(*counted.counts(word), strict=True):
            sums[int(doc)] += int(times)
        assert sums == Counter({doc: one[word] for doc, one in left.items() if one[word]})
    there = {word for one in left.values() for word in one}
    assert counted.frequencies([*LETTERS, "none"]).keys() == there
    for start in ("a", "bx", "bxedd"):
        assert {word for word, _ in counted.beginning(start, 9)} == {
            word for word in there if word.startswith(start)
        }
    (stem,) = forms("axed", "en").stems
    assert (
        counted.words_of_stems([f"{stem}|", "none|"]).get(stem, set()) & there == {"axed"} & there
    )
    assert not there or counted.has_beginning(word[0] for word in there)
    assert not counted.has_beginning("q")
    store.close()


def test_a_word_may_occur_any_number_of_times(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.add_passages(rows(3, ["axed " * 700]) + rows(5, ["axed " * 255]))
    docs, times = store.words.documents().counts("axed")
    assert dict(zip(docs.tolist(), times.tolist(), strict=True)) == {3: 700, 5: 255}
    store.close()


def test_compounds_and_stems_are_those_of_the_language(tmp_path: Path) -> None:
    store = opened(tmp_path)
    texts = {"en": "gifts", "de": "Datenverarbeitung der Gifts", "el": "οταν δρόμος"}
    for doc, (language, text) in enumerate(texts.items(), 1):
        row = passage(0, text, stems=stems(text, language))
        store.add_passages([PassageRow(doc, f"text-{doc}", language, row)])
    counted = store.words.documents()
    assert counted.ending("verarbeitung", 9) == [("datenverarbeitung", 1)]
    assert counted.words_of_stems(["gift|", "δρομ|"]) == {"gift": {"gifts"}, "δρομ": {"δρομοσ"}}
    assert counted.frequencies(["gifts", "οταν"]) == {"gifts": 2, "οταν": 1}
    store.close()


# -- damage, kills and full disks -------------------------------------------------------------


def files_of(path: Path) -> list[Path]:
    found = (one for one in (path / "index" / "words").rglob("*") if one.is_file())
    return sorted(one for one in found if one.suffix != ".lock" and one.name != ".managed.json")


def test_an_altered_file_is_noticed_and_all_is_made_again(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = answers(store)
    store.close()
    endings = {path.name.rpartition(".")[2] for path in files_of(tmp_path)}
    assert endings == {"idx", "pos", "term", "fast", "fieldnorm", "store", "json", "state"}
    rng = np.random.default_rng(1)
    for ending in sorted(endings):
        for cut in (False, True):
            path = next(one for one in files_of(tmp_path) if one.name.endswith(ending))
            content = bytearray(path.read_bytes())
            content[rng.integers(len(content))] ^= 1 << rng.integers(8)
            path.write_bytes(content[: len(content) // 2] if cut else content)
            caplog.clear()
            again = opened(tmp_path)
            assert "are made again" in caplog.text
            assert answers(again) == expected
            assert again.words.verify() == []
            again.close()
    caplog.clear()


def test_a_file_that_is_altered_while_it_is_open_is_named(store: Store, tmp_path: Path) -> None:
    expected = answers(store)
    path = next(one for one in files_of(tmp_path) if one.suffix == ".idx")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.unlink()  # the open one is mapped
    path.write_bytes(content)
    assert store.words.verify() == [f"{path.parent.name}/{path.name}"]
    store.words.discard()
    store.maintain(idle=True)
    assert store.words.verify() == []
    assert answers(store) == expected


@pytest.mark.parametrize("commits", [0, 1])
def test_without_room_words_catch_up_later(
    store: Store, monkeypatch: pytest.MonkeyPatch, commits: int
) -> None:
    done: list[TantivyIndex] = []

    def full(_index: TantivyIndex) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def committing(index: TantivyIndex) -> Any:
        done.append(index)
        if len(done) > commits:
            full(index)
        return used(index)

    used = TantivyIndex.committing
    monkeypatch.setattr(TantivyIndex, "committing", committing)
    with pytest.raises(WorldError, match="is free on the disk"):
        add(store, 20, drawn(20))
    monkeypatch.setattr(TantivyIndex, "committing", used)
    assert store.words.behind
    add(store, 21, drawn(21))
    found = store.match([Term("w0")], 10_000).keys.tolist()
    held = everything([*range(1, DOCS + 1), 20, 21])
    assert sorted(found) == sorted(reference(held, [Term("w0")]))
    assert store.words.documents().lengths[20] == sum(len(one.split()) for one in drawn(20))


def test_without_its_folder_the_words_are_made_again_in_steps(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(store)
    store.close()
    for path in files_of(tmp_path):
        path.unlink()
    monkeypatch.setattr("indexer.store.store._MADE_AGAIN", 2 * EACH)
    monkeypatch.setattr(words, "_TOGETHER", EACH)
    again = opened(tmp_path)
    assert again.words.behind
    assert np.count_nonzero(again.words.documents().lengths) == 2
    again.maintain()
    assert np.count_nonzero(again.words.documents().lengths) == 4
    again.maintain(idle=True)
    assert answers(again) == expected
    again.close()


def test_a_library_that_must_not_be_written_is_left_as_it_is(store: Store, tmp_path: Path) -> None:
    expected = answers(store)
    store.close()

    def listed() -> list[tuple[str, int]]:
        found = (tmp_path / "index" / "words").rglob("*")
        return sorted((str(one), one.stat().st_mtime_ns) for one in found)

    before = listed()
    reader = opened(tmp_path, writable=False)
    assert answers(reader) == expected
    reader.close()
    for path in files_of(tmp_path):
        path.unlink()
    left = listed()
    reader = opened(tmp_path, writable=False)  # without words: they are made for as long
    assert answers(reader) == expected
    reader.close()
    assert len(before) > len(left) == len(listed())
