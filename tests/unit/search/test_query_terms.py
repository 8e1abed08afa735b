"""What the words of a query may stand for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from indexer.query.focus import question
from indexer.query.grammar import parse
from indexer.search.explain import same_words
from indexer.search.fusion import BM25_CEILING
from indexer.search.query_terms import FUNCTION_WEIGHT, QueryTerms, ceiling, prepare_terms
from indexer.text.terms import words
from tests.unit.search.library import Library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIBRARY = {
    "contract": 40, "contracts": 12, "contractor": 9, "termination": 6, "terminate": 3, "notice": 5,
}  # fmt: skip


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.opened(tmp_path) as opened:
        opened.add({1: LIBRARY})
        yield opened


def ask(library: Library, query: str) -> QueryTerms:
    parsed = parse(query)
    with library.lexicon.reading() as reading:
        terms = prepare_terms(parsed, library.lexicon, reading, ("en",), passages=100)
        return terms.within(question(parsed.text))


def weights(terms: QueryTerms) -> dict[str, float]:
    return {term.text: term.weight for term in terms.terms}


def test_forms_of_a_word_count_as_one(library: Library) -> None:
    terms = ask(library, "contract ")
    assert set(terms.expansions[0]) >= {"contract", "contracts"}
    assert weights(terms) == {"contract": 1.0}


def test_a_word_being_typed_stands_for_what_it_may_become(library: Library) -> None:
    typed = ask(library, "notice contracto")
    assert "contractor" in typed.expansions[1]
    assert 0 < weights(typed)["contractor"] < weights(typed)["notic"]


def test_a_common_word_is_taken_for_finished(library: Library) -> None:
    assert weights(ask(library, "contract")) == {"contract": 1.0}


def test_one_typo_is_forgiven_and_counts_less(library: Library) -> None:
    terms = ask(library, "terminatoin of the contract ")
    assert "termination" in terms.expansions[0]
    stem = next(term for term in terms.terms if term.text == "termin")
    assert 0 < stem.weight < 1


def test_the_question_is_looked_for_apart_from_its_context(library: Library) -> None:
    terms = ask(library, "Consider the contract with Acme; when is the notice due?")
    assert terms.has_context
    assert terms.question == "when is the notice due?"
    assert "contract" not in {term.text for term in terms.question_terms}
    assert "contract" in {term.text for term in terms.terms}
    ordered = terms.question_first()
    assert ordered[: len(terms.question_terms)] == terms.question_terms
    assert (len(ordered), {*ordered}) == (len(terms.terms), {*terms.terms})


def test_an_empty_library_has_no_ceiling() -> None:
    assert ceiling([0.0, 3.0], passages=0) >= 0.0
    assert ceiling([], passages=10) == 0.0


def test_the_ceiling_is_the_sum_of_idf() -> None:
    expected = math.log1p((100 - 5 + 0.5) / 5.5) + math.log1p((100 - 10 + 0.5) / 10.5)
    assert ceiling([5, 10], passages=100) == pytest.approx(expected * BM25_CEILING)
    # A word more frequent than passages adds next to nothing.
    assert ceiling([5, 10, 1000], passages=100) == pytest.approx(expected * BM25_CEILING, abs=0.02)


def test_common_words_are_never_full_evidence() -> None:
    rare = math.log1p((100 - 1 + 0.5) / 1.5) * BM25_CEILING
    assert ceiling([50, 60], passages=100) == pytest.approx(rare)
    assert ceiling([1000], passages=100) == pytest.approx(rare)


def test_letters_and_digits_part_where_nobody_writes_them_together(library: Library) -> None:
    library.add({2: {"2018": 7, "10k": 2}})
    year = ask(library, "notice in FY2018 ")
    assert "2018" in year.expansions[-1]
    assert weights(year)["2018"] == 1.0
    assert "10" not in weights(ask(library, "the 10K "))


def test_words_keep_how_often_they_occur(library: Library) -> None:
    terms = ask(library, "When does the contract with Notice Ltd end? ")
    assert terms.words == ("when", "does", "the", "contract", "with", "notice", "ltd", "end")
    often = dict(zip(terms.words, terms.counts, strict=True))
    assert often["contract"] > often["notice"] > often["ltd"] == 0.0
    assert len(terms.counts) == len(terms.expansions)
    assert terms.passages == 100


def test_a_prefix_is_marked(library: Library) -> None:
    assert ask(library, "notice contracto").has_prefix
    assert not ask(library, "notice contracto ").has_prefix
    assert not ask(library, "contract").has_prefix


def other(library: Library, language: str, text: str, query: str) -> QueryTerms:
    library.add({2: dict.fromkeys(words(text), 3)}, language=language)
    parsed = parse(query)
    with library.lexicon.reading() as reading:
        return prepare_terms(parsed, library.lexicon, reading, (language,), passages=100)


@pytest.mark.parametrize(
    ("language", "text", "query", "wanted"),
    [
        ("zh", "农药残留", "农药残", {"农药", "残留"}),  # as it is typed
        ("th", "พิพิธภัณฑ์ชุมชน", "พิพิธภัณท์ ", {"พิพิธภัณฑ์"}),  # mistyped, and taken apart for it
        ("th", "ปั่นจักรยานไปตลาด", "จักรยา", {"จักรยาน"}),
        ("ja", "折れましたが車体は", "折れた車体 ", {"折", "车体"}),
        ("zh", "红茶需要发酵", "發酵 ", {"发酵"}),
        ("th", "ผลไม้ตามฤดูกาล", "ผลไม ", {"ผล", "ไม้"}),  # one word without its mark, and two with it
        ("ar", "بالقفازات", "القفزات ", {"قفاز"}),  # a slip behind the article
        ("pl", "Mountain Hut Diary", "diaries from the hut", {"diar"}),  # an English query
        ("de", "Funkzähler Zahl", "Zähler ", {"funkzahl"}),
        ("ko", "심폐 소생술을 배웁니다", "심폐소생술 ", {"심폐", "소생술"}),
        ("he", "באפליקציה", "אפליקצ", {"אפליקצי"}),  # behind its clitic
        ("de", "Hausratversicherung Katze", "Versicherung ", {"hausratversicher"}),
        ("tr", "pervane", "pervaneyi ", {"perva"}),
        ("es", "habitación", "habitacion ", {"habit"}),
    ],
)
def test_words_of_every_script_find_those_of_the_library(
    library: Library, language: str, text: str, query: str, wanted: set[str]
) -> None:
    assert weights(other(library, language, text, query)).keys() >= wanted


def test_a_word_in_compounds_is_worth_more_than_words_of_its_stem(library: Library) -> None:
    found = weights(other(library, "de", "Funkzähler Zahl", "Zähler "))
    assert found["funkzahl"] > found["zahl"]


def test_marks_that_were_typed_are_meant(library: Library) -> None:
    typed = weights(other(library, "vi", "sầu riêng sau sâu", "sầu riêng "))
    assert typed.keys() == {"sầu", "riêng"}
    left_out = weights(other(library, "vi", "", "sau rieng "))
    assert left_out["sau"] > left_out["~sau"] > 0


def test_a_slip_in_one_language_is_none_where_the_word_is_a_form_of_another(
    library: Library,
) -> None:
    assert weights(other(library, "he", "וחצי החציל", "חציל ")).keys() == {"חציל"}


def test_a_query_in_another_language_is_hardly_covered(library: Library) -> None:
    assert ask(library, "termination notice ").coverage == 1.0
    assert ask(library, "Kündigung des Vertrags, termination notice ").coverage < 0.5
    assert ask(library, "Wann endet das Mietverhältnis? ").coverage == 0.0


def test_words_of_a_phrase_match_inside_it_only(library: Library) -> None:
    found = ["notice", "of", "termination", "a", "notice", "contract"]
    terms = ask(library, '"notice of termination" contract ')
    same = same_words(found, terms, ("notice of termination",), "en")
    assert same == [True, False, True, False, False, True]


def test_characters_of_a_name_match_only_together(library: Library) -> None:
    terms = ask(library, "\u853a\u8299 ")
    assert terms.words == ("\u853a", "\u8299")
    found = ["\u853a", "\u8299", "rent", "\u853a"]
    assert same_words(found, terms, (), "zh") == [True, True, False, False]


def test_one_letter_of_the_last_word_matches_behind_the_word_before(library: Library) -> None:
    terms = ask(library, "notice c")
    assert same_words(["notice", "clause", "clause"], terms, (), "en") == [True, True, False]
    assert same_words(["notice", "paid"], terms, (), "en") == [True, False]
    assert same_words(["clause"], ask(library, "c"), (), "en") == [False]


def test_function_words_count_little_where_words_alone_rank(library: Library) -> None:
    library.add({2: {"how": 1, "can": 1}})
    terms = ask(library, "How can I terminate the contract?")
    alone = terms.for_words_alone()
    before, after = ({one.text: one.weight for one in t.question_terms} for t in (terms, alone))
    assert before.keys() == after.keys() >= {"how", "can", "termin", "contract"}
    for stem, weight in before.items():
        expected = weight if stem in {"termin", "contract"} else weight * FUNCTION_WEIGHT
        assert after[stem] == pytest.approx(expected)
    assert 0.0 < alone.ceiling < terms.ceiling
    assert alone.terms == terms.terms
    whole = {one.text: one.weight for one in terms.whole_alone}
    assert whole == after
    assert terms.within("the contract").whole_alone == ()  # the rest says where to look


def test_a_question_of_function_words_alone_keeps_them(library: Library) -> None:
    library.add({2: {"how": 1, "can": 1}})
    alone = ask(library, "how can I").for_words_alone()
    assert {one.text for one in alone.question_terms} >= {"how", "can"}
    assert alone.ceiling > 0.0
