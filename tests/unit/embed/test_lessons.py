"""Training examples have the layout of the embedder; torch is not needed for this test."""

from __future__ import annotations

import importlib
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.embed.batches import EmbedInput
from indexer.embed.layout import MOST_HEADINGS, TextTokenizer, WindowLayout
from indexer.embed.model_files import find_record, shipped_folder
from indexer.embed.models import TOKENIZER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

RECIPE = Path(__file__).resolve().parents[3] / "packaging" / "model"
LATE = "lectern-minilm-late"
TITLE = "On harbours"
PATHS = [
    (),
    ("Tides",),
    ("Tides", "Springs and neaps"),
    ("Tides",),
    (),
    ("Long " * 40,),
    ("Piers",),
]
# Each word is one token.
SENTENCES = ("The water rises twice a day.", "Lines are let out then.", "We write it down.")


@pytest.fixture(scope="module")
def recipe() -> Iterator[dict[str, ModuleType]]:
    names = ("corpus", "lessons")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(RECIPE))
        yield {name: importlib.import_module(name) for name in names}
        for name in names:
            patch.delitem(sys.modules, name)


@pytest.fixture(scope="module")
def tokenizer() -> TextTokenizer:
    return TextTokenizer(shipped_folder() / LATE / TOKENIZER)


@pytest.fixture
def corpus(recipe: dict[str, ModuleType], tokenizer: TextTokenizer) -> Any:
    """One document, with three to nine sentences under each heading path in turn."""
    texts, headings = [], []
    for number in range(400):
        held = [SENTENCES[turn % len(SENTENCES)] for turn in range(3 + number % 7)]
        texts += held
        headings += [number % len(PATHS)] * len(held)
    pieces = [tokens.ids for tokens in tokenizer.encode(texts)]
    return recipe["corpus"].Corpus(
        np.concatenate(pieces),
        np.cumsum([0, *map(len, pieces)]),
        np.array(headings, np.int32),
        np.array([0, len(pieces)]),
        np.array([0]),
        (TITLE,),
        tuple(PATHS),
    )


@pytest.fixture
def lessons(recipe: dict[str, ModuleType], corpus: Any, tokenizer: TextTokenizer) -> Any:
    return recipe["lessons"].Lessons(corpus, tokenizer, 5, 40)


def _embedder_window(window: Any, corpus: Any, tokenizer: TextTokenizer, title: str) -> Any:
    """The window of the embedder from the first passage to the last."""
    numbers = range(window.passages[0].first, window.passages[-1].last)
    inputs = []
    for heading, own in groupby(numbers, key=lambda number: corpus.headings[number]):
        ids = np.concatenate([corpus.sentence(number) for number in own])
        inputs.append(EmbedInput(title, PATHS[heading], _words(tokenizer, ids), (0,)))
    layout = WindowLayout(find_record(LATE), tokenizer)
    (found,) = layout.sequences(inputs, layout.tokenize(inputs))
    return found.ids


def _words(tokenizer: TextTokenizer, ids: Any) -> str:
    """A text with these tokens."""
    by_number = {
        number: word
        for sentence in SENTENCES
        for word, number in zip(
            sentence.replace(".", " .").split(), tokenizer.encode([sentence])[0].ids, strict=True
        )
    }
    return " ".join(by_number[number] for number in ids.tolist())


@pytest.mark.parametrize("length", [512, 2048])
def test_training_windows_equal_those_of_the_embedder(
    lessons: Any, corpus: Any, tokenizer: TextTokenizer, length: int
) -> None:
    titles = set()
    for step in range(30):
        for window in lessons.draw(step, 0, length, length, held=False).windows:
            assert len(window.ids) == length
            end = window.passages[-1].end
            read = {
                title: _embedder_window(window, corpus, tokenizer, title) for title in (TITLE, "")
            }
            (title,) = [
                title for title, ids in read.items() if np.array_equal(ids[:-1], window.ids[:end])
            ]
            titles.add(title)
    assert titles == {TITLE, ""}  # it is left out in some windows


def test_passages_have_the_right_offsets(lessons: Any, corpus: Any) -> None:
    for step in range(12):
        for window in lessons.draw(step, 0, 1024, 2048, held=False).windows:
            for one in window.passages:
                own = [corpus.sentence(number) for number in range(one.first, one.last)]
                np.testing.assert_array_equal(window.ids[one.start : one.end], np.concatenate(own))


def test_long_headings_are_cut(lessons: Any, corpus: Any, tokenizer: TextTokenizer) -> None:
    (long,) = tokenizer.encode(["Long"])
    runs = {
        len(list(same))
        for step in range(12)
        for window in lessons.draw(step, 0, 2048, 2048, held=False).windows
        for number, same in groupby(window.ids[64:].tolist())  # after the prefix of the window
        if number == long.ids[0]
    }
    assert max(runs) == MOST_HEADINGS  # one may be cut at the end of the window


def test_a_step_depends_on_its_number_only(lessons: Any) -> None:
    first, again, other = (lessons.draw(step, 1, 512, 2048, held=False) for step in (3, 3, 4))
    for one, same in zip(first.windows, again.windows, strict=True):
        np.testing.assert_array_equal(one.ids, same.ids)
    assert not np.array_equal(first.windows[0].ids, other.windows[0].ids)


def _second_lesson(recipe: dict[str, ModuleType], corpus: Any, tokenizer: TextTokenizer) -> Any:
    how = recipe["lessons"].Framing(headless=1.0, leading=1.0)
    lessons = recipe["lessons"].Lessons(corpus, tokenizer, 5, 40, how)
    return lessons.draw(3, 0, 512, 1024, held=False)


def test_windows_of_the_second_run_are_read_without_headings(
    recipe: dict[str, ModuleType], corpus: Any, tokenizer: TextTokenizer
) -> None:
    lesson = _second_lesson(recipe, corpus, tokenizer)
    heading = tokenizer.encode(["Tides"])[0].ids[0]
    assert lesson.windows
    assert not any(heading in window.ids for window in lesson.windows)
    assert any(heading in query.ids for query in lesson.queries)


def test_the_sentence_in_front_of_a_passage_asks_for_it(
    recipe: dict[str, ModuleType], corpus: Any, tokenizer: TextTokenizer
) -> None:
    lesson = _second_lesson(recipe, corpus, tokenizer)
    passages = [passage for window in lesson.windows for passage in window.passages]
    led = {number for number, passage in enumerate(passages) if passage.led}
    asked = 0
    for number in led:
        passage = passages[number]
        (window,) = (one for one in lesson.windows if passage in one.passages)
        assert window.ids[passage.start] == corpus.sentence(passage.first)[0]
        before = set(corpus.sentence(passage.first - 1).tolist())
        queries = (one for one in lesson.queries if one.first == number)
        asked += any(set(query.ids.tolist()[1:-1]) <= before for query in queries)
    # A sentence that loses nearly all its tokens is no query.
    assert asked > len(led) / 2
