"""The language of a query is told where it is clear, and only there."""

from __future__ import annotations

import pytest

from indexer.query.grammar import parse
from indexer.search.query_expansion import clear_language, function_words
from indexer.text.stop_words import ASKING_WORDS, STOP_WORDS
from indexer.text.terms import words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How much notice must be given to terminate the agreement?", "en"),
        ("Wie lange ist die Kündigungsfrist?", "de"),
        ("¿Cuándo llegó el barco a la isla?", "es"),
        ("Когда паром пришёл на остров и кто его ждал?", "ru"),
        ("渡船什么时候到达", "zh"),
        ("船はいつ着いたか", "ja"),
        ("배는 언제 도착했나", "ko"),
        ("Πότε έφτασε το πλοίο", "el"),
        # Names and single words are of no language, and many words of several.
        ("Shackleton Endurance", ""),
        ("information", ""),
        ("la casa", ""),
        ("GPT-4 2024", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_query(text: str, language: str) -> None:
    query = parse(text)
    assert clear_language(query.text, query.terms) == language


@pytest.mark.parametrize("language", sorted(STOP_WORDS))
def test_the_function_words_of_a_language_are_its_stop_words_and_those_of_questions(
    language: str,
) -> None:
    known = sorted(STOP_WORDS[language] | ASKING_WORDS[language])
    assert function_words(" ".join(known), known, [language]) == frozenset(known)
    assert function_words("zephyr", ["zephyr"], [language]) == frozenset()


def test_a_word_is_a_function_word_in_the_language_of_the_question_alone() -> None:
    def found(text: str, *languages: str) -> frozenset[str]:
        return function_words(text, words(text), languages)

    assert found("the man of the war", "en", "de") == {"the", "of"}
    assert found("war der Mann da und dort", "en", "de") == {"war", "der", "da", "und"}
    assert found("war reparations", "en") == frozenset()
    assert found("how can i trim my wick", "en") == {"how", "can", "i", "my"}
