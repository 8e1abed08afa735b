"""Documents of any number, the same for the same seed, written as Markdown files.

    python -m tests.benchmarks.synthetic_texts --passages 100000 --folder DIR

Words are as frequent as in real text (the chunking-eval set), with a long tail of made-up ones like
in every growing library. Each document has words of its own that it repeats. Lengths are
log-normal, about 100 passages on average. This module must not know what is done with the texts.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tests.benchmarks import sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# A folder of each name holds this share of the documents, which are scattered among the others.
FOLDERS = {"few": "1 %", "half": "50 %", "most": "99 %"}
_INSIDE = ((0.01, "most/half/few"), (0.5, "most/half"), (0.99, "most"), (1.0, "rest"))

_WORD = re.compile(r"[a-z]+")
_LETTERS = np.array(list("etaoinshrdlcumwfgypbvk"))
_TAIL_WORDS, _TAIL_SHARE = 100_000, 0.03
_OWN_WORDS, _OWN_SHARE = 150, 0.2
_SENTENCES, _SHORTEST, _LONGEST = 6, 12, 38  # of a passage; words of a sentence
_SECTION = 20  # passages under one heading
_SHELF = 12  # documents in one folder


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words (n,) and the running sum of their frequencies (n,), which ends at 1."""

    words: NDArray[np.str_]
    cumulative: NDArray[np.float64]

    def draw(self, rng: np.random.Generator, count: int) -> NDArray[np.str_]:
        places = np.searchsorted(self.cumulative, rng.random(count))
        drawn: NDArray[np.str_] = self.words[np.minimum(places, len(self.words) - 1)]
        return drawn


def vocabulary(corpus: Path, seed: int = 1) -> Vocabulary:
    """The words of a folder of texts by frequency, and the tail."""
    rng = np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    for file in sorted(path for path in corpus.rglob("*") if path.is_file()):
        counts.update(_WORD.findall(file.read_text(encoding="utf-8", errors="replace").lower()))
    frequent = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    heights = np.array([count for _, count in frequent], np.float64)
    tail = 1.0 / (50.0 + np.arange(_TAIL_WORDS))
    shares = np.concatenate(
        [heights / heights.sum() * (1 - _TAIL_SHARE), tail / tail.sum() * _TAIL_SHARE]
    )
    made = _made_up(rng, _TAIL_WORDS)
    return Vocabulary(np.array([word for word, _ in frequent] + made), np.cumsum(shares))


def _made_up(rng: np.random.Generator, count: int) -> list[str]:
    lengths = 5 + rng.poisson(3.0, count)
    letters = "".join(_LETTERS[rng.integers(0, len(_LETTERS), int(lengths.sum()))].tolist())
    ends = np.cumsum(lengths)
    return [letters[end - size : end] for end, size in zip(ends, lengths, strict=True)]


@dataclass(frozen=True, slots=True)
class Texts:
    """Documents with about ``passages`` passages in total."""

    words: Vocabulary
    passages: int
    seed: int = 2

    def documents(self) -> Iterator[tuple[str, str]]:
        """The path and the text of each document."""
        rng = np.random.default_rng(self.seed)
        lengths = self._lengths(rng)
        ranks = rng.permutation(len(lengths)) / len(lengths)
        for number, (length, rank) in enumerate(zip(lengths.tolist(), ranks.tolist(), strict=True)):
            inside = next(path for below, path in _INSIDE if rank < below)
            title, text = self._text(rng, length)
            shelf = f"shelf {number // _SHELF}"
            yield f"{inside}/{shelf}/{number} {title}.md", text

    def write(self, folder: Path) -> int:
        """Write all of them below a folder; return how many there are."""
        count = 0
        for path, text in self.documents():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            count += 1
        return count

    def _lengths(self, rng: np.random.Generator) -> NDArray[np.int64]:
        drawn = np.clip(rng.lognormal(4.2, 0.9, self.passages), 2, 1500).astype(np.int64)
        ends = np.unique(np.minimum(np.cumsum(drawn), self.passages))
        lengths: NDArray[np.int64] = np.diff(np.concatenate([[0], ends]))
        return lengths

    def _text(self, rng: np.random.Generator, length: int) -> tuple[str, str]:
        own = self.words.draw(rng, _OWN_WORDS)
        sizes = rng.integers(_SHORTEST, _LONGEST + 1, (length, _SENTENCES))
        words = self.words.draw(rng, int(sizes.sum()))
        back = np.flatnonzero(rng.random(len(words)) < _OWN_SHARE)
        words[back] = own[rng.integers(0, _OWN_WORDS, len(back))]
        listed = words.tolist()
        title = " ".join(own[:3].tolist())
        parts, at = [f"# {title.capitalize()}"], 0
        for number, row in enumerate(sizes.tolist()):
            if number % _SECTION == 0:
                parts.append(f"## {' '.join(listed[at : at + 3]).capitalize()}")
            sentences = []
            for size in row:
                sentences.append(" ".join(listed[at : at + size]).capitalize() + ".")
                at += size
            parts.append(" ".join(sentences))
        return title, "\n\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    # The words of the set that the queries come from.
    words = vocabulary(sets.find(sets.NAMES[0]).corpus)
    Texts(words, asked.passages).write(asked.folder)


if __name__ == "__main__":
    main()
