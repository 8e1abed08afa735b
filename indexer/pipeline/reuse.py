"""Reuses the vectors of an earlier text of the same file.

Owns comparing an edited document with the earlier document of its file: a passage whose model input
is identical takes its vectors from there. It must not know the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.pipeline.sections import SectionReader
from indexer.store.values import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, Space
    from indexer.store.store import Store

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
