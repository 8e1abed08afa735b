"""The real text that models are calibrated and compared on, as token sequences.

Owns its lengths and its pairs for cross-encoders. It must not know graphs or sessions.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.cosines import sample
from indexer.embed.layout import pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.embed.models import ModelRecord
    from indexer.embed.tokens import TextTokenizer

    Sequences = list[NDArray[np.int32]]

LENGTHS = (512, 2048, 8192)  # tokens of the longer sequences that are compared


def calibration_texts(record: ModelRecord) -> list[str]:
    """The calibration texts, one per line; in many languages for a multilingual model.

    With English alone the lowest cosine of ``lectern-e5-late`` with float32 was .991 over 96
    passages in other languages; with fourteen more it is .997.
    """
    names = ["calibration.txt"]
    if len(record.languages) > 1:
        names.append("calibration-languages.txt")
    files = (resources.files("resources").joinpath("models", name) for name in names)
    return [line for file in files for line in file.read_text("utf-8").splitlines()]


def calibration_sequences(record: ModelRecord, tokenizer: TextTokenizer) -> Sequences:
    """The calibration texts; for a cross-encoder a sentence with its own text and with the next."""
    texts = calibration_texts(record)
    if not record.architecture.scores:
        return sequences_of(record, tokenizer, texts)
    asked = sample(texts)
    read = zip(asked, [*asked[1:], asked[0]], strict=True)
    return [
        ids
        for (question, own), (_, other) in read
        for ids in pairs(tokenizer, question, (own, other), record.window)
    ]


def sequences_of(record: ModelRecord, tokens: TextTokenizer, texts: Sequence[str]) -> Sequences:
    room = record.window - len(tokens.lead) - len(tokens.tail)
    return [
        np.concatenate([tokens.lead, text.ids[:room], tokens.tail]) for text in tokens.encode(texts)
    ]


def long_sequences(
    record: ModelRecord, tokenizer: TextTokenizer, lengths: Sequence[int] = LENGTHS
) -> Sequences:
    """Sequences of real text, or pairs of equal halves, one for each length."""
    texts = tokenizer.encode(calibration_texts(record))
    words = np.concatenate([text.ids for text in texts])
    lead, tail = tokenizer.lead, tokenizer.tail
    between = tokenizer.between() if record.architecture.scores else tail[:0]
    found = []
    for length in sorted({min(length, record.window) for length in lengths}):
        body = np.resize(words, max(1, length - len(lead) - len(between) - len(tail)))
        first, second = np.split(body, [len(body) // 2])
        found.append(np.concatenate([lead, first, between, second, tail]))
    return found
