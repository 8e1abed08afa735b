"""Phrases: no text that has words side by side is lost, in any language."""

from __future__ import annotations

import re
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.store import word_queries
from indexer.store.word_queries import WordSequence
from indexer.store.words import unspaced_words
from indexer.text.sentences import is_unspaced
from indexer.text.stemmers import _SNOWBALL
from indexer.text.terms import _side_by_side, sequence, stems

LANGUAGES = ("", *_SNOWBALL, "he", "ja", "ko", "th", "uk", "vi", "zh")
TEXTS = {
    "en": "The Company’s 10-K says that John’s net income (loss) of $1,234.5 million "
    "wasn't re-stated in the U.S. by A.B.C. Corp., e.g. in state-of-the-art e-mail.",
    "de": "Die Größe der Fußbälle übertraf 3,5 m, Straßenbahnen fuhren täglich zum "
    "Müller'schen Haus; Verträge über 1.234.567,89 Euro wurden gekündigt.",
    "fr": "L'homme n’est qu'un roseau, le plus faible de la nature ; aujourd'hui c'était "
    "l'œuvre des élèves où l'on naît déçu.",
    "ar": "وَالكتابُ الجديد للمدرسة في المكتبة الكبيرة، وبالطبع كَتَبَ الطلاب دروسهم ١٢٣",
    "he": "הַיְלָדִים הלכו לבית־הספר ובירושלים קנו ספרים, צה\"ל וג'ירפה",
    "ja": "東京大学では、学生がコンピューターを使って勉強しています。折れた車体のありがとう",
    "zh": "我们在北京的大学学习中文，臺灣的歷史與漢語。他買了３本書",
    "th": "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน ประเทศไทยมีน้ำ",
    "ko": "학교에서 공부하고 있는 학생들은 한국어를 배웁니다. 서울대학교까지",
    "ru": "Ёлки и берёзы росли у домов, а Москва-река текла в бетоне.",
    "vi": "Cộng hòa xã hội chủ nghĩa Việt Nam, hoá đơn thuỷ điện và sầu riêng",
    "tr": "İstanbul'un ışıkları ığdır'dan görünmüyordu; Türkiye'nin çocukları",
    "hi": "हिन्दी में लिखी हुई क़िताबें और चाँद, सड़कों पर १२ लोग",
}


def found(text: str, language: str, phrase: str, languages: tuple[str, ...]) -> bool:
    """Whether the index has the terms of a phrase for a text, and the text has the phrase."""
    wanted = WordSequence(sequence(phrase))
    there = set(stems(text, language).split())
    has_terms = all(not one.isdisjoint(there) for one in wanted.terms(languages))
    has_characters = {*filter(is_unspaced, wanted.words)} <= {*unspaced_words(text)}
    side_by_side = {*pairwise(wanted.words)} <= {*pairwise(sequence(text))}
    return has_terms and has_characters and side_by_side and wanted.is_in(text)


@given(st.data())
@pytest.mark.parametrize("language", TEXTS)
def test_consecutive_words_of_a_text_find_it(language: str, data: st.DataObject) -> None:
    text = TEXTS[language]
    words = text.split(" ")
    spoken = data.draw(st.sampled_from([language, "", "en", "ja", "ar"]))
    unspaced = language in {"ja", "zh", "th"}
    units = list(text) if unspaced else words
    first = data.draw(st.integers(0, len(units) - 1))
    last = data.draw(st.integers(first + 1, len(units)))
    phrase = ("" if unspaced else " ").join(units[first:last])
    changed = data.draw(st.sampled_from([phrase, phrase.upper(), phrase.lower()]))
    if sequence(changed):
        assert found(text, spoken, changed, (spoken, "de")), changed


@example("", "न्क", "", "hi")
@given(st.text(), st.text(), st.text(), st.sampled_from(LANGUAGES))
def test_any_words_between_spaces_find_their_text(
    before: str, phrase: str, behind: str, language: str
) -> None:
    if sequence(phrase):
        assert found(f"{before} {phrase} {behind}", language, phrase, LANGUAGES)
        assert found(f"{before} {phrase} {behind}", language, " ".join(sequence(phrase)), LANGUAGES)


@given(st.lists(st.sampled_from([*"ab1'., ()“”\"-@’s\n\xa0\u212a", "a b", "b1"])).map("".join))
def test_the_quick_ways_to_compare_agree_with_the_words(text: str) -> None:
    padded = f" {' '.join(sequence(text))} "
    for phrase in (["a"], ["b"], ["a", "b"], ["b1", "a"], ["a", "b", "1"], ["1", "k"], ["s"]):
        assert WordSequence(phrase).is_in(text) is (f" {' '.join(phrase)} " in padded)


@given(
    st.text()
    | st.lists(st.sampled_from([*"a.1' s\u0301\u200d\xa0\u0e4d\u0e32ー北é-,"])).map("".join)
)
def test_no_word_goes_beyond_white_space(text: str) -> None:
    assert sequence(text) == [*_side_by_side(text)]


@pytest.mark.parametrize(
    ("phrase", "text", "there"),
    [
        ("10 K report", "the 10-K report", True),
        ("10-K", "10 K", True),
        ("US government", "the U.S. Government", True),
        ("1234 dollars", "1,234 dollars", True),
        ("creme brulee", "la crème brûlée", True),
        ("naïve", "a NAIVE man", True),
        ("cost net", "the cost. Net income", True),
        ("john book", "john's book", True),
        ("to be", "not be to", False),
        ("art", "start", False),
        ("in come", "income", False),
        ("run", "running", False),
        ("学习中", "我们学习中文", True),
        ("大學", "北京大学", True),
        ("学中习", "我们学习中文", False),
        ("ที่มีระดับ", TEXTS["th"], True),
    ],
)
def test_words_are_compared_not_what_separates_them(phrase: str, text: str, there: bool) -> None:
    for framed in (text, f"“{text}” – ©", f"{text} é"):
        assert WordSequence(sequence(phrase)).is_in(framed) is there


def test_no_character_that_becomes_one_without_spaces_is_missed() -> None:
    every = filter(unicodedata.decomposition, map(chr, range(sys.maxunicode + 1)))
    unspaced = [one for one in every if any(map(is_unspaced, sequence(one)))]
    assert len(unspaced) > 500
    assert all(map(unspaced_words, unspaced))


def test_what_is_never_ascii_is_folded_to_nothing_that_is() -> None:
    never = re.compile(f"[{word_queries._NEVER_ASCII}]")
    every = "".join(filter(never.match, map(chr, range(0xD800))))
    every += "".join(filter(never.match, map(chr, range(0xE000, sys.maxunicode + 1))))
    assert not re.search("[a-zA-Z0-9]", "".join(sequence(every)))
    for char in every:
        assert not re.search("[a-zA-Z0-9]", "".join(sequence(char))), hex(ord(char))
