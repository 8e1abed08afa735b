"""Token offsets, and special tokens in a text."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from indexer.embed.models import TOKENIZER
from indexer.embed.tokens import TextTokenizer, shared_tokenizer
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> TextTokenizer:
    models: Path = tmp_path_factory.mktemp("models")
    install_tiny_model(models)
    return TextTokenizer(models / TINY / "source" / TOKENIZER)


def test_the_special_tokens_around_a_text_are_those_of_the_tokenizer(
    tokenizer: TextTokenizer,
) -> None:
    assert tokenizer.lead.tolist() == [2]
    assert tokenizer.tail.tolist() == [3]


@pytest.mark.parametrize("token", SPECIAL)
def test_a_literal_special_token_is_ordinary_text(tokenizer: TextTokenizer, token: str) -> None:
    (tokens,) = tokenizer.encode([f"before {token} after"])
    (brackets,) = tokenizer.encode([f"before [ {token[1:-1]} ] after"])
    assert not np.isin(tokens.ids, [0, 2, 3, 4]).any()
    assert tokens.ids.tolist() == brackets.ids.tolist()


def _whole_words(path: Path, *special: str) -> TextTokenizer:
    """A tokenizer that looks up whole words, special tokens included."""
    words = {token: number for number, token in enumerate((*SPECIAL, "lamp", "oil"))}
    made = Tokenizer(WordLevel(words, unk_token=SPECIAL[1]))
    made.pre_tokenizer = WhitespaceSplit()
    made.add_special_tokens(list(special))
    made.save(str(path))
    return TextTokenizer(path)


def test_a_special_token_from_the_vocabulary_becomes_unknown(tmp_path: Path) -> None:
    tokenizer = _whole_words(tmp_path / TOKENIZER, *SPECIAL)
    lamp, forged, oil = tokenizer.encode(["lamp [SEP] oil"])[0].ids.tolist()
    assert (lamp, forged, oil) == (5, SPECIAL.index("[UNK]"), 6)


def test_without_special_tokens_none_is_replaced(tmp_path: Path) -> None:
    tokenizer = _whole_words(tmp_path / TOKENIZER)
    assert tokenizer.encode(["lamp [SEP] oil"])[0].ids.tolist() == [5, 3, 6]


pieces = st.one_of(st.text(max_size=12), st.sampled_from([*SPECIAL, "</s>", "<s>", "\ufffd", "\0"]))


@given(st.lists(pieces, max_size=8).map(" ".join))
def test_token_offsets_ascend_within_the_text(tokenizer: TextTokenizer, text: str) -> None:
    (tokens,) = tokenizer.encode([text])
    assert len(tokens.ids) == len(tokens.starts)
    assert (np.diff(tokens.starts) >= 0).all()
    assert len(tokens) == 0 or 0 <= tokens.starts[0] <= tokens.starts[-1] < len(text)
    assert not np.isin(tokens.ids, [0, 2, 3, 4]).any()


def test_a_tokenizer_is_shared_while_it_is_in_use(tmp_path: Path) -> None:
    install_tiny_model(tmp_path)
    path = tmp_path / TINY / "source" / TOKENIZER
    one = shared_tokenizer(path, "digest")
    assert shared_tokenizer(path, "digest") is one
    assert shared_tokenizer(path, "another") is not one
    gone = weakref.ref(one)
    del one
    assert gone() is None


def test_nothing_is_cut_off(tokenizer: TextTokenizer) -> None:
    (tokens,) = tokenizer.encode(["word " * 3000])
    assert len(tokens) == 6000
