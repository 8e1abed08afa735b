"""The vocabulary of the multilingual model, and its tokenizer on unusual text."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from indexer.embed.layout import TextTokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

RECIPE = Path(__file__).resolve().parents[3] / "packaging" / "model"
NAMES = ("e5_source", "e5_texts", "e5_tokenizer", "e5_pieces")
WORDS = ("\u2581", "a", "b", "<", "/", "s", ">", "\u2581ab", "\u2581b", "ba", "\u4e2d")
SCORES = (-2.0, -3.0, -3.0, -9.0, -9.0, -9.0, -9.0, -4.0, -4.0, -4.5, -8.0)


@pytest.fixture(scope="module")
def recipe() -> Iterator[dict[str, ModuleType]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(RECIPE))
        yield {name: importlib.import_module(name) for name in NAMES}
        for name in NAMES:
            patch.delitem(sys.modules, name)


@pytest.fixture
def source(recipe: dict[str, ModuleType]) -> Any:
    pieces = (*recipe["e5_tokenizer"].SPECIAL, *WORDS)
    scores = np.array([0.0] * 4 + list(SCORES), np.float32)
    return recipe["e5_source"].Source(pieces, scores, {}, {}, {})


def _tokenizer(recipe: dict[str, ModuleType], source: Any, folder: Path) -> TextTokenizer:
    """The tokenizer of the recipe, without the character map."""
    numbers = range(len(source.pieces))
    file = json.loads(recipe["e5_tokenizer"].write_tokenizer(source, numbers, b""))
    file["normalizer"]["normalizers"].pop()
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(file), "utf-8")
    return TextTokenizer(path)


def test_the_committed_choice_has_the_special_pieces_and_its_size(
    recipe: dict[str, ModuleType],
) -> None:
    pieces = recipe["e5_pieces"]
    kept = pieces.read_kept()
    assert len(kept) == pieces.COUNT
    assert kept[:4] == [0, 1, 2, 3]
    assert kept == sorted(set(kept))


def test_single_characters_are_kept_and_then_the_most_frequent_pieces(
    recipe: dict[str, ModuleType], source: Any
) -> None:
    used = {"en": {11: 0.1, 12: 0.3}, "de": {12: 0.1, 13: 0.3}}
    kept = recipe["e5_pieces"].choose(source, used, 14)
    letters = {number for number, piece in enumerate(source.pieces) if len(piece) == 1}
    assert set(kept) == {0, 1, 2, 3, *letters, 12, 13}


def test_a_choice_survives_writing_and_reading(
    recipe: dict[str, ModuleType], tmp_path: Path
) -> None:
    recipe["e5_pieces"].write_kept([0, 3, 17, 99], 100, tmp_path / "bits")
    assert recipe["e5_pieces"].read_kept(tmp_path / "bits") == [0, 3, 17, 99]


def test_unknown_words_become_characters(
    recipe: dict[str, ModuleType], source: Any, tmp_path: Path
) -> None:
    tokenizer = _tokenizer(recipe, source, tmp_path)
    (tokens,) = tokenizer.encode(["ab\u4e2d ?b"])
    names = [source.pieces[number] for number in tokens.ids]
    assert names == ["\u2581ab", "\u4e2d", "\u2581", "<unk>", "b"]
    assert tokens.starts.tolist() == [0, 2, 4, 4, 5]


def test_special_pieces_in_a_text_are_split_into_characters(
    recipe: dict[str, ModuleType], source: Any, tmp_path: Path
) -> None:
    tokenizer = _tokenizer(recipe, source, tmp_path)
    (tokens,) = tokenizer.encode(["</s> <s>"])
    names = [source.pieces[number] for number in tokens.ids]
    assert names == ["\u2581", "<", "/", "s", ">", "\u2581", "<", "s", ">"]


def test_texts_get_the_special_tokens_of_training(
    recipe: dict[str, ModuleType], source: Any, tmp_path: Path
) -> None:
    tokenizer = _tokenizer(recipe, source, tmp_path)
    assert (tokenizer.lead.tolist(), tokenizer.tail.tolist()) == ([0], [2])


def test_a_zero_width_joiner_separates_words(
    recipe: dict[str, ModuleType], source: Any, tmp_path: Path
) -> None:
    _tokenizer(recipe, source, tmp_path)
    file = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert file.encode("ab\u200db", add_special_tokens=False).tokens == ["\u2581ab", "\u2581b"]


@pytest.mark.parametrize("word", ["\u0628\u0628", "\u05d1\u05d1"])
def test_vowel_points_are_removed(
    recipe: dict[str, ModuleType], source: Any, tmp_path: Path, word: str
) -> None:
    source = replace(source, pieces=(*source.pieces[:-1], f"\u2581{word}"))
    tokenizer = _tokenizer(recipe, source, tmp_path)
    pointed = f"{word[0]}\u064e\u0651\u05b4\u0640{word[1]}\u0652 b"
    (tokens,) = tokenizer.encode([pointed])
    assert [source.pieces[number] for number in tokens.ids] == [f"\u2581{word}", "\u2581b"]
    assert tokens.starts.tolist() == [0, len(pointed) - 1]


@pytest.mark.parametrize("text", ["\u0640\u0640", "a\u064e", "\u05b4"])
def test_vowel_points_without_a_letter_are_kept(
    recipe: dict[str, ModuleType], source: Any, tmp_path: Path, text: str
) -> None:
    (tokens,) = _tokenizer(recipe, source, tmp_path).encode([text])
    assert "<unk>" in [source.pieces[number] for number in tokens.ids]
