"""The lists that a re-ranker is trained on, from a searched library; torch is not needed."""

from __future__ import annotations

import importlib
import json
import random
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.query.grammar import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from indexer.engine.engine import Engine

RECIPE = Path(__file__).resolve().parents[2] / "packaging" / "model"


@pytest.fixture(scope="module")
def recipe() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(RECIPE))
        before = set(sys.modules)
        yield importlib.import_module("lists")
        for name in set(sys.modules) - before:
            if str(RECIPE) in str(getattr(sys.modules[name], "__file__", "")):
                patch.delitem(sys.modules, name)


def test_questions_are_of_passages_that_are_found(recipe: ModuleType, opened: Engine) -> None:
    lists = list(recipe.gather(opened, 60, random.Random(2)))
    json.dumps([asdict(found) for found in lists])
    assert any(found.sentence for found in lists)
    assert not all(found.sentence for found in lists)  # headings
    for found in lists:
        assert len(found.passages) == len(found.scores) == len(found.own) <= recipe.CANDIDATES
        assert list(found.scores) == sorted(found.scores, reverse=True)
        own = [text for text, is_own in zip(found.passages, found.own, strict=True) if is_own]
        assert own
        assert len(own) < len(found.passages)
        assert any(found.sentence in text for text in own)
        assert not parse(found.question).phrases


def test_a_sentence_loses_words_only(recipe: ModuleType) -> None:
    chance = random.Random(3)
    sentence = 'The keeper\'s lamp, "lit" at dusk: -not before.'
    words = ["The", "keeper's", "lamp", "lit", "at", "dusk", "not", "before"]
    found = {recipe.thin(sentence, chance) for _ in range(40)}
    assert " ".join(words) in found
    assert len(found) > 1
    assert all(set(one.split()) <= set(words) for one in found)
