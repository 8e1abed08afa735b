"""Counts the words of documents, packs the counts as a part, and joins parts.

Owns how a part is written; ``document_counts`` reads it. Pure; it must not know tables or files.
"""

from __future__ import annotations

import io
from collections import defaultdict
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store.document_counts import END_BYTES, Part
from indexer.store.postings import Postings, packed
from indexer.store.sorted_words import WordWriter
from indexer.store.values import ranges
from indexer.text.stemmers import stem_all
from indexer.text.terms import forms, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from indexer.store.postings import BlockPlace
    from indexer.store.sorted_words import WordPlaces
    from indexer.store.values import Int32s, Int64s, Mask

# A count above takes several postings, so that counts of parts add up to those of the whole.
_MOST = 255
# Postings that are joined at once, with 100 MB of memory.
_JOINED = 500_000


class _Writer:
    """Packs a part, piece by piece: words with their documents, then stems with their words."""

    def __init__(self, docs: Int32s, lengths: Int64s) -> None:
        self._docs, self._lengths = docs, lengths
        self._blocks: list[bytes] = []
        self._end = 0
        self._words, self._stems = WordWriter(self._write), WordWriter(self._write)
        self._places: list[BlockPlace] = []

    def add_words(self, listed: Sequence[str], at: Int64s, rows: Int64s, times: Int64s) -> bytes:
        """Pack ascending words, and return what was packed.

        Args:
            listed: The words. Those that no document has are left out.
            at: The index of a word, (m,).
            rows: The index of a document with it.
            times: How often it occurs there.
        """
        cells, place = np.unique(at * max(1, len(self._docs)) + rows, return_inverse=True)
        times = np.bincount(place, times, len(cells)).astype(np.int64)
        at, rows = np.divmod(cells, max(1, len(self._docs)))
        there, owner, frequencies = np.unique(at, return_inverse=True, return_counts=True)
        pieces = -(-times // _MOST)
        owners = np.repeat(owner, pieces)
        parted = np.full(len(owners), _MOST)
        parted[np.cumsum(pieces) - 1] = times - (pieces - 1) * _MOST
        postings = Postings(
            (self._words.count + np.arange(len(there))).astype(np.uint64),
            np.cumsum(np.bincount(owners, minlength=len(there))),
            np.repeat(rows, pieces).astype(np.int32),
            parted.astype(np.uint8),
        )
        found = zip(there.tolist(), frequencies.tolist(), strict=True)
        self._words.add((listed[one], str(count)) for one, count in found)
        for block, where in packed(postings, self._end) if len(there) else ():
            self._write(block)
            self._places.append(where)
        return self._taken()

    def add_stems(self, stems: Mapping[str, set[str]]) -> bytes:
        """Pack the words of each stem, and return what was packed."""
        self._stems.add((stem, " ".join(sorted(stems[stem]))) for stem in sorted(stems))
        return self._taken()

    def end(self) -> bytes:
        """Pack where everything lies."""
        arrays = {
            "docs": self._docs,
            "lengths": self._lengths,
            "postings": np.array(self._places, np.int64).reshape(-1, 6),
            **_arrays("words", self._words.end()),
            **_arrays("stems", self._stems.end()),
        }
        file = io.BytesIO()
        np.savez(file, **arrays)
        directory = file.getvalue()
        return self._taken() + directory + len(directory).to_bytes(END_BYTES, "little")

    def _write(self, block: bytes) -> int:
        self._blocks.append(block)
        self._end += len(block)
        return self._end - len(block)

    def _taken(self) -> bytes:
        taken, self._blocks = b"".join(self._blocks), []
        return taken


def _arrays(name: str, places: WordPlaces) -> dict[str, Any]:
    return {
        f"{name}_firsts": np.frombuffer("\n".join(places.firsts).encode(), np.uint8),
        f"{name}_places": places.places,
        f"{name}_count": np.int64(places.count),
    }


def counted(
    texts: Any,
    docs: Int32s,
    languages: Any = None,
    times_each: int = 1,
    split_piece: Callable[[str], Sequence[str]] = words,
) -> Iterator[bytes]:
    """Count the words of texts and pack them.

    Text is split at white space first, and only distinct pieces are split into words, because most
    of a text is repetition. So words must not span white space; those of ``text.terms`` do not.

    Args:
        texts: Of passages or titles, an Arrow array, (n,).
        docs: The document of each, (n,).
        languages: ISO 639-1 of each, "" if it is unknown, an Arrow array, (n,); without them no
            stems are packed.
        times_each: How often each word counts.
        split_piece: Returns the words of a piece without white space.
    """
    import pyarrow.compute as pc

    split = pc.utf8_split_whitespace(texts)
    distinct, of_row = np.unique(docs, return_inverse=True)
    owners = np.repeat(of_row, split.value_lengths().to_numpy())
    coded = split.flatten().dictionary_encode()
    cells, times = np.unique(
        coded.indices.to_numpy() * np.int64(len(distinct)) + owners, return_counts=True
    )
    piece, owner = np.divmod(cells, max(1, len(distinct)))
    found = [split_piece(one) for one in coded.dictionary.to_pylist()]
    sizes = np.fromiter(map(len, found), np.int64, len(found))
    listed = sorted(set(chain.from_iterable(found)))
    number = {word: at for at, word in enumerate(listed)}
    of_piece = np.fromiter((number[one] for one in chain.from_iterable(found)), np.int64)
    at = of_piece[ranges((np.cumsum(sizes) - sizes)[piece], sizes[piece])]
    rows = np.repeat(owner, sizes[piece])
    times = np.repeat(times, sizes[piece]) * times_each
    lengths = np.bincount(rows, times, len(distinct)).astype(np.int64)
    writer = _Writer(distinct.astype(np.int32), lengths)
    yield writer.add_words(listed, at, rows, times)
    if languages is not None:
        spoken = np.full(len(distinct), "", object)
        spoken[of_row] = languages.to_numpy(zero_copy_only=False)
        yield writer.add_stems(_stems(listed, at, spoken[rows]))
    yield writer.end()


def _stems(listed: Sequence[str], at: Int64s, spoken: Any) -> Mapping[str, set[str]]:
    """The stems of words, in the language of each of their documents, with the words of each."""
    stems: defaultdict[str, set[str]] = defaultdict(set)
    for language in set(spoken.tolist()):
        chosen = [listed[one] for one in np.unique(at[spoken == language]).tolist()]
        for word, stem in zip(chosen, stem_all(chosen, language), strict=True):
            for other in (stem,) if word.isascii() else forms(word, language).stems:
                stems[other].add(word)
    stems.pop("", None)  # stemmers leave nothing of some words
    return stems


def joined(parts: Sequence[Part], kept: Sequence[Mask]) -> Iterator[bytes]:
    """Pack the documents of several parts as one; what several have of one adds up.

    Args:
        parts: At least one.
        kept: Which documents of each, (n,).
    """
    docs = np.unique(np.concatenate([one.docs[of] for one, of in zip(parts, kept, strict=True)]))
    lengths = np.zeros(len(docs), np.int64)
    moved = []
    for one, of in zip(parts, kept, strict=True):
        place = np.searchsorted(docs, one.docs)
        lengths[place[of]] += one.lengths[of]
        moved.append(np.where(of, place, -1))
    writer = _Writer(docs, lengths)
    largest = max(parts, key=lambda one: len(one.postings))
    total = sum(len(one.postings) for one in parts)
    borders = [
        largest.words.between(number, number + 1)[0][0]
        for number in largest.postings.borders(-(-total // _JOINED))
    ]
    cuts = [[0, *map(one.words.place, borders), len(one.words)] for one in parts]
    for spans in zip(*map(pairwise, cuts), strict=True):
        yield writer.add_words(*_words_between(parts, spans, moved))
    cuts = [[0, *map(one.stems.place, borders), len(one.stems)] for one in parts]
    for spans in zip(*map(pairwise, cuts), strict=True):
        stems: defaultdict[str, set[str]] = defaultdict(set)
        for part, span in zip(parts, spans, strict=True):
            for stem, listed in part.stems.between(*span):
                stems[stem].update(listed.split())
        yield writer.add_stems(stems)
    yield writer.end()


def _words_between(
    parts: Sequence[Part], spans: Sequence[tuple[int, int]], moved: Sequence[Int64s]
) -> tuple[Sequence[str], Int64s, Int64s, Int64s]:
    """The words of all parts in a span of each, and their documents; see ``_Writer.add_words``.

    ``moved`` are the indices of the documents now, -1 of those that are left out.
    """
    found = [
        [word for word, _ in part.words.between(*span)]
        for part, span in zip(parts, spans, strict=True)
    ]
    listed = sorted(set(chain.from_iterable(found)))
    number = {word: at for at, word in enumerate(listed)}
    cells = []
    for part, span, inside, rows in zip(parts, spans, found, moved, strict=True):
        places = np.fromiter((number[word] for word in inside), np.int64, len(inside))
        postings = part.postings.between(*span)
        now = rows[postings.rows]
        cells.append(
            np.stack([np.repeat(places, postings.counts), now, postings.times])[:, now >= 0]
        )
    at, rows, times = np.concatenate(cells, axis=1)
    return listed, at, rows, times


def count_texts(texts: Mapping[int, tuple[str, str]], times_each: int) -> Part:
    """The words of texts by document, each with its language; each word counts so often."""
    import pyarrow as pa

    listed, languages = (pa.array(column) for column in zip(*texts.values(), strict=True))
    docs = np.fromiter(texts, np.int32, len(texts))
    return Part.in_memory(counted(listed, docs, languages, times_each))


def count_tokens(tokens: Mapping[int, Sequence[str]]) -> Part:
    """Words without white space by document, as they are and without stems."""
    import pyarrow as pa

    listed = pa.array([" ".join(of) for of in tokens.values()], pa.string())
    docs = np.fromiter(tokens, np.int32, len(tokens))
    return Part.in_memory(counted(listed, docs, split_piece=str.split))


def with_part(parts: Sequence[Part], new: Part) -> Sequence[Part]:
    """Few parts in memory, which have the documents of a new one, too."""
    every = [*parts, new]
    while len(every) > 1 and len(every[-2].docs) <= len(every[-1].docs):
        packed = joined(every[-2:], [np.ones(len(one.docs), bool) for one in every[-2:]])
        every[-2:] = [Part.in_memory(packed)]
    return every
