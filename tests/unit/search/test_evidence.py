"""Which documents a query means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.query.grammar import parse
from indexer.search.evidence import (
    LATER_YEAR,
    naming_words,
    rare_words,
    with_names,
    word_evidence,
)
from indexer.search.query_terms import QueryTerms, prepare_terms
from indexer.text.terms import words
from tests.unit.catalog.fakes import FakeWalk, found, read_all, root_at
from tests.unit.search.library import Library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.search.evidence import LibraryEvidence

NAMES = ("Acme 2018.txt", "Acme FY19.txt", "Acme 2020.txt", "Acme 2018-2021.txt", "Acme rules.txt")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.opened(tmp_path) as library:
        opened = library.catalog
        walk = FakeWalk({"": [found(name, inode=at) for at, name in enumerate(NAMES, 1)]})
        opened.scans.apply([(root_at(opened, tmp_path / "root").id, walk)])
        library.add({doc: {"margin": 3, "the": 9} for doc in read_all(opened).values()})
        opened.names.bind()
        yield library


def ask(library: Library, text: str) -> tuple[QueryTerms, LibraryEvidence]:
    with library.lexicon.reading() as reading:
        terms = prepare_terms(parse(text), library.lexicon, reading, ("en",), passages=40)
        return terms, word_evidence(terms, reading)


def years(library: Library, text: str) -> dict[str, float]:
    """The evidence of years, by the name of the file."""
    _, evidence = ask(library, text)
    docs = library.catalog.docs.known()
    places = library.catalog.files.by_document(docs)
    scores = evidence.lookup(docs).year.tolist()
    return {places[doc][0].relative: year for doc, year in zip(docs.tolist(), scores, strict=True)}


def test_a_document_of_an_earlier_year_cannot_tell_of_a_later_one(library: Library) -> None:
    assert years(library, "margin in FY2020") == dict(zip(NAMES, (1, 1, 0, 0, 0), strict=True))


def test_a_document_of_a_later_year_tells_of_an_earlier_one_too(library: Library) -> None:
    expected = (1, 0, LATER_YEAR, 0, 0)
    assert years(library, "margin in 2019") == dict(zip(NAMES, expected, strict=True))


def test_of_several_years_the_last_counts(library: Library) -> None:
    assert years(library, "margin from 2018 to 2020") == years(library, "margin in 2020")


def test_without_a_year_all_documents_are_alike(library: Library) -> None:
    assert set(years(library, "margin").values()) == {0.0}


def test_a_document_goes_by_its_title_and_the_names_of_its_files(library: Library) -> None:
    doc = library.lexicon.names.docs(["fy19"])
    assert naming_words(doc, library.catalog) == {"title", "of", "acme", "fy19", "txt", "19", "fy"}
    assert naming_words(doc[:0], library.catalog) == frozenset()


def test_words_of_the_name_are_no_part_of_the_question(library: Library) -> None:
    terms, _ = ask(library, "the margin of Acme in FY2018")
    apart = terms.without_names(frozenset({"acme", "2018"}))
    assert apart.names_removed
    assert {term.text for term in terms.question_terms} >= {"acm", "2018", "margin"}
    assert "margin" in {term.text for term in apart.question_terms}
    assert not {"acm", "2018"} & {term.text for term in apart.question_terms}
    assert apart.asked == "the margin of in FY2018"
    assert apart.ceiling < terms.ceiling
    assert 0.0 == terms.named < apart.named <= 1.0
    assert (apart.terms, apart.expansions, apart.counts) == (
        terms.terms,
        terms.expansions,
        terms.counts,
    )


def test_the_part_that_names_a_document_is_no_part_of_the_question(library: Library) -> None:
    names, opening = frozenset({"acme", "lamp"}), frozenset({"lessor", "lessee"})
    text = 'In the lease of Acme ("Lessor") and Lamp ("Lessee"), what is the margin in {}?'
    terms, _ = ask(library, text.format("FY2018"))
    apart = terms.without_names(names, opening=opening)
    assert apart.asked == "what is the margin in FY2018?"
    assert not {"leas", "lamp"} & {term.text for term in apart.question_terms}
    assert apart.terms == terms.terms
    assert apart.named == terms.without_names(names).named > 0.0


def test_words_of_hardly_any_document_name_it(library: Library) -> None:
    first, *others = (int(doc) for doc in library.catalog.docs.known())
    library.add({first: {"globex": 4, "kiosk": 1, "margin": 3}})
    library.add({doc: {"margin": 3} for doc in range(1000, 1100)})
    terms, evidence = ask(library, "margin of the Globex kiosk ")
    docs = np.array([first, others[0]], np.int32)
    assert rare_words(docs[:1], terms, evidence) == {"globex"}  # a kiosk occurs once: on that page
    assert rare_words(docs[1:], terms, evidence) == frozenset()
    assert rare_words(docs[:0], terms, evidence) == frozenset()


def test_the_words_of_a_name_decide_alone_where_they_are_clearer(library: Library) -> None:
    first, second, *_ = (int(doc) for doc in library.catalog.docs.known())
    library.add({first: {"globex": 4, "kiosk": 9, "margin": 3}})
    library.add({second: {"kiosk": 9, "margin": 9}})
    names = frozenset({"globex"})
    terms, evidence = ask(library, "margin of the Globex kiosk ")
    with library.lexicon.reading() as reading:
        named = with_names(evidence, terms.without_names(names), names, reading)
    assert named.clarity == 1.0 > evidence.clarity
    assert named.named > 0.0
    assert named.best_by_words().tolist() == [first]


def test_no_word_is_rare_among_few_documents(library: Library) -> None:
    first = int(library.catalog.docs.known()[0])
    library.add({first: {"globex": 4, "margin": 3}})
    terms, evidence = ask(library, "margin of Globex ")
    assert rare_words(np.array([first], np.int32), terms, evidence) == frozenset()


@pytest.mark.parametrize("names", [frozenset(), frozenset({"rent"}), frozenset({"acme", "margin"})])
def test_a_question_keeps_its_words_if_none_or_all_are_of_the_name(
    library: Library, names: frozenset[str]
) -> None:
    terms, _ = ask(library, "Acme margin")
    assert terms.without_names(names) is terms


def test_words_count_little_where_the_library_lacks_most_of_the_query(library: Library) -> None:
    docs = library.catalog.docs.known()
    _, whole = ask(library, "the margin ")
    terms, part = ask(library, "Wie hoch fiel die Marge aus, margin ")
    assert whole.lookup(docs).words.max() == 1.0
    assert part.lookup(docs).words.max() == pytest.approx(terms.coverage**2)
    assert terms.coverage < 0.5


@pytest.mark.parametrize("around", ["how can I {}", "what does {} mean, and why?", "tell me: {}"])
def test_words_of_any_question_speak_for_no_document(library: Library, around: str) -> None:
    first, second, *_ = (int(doc) for doc in library.catalog.docs.known())
    asking = dict.fromkeys(words(around), 9)
    library.add({first: {"margin": 3} | asking, second: {"margin": 2, "wick": 2}})
    _, plain = ask(library, "wick margin ")
    terms, wrapped = ask(library, around.format("wick margin") + " ")
    assert wrapped.words.docs.tolist() == plain.words.docs.tolist()
    assert wrapped.words.scores.tolist() == plain.words.scores.tolist()
    assert wrapped.clarity == plain.clarity > 0.0
    assert rare_words(np.array([first], np.int32), terms, wrapped).isdisjoint(asking)
