"""Tokenizes text, with character offsets.

Owns the Hugging Face tokenizer of a model: it neither truncates nor pads, and special tokens that
stand literally in a text ("[SEP]", "</s>") are tokenised as ordinary characters. It must not know
batches, windows or the model.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from indexer.embed.word_tokens import WordTokens, has_independent_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text, without special tokens.

    Attributes:
        ids: int32, shape ``(n,)``.
        starts: int32, shape ``(n,)``: the offset of each token in the text, in code points.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ids)


def shared_tokenizer(path: Path, digest: str) -> TextTokenizer:
    """The tokenizer of a file, shared by its users: a vocabulary of 160,000 takes 150 MB.

    Args:
        path: The file.
        digest: Its hash, by which it is shared.
    """
    with _opening:
        tokenizer = _open.get(digest)
        if tokenizer is None:
            tokenizer = _open[digest] = TextTokenizer(path)
        return tokenizer


class TextTokenizer:
    """The tokenizer of one model. Thread-safe; runs in the calling thread."""

    def __init__(self, path: Path) -> None:
        # The tokenizer's thread pool would compete with the threads of ONNX Runtime.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.lead, self.tail = self._template()
        self._special, self._unknown = self._special_ids()
        self._words = WordTokens() if has_independent_words(self._tokenizer) else None

    @property
    def largest_id(self) -> int:
        """The largest id that it can return."""
        return max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)

    def id_of(self, token: str) -> int | None:
        """The id of one token, special or not; None if there is no such token."""
        found: int | None = self._tokenizer.token_to_id(token)
        return found

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokenize texts, without adding special tokens."""
        if self._words is not None:
            return [Tokens(*self._words.of(text, self._encode)) for text in texts]
        encoded = self._encode(texts)
        return [Tokens(np.array(ids, np.int32), np.array(at, np.int32)) for ids, at in encoded]

    def _encode(self, texts: Sequence[str]) -> list[tuple[list[int], list[int]]]:
        """The ids of each text, and where their tokens start."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            (self._without_special(one.ids), [start for start, _ in one.offsets])
            for one in encodings
        ]

    def _template(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The special ids before and after a sequence."""
        encoding = self._tokenizer.encode("a", add_special_tokens=True)
        ids = np.array(encoding.ids, np.int32)
        text = np.flatnonzero(np.array(encoding.special_tokens_mask) == 0)
        return ids[: text[0]], ids[text[-1] + 1 :]

    def between(self) -> NDArray[np.int32]:
        """The special ids between the two texts of a pair."""
        encoding = self._tokenizer.encode("a", "a", add_special_tokens=True)
        first, last = np.flatnonzero(np.array(encoding.special_tokens_mask) == 0)[[0, -1]]
        return np.array(encoding.ids, np.int32)[first + 1 : last]

    @property
    def types_pairs(self) -> bool:
        """Whether the tokens of the second text of a pair are of another type."""
        return any(self._tokenizer.encode("a", "a", add_special_tokens=True).type_ids)

    def _special_ids(self) -> tuple[frozenset[int], int]:
        special = {
            token_id
            for token_id, token in self._tokenizer.get_added_tokens_decoder().items()
            if token.special
        }
        # The unknown token is special but has no function, so a text may contain it.
        encoded = self._tokenizer.encode("\U000e0fff", add_special_tokens=False).ids
        unknown = encoded[0] if encoded else -1
        return frozenset(special - {unknown}), unknown

    def _without_special(self, ids: list[int]) -> list[int]:
        """Replace ids of special tokens, to which some texts are normalised, by the unknown one."""
        if self._unknown < 0 or self._special.isdisjoint(ids):
            return ids
        return [self._unknown if one in self._special else one for one in ids]


_open: WeakValueDictionary[str, TextTokenizer] = WeakValueDictionary()
_opening = threading.Lock()
