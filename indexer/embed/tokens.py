"""The Hugging Face tokenizer of a model, with character offsets, and a cache of words' tokens.

It neither truncates nor pads, and special tokens that stand literally in a text ("[SEP]", "</s>")
are tokenised as ordinary characters.
"""

from __future__ import annotations

import os
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class TextTokens:
    """The tokens of one text, without special tokens.

    Attributes:
        ids: int32, shape ``(n,)``.
        starts: int32, shape ``(n,)``: the offset of each token in the text, in code points.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ids)


def shared_tokenizer(path: Path) -> TextTokenizer:
    """The tokenizer of a file, shared by its users: a vocabulary of 160,000 takes 150 MB."""
    key = path, path.stat().st_mtime_ns
    with _opening:
        tokenizer = _open.get(key)
        if tokenizer is None:
            tokenizer = _open[key] = TextTokenizer(path)
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

    def encode(self, texts: Sequence[str]) -> list[TextTokens]:
        """Tokenize texts, without adding special tokens."""
        if self._words is not None:
            return [TextTokens(*self._words.tokenize(text, self._encode)) for text in texts]
        encoded = self._encode(texts)
        return [TextTokens(np.array(ids, np.int32), np.array(at, np.int32)) for ids, at in encoded]

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


def has_independent_words(tokenizer: Any) -> bool:
    """Whether a tokenizer of Hugging Face is that of a BERT model, without words of its own."""
    kinds = [type(part).__name__ for part in (tokenizer.normalizer, tokenizer.pre_tokenizer)]
    added = tokenizer.get_added_tokens_decoder().values()
    return kinds == ["BertNormalizer", "BertPreTokenizer"] and all(one.special for one in added)


class WordTokens:
    """A cache of the tokens of words. Thread-safe.

    The tokenizer of a BERT model normalises character by character, and splits at white space and
    punctuation before it looks for subwords, so a word has the same tokens in every text. Looking
    words up takes a quarter of the time of tokenizing them.
    """

    def __init__(self) -> None:
        # Of each token its id and offset, one after the other, int32.
        self._known: dict[str, bytes] = {}

    def tokenize(self, text: str, encode: Encode) -> tuple[Ints, Ints]:
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


_open: WeakValueDictionary[tuple[Path, int], TextTokenizer] = WeakValueDictionary()
_opening = threading.Lock()
