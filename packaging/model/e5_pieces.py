"""Chooses the pieces of the vocabulary to keep, and prints the effect on each language.

    python packaging/model/e5_pieces.py --source FILE --packages FOLDER --words FOLDER

All pieces of one character are kept, so that no more text becomes unknown. The others are the most
frequent ones in texts of many languages, with a fixed weight for each language. The choice is
committed as a bit map, so that the model can be made without the texts. ``--packages`` is a folder
with the Debian packages of `e5_packages.txt` (``apt-get download``), ``--words`` the unpacked wheel
of `wordfreq`. It needs `msgpack`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from e5_source import read_source
from e5_texts import package_texts, training_texts, word_frequencies
from e5_tokenizer import SPECIAL, UNKNOWN, characters_map, write_tokenizer

import indexer  # noqa: F401  # disables the telemetry of model libraries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from e5_source import Source

    Counts = dict[int, float]

KEPT = Path(__file__).with_name("e5_pieces.bits")
COUNT = 160_000
MOST_CHARACTERS = 4_000_000  # counted of one language and kind of source
LEAST_CHARACTERS = 150_000  # of a language; with less text it is not counted
LEAST_FREQUENCY = 10**-6.5  # of a word
CAPITALISED = 0.25  # weight of the capitalised form of a word, relative to that in the list
UNSPACED = frozenset({"ja", "zh"})
# The weights of the kinds of sources.
MANUALS, LEARNT, WORDS = 0.3, 0.3, 0.4
# The weights of frequent languages; others have 1.
SHARES = {"en": 4.0, "zh": 2.0, "ja": 1.5, "de": 1.5, "fr": 1.5, "es": 1.5, "ru": 1.5, "ar": 1.5}
SELDOM = 0.3  # for languages without a list of words
_LINES = 1000  # tokenized at a time
_SHOWN = 100_000  # characters of a language for the table
_WORD = re.compile(r"\w+")


def read_kept(path: Path = KEPT) -> list[int]:
    """Read the ids of the kept pieces, ascending."""
    bits = np.unpackbits(np.frombuffer(path.read_bytes(), np.uint8))
    return [int(number) for number in np.flatnonzero(bits)]


def write_kept(kept: Sequence[int], pieces: int, path: Path = KEPT) -> None:
    """Write the ids of the kept pieces as a bit map.

    Args:
        kept: The ids.
        pieces: The size of the vocabulary.
        path: The file.
    """
    bits = np.zeros(pieces, np.uint8)
    bits[np.array(kept)] = 1
    path.write_bytes(np.packbits(bits).tobytes())


def choose(source: Source, used: Mapping[str, Counts], count: int = COUNT) -> list[int]:
    """Return the ids of the pieces to keep, ascending.

    Args:
        source: The whole vocabulary.
        used: For each language the share of each piece, times the weight of the language.
        count: How many to keep.
    """
    kept = set(range(len(SPECIAL)))
    kept.update(number for number, piece in enumerate(source.pieces) if len(piece) == 1)
    total: Counter[int] = Counter()
    for shares in used.values():
        total.update(shares)
    for number, _ in sorted(total.items(), key=lambda each: (-each[1], each[0])):
        if len(kept) >= count:
            break
        kept.add(number)
    return sorted(kept)


class PieceCounter:
    """Counts the pieces of texts with one tokenizer."""

    def __init__(self, file: str) -> None:
        from tokenizers import Tokenizer

        self._tokenizer: Any = Tokenizer.from_str(file)

    def lines(self, lines: Sequence[str]) -> Counts:
        """The share of each piece in running text."""
        return _shares(self.count(lines))

    def count(self, lines: Sequence[str]) -> Counter[int]:
        """The frequency of each piece in running text."""
        found: Counter[int] = Counter()
        for start in range(0, len(lines), _LINES):
            some = list(lines[start : start + _LINES])
            for encoding in self._tokenizer.encode_batch_fast(some, add_special_tokens=False):
                found.update(encoding.ids)
        return found

    def words(self, words: Mapping[str, float], language: str) -> Counts:
        """The share of each piece in text with given word frequencies."""
        found: dict[int, float] = defaultdict(float)
        often = [(word, share) for word, share in words.items() if share >= LEAST_FREQUENCY]
        capitalised = [
            (large, CAPITALISED * share)
            for word, share in often
            if (large := word.capitalize()) != word and language not in UNSPACED
        ]
        for form in (often, capitalised):
            ids = self._ids([word for word, _ in form], language)
            for (_, share), numbers in zip(form, ids, strict=True):
                for number in numbers:
                    found[number] += share
        return _shares(found)

    def _ids(self, words: Sequence[str], language: str) -> Iterable[Sequence[int]]:
        if language in UNSPACED:  # without a space before the word
            return ([one.id for one in self._tokenizer.model.tokenize(word)] for word in words)
        encodings = self._tokenizer.encode_batch_fast(list(words), add_special_tokens=False)
        return (encoding.ids for encoding in encodings)


def lines_of(texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The distinct lines of each language, without English ones in other languages."""
    english = {line.strip() for text in texts.get("en", ()) for line in text.split("\n")}
    found = {}
    for language, own in texts.items():
        lines = dict.fromkeys(line.strip() for text in own for line in text.split("\n"))
        chosen = [line for line in lines if line and (language == "en" or line not in english)]
        characters = sum(map(len, chosen))
        if characters >= LEAST_CHARACTERS:
            step = max(1.0, characters / MOST_CHARACTERS)
            found[language] = [chosen[int(n * step)] for n in range(int(len(chosen) / step))]
    return found


def mixed(kinds: Sequence[tuple[float, Mapping[str, Counts]]]) -> dict[str, Counts]:
    """The share of each piece in each language, times the weight of the language.

    Args:
        kinds: The weight of each kind of source, and its shares by language; the last kind is the
            word lists.
    """
    found: dict[str, Counts] = {}
    listed = set(kinds[-1][1])
    for language in sorted({language for _, kind in kinds for language in kind}):
        own = [(weight, kind[language]) for weight, kind in kinds if language in kind]
        whole = sum(weight for weight, _ in own)
        share = SHARES.get(language, 1.0 if language in listed else SELDOM)
        sums: Counts = defaultdict(float)
        for weight, counts in own:
            for number, value in counts.items():
                sums[number] += share * weight / whole * value
        found[language] = sums
    return found


def table(texts: Mapping[str, Sequence[str]], files: Sequence[str]) -> Iterator[str]:
    """Yield a Markdown table with statistics of each tokenizer by language."""
    counters = [PieceCounter(file) for file in files]
    unknown = SPECIAL.index(UNKNOWN)
    yield "| language | pieces a word | pieces in 100 characters | unknown in 10,000 characters |"
    yield "|---|---|---|---|"
    for language, own in sorted(texts.items()):
        lines = own[:: max(1, sum(map(len, own)) // _SHOWN)]
        characters, words = sum(map(len, lines)), sum(len(_WORD.findall(line)) for line in lines)
        counts = [counter.count(lines) for counter in counters]
        cells = [
            ", ".join(f"{factor * value:.2f}" for value in values)
            for factor, values in (
                (1 / words, [sum(count.values()) for count in counts]),
                (100 / characters, [sum(count.values()) for count in counts]),
                (10_000 / characters, [count[unknown] for count in counts]),
            )
        ]
        yield f"| {language} | {' | '.join(cells)} |"


def _shares(found: Mapping[int, float]) -> Counts:
    total = sum(found.values())
    return {number: count / total for number, count in found.items()}


def main() -> None:
    options = _options()
    source = read_source(options.source)
    compiled = characters_map()
    whole = write_tokenizer(source, range(len(source.pieces) - 1), compiled)  # but for <mask>
    counter = PieceCounter(whole)
    manuals = lines_of(package_texts(options.packages))
    learnt = lines_of(training_texts(options.texts))
    if not options.table:
        kinds = [
            (MANUALS, {name: counter.lines(own) for name, own in manuals.items()}),
            (LEARNT, {name: counter.lines(own) for name, own in learnt.items()}),
            (WORDS, {name: counter.words(own, name)
                     for name, own in word_frequencies(options.words).items()}),
        ]  # fmt: skip
        write_kept(choose(source, mixed(kinds)), len(source.pieces))
    print("\n".join(table(manuals, [whole, write_tokenizer(source, read_kept(), compiled)])))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Choose the pieces that are kept.")
    parser.add_argument("--source", type=Path, required=True, help="the file with the weights")
    parser.add_argument("--packages", type=Path, required=True, help="folder of *.deb")
    parser.add_argument("--words", type=Path, help="folder of wordfreq's wheel")
    parser.add_argument("--texts", type=Path, default=ROOT.parent / "shared" / "train")
    parser.add_argument("--table", action="store_true", help="only print the table")
    return parser.parse_args()


if __name__ == "__main__":
    main()
