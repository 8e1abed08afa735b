"""Every row of every table: what leads, what is not found, what is highlighted."""

from __future__ import annotations

import functools
import json
import os
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from indexer.api.codec import decode, encode
from tests.languages.asking import Answer, Answers, ask
from tests.languages.table import (
    KINDS,
    LANGUAGES,
    LIBRARIES,
    TEXTS,
    Row,
    overmarked,
    rows,
    unmarked,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Asked = Callable[[Row], Answer]

# Their words have one form.
UNINFLECTED = ("chinese", "thai", "vietnamese")
ROWS = [row for language in LANGUAGES for row in rows(language)]


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """The answer to a row; each library is made once, by whichever worker needs it first."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    @functools.cache
    def answers(languages: tuple[str, ...]) -> Answers:
        folder = shared / "-".join(languages)
        folder.mkdir(exist_ok=True)
        kept = folder / "answers.json"
        with FileLock(folder / "lock"):
            if not kept.exists():
                kept.write_text(json.dumps(encode(ask(languages, folder))), encoding="utf-8")
        return decode(Answers, json.loads(kept.read_text(encoding="utf-8")))

    def answer(row: Row) -> Answer:
        library = next(languages for languages in LIBRARIES if row.language in languages)
        return answers(library).by_row[row.id]

    return answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_asks_enough(language: str) -> None:
    table = list(rows(language))
    kinds = Counter(row.kind for row in table)
    texts = [path.read_text(encoding="utf-8") for path in sorted((TEXTS / language).iterdir())]
    assert len(table) >= 25
    assert kinds.keys() <= set(KINDS)
    for kind in KINDS:
        assert kinds[kind] >= 2 or (kind == "inflected" and language in UNINFLECTED)
    assert len({row.query for row in table}) == len(table)
    for row in table:
        for piece in (row.leads, *row.never):
            assert sum(text.count(piece) for text in texts) == 1, piece


@pytest.mark.parametrize("row", ROWS, ids=attrgetter("id"))
def test_the_passage_leads(row: Row, asked: Asked) -> None:
    found = asked(row).found
    assert found
    assert row.leads in found[0].text
    assert found[0].phrase == row.quoted
    matching = [passage for passage in found if passage.phrase or not row.quoted]
    for piece in row.never:
        assert not any(piece in passage.text for passage in matching), piece


@pytest.mark.parametrize("row", ROWS, ids=attrgetter("id"))
def test_its_words_are_highlighted(row: Row, asked: Asked) -> None:
    answer = asked(row)
    assert unmarked(row, answer.text, answer.spans) == []
    assert overmarked(row, answer.text, answer.spans) == []
