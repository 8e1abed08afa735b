"""Token offsets, and special tokens in a text."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from indexer.config import DEFAULT_MODEL
from indexer.embed import layout as word_tokens
from indexer.embed.layout import TextTokenizer, shared_tokenizer
from indexer.embed.model_files import shipped_folder
from indexer.embed.models import TOKENIZER
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> TextTokenizer:
    models: Path = tmp_path_factory.mktemp("models")
    install_tiny_model(models)
    return TextTokenizer(models / TINY / TOKENIZER)


@pytest.fixture(scope="module")
def remembering() -> TextTokenizer:
    """The tokenizer of the model that comes with the program."""
    return TextTokenizer(shipped_folder() / DEFAULT_MODEL / TOKENIZER)


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """The same, as Hugging Face has it."""
    made = Tokenizer.from_file(str(shipped_folder() / DEFAULT_MODEL / TOKENIZER))
    made.no_truncation()
    made.no_padding()
    made.encode_special_tokens = True
    return made


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


MIXED = st.lists(
    st.text(max_size=6)
    | st.text(
        " \t\n\r\x1c\x85\xa0\u2028.,'-$%[]_aB1\u0301\u0308\u200dßİſ\u212a’—中ㄱ\u0e33ﬁ\0\ufffd",
        max_size=9,
    )
    | st.sampled_from(SPECIAL)
).map("".join)


@given(MIXED)
@example("word " * 3)
@example("x" * 120 + " y")
def test_words_that_were_met_before_have_the_same_tokens(
    reference: Tokenizer, remembering: TextTokenizer, text: str
) -> None:
    """The texts of all examples are tokenized by one object, so it has met most words."""
    wanted = reference.encode(text, add_special_tokens=False)
    for _ in range(2):
        (tokens,) = remembering.encode([text])
        assert tokens.ids.tolist() == wanted.ids
        assert tokens.starts.tolist() == [start for start, _ in wanted.offsets]


def test_a_text_of_more_words_than_are_kept_is_tokenized(
    reference: Tokenizer, remembering: TextTokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_tokens, "_MOST_WORDS", 3)
    for text in ("one two three four five", "five six one", "seven"):
        (tokens,) = remembering.encode([text])
        assert tokens.ids.tolist() == reference.encode(text, add_special_tokens=False).ids


def test_words_may_be_forgotten_while_a_text_is_tokenized(
    reference: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As another thread does that meets more words than are kept."""
    words = word_tokens.WordTokens()
    monkeypatch.setattr(word_tokens, "_MOST_WORDS", 0)

    def encode(texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        encodings = reference.encode_batch(list(texts), add_special_tokens=False)
        return [(one.ids, [start for start, _ in one.offsets]) for one in encodings]

    def interrupted(texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        words.tokenize("another text", encode)
        return encode(texts)

    words.tokenize("one two", encode)
    ids, _ = words.tokenize("one two three", interrupted)
    assert ids.tolist() == reference.encode("one two three", add_special_tokens=False).ids


def test_a_tokenizer_is_shared_while_it_is_in_use(tmp_path: Path) -> None:
    install_tiny_model(tmp_path)
    path = tmp_path / TINY / TOKENIZER
    one = shared_tokenizer(path)
    assert shared_tokenizer(path) is one
    gone = weakref.ref(one)
    del one
    assert gone() is None


def test_nothing_is_cut_off(tokenizer: TextTokenizer) -> None:
    (tokens,) = tokenizer.encode(["word " * 3000])
    assert len(tokens) == 6000
