"""The facade of the stores of one library: its texts, words and vectors.

Texts are written first. What the words lack of them is made again at opening.

One thread writes and maintains, any number of threads read. Writes are not checked for duplicates:
a caller deletes a document's rows before writing them again, or queries which exist.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer import faults
from indexer.api.errors import WorldError
from indexer.store import (
    checks,
    nearest,
    schema,
    writing,
)
from indexer.store.maintenance import Maintainer, Thresholds
from indexer.store.tables import Tables
from indexer.store.texts import TEXTS_NAME, Texts
from indexer.store.values import (
    NOTHING_LEFT_OUT,
    DocSet,
    Float32s,
    Int32s,
    Int64s,
    Maintenance,
    PassageRow,
    Phrase,
    ScoredKeys,
    StoredPassage,
    Term,
    VectorRows,
    Without,
    ordinals_of,
)
from indexer.store.words import WordStore

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from indexer.api.status import TableSize
    from indexer.store.document_words import DocumentWords

# Passages whose words are made again before a library is open, and between other work.
_MADE_AGAIN = 4_096

#: The folder of words, beside the tables.
WORDS = "words"


class Store:
    """The stores of one library. Open them with ``Store.open``."""

    def __init__(
        self, texts: Texts, tables: Tables, words: WordStore, thresholds: Thresholds | None = None
    ) -> None:
        self.texts = texts
        self.tables = tables
        self.words = words
        self._maintainer = Maintainer(tables.by_name, thresholds)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        threads: int,
        thresholds: Thresholds | None = None,
        writable: bool = True,
        suspect: bool = False,
    ) -> Store:
        """Open vectors and words in a directory, made if it is missing, and the texts beside it.

        They are readable by their owner only. ``suspect``: first, all vectors are read in another
        process, and what that cannot read is taken out.

        Raises:
            WorldError: ``disk_full``, as every method that writes, or ``library_newer``; for a
                read-only store also ``library_older`` and ``library_damaged``.
        """
        refusal = WorldError("library_read_only", library=str(path.parent))
        tables = Tables.open(path, threads, writable=writable, suspect=suspect)
        with ExitStack() as unless_open:
            texts = Texts(path.with_name(TEXTS_NAME), None if writable else refusal)
            unless_open.callback(texts.close)
            words = WordStore.open(path / WORDS, writable=writable)
            store = cls(texts, tables, words, thresholds)
            if writable:
                store.catch_up(most=_MADE_AGAIN)
            else:
                with suppress(WorldError):  # then a search finds by meaning alone
                    store.catch_up()
            unless_open.pop_all()
        return store

    def close(self) -> None:
        """Delete old versions and close the tables. No thread may be reading."""
        if self.tables.writable:
            self._maintainer.clean_at_close()
        self.words.close()
        self.tables.close()
        self.texts.close()

    # -- writing, by one thread -------------------------------------------------------------

    def add_passages(self, rows: Sequence[PassageRow], complete: Collection[int] = ()) -> None:
        """Append passages in one commit, searchable by words at once; see ``Texts``."""
        if not rows and not complete:
            return
        self.catch_up()
        self.texts.add_passages(rows, complete)
        faults.reached("texts-committed")
        if rows:
            self.words.add_passages(rows)

    def add_vectors(self, space: str, rows: VectorRows, *, searched: bool = True) -> None:
        """Append vectors of one embedding space in one commit.

        The first ones decide whether it is ``searched``: else it gets no vector index.

        Raises:
            ValueError: If the space's vectors have another dimension.
        """
        if not len(rows.docs):
            return
        dimension = rows.vectors.shape[1]
        name = schema.vectors_table(space)
        table = self.tables.require(
            name, lambda: schema.vectors_schema(dimension, searched=searched)
        )
        if table.dimension != dimension:
            raise ValueError(f"the vectors of {space} have {table.dimension} dimensions")
        table.add_vectors(writing.vectors_table(rows))

    def copy_vectors(self, space: str, sources: Int64s, targets: Int64s) -> None:
        """Copy vectors between passages, pair by pair; sources without whole ones are skipped."""
        import pyarrow as pa

        table = self.tables.vectors(space)
        if table is not None and len(sources):
            found, places = table.take(sources, table.schema.names)
            whole = writing.whole_rows(found)
            found, places = found.filter(pa.array(whole)), places[whole]
            if len(found):
                table.add_vectors(writing.copied_vectors(found, targets[places]))

    def delete_docs(self, docs: Sequence[int]) -> None:
        """Delete the texts of these documents, their words, and their rows in every space."""
        if docs:
            self.texts.delete_docs(docs)
            faults.reached("table-cleared")
            for table in self.tables.by_name().values():
                table.delete_docs(docs)
                faults.reached("table-cleared")
            self.words.delete_documents(docs)

    def drop_space(self, space: str) -> None:
        """Delete all vectors of an embedding space."""
        self.tables.drop(schema.vectors_table(space))

    def maintain(self, *, idle: bool = False) -> Maintenance:
        """Run due maintenance. Call it often; ``idle``: there is no other work."""
        if idle:
            self.words.tidy()
        self.catch_up(most=None if idle else _MADE_AGAIN)
        done = self._maintainer.maintain(idle=idle)
        if done.steps:
            self.tables.grow_cache()
        if idle and self.texts.shrink():
            done = replace(done, steps=(*done.steps, "texts: free pages removed"))
        return done

    def clean_at_open(self) -> Maintenance:
        """Delete files of interrupted writes; call it before the first write only."""
        return self._maintainer.clean_at_open()

    def catch_up(self, most: int | None = None) -> None:
        """Make again what the words lack; ``most``: the passages to read, if not all."""
        known = self.texts.documents()
        docs = np.fromiter(known, np.int32, len(known))
        counts = np.fromiter((one.passages for one in known.values()), np.int64, len(known))
        while self.words.behind and not self.words.catch_up(docs, counts, self.iter_passages, most):
            if most is not None:
                break

    # -- what is there ----------------------------------------------------------------------

    def known_docs(self) -> Int32s:
        """The documents that have passages or vectors, ascending."""
        tables = self.tables.by_name().values()
        texts = np.fromiter(self.texts.documents(), np.int32)
        return np.unique(np.concatenate([texts, *(one.rows.documents()[0] for one in tables)]))

    def passage_keys(self) -> Int64s:
        """The keys of all passages, ascending; the same array until rows come or go."""
        return self.texts.keys()

    def passage_counts(self, docs: Sequence[int]) -> dict[int, int]:
        """The number of passages of each document."""
        return self.texts.counts(docs)

    def vector_counts(self, space: str, docs: Sequence[int]) -> dict[int, int]:
        """The number of vectors of each document."""
        table = self.tables.vectors(space)
        return table.rows.counts_by_doc(docs) if table else dict.fromkeys(docs, 0)

    def ordinals_with_vectors(self, space: str, doc: int) -> Int32s:
        """The ordinals of a document's passages that have vectors, ascending."""
        table = self.tables.vectors(space)
        return ordinals_of(table.rows.keys_of(doc)) if table else np.empty(0, np.int32)

    def iter_passages(self, docs: Sequence[int]) -> Iterator[StoredPassage]:
        """Stream all passages of documents, in the order given."""
        return self.texts.iter_passages(docs)

    def passages_of(self, keys: Int64s, columns: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Columns (the fields of ``StoredPassage``) of passages by key, without missing ones.

        Raises:
            ValueError: If there is no such column.
        """
        return self.texts.columns(keys, columns)

    def sizes(self) -> dict[str, TableSize]:
        """Rows and bytes of texts and words, and of each table of vectors."""
        return {
            "texts": self.texts.size(),
            "words": self.words.size(),
            **self._maintainer.sizes(),
        }

    def verify(self) -> list[str]:
        """Problems of the keys of rows, as sentences; ``checks`` verifies all content."""
        return list(checks.wrong_keys(self.tables.by_name(), self.texts.keys()))

    # -- searching --------------------------------------------------------------------------

    def knn(
        self, space: str, vector: Float32s, count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """The passages nearest to a unit vector, best first, scored by cosine."""
        return nearest.knn(self.tables.vectors(space), vector, count, docs)

    def approximate_knn(
        self, space: str, vector: Float32s, count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """As ``knn``, with approximate scores; see ``nearest.approximate_knn``."""
        return nearest.approximate_knn(self.tables.vectors(space), vector, count, docs)

    def match(
        self,
        terms: Sequence[Term],
        count: int,
        docs: DocSet | None = None,
        without: Without = NOTHING_LEFT_OUT,
    ) -> ScoredKeys:
        """Passages that contain any of the stems, best first, by BM25; see ``word_queries``."""
        return self.words.match(terms, count, docs, self.texts.views, without)

    def phrases(
        self, wanted: Sequence[Phrase], count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """Passages whose view has every one of some phrases, best first; see ``word_queries``."""
        return self.words.phrases(wanted, count, docs, self.texts.views)

    def document_words(self) -> DocumentWords:
        """The words of all documents; the same object until they change."""
        return self.words.documents()

    def bm25_of(self, keys: Int64s, terms: Sequence[Term]) -> Float32s:
        """BM25 of given passages, float32 (n,), as in ``match``; 0 if no term occurs."""
        return self.words.bm25_of(keys, terms)

    def vectors_of(self, space: str, keys: Int64s) -> Float32s:
        """Pooled unit vectors of passages, float32 (n, dim); zeros for missing ones."""
        return nearest.vectors_of(self.tables.vectors(space), keys)

    def sentence_vectors_of(
        self, space: str, keys: Int64s, pooled: Float32s | None = None
    ) -> tuple[Float32s, Int64s]:
        """Sentence vectors of passages, float32 (m, dim), and offsets, int64 (n + 1,).

        ``pooled`` are their pooled vectors, if they are known.
        """
        return nearest.sentence_vectors_of(self.tables.vectors(space), keys, pooled)

    def sentence_codes_of(self, space: str, keys: Int64s) -> nearest.SentenceCodes:
        """Quantised sentence vectors of passages, whose products with queries are cheap."""
        return nearest.sentence_codes_of(self.tables.vectors(space), keys)
