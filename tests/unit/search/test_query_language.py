"""The language of a query is told where it is clear, and only there."""

from __future__ import annotations

import pytest

from indexer.query.grammar import parse
from indexer.search.query_language import clear_language


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
