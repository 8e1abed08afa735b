"""The facade of the stores of one library: its texts, words and vectors.

Texts are written first. Words that are not in the indexes yet are added at the next opening.

One thread writes and maintains, any number of threads may read.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.api.errors import WorldError
from indexer.arrays import Float32s, Int32s, Int64s, united
from indexer.database import write_errors
from indexer.embed.devices import limit_heaps, release_memory
from indexer.store import nearest, word_queries
from indexer.store.texts import TEXTS_NAME, Texts
from indexer.store.values import (
    NO_KEYS,
    NOTHING,
    NOTHING_LEFT_OUT,
    DocSet,
    PassageRow,
    Phrase,
    ScoredKeys,
    SentenceCodes,
    Term,
    VectorRows,
    Without,
)
from indexer.store.vector_index import (
    ANN_FROM,
    build_index,
    is_lancedb_there,
    open_index,
    remove_indices,
)
from indexer.store.vectors import Vectors, vector_files, vectors_name
from indexer.store.words import WORDS, WordStore

if TYPE_CHECKING:
    from indexer.api.status import TableSize

# The number of passages whose words are made again at opening, and between other work.
_MADE_AGAIN = 4_096


class Store:
    """The stores of one library. Open them with ``Store.open``."""

    def __init__(
        self,
        folder: Path,
        texts: Texts,
        words: WordStore,
        refusal: WorldError | None,
        threads: int,
        ann_from: int,
    ) -> None:
        self.texts = texts
        self.words = words
        #: The vectors of each space, by the names of their files.
        self.vectors: dict[str, Vectors] = {}
        self._folder, self._refusal = folder, refusal
        self._threads, self._ann_from = threads, ann_from
        self._making = threading.Lock()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        threads: int,
        ann_from: int = ANN_FROM,
        writable: bool = True,
        suspect: bool = False,
    ) -> Store:
        """Open vectors and words in a directory, which is made if missing, and the texts beside it.

        The files are readable only by their owner.

        Args:
            ann_from: The number of vectors from which a space has an index.
            suspect: Whether a fault ended the last engine. Then indices of vectors are made again,
                as damage in them may have been the reason.

        Raises ``library_newer``, ``library_damaged`` or, like every method that writes,
        ``disk_full``; for a read-only store also ``library_older``.
        """
        refusal = None
        limit_heaps()
        if writable:
            with write_errors(path):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.chmod(0o700)
        else:
            refusal = WorldError("library_read_only", library=str(path.parent))
            if not path.is_dir():
                raise WorldError("library_damaged", library=str(path.parent), reason="no_tables")
        with ExitStack() as unless_open:
            texts = Texts(path.with_name(TEXTS_NAME), refusal)
            unless_open.callback(texts.close)
            words = WordStore(path / WORDS, writable=writable)
            store = cls(path, texts, words, refusal, threads, ann_from)
            unless_open.callback(store._close_vectors)
            for file in vector_files(path):
                store._open_vectors(file, suspect=suspect)
            if writable:
                store.catch_up(most=_MADE_AGAIN)
            else:
                with suppress(WorldError):  # then searches find only by meaning
                    store.catch_up()
            unless_open.pop_all()
        return store

    def close(self) -> None:
        """Close all stores. No thread may be reading."""
        self.words.close()
        self._close_vectors()
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

    def add_vectors(self, space: str, rows: VectorRows) -> None:
        """Write vectors of one embedding space in one commit.

        Raises ``ValueError`` if the space's vectors have another dimension.
        """
        if not len(rows.keys):
            return
        dimension, name = rows.vectors.shape[1], vectors_name(space)
        with self._making:
            if name not in self.vectors:
                path = self._folder / f"{name}.sqlite"
                made = Vectors(path, self._refusal, dimension=dimension)
                self.vectors[name] = made
        vectors = self.vectors[name]
        if vectors.dimension != dimension:
            raise ValueError(f"the vectors of {space} have {vectors.dimension} dimensions")
        vectors.add_vectors(rows)

    def copy_vectors(self, space: str, sources: Int64s, targets: Int64s) -> None:
        """Copy vectors between pairs of passages; sources without intact vectors are skipped."""
        if (vectors := self._of(space)) is not None and len(sources):
            vectors.copy_vectors(sources, targets)

    def delete_docs(self, docs: Sequence[int]) -> None:
        """Delete the texts of these documents, their words, and their rows in every space."""
        if docs:
            self.texts.delete_docs(docs)
            faults.reached("table-cleared")
            for vectors in list(self.vectors.values()):
                vectors.delete_docs(docs)
                faults.reached("table-cleared")
            self.words.delete_documents(docs)

    def drop_vectors(self, name: str) -> None:
        """Delete the vectors whose file has this name, if there are any."""
        if (vectors := self.vectors.pop(name, None)) is not None:
            remove_indices(vectors)
            vectors.remove()

    def maintain(self, *, idle: bool = False) -> None:
        """Run due maintenance. Call it often; ``idle`` says that there is no other work."""
        if idle:
            self.words.tidy()
        self.catch_up(most=None if idle else _MADE_AGAIN)
        for vectors in list(self.vectors.values()):
            if self._needs_index(vectors, idle=idle):
                vectors.index = build_index(vectors, self._threads)
                remove_indices(vectors, but=vectors.index)
            if idle:
                vectors.shrink()
        if idle:
            self.texts.shrink()

    def empty_caches(self) -> None:
        """Free the memory of the caches of queries; the next query fills them again."""
        for vectors in list(self.vectors.values()):
            vectors.codes = None
            if vectors.index is not None:
                vectors.index.empty_cache()
        release_memory()

    def catch_up(self, most: int | None = None) -> None:
        """Add words that the indexes lack; ``most`` bounds the passages to read."""
        there = {doc: one.passages for doc, one in self.texts.documents().items()}
        while self.words.behind and not self.words.catch_up(there, self.texts.iter_passages, most):
            if most is not None:
                break

    # -- what is there ----------------------------------------------------------------------

    def known_docs(self) -> Int32s:
        """The documents that have passages or vectors, ascending."""
        texts = np.fromiter(self.texts.documents(), np.int32)
        vectors = [one.documents()[0] for one in list(self.vectors.values())]
        return united([texts, *vectors])

    def vector_counts(self, space: str, docs: Sequence[int]) -> dict[int, int]:
        """The number of vectors of each document."""
        vectors = self._of(space)
        return vectors.counts(docs) if vectors else dict.fromkeys(docs, 0)

    def keys_with_vectors(self, space: str, doc: int) -> Int64s:
        """The keys of a document's passages that have vectors, ascending."""
        vectors = self._of(space)
        return vectors.keys_of(doc) if vectors else NO_KEYS

    def sizes(self) -> dict[str, TableSize]:
        """Count the rows and bytes of texts, of words, and of each space's vectors and index."""
        found = {"texts": self.texts.size(), "words": self.words.size()}
        for name, vectors in list(self.vectors.items()):
            found[name] = vectors.size()
            if vectors.index is not None:
                found[f"{name}: index"] = vectors.index.size()
        return found

    def verify(self) -> list[str]:
        """Return problems with the keys of rows, as sentences.

        Only ``library.repair`` verifies the content of rows.
        """
        texts = self.texts.keys()
        return [
            f"{name} holds rows without a passage"
            for name, vectors in self.vectors.items()
            if not np.isin(vectors.keys(), texts).all()
        ]

    # -- searching --------------------------------------------------------------------------

    def knn(
        self, space: str, vector: Float32s, count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """The passages nearest to a unit vector, best first, scored by cosine."""
        vectors = self._of(space)
        return nearest.knn(vectors, vector, count, docs) if vectors else NOTHING

    def approximate_knn(
        self, space: str, vector: Float32s, count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """As ``knn``, with approximate scores; see ``nearest.approximate_knn``."""
        vectors = self._of(space)
        return nearest.approximate_knn(vectors, vector, count, docs) if vectors else NOTHING

    def match(
        self,
        terms: Sequence[Term],
        count: int,
        docs: DocSet | None = None,
        without: Without = NOTHING_LEFT_OUT,
    ) -> ScoredKeys:
        """Passages that contain any of the stems, best first, by BM25; see ``word_queries``."""
        views = self.texts.views
        return self.words.query_words(
            lambda now: word_queries.match(now, terms, count, docs, without, views), NOTHING
        )

    def phrases(
        self, wanted: Sequence[Phrase], count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """Passages whose view has every phrase, best first; see ``word_queries``."""
        views = self.texts.views
        return self.words.query_words(
            lambda now: word_queries.phrases(now, wanted, count, docs, views), NOTHING
        )

    def bm25_of(self, keys: Int64s, terms: Sequence[Term]) -> Float32s:
        """BM25 of given passages, float32 (n,), as in ``match``; 0 if no term occurs."""
        none = np.zeros(len(keys), np.float32)
        return self.words.query_words(lambda now: word_queries.bm25_of(now, keys, terms), none)

    def vectors_of(self, space: str, keys: Int64s) -> Float32s:
        """Pooled unit vectors of passages, float32 (n, dim); zeros for missing ones."""
        vectors = self._of(space)
        return vectors.pooled_of(keys) if vectors else np.zeros((len(keys), 0), np.float32)

    def sentence_vectors_of(
        self, space: str, keys: Int64s, pooled: Float32s | None = None
    ) -> tuple[Float32s, Int64s]:
        """Sentence vectors of passages, float32 (m, dim), and offsets, int64 (n + 1,).

        ``pooled`` are the passages' pooled vectors, if the caller has them.
        """
        if vectors := self._of(space):
            return vectors.sentence_vectors_of(keys, pooled)
        return np.zeros((0, 0), np.float32), np.zeros(len(keys) + 1, np.int64)

    def sentence_codes_of(self, space: str, keys: Int64s) -> SentenceCodes:
        """Quantised sentence vectors of passages, whose products with queries are cheap."""
        if vectors := self._of(space):
            return vectors.sentence_codes_of(keys)
        return SentenceCodes(np.zeros((0, 0), np.uint8), np.zeros(len(keys) + 1, np.int64))

    # -- within -----------------------------------------------------------------------------

    def _of(self, space: str) -> Vectors | None:
        return self.vectors.get(vectors_name(space))

    def _open_vectors(self, path: Path, *, suspect: bool) -> None:
        vectors = self.vectors[path.stem] = Vectors(path, self._refusal)
        writable = self._refusal is None
        if not vectors.dimension and writable:  # it was created by this call
            self.drop_vectors(path.stem)
            return
        if suspect and writable:
            remove_indices(vectors)
        vectors.index = open_index(vectors, self._threads, writable=writable)

    def _close_vectors(self) -> None:
        for vectors in self.vectors.values():
            vectors.close()
        self.vectors.clear()

    def _needs_index(self, vectors: Vectors, *, idle: bool) -> bool:
        keys = vectors.keys()
        if len(keys) < self._ann_from or not is_lancedb_there():
            return False
        return vectors.index is None or vectors.index.is_outgrown(keys, idle=idle)
