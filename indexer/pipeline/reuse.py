"""Which passages the model reads together, and which vectors of an earlier text are still right.

A model reads single passages, or for late chunking neighbours together. The boundaries of such runs
depend only on the text near them, so that an interrupted document continues with the same vectors,
and an edit changes only the runs around it. A run of an edited document whose input is identical
takes its vectors from the earlier document of its file.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.embed.batches import EmbedInput, passage_prefix
from indexer.store.values import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, Space
    from indexer.store.store import Store
    from indexer.store.values import StoredPassage

# Windows per run: long enough that most passages have neighbours on both sides, short enough that
# an edit re-embeds little.
_WINDOWS = 2
_CHARACTERS_A_TOKEN = 4
_CHARACTERS_A_PASSAGE = 900
# Characters of context from the passage before a run: about 32 tokens, as between windows.
_CONTEXT_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class SectionReader:
    """How a model reads a document.

    Attributes:
        title: Prefix of every input.
        window: Tokens read together; 0 for a model that reads each passage alone.
    """

    title: str
    window: int

    def input(self, passage: StoredPassage) -> EmbedInput:
        """Return the model's input for a passage."""
        return EmbedInput(self.title, passage.heading_path, passage.view, passage.view_starts)

    def runs(self, passages: Iterable[StoredPassage]) -> Iterator[SectionRun]:
        """Split the passages of one document, in order, into runs."""
        if not self.window:
            yield from (SectionRun(None, (passage,)) for passage in passages)
            return
        before = None
        for section in _sections(passages, self.window):
            yield SectionRun(before and _end_of(before, section[0]), section)
            before = section[-1]

    def digest(self, run: SectionRun) -> bytes:
        """Hash everything that the vectors of a run depend on: equal digests, equal vectors."""
        read = run.passages if run.before is None else (run.before, *run.passages)
        fed = [
            (passage_prefix(self.title, one.heading_path), one.view, one.view_starts)
            for one in read
        ]
        return hashlib.blake2b(repr(fed).encode(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class SectionRun:
    """Passages that are read together, and the end of the one before as their context."""

    before: StoredPassage | None
    passages: Sequence[StoredPassage]


def _end_of(before: StoredPassage, following: StoredPassage) -> StoredPassage:
    """Return the end of a passage with the headings of the next, as its context."""
    words = before.view[-_CONTEXT_CHARACTERS:]
    if len(words) < len(before.view):
        words = words[words.find(" ") + 1 :]
    starts = (0,) if words else ()
    path = following.heading_path
    return replace(before, view=words, view_starts=starts, heading_path=path)


def _sections(passages: Iterable[StoredPassage], window: int) -> Iterator[list[StoredPassage]]:
    wanted = window * _WINDOWS * _CHARACTERS_A_TOKEN
    # The mean length of runs in passages, as one in so many may begin a run.
    one_in = max(1, wanted // 2 // _CHARACTERS_A_PASSAGE)
    section: list[StoredPassage] = []
    size = 0
    for passage in passages:
        border = 2 * size >= wanted and zlib.crc32(passage.view.encode()) % one_in == 0
        if section and (border or size >= 2 * wanted):
            yield section
            section, size = [], 0
        section.append(passage)
        size += len(passage.view)
    if section:
        yield section


# Vectors copied in one commit: some 10 MB.
_AT_ONCE = 4096

Pairs = list[tuple[int, int]]


def section_reader(row: DocRow, space: Space) -> SectionReader:
    """Return how the model of a space reads a document."""
    window = int(space.record["window"]) if space.record.get("late") else 0
    return SectionReader(row.title_used, window)


@dataclass(slots=True)
class VectorReuse:
    """Copies vectors between the documents of one space. ``reused`` counts passages."""

    catalog: Catalog
    store: Store
    space: Space
    reused: int = 0

    def copy_shared(self, rows: Iterable[DocRow], done: Mapping[int, frozenset[int]]) -> set[int]:
        """Copy vectors of passages that documents share with earlier texts of their files.

        Args:
            rows: The documents, marked as being written.
            done: The ordinals that have vectors, by document.

        Returns:
            The documents that got vectors.
        """
        found = {row.doc: self._shared(row, done[row.doc]) for row in rows}
        pairs = [pair for common in found.values() for pair in common]
        for start in range(0, len(pairs), _AT_ONCE):
            both = np.array(pairs[start : start + _AT_ONCE], np.int64)
            self.store.copy_vectors(self.space.key, both[:, 0], both[:, 1])
            faults.reached("vectors-copied")
        self.reused += len(pairs)
        return {doc for doc, common in found.items() if common}

    def _shared(self, row: DocRow, done: frozenset[int]) -> Pairs:
        known = self._known(self.catalog.docs.earlier(row.doc))
        if not known:
            return []
        return [
            (source, key_of(row.doc, ordinal))
            for digest, ordinals in self._digests(row)
            for source, ordinal in zip(known.get(digest, ()), ordinals, strict=False)
            if ordinal not in done
        ]

    def _known(self, earlier: list[int]) -> dict[bytes, list[int]]:
        """The passages of earlier texts that have vectors, by the digest of their input."""
        known: dict[bytes, list[int]] = {}
        rows = self.catalog.docs.get(earlier)
        for doc in reversed([doc for doc in earlier if doc in rows]):  # the latest wins
            there = set(self.store.ordinals_with_vectors(self.space.key, doc).tolist())
            if there:
                for digest, ordinals in self._digests(rows[doc]):
                    if there.issuperset(ordinals):
                        known[digest] = [key_of(doc, ordinal) for ordinal in ordinals]
        return known

    def _digests(self, row: DocRow) -> Iterator[tuple[bytes, list[int]]]:
        reading = section_reader(row, self.space)
        for run in reading.runs(self.store.iter_passages([row.doc])):
            yield reading.digest(run), [passage.ordinal for passage in run.passages]
