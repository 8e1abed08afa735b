"""Passages, vectors and full text on disk, and the searches over them.

Owns the LanceDB tables and everything LanceDB; its full text finds passages by words and phrases,
``indexer.catalog`` says what the other inverted indexes are for. It must not know files, catalogs,
models or how the results of searches are fused. ``Store`` is the facade: one thread writes and
maintains, any number of threads read. Writes are not checked for repetition: a caller deletes a
document's rows before it writes them again, or asks which are there.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer import faults
from indexer.api.errors import WorldError
from indexer.store import (
    checks,
    checksums,
    dense,
    indices,
    lance_files,
    maintenance,
    runtime,
    schema,
    words,
    writing,
)
from indexer.store.disk import drop_unfinished, unfinished, write_errors
from indexer.store.maintenance import Thresholds
from indexer.store.table import Table
from indexer.store.values import (
    NO_KEYS,
    NOTHING,
    DocSet,
    DocumentRow,
    Float32s,
    Int32s,
    Int64s,
    Maintenance,
    PassageRow,
    ScoredKeys,
    StoredPassage,
    Term,
    TextColumn,
    VectorRows,
    docs_of,
    key_of,
    ordinals_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from indexer.api.status import TableSize

__all__ = [
    "DocSet",
    "DocumentRow",
    "Maintenance",
    "PassageRow",
    "ScoredKeys",
    "Store",
    "StoredPassage",
    "Term",
    "TextColumn",
    "Thresholds",
    "VectorRows",
    "docs_of",
    "key_of",
    "ordinals_of",
]  # fmt: skip

# Passages read at a time when streaming: a few hundred KB of text.
_STREAM = 256
_OUTGROWN = 1.3


class Store:
    """The tables of one library. Open it with ``Store.open``."""

    def __init__(
        self,
        path: Path,
        threads: int,
        thresholds: Thresholds | None = None,
        *,
        writable: bool = True,
    ) -> None:
        self._path = path
        self._writable = writable
        self._threads = threads
        self._cache = runtime.cache_bytes(path)
        self._db = runtime.connect(path, threads, self._cache)
        self._opening = threading.Lock()
        self._tables: dict[str, Table] = {}
        #: Tables of an earlier version that were dropped, to be rebuilt.
        self.dropped_tables: list[str] = []
        absent = {table.stem for table in unfinished(path)}
        for name in self._db.list_tables().tables:
            if name not in absent:
                mended = lance_files.mend(path / f"{name}.lance", writable=writable)
                inner = self._db.open_table(name)
                lance_files.recount(inner, mended)
                self._open(name, inner)
        self._maintainer = maintenance.Maintainer(lambda: dict(self._tables), thresholds)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        threads: int,
        thresholds: Thresholds | None = None,
        writable: bool = True,
    ) -> Store:
        """Open the store in a directory that only its owner may read; make it if need be.

        Raises:
            WorldError: ``disk_full``, as every method that writes, or ``library_newer``; where
                nothing may be written, ``library_older`` and ``library_damaged``.
        """
        if not writable:
            return cls._open_read_only(path, threads)
        with write_errors(path):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
        drop_unfinished(path)
        store = cls(path, threads, thresholds)
        store._table(schema.PASSAGES, schema.passages_schema)
        store._table(schema.DOCUMENTS, schema.documents_schema)
        return store

    @classmethod
    def _open_read_only(cls, path: Path, threads: int) -> Store:
        library = str(path.parent)
        if not path.is_dir():  # LanceDB would make it
            raise WorldError("library_damaged", library=library, reason="no_tables")
        store = cls(path, threads, writable=False)
        if not {schema.PASSAGES, schema.DOCUMENTS} <= store._tables.keys():
            raise WorldError("library_damaged", library=library, reason="no_tables")
        return store

    def close(self) -> None:
        """Remove old versions and let go of the tables. Nothing may be reading."""
        if self._writable:
            self._maintainer.clean_at_close()
        self._tables.clear()

    # -- writing, by one thread -------------------------------------------------------------

    def add_passages(self, rows: Sequence[PassageRow]) -> checksums.Checksums:
        """Append passages in one commit; they are found by words at once. Gives their sums."""
        if not rows:
            return {}
        passages = writing.passages_table(rows)
        self._passages.add(passages)
        return checksums.by_document(passages)

    def add_vectors(self, space: str, rows: VectorRows) -> checksums.Checksums:
        """Append vectors of one embedding space in one commit. Gives their sums.

        Raises:
            ValueError: If the space's vectors have another dimension.
        """
        if not len(rows.docs):
            return {}
        dimension = rows.vectors.shape[1]
        table = self._table(schema.vectors_table(space), lambda: schema.vectors_schema(dimension))
        if _dimension(table) != dimension:
            raise ValueError(f"the vectors of {space} have {_dimension(table)} dimensions")
        vectors = writing.vectors_table(rows)
        table.add(vectors)
        return checksums.by_document(vectors)

    def copy_vectors(self, space: str, sources: Int64s, targets: Int64s) -> None:
        """Give passages the vectors that others have, one for one; sources without are left out."""
        table = self._vectors(space)
        if table is not None and len(sources):
            found, places = table.take(sources, writing.COPIED)
            table.add(writing.copied_vectors(found, targets[places]))

    def put_documents(self, rows: Sequence[DocumentRow]) -> checksums.Checksums:
        """Write documents, each in the place of what was known of it. Gives their sums."""
        if not rows:
            return {}
        table = self._tables[schema.DOCUMENTS]
        table.delete_docs([row.doc for row in rows])
        documents = writing.documents_table(rows)
        table.add(documents)
        return checksums.by_document(documents)

    def delete_docs(self, docs: Sequence[int]) -> None:
        """Delete everything about these documents, in every space.

        Their passages go first: interrupted, it shows as passages that are missing.
        """
        if docs:
            for table in sorted(self._tables.values(), key=lambda one: one is not self._passages):
                table.delete_docs(docs)
                faults.reached("table-cleared")

    def drop_space(self, space: str) -> None:
        """Delete all vectors of an embedding space."""
        self.drop_table(schema.vectors_table(space))

    def drop_table(self, name: str) -> None:
        """Delete a table, if there is one of that name."""
        if self._tables.pop(name, None) is not None:
            self._db.drop_table(name)

    def maintain(self, *, idle: bool = False) -> Maintenance:
        """Tidy what is due. Call it often; ``idle`` says that there is nothing else to do."""
        done = self._maintainer.maintain(idle=idle)
        if done.steps:
            self._grow_cache()
        return done

    def clean_at_open(self) -> Maintenance:
        """Remove leftovers of interrupted writes; call it before the first write only."""
        return self._maintainer.clean_at_open()

    # -- what is there ----------------------------------------------------------------------

    def known_docs(self) -> Int32s:
        """The documents that have passages or vectors, ascending."""
        tables = [table for table in list(self._tables.values()) if table.keyed]
        return np.unique(np.concatenate([table.rows.documents()[0] for table in tables]))

    def passage_counts(self, docs: Sequence[int]) -> dict[int, int]:
        """How many passages each of the documents has."""
        return self._passages.rows.counts_by_doc(docs)

    def vector_counts(self, space: str, docs: Sequence[int]) -> dict[int, int]:
        """How many vectors each of the documents has."""
        table = self._vectors(space)
        return table.rows.counts_by_doc(docs) if table else dict.fromkeys(docs, 0)

    def sum_of_vectors(self, space: str, doc: int) -> int:
        """The sum over a document's vectors as they are on the disk, see ``sums``."""
        table = self._vectors(space)
        if table is None:
            return 0
        found, _ = table.take(table.rows.keys_of(doc), table.inner.schema.names)
        return int(checksums.by_document(found).get(doc, 0))

    def ordinals_with_vectors(self, space: str, doc: int) -> Int32s:
        """The ordinals of a document's passages that have vectors, ascending."""
        table = self._vectors(space)
        return ordinals_of(table.rows.keys_of(doc)) if table else np.empty(0, np.int32)

    def documents(self, docs: Sequence[int]) -> dict[int, DocumentRow]:
        """What is known of documents; those never put are left out."""
        if not docs:
            return {}
        table = self._tables[schema.DOCUMENTS]
        listed = ",".join(map(str, docs))
        return writing.read_documents(
            table.select(f"doc IN ({listed})", schema.documents_schema().names)
        )

    def docs_with_profile(self) -> Int32s:
        """The documents that were put, in no order."""
        table = self._tables[schema.DOCUMENTS]
        docs: Int32s = table.select("doc >= 0", ["doc"]).column("doc").to_numpy()
        return docs

    def iter_passages(self, docs: Sequence[int]) -> Iterator[StoredPassage]:
        """All passages of documents in the order given, streamed."""
        columns = writing.stored_columns(writing.PASSAGE_FIELDS)
        # Small documents share a read: it costs a few milliseconds however little it gives.
        keys = np.concatenate([NO_KEYS, *map(self._passages.rows.keys_of, docs)])
        for at in range(0, len(keys), _STREAM):
            found, places = self._passages.take(keys[at : at + _STREAM], columns)
            yield from writing.read_passages(found.take(np.argsort(places)))

    def passages_of(self, keys: Int64s, columns: Sequence[str]) -> dict[int, dict[str, Any]]:
        """Columns (see ``schema.PASSAGE_COLUMNS``) of passages by key; missing ones are left out.

        Raises:
            ValueError: If there is no such column.
        """
        found, places = self._passages.take(keys, writing.stored_columns(columns))
        rows = writing.read_rows(found, columns)
        return dict(zip(keys[places].tolist(), rows, strict=True))

    def sizes(self) -> dict[str, TableSize]:
        """Rows and bytes of each table."""
        return self._maintainer.sizes()

    @property
    def tables(self) -> Mapping[str, Table]:
        """All tables by name, for checks and repairs."""
        return dict(self._tables)

    def mend_deadly(self) -> dict[str, int]:
        """See ``lance_files.mend``; reading everything would meet them. Gives how many by table."""
        counts = {}
        for name, table in self.tables.items():
            mended = lance_files.mend(table.path, writable=self._writable)
            if mended:
                lance_files.recount(runtime.reopen(table.path), mended)
                table.inner.checkout_latest()
                table.forget_rows()
            counts[name] = len(mended)
        return counts

    def verify(self) -> list[str]:
        """What is wrong with the keys of rows, in words; see ``checks`` for a thorough look."""
        return list(checks.wrong_keys(self._tables))

    # -- searching --------------------------------------------------------------------------

    def knn(
        self, space: str, vector: Float32s, count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """The passages nearest to a unit vector, best first, scored by cosine."""
        table = self._vectors(space)
        return dense.knn(table, vector, count, docs) if table else NOTHING

    def approximate_knn(
        self, space: str, vector: Float32s, count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        """About what ``knn`` gives, by less exact scores; see ``dense.approximate_knn``."""
        table = self._vectors(space)
        return dense.approximate_knn(table, vector, count, docs) if table else NOTHING

    def match(
        self,
        column: TextColumn,
        terms: Sequence[Term],
        count: int,
        docs: DocSet | None = None,
        without: Sequence[str] = (),
    ) -> ScoredKeys:
        """Passages that hold any of the terms, best first, by BM25; see ``words.match``."""
        return words.match(self._passages, column, terms, count, docs, without)

    def phrase(self, text: str, count: int, docs: DocSet | None = None) -> ScoredKeys:
        """Passages whose view holds these words next to each other, best first."""
        return words.phrase(self._passages, text, count, docs)

    def bm25_of(self, column: TextColumn, keys: Int64s, terms: Sequence[Term]) -> Float32s:
        """BM25 of given passages, float32 (n,), as ``match`` scores them; 0 if no term is there."""
        return words.bm25_of(self._passages, column, keys, terms)

    def vectors_of(self, space: str, keys: Int64s) -> Float32s:
        """Pooled unit vectors of passages, float32 (n, dim); zeros where there is none yet."""
        table = self._vectors(space)
        if table is None:
            return np.zeros((len(keys), 0), np.float32)
        return dense.vectors_of(table, keys, _dimension(table))

    def sentence_vectors_of(self, space: str, keys: Int64s) -> tuple[Float32s, Int64s]:
        """Sentence vectors of passages, float32 (m, dim), and offsets, int64 (n + 1,)."""
        table = self._vectors(space)
        if table is None:
            return np.zeros((0, 0), np.float32), np.zeros(len(keys) + 1, np.int64)
        return dense.sentence_vectors_of(table, keys, _dimension(table))

    # -- within -----------------------------------------------------------------------------

    @property
    def _passages(self) -> Table:
        return self._tables[schema.PASSAGES]

    def _vectors(self, space: str) -> Table | None:
        return self._tables.get(schema.vectors_table(space))

    def _grow_cache(self) -> None:
        """Reopen all tables with a larger cache when they have outgrown theirs."""
        wanted = runtime.cache_bytes(self._path)
        if wanted > _OUTGROWN * self._cache:
            self._cache = wanted
            self._db = runtime.connect(self._path, self._threads, wanted)
            for name, table in self._tables.items():
                table.inner = self._db.open_table(name)

    def _table(self, name: str, columns: Callable[[], Any]) -> Table:
        with self._opening:
            if name not in self._tables:
                with write_errors(self._path):
                    made = self._db.create_table(name, schema=columns())
                self._register(name, made)
            return self._tables[name]

    def _open(self, name: str, inner: Any) -> None:
        found = schema.version_of(inner.schema)
        if found > schema.VERSION:
            raise WorldError(
                "library_newer", library=str(self._path.parent), found=found, known=schema.VERSION
            )
        if schema.is_current(name, inner.schema):
            self._register(name, inner)
        elif not self._writable:
            raise WorldError("library_older", library=str(self._path.parent))
        else:
            self._db.drop_table(name)
            self.dropped_tables.append(name)

    def _register(self, name: str, inner: Any) -> None:
        table = Table(
            inner,
            self._path / f"{name}.lance",
            keyed=name != schema.DOCUMENTS,
            writable=self._writable,
        )
        if self._writable:
            indices.create_missing(table, name)
        indices.refresh_coverage(table)
        self._tables[name] = table


def _dimension(table: Table) -> int:
    return int(table.inner.schema.field("vector").type.list_size)
