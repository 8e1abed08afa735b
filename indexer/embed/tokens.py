"""Text into token ids with character offsets; special tokens in a text are plain text.

Owns the Hugging Face tokenizer of a model: no truncation, no padding, and literal special tokens
in a text ("[SEP]", "</s>") read as the ordinary characters they are. It must not know batches,
windows or the model itself.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text, without special ones.

    Attributes:
        ids: int32, shape ``(n,)``.
        starts: int32, shape ``(n,)``: where each token begins in the text, in code points.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ids)


def shared_tokenizer(path: Path, digest: str) -> TextTokenizer:
    """The tokenizer of a file, one for all that use the same: 160,000 pieces take 150 MB.

    Args:
        path: The file.
        digest: What it hashes to.
    """
    with _opening:
        tokenizer = _open.get(digest)
        if tokenizer is None:
            tokenizer = _open[digest] = TextTokenizer(path)
        return tokenizer


class TextTokenizer:
    """Tokenizes for one model. Thread-safe; works on the calling thread alone."""

    def __init__(self, path: Path) -> None:
        # Its own thread pool would compete with the threads of ONNX Runtime.
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(path))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.lead, self.tail = self._template()
        self._special, self._stand_in = self._special_ids()

    def encode(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokenize texts, without adding special tokens."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            Tokens(
                self._harmless(np.array(encoding.ids, np.int32)),
                np.array([start for start, _ in encoding.offsets], np.int32),
            )
            for encoding in encodings
        ]

    def _template(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The special ids before and after a sequence."""
        encoding = self._tokenizer.encode("a", add_special_tokens=True)
        ids = np.array(encoding.ids, np.int32)
        text = np.flatnonzero(np.array(encoding.special_tokens_mask) == 0)
        return ids[: text[0]], ids[text[-1] + 1 :]

    def _special_ids(self) -> tuple[NDArray[np.int32], int]:
        special = {
            token_id
            for token_id, token in self._tokenizer.get_added_tokens_decoder().items()
            if token.special
        }
        # The unknown token has no control function, so a text may contain it.
        unknown = self._tokenizer.encode("\U000e0fff", add_special_tokens=False).ids
        stand_in = unknown[0] if unknown else -1
        return np.array(sorted(special - {stand_in}), np.int32), stand_in

    def _harmless(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Replace special ids that result from a vocabulary look-up."""
        if self._stand_in >= 0 and len(self._special):
            found = np.isin(ids, self._special)
            if found.any():
                ids[found] = self._stand_in
        return ids


_open: WeakValueDictionary[str, TextTokenizer] = WeakValueDictionary()
_opening = threading.Lock()
