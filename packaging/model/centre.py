"""Subtracts the mean of an encoder's vectors, so that cosines spread.

Vectors of some encoders share a large component: unrelated texts have a cosine of .7, and passages
near that component are near every question. Subtracting the mean is the first step of
"All-but-the-Top" (Mu and Viswanath, 2018). As a vector is a mean of token states, and these are the
output of the last layer norm, it is enough to subtract the mean from its bias. This module also
chooses the texts by which the mean is measured. It must not know training.
"""

from __future__ import annotations

import json
import lzma
import random
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import torch
from bert import token_states

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from architecture import Architecture
    from bert import Weights

    from indexer.embed.layout import TextTokenizer

# The share of the mean that is subtracted; all of it is worse (figures in the model card).
SHARE = 0.6
# Passages and questions of each language, and of one document.
EACH, OF_ONE = 50, 3
_CHARACTERS = {"zh": 350}
_MOST_CHARACTERS = 900
_QUESTION = {"zh": range(8, 41)}
_QUESTIONS = range(25, 141)
_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s*")


def last_bias(shape: Architecture) -> str:
    """The name of the bias of the last layer norm."""
    return f"encoder.layer.{shape.layers - 1}.output.LayerNorm.bias"


def samples(files: Sequence[Path], seed: int) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Draw passages and questions by language from JSON lines with "text" and "language"."""
    chance = random.Random(seed)  # noqa: S311  # a sample
    passages: dict[str, list[str]] = defaultdict(list)
    questions: dict[str, list[str]] = defaultdict(list)
    texts: dict[str, list[str]] = defaultdict(list)
    for file in files:
        for language, text in _texts(file):
            texts[language].append(text)
    for language, found in texts.items():
        chance.shuffle(found)
        for text in found:
            passages[language] += _passages(text, language, chance)
            questions[language] += _questions(text, language, chance)
        passages[language] = passages[language][:EACH]
        questions[language] = questions[language][:EACH]
    return dict(passages), {language: some for language, some in questions.items() if some}


def mean_state(
    weights: Weights, shape: Architecture, tokenizer: TextTokenizer, prefix: str,
    texts: Mapping[str, Sequence[str]],
) -> Any:  # fmt: skip
    """Return the mean of texts' vectors before normalisation; all languages have equal weights."""
    of_languages = []
    with torch.no_grad():
        for some in texts.values():
            means = []
            for found in tokenizer.encode([prefix + text for text in some]):
                ids = torch.tensor([[*tokenizer.lead, *found.ids, *tokenizer.tail]])
                means.append(token_states(weights, shape, ids.long())[0].mean(0))
            of_languages.append(torch.stack(means).mean(0))
    return torch.stack(of_languages).mean(0)


def _texts(file: Path) -> Iterator[tuple[str, str]]:
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            yield document.get("language", "en"), document["text"]


def _passages(text: str, language: str, chance: random.Random) -> Iterator[str]:
    most = _CHARACTERS.get(language, _MOST_CHARACTERS)
    for _ in range(OF_ONE):
        begin = chance.randrange(max(1, len(text) - most))
        yield text[begin : begin + most]


def _questions(text: str, language: str, chance: random.Random) -> list[str]:
    lengths = _QUESTION.get(language, _QUESTIONS)
    sentences = (one.strip() for one in _SENTENCE.split(text[:60_000]))
    found = [one for one in sentences if one.endswith(("?", "\uff1f")) and len(one) in lengths]
    return chance.sample(found, min(OF_ONE, len(found)))
