"""Words for the search by words: the same for documents and queries, in every script."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.store.word_queries import WordSequence
from indexer.text.stop_words import ASKING_WORDS, STOP_WORDS
from indexer.text.terms import (
    MAX_LENGTH,
    forms,
    iter_stems,
    number_ways,
    sequence,
    stems,
    stems_in,
    stop_words,
    tokens,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Form 10-K", "form 10 k 10k"),
        ("10K", "10k"),
        ("e-mail", "e mail email"),
        ("co‑operation", "co operation cooperation"),
        ("1,234.5 and 1234.5", "1234.5 and 1234.5"),
        ("1.234,5", "1234.5"),
        ("12,5 %", "12.5"),
        ("Section 4.2.1.", "section 4.2.1"),
        ("2024-03-15", "2024 03 15 20240315"),
        ("john.doe@acme.com", "john doe acme com"),
        ("the U.S. and the USA", "the us and the usa"),
        ("Acme's don’t O'Brien", "acme dont o brien obrien"),
        ("snake_case node.js C++ C#", "snake case snakecase node js c c c++ c#"),
        ("Été ÜBER Straße Łódź", "ete uber strasse lodz"),
        ("Ёлка й", "елка й"),
        ("ﬁne Ⅳ ｗｉｄｅ", "fine iv wide"),
        ("Company¹ Brand™ H₂O", "company brand h2o"),
        ("中文分词 単", "中文 分词 単"),
        ("𠀀我们\U0002a6d6学生", "𠀀 我们 \U0002a6d6 学生"),
        ("東京都に住む", "东京 都 に 住む"),
        ("x中y", "x 中 y"),
        ("한국어 학교에서", "한국어 학교에서"),
        ("ภาษาไทย", "ภาษา ไทย"),
        ("١٢ १२ ๑๒", "12 12 12"),
        ("हिन्दी सड़क माँ।", "हिंदी सडक मां"),
        ("كِتَـاب أحمد مدرسة", "كتاب احمد مدرسة"),
        ("İstanbul ISPARTA ışık", "istanbul isparta isik"),
        ("Việt Đường", "viet duong"),
        ("שָׁלוֹם", "שלום"),
        ("צה״ל צה\"ל ג'ירפה", "צהל צהל גירפה"),
        ("می\u200cخواهم", "ميخواهم"),
        ("soft\u00adhyphen", "softhyphen"),
        ("... -- ''", ""),
        ("[SEP] </s>", "sep s"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The companies were running", "en", "the compani were run"),
        ("running", "", "running"),
        ("running", "xx", "running"),
        ("中文分词 running", "zh", "中文 分词 run"),
        ("Москва running", "en", "москв run"),
        ("Київ", "uk", "київ"),
        ("książkami", "pl", "ksiazk książkami"),
        ("학교에서는 학교", "ko", "학교 학교에서 학교에서는 학교"),
        ("공부했습니다", "ko", "공부 공부했습니다"),
        ("הספרים ספר", "he", "הספר ספר ספר"),
        ("חלונות חלון", "he", "חלונ חלונ"),
    ],
)
def test_stems(text: str, language: str, expected: str) -> None:
    assert stems(text, language) == expected


@pytest.mark.parametrize("language", ["", "en", "de", "ru", "zh", "ko"])
def test_stems_met_before_are_the_same(language: str) -> None:
    texts = (
        "The companies, running; companies of 12 500 or DE89 3704 0044 0532 0130 00 in C++",
        "Häuser und книги 学校に行く Straße 학교에서는 e-mail U.S. 10-K " + "x" * 90,
        "",
    )
    for text in (*texts, *texts):
        every = set(iter_stems(text, language))
        assert every == set(stems(text, language).split())
        left_out = every - set(iter_stems(text, language, groups=False))
        assert all(any(map(str.isdigit, word)) for word in left_out)
    assert list(iter_stems("running companies", "en")) == ["run", "compani"]


def test_marks_tell_apart_and_may_be_left_out() -> None:
    assert forms("häuser", "de") == (("haus",), ("häuser",))
    assert forms("hauser", "de") == (("haus",), ())
    # What the stemmer makes of a word without its marks is kept beside.
    assert set(forms("ışıkları", "tr").marked) > set(forms("isiklari", "tr").stems)


def test_stemming_in_many_threads() -> None:
    text = " ".join(f"running{n} companies" for n in range(500))
    with ThreadPoolExecutor(4) as pool:
        results = set(pool.map(lambda _: stems(text, "en"), range(16)))
    assert results == {stems(text, "en")}


def test_stop_words_are_folded() -> None:
    assert "the" in stop_words("en")
    assert stop_words("xx") == frozenset()
    assert STOP_WORDS.keys() == ASKING_WORDS.keys()
    for listed in (*STOP_WORDS.values(), *ASKING_WORDS.values()):
        assert all(words(word) == [word] for word in listed)


@given(st.text(max_size=200), st.sampled_from(["", "en", "de", "ru", "ar", "zh", "xx"]))
def test_any_text_gives_clean_words(text: str, language: str) -> None:
    for word in (*words(text), *stems(text, language).split()):
        assert 0 < len(word) <= MAX_LENGTH
        assert not any(c.isspace() for c in word)
        kinds = {unicodedata.category(c) for c in word}
        assert any(map(str.isalnum, word)) or kinds & {"Mn", "Mc", "Cn", "So", "Sk"}


@given(st.text(alphabet="aéßñ ŁžЖё中กक1-.',_@", max_size=60))
def test_form_and_case_do_not_matter(text: str) -> None:
    folded = words(text)
    assert words(unicodedata.normalize("NFD", text)) == folded
    assert words(text.casefold()) == folded


@given(st.lists(st.from_regex(r"[a-z][a-z0-9]{0,7}|[0-9]{7,8}", fullmatch=True), max_size=10))
def test_plain_words_come_back(listed: list[str]) -> None:
    assert words(" ".join(listed)) == listed
    assert words("  ".join(listed) + " é") == [*listed, "e"]


def test_typographic_punctuation_parts_words_as_that_of_ascii_does() -> None:
    typeset = (
        "The keeper\u2019s \u201cnet\u201d sales\u2014up 12.5\u2009% \u2022 item 1\u20112\u2026"
    )
    found = words('The keeper\'s "net" sales - up 12.5 % * item 1-2...')
    assert words(typeset) == found
    assert words(f"{typeset} r\u00e9sum\u00e9") == [*found, "resume"]


@given(
    st.text("abeéüßñдиїйςάαשלםعربيةहिंน้ำ読み書き漢한국어", min_size=1, max_size=8),
    st.lists(
        st.sampled_from(["", "en", "de", "ru", "uk", "el", "ar", "fa", "he", "hi", "ja", "ko"])
    ),
)
def test_stems_in_several_languages_are_those_in_each(text: str, languages: list[str]) -> None:
    for token in tokens(text):
        each = {stem for language in languages for stem in forms(token, language).stems}
        assert stems_in(token, languages) == each


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("section 14\xb3", ["section", "14", "3"]),
        ("10\u2076 cells", ["10", "6", "cells"]),
        ("10\u207b\u2076", ["10", "6"]),
        ("5 m\xb2, 2 km\xb3", ["5", "m2", "2", "km3"]),
        ("CO\u2082, 14\u2083", ["co2", "14", "3"]),
        ("the keeper\xb3 says\u2074", ["the", "keeper", "says"]),
    ],
)
def test_raised_and_lowered_figures(text: str, expected: list[str]) -> None:
    assert words(text) == sequence(text) == expected


def test_a_mark_of_a_footnote_parts_no_phrase() -> None:
    text = "See section 14\xb3 and 10\u2076 cells of the keeper\xb2 there."
    for phrase in ("section 14 and", "10^6 cells", "10\u2076", "the keeper there", "14\xb3"):
        assert WordSequence(sequence(phrase)).is_in(text)
    assert not WordSequence(sequence("143")).is_in(text)


def test_dates_are_equal_with_and_without_zeros() -> None:
    for text in ("It was signed on 05.03.2024.", "It was signed on 5.3.2024."):
        for phrase in ("on 05.03.2024", "signed on 5.3.2024", "5.03.2024"):
            assert WordSequence(sequence(phrase)).is_in(text)
        assert not WordSequence(sequence("15.3.2024")).is_in(text)


def test_large_numbers_are_equal_with_and_without_zeros_and_groups() -> None:
    for text in ("1,234.50", "1.234,50", "1234.5", "1234.50"):
        assert words(text) == ["1234.5"]
    assert words("2.10 2.1 12,50 12.50") == ["2.10", "2.1", "12.50", "12.50"]
    assert words("05.03.2024 5.3.2024") == ["5.3.2024"] * 2
    assert words("1.02.3 01.02") == ["1.02.3", "01.02"]
    assert number_ways("12500 euros") == ["12.500 euros", "12 500 euros"]
    assert number_ways("12.500 euros") == ["12,500 euros", "12 500 euros"]
    assert number_ways("2 750 000") == ["2,750,000", "2.750.000"]
    assert number_ways("1999.95 or 1234") == ["1.999,95 or 1.234", "1 999,95 or 1 234"]
    for text in ("May 2024", "in 2019, 300", "12.50", "no 12-4410", "1848", "x12500", "0012500"):
        assert number_ways(text) == []


@pytest.mark.parametrize(
    ("texts", "whole"),
    [
        (("12500", "12.500", "12 500", "12,500", "12\u202f500", "12'500"), "12500"),
        (("2750000", "2.750.000", "2 750 000", "2,750,000"), "2750000"),
        (("DE89370400440532013000", "DE89 3704 0044 0532 0130 00"), "de89370400440532013000"),
        (("GB29NWBK60161331926819", "GB29 NWBK 6016 1331 9268 19"), "gb29nwbk60161331926819"),
        (("4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111"), "4111111111111111"),
        (("340000000000009", "3400 000000 00009"), "340000000000009"),
        (("+4930901820", "+49 30 901820", "+49 (30) 90-1820"), "4930901820"),
        (("\U0001f680", "launch \U0001f680"), "\U0001f680"),
    ],
)
def test_what_is_written_in_groups_has_a_whole(texts: tuple[str, ...], whole: str) -> None:
    for text in texts:
        assert whole in words(f"pay {text} now"), text
        assert whole in stems(f"pay {text} now", "en").split(), text


@pytest.mark.parametrize(
    "text", ["in 1984 and 2001", "0.125", "3.14159", "chapter 1 12", "ab12 word"]
)
def test_other_numbers_have_no_whole(text: str) -> None:
    assert words(text) == text.split()


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("1 234 567,89 \u20ac", "1234567.89"), ("1\u202f234,50", "1234.5"),
        ("1'234'567.89 CHF", "1234567.89"), ("1\u20194\u201900", "1'4'00"),
        ("12,34,567 rupees", "1234567"),
        ("\u211612-345", "12-345"), ("\u21165", "\u2116 5"),
    ],
)  # fmt: skip
def test_a_number_is_found_however_it_is_written(written: str, asked: str) -> None:
    assert set(words(asked)) <= set(words(written))
