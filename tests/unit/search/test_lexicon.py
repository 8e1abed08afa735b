"""The words of texts, titles and names together: against plain counting, on a real library."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.catalog.records import FoundFile
from indexer.search.lexicon import K1, NAME_WEIGHT, TITLE_WEIGHT, B
from indexer.store.word_index import DocumentWords
from indexer.text.terms import fold
from tests.unit.catalog.fakes import FakeWalk, found, listed, read_all, root_at
from tests.unit.search.library import Library

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.arrays import Float32s, Int32s

TITLE = "Title of {}"  # as the fakes have it


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.opened(tmp_path) as opened:
        yield opened


def add(library: Library, texts: Mapping[str, str]) -> dict[str, int]:
    """Index documents by file name; gives their numbers."""
    catalog = library.catalog
    root = root_at(catalog, Path(catalog.db.path.parent) / "root").id
    there = [FoundFile(row.file.encode(), 10, 1, 7, 0, "text") for row in listed(catalog)]
    catalog.scans.apply([(root, FakeWalk({"": [*there, *map(found, texts)]}))])
    docs = read_all(catalog)
    library.write({doc: texts[name] for name, doc in docs.items()})
    catalog.names.bind()
    return docs


def scores(library: Library, *groups: Sequence[str]) -> dict[int, float]:
    with library.lexicon.reading() as reading:
        docs, values = reading.document_scores(groups)
    assert (np.diff(values) <= 0).all()
    return dict(zip(docs.tolist(), values.tolist(), strict=True))


def reference(
    texts: Mapping[int, Sequence[str]], groups: Sequence[Sequence[str]]
) -> dict[int, float]:
    """BM25 by its definition, of texts that were split into words."""
    average = sum(map(len, texts.values())) / len(texts)
    found: dict[int, float] = {}
    for group in groups:
        counts = {doc: sum(map(text.count, group)) for doc, text in texts.items()}
        holding = sum(count > 0 for count in counts.values())
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for doc, count in counts.items():
            norm = K1 * (1 - B + B * len(texts[doc]) / average)
            if count:
                found[doc] = found.get(doc, 0) + idf * count * (K1 + 1) / (count + norm)
    return found


def test_scores_are_those_of_plain_counting(library: Library) -> None:
    rng = np.random.default_rng(5)
    texts = {f"{n:02}": " ".join(rng.choice(list("abcdefgh"), 1 + n % 7)) for n in range(20)}
    docs = add(library, texts)
    titled = {
        doc: texts[name].split() + TITLE.format(name).lower().split() * TITLE_WEIGHT
        for name, doc in docs.items()
    }
    groups = [["a", "c"], ["h"], ["title"], ["zz"]]
    assert scores(library, *groups) == pytest.approx(reference(titled, groups), rel=1e-4)
    gone = [doc for doc in titled if doc % 3 == 0]
    library.store.delete_docs(gone)
    library.catalog.docs.forget(gone)
    left = {doc: text for doc, text in titled.items() if doc % 3}
    assert scores(library, *groups) == pytest.approx(reference(left, groups), rel=1e-4)


def test_a_document_is_found_at_once(library: Library) -> None:
    docs = add(library, {"1": "apple pear", "2": "pear"})
    assert set(scores(library, ["apple"])) == {docs["1"]}
    assert library.lexicon.df(["apple", "pear", "plum"]) == {"apple": 1, "pear": 2, "plum": 0}
    docs |= add(library, {"3": "apple"})
    assert set(scores(library, ["apple"])) == {docs["1"], docs["3"]}


def test_only_the_best_documents_are_given(library: Library) -> None:
    alike = {str(number): "apple pear" for number in range(3, 7)}
    docs = add(library, {"1": "apple pear", "2": "apple apple", **alike, "7": "pear"})
    with library.lexicon.reading() as reading:
        every = reading.document_scores([["apple"]])[0].tolist()
        assert every == [docs["2"], *sorted(docs[name] for name in ("1", *alike))]
        for limit in range(len(docs) + 1):
            found, scores = reading.document_scores([["apple"]], limit)
            assert found.tolist() == every[:limit]
            assert (scores > 0).all()


def test_names_count_and_renaming_reads_nothing(library: Library) -> None:
    docs = add(library, {"lease-agreement.txt": "rent", "other.txt": "rent"})
    doc, catalog = docs["lease-agreement.txt"], library.catalog
    with library.lexicon.reading() as reading:
        assert reading.counts(["lease"])[doc] == NAME_WEIGHT + TITLE_WEIGHT
        assert reading.counts(["rent"])[doc] == 1
    root = catalog.roots.all()[0].id
    entries = [found("treaty.txt", mtime_ns=1), found("other.txt")]
    catalog.scans.apply([(root, FakeWalk({"": entries}))])
    (job,) = catalog.queue.take(5)
    assert catalog.docs.link(job.file, "hash of lease-agreement.txt", job.stamp, "text", 1)
    catalog.names.bind()
    with library.lexicon.reading() as reading:
        assert reading.counts(["lease"])[doc] == TITLE_WEIGHT
        assert reading.counts(["treaty"])[doc] == NAME_WEIGHT
    assert library.lexicon.nearest("traety") == [("treaty", 1)]


def test_nothing_is_found_in_an_empty_library(library: Library) -> None:
    assert scores(library, ["apple"]) == {}
    assert library.lexicon.df(["apple"]) == {"apple": 0}
    assert library.lexicon.expand_prefix("a") == []
    assert library.lexicon.nearest("apple") == []
    assert library.lexicon.forms("apple", ["en"]) == ["apple"]


def test_prefixes_typos_and_forms(library: Library) -> None:
    texts = {
        "1": "company revenue revenues account",
        "2": "revenue companies accounted",
        "3": "revenue reverse 2023",
        "Quarterly Überblick.txt": "x",
    }
    docs, lexicon = add(library, texts), library.lexicon
    assert lexicon.expand_prefix("reve") == [("revenue", 3), ("revenues", 1), ("reverse", 1)]
    assert lexicon.expand_prefix("quart") == [("quarterly", 1)]
    assert lexicon.expand_prefix("reve", 1) == [("revenue", 3)]
    assert lexicon.nearest("revnue") == [("revenue", 3)]
    assert lexicon.nearest("revenuse") == [("revenue", 3), ("revenues", 1)]
    assert lexicon.nearest("quartrely") == [("quarterly", 1)]
    assert lexicon.nearest("revenue") == []
    assert lexicon.nearest("2024") == []
    assert lexicon.nearest("uberblik") == [("uberblick", 1)]
    assert lexicon.forms("company", []) == ["company"]
    assert lexicon.forms("company", ["en"]) == ["company", "companies"]
    assert lexicon.forms("accounts", ["en"]) == ["accounts", "account", "accounted"]
    assert sorted(lexicon.stems(["revenu", "revenue", "account"])) == ["account", "revenu"]
    library.store.delete_docs([docs["3"]])
    assert lexicon.expand_prefix("reve") == [("revenue", 2), ("revenues", 1)]
    assert lexicon.nearest("reverze") == []


@pytest.mark.parametrize(
    ("text", "typo", "language", "meant"),
    [
        ("москва столица", "мосвка", "ru", "москва"),
        ("θάλασσα", "θαλσασα", "el", "θαλασσα"),
        ("والكتاب الجديد", "الكتلب", "ar", "كتاب"),
        ("Привет мир", "превет", "sr", "привет"),
        ("दूरबीन", "दूरबिन", "hi", "दूरबीन"),
        ("Überblick", "überblik", "de", "uberblick"),
    ],
)
def test_typos_in_other_scripts_are_found_where_a_library_has_them(
    library: Library, text: str, typo: str, language: str, meant: str
) -> None:
    library.write({1: "company revenue account"}, language="en")
    if meant.isascii():
        assert library.lexicon.nearest(meant[:-1] + "q", [language]) == []
    else:
        assert library.lexicon.nearest(typo, [language]) == []
    library.write({2: text}, language=language)
    assert [word for word, _count in library.lexicon.nearest(fold(typo), ["en", language])] == [
        meant
    ]


def test_a_library_is_asked_for_letters_before_every_string(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write({1: "company revenue account"}, language="en")
    asked: list[int] = []
    real = DocumentWords.frequencies

    def frequencies(self: DocumentWords, words: Sequence[str]) -> dict[str, int]:
        asked.append(len(words))
        return real(self, words)

    monkeypatch.setattr(DocumentWords, "frequencies", frequencies)
    assert library.lexicon.nearest("компании", ["en"]) == []
    assert not asked
    assert library.lexicon.nearest("compny", ["en"]) == [("company", 1)]
    assert asked


def test_a_word_is_counted_once_until_documents_change(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = DocumentWords.counts

    def counts(self: DocumentWords, word: str) -> tuple[Int32s, Float32s]:
        asked.append(word)
        return real(self, word)

    def both() -> list[float]:
        with library.lexicon.reading() as reading:
            return reading.occurrences([["rent"], ["rent", "rents"]])

    monkeypatch.setattr(DocumentWords, "counts", counts)
    docs = add(library, {"one": "rent rent", "two": "rents"})
    assert both() == [2, 3]
    library.catalog.set_meta("asked", "a question")  # as every tenth one does
    assert both() == [2, 3]
    assert asked == ["rent", "rents"]
    library.store.delete_docs([docs["one"]])
    library.catalog.docs.forget([docs["one"]])
    assert both() == [0, 1]


def test_words_with_proclitics_complete_those_without(library: Library) -> None:
    library.write({1: "הספר והספר", 2: "ספרים"}, language="he")
    assert ("ספר", 1) in library.lexicon.expand_prefix("ספר")
    assert set(library.lexicon.behind_clitics("ספר ישן", ["he"])) == {"הספר ישן", "והספר ישן"}
