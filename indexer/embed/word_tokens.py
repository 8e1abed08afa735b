"""Tokens of words that were met before.

The tokenizer of a BERT model normalises character by character, and splits at white space and
punctuation before it looks for subwords, so a word has the same tokens in every text. Looking words
up takes a quarter of the time of tokenizing them. It must not know the model.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    # Of each word its ids, and the offsets of their tokens in it.
    Encode = Callable[[Sequence[str]], Sequence[tuple[list[int], list[int]]]]

_BORDERS = r" \t\n\r!-/:-@\[-`{-~"  # white space and punctuation of ASCII
# Parts of a text that have their tokens by themselves; together they are all of it.
_WORD = re.compile(rf" ?[^{_BORDERS}]+| ?[{_BORDERS}]")
_MOST_WORDS = 1 << 16  # some 10 MB
_MOST_CHARACTERS = 40  # longer words are seldom met twice
_TOKEN_BYTES = 8


def has_independent_words(tokenizer: Any) -> bool:
    """Whether a tokenizer of Hugging Face is that of a BERT model, without words of its own."""
    kinds = [type(part).__name__ for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)]
    added = tokenizer.get_added_tokens_decoder().values()
    return kinds == ["BertNormalizer", "BertPreTokenizer"] and all(one.special for one in added)


class WordTokens:
    """Tokenizes texts by their words. Thread-safe."""

    def __init__(self) -> None:
        # Of each token its id and offset, one after the other, int32.
        self._known: dict[str, bytes] = {}

    def of(self, text: str, encode: Encode) -> tuple[Ints, Ints]:
        """The ids of a text, (n,), and the offsets of their tokens in it, (n,).

        ``encode`` tokenizes words that are not known.
        """
        words = _WORD.findall(text)
        try:
            found = list(map(self._known.__getitem__, words))
        except KeyError:
            found = self._learnt(words, encode)
        sizes = np.fromiter(map(len, words), np.int32, len(words))
        counts = np.fromiter(map(len, found), np.int32, len(words)) // _TOKEN_BYTES
        pairs = np.frombuffer(b"".join(found), np.int32).reshape(-1, 2)
        begins = (np.cumsum(sizes, dtype=np.int32) - sizes).repeat(counts)
        return pairs[:, 0].copy(), pairs[:, 1] + begins

    def _learnt(self, words: Sequence[str], encode: Encode) -> list[bytes]:
        """The tokens of words; short ones are known from now on."""
        known = self._known
        missing = [word for word in dict.fromkeys(words) if word not in known]
        new = {
            word: np.array([ids, offsets], np.int32).T.tobytes()
            for word, (ids, offsets) in zip(missing, encode(missing), strict=True)
        }
        if len(known) > _MOST_WORDS:
            self._known = {}  # other threads go on with the old ones
        self._known.update(
            (word, own) for word, own in new.items() if len(word) <= _MOST_CHARACTERS
        )
        return [new[word] if word in new else known[word] for word in words]
