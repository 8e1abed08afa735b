"""LanceDB's own multivector column in place of our sentence vectors.

A table beside the library holds the sentence vectors of every passage as one multivector. LanceDB
finds candidates by it instead of by the pooled vectors (MaxSim by cosine, exact, as no set is large
enough for an index). The vectors of that column also score the passages. The rest of a search is
unchanged.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store.values import ScoredKeys, docs_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.engine.engine import Engine
    from indexer.store.store import Store
    from indexer.store.values import DocSet

    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]

_ROWS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Multivectors:
    """The table, and the folder it lies in."""

    table: Any
    folder: Path

    @classmethod
    def from_engine(cls, engine: Engine, folder: Path) -> Multivectors:
        """Write the table of a library anew."""
        import lancedb
        from lancedb.index import BTree

        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        space = engine.catalog.spaces.active()
        assert space is not None
        docs = engine.store.known_docs().tolist()
        keys = np.array([one.key for one in engine.store.texts.iter_passages(docs)], np.int64)
        database: Any = lancedb.connect(str(folder))
        table: Any = None
        for start in range(0, len(keys), _ROWS_AT_ONCE):
            some = keys[start : start + _ROWS_AT_ONCE]
            rows = _rows(some, *engine.store.sentence_vectors_of(space.key, some))
            if table is None:
                table = database.create_table("sentences", rows)
            else:
                table.add(rows)
        for column in ("key", "doc"):
            table.create_index(column, config=BTree())
        table.optimize()
        return cls(table, folder)

    @property
    def size(self) -> int:
        """Bytes in use, without the indices on numbers."""
        indices = sum(int(index.size_bytes or 0) for index in self.table.list_indices())
        return int(self.table.stats()["total_bytes"]) - indices

    def nearest(self, vector: Floats, count: int, where: str | None) -> ScoredKeys:
        """The passages with the most similar sentence, best first."""
        builder = self.table.search(vector, vector_column_name="vectors").distance_type("cosine")
        if where:
            builder = builder.where(where, prefilter=True)
        found = builder.select(["key", "_distance"]).limit(count).to_arrow()
        scores = 1.0 - found.column("_distance").to_numpy()
        return ScoredKeys(found.column("key").to_numpy(), scores.astype(np.float32))

    def vectors_of(self, keys: Keys) -> tuple[Floats, NDArray[np.int64]]:
        """The vectors of passages as ``Store.sentence_vectors_of`` gives them."""
        found = self.table.search().where(f"key IN ({','.join(map(str, keys.tolist()))})")
        column = found.select(["key", "vectors"]).limit(len(keys)).to_arrow().combine_chunks()
        order = np.argsort(column.column("key").to_numpy())
        lists = column.column("vectors").take(order).combine_chunks()
        flat = lists.flatten().flatten().to_numpy().astype(np.float32)
        lengths = np.diff(lists.offsets.to_numpy()).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return flat.reshape(int(offsets[-1]), -1), offsets


class MultivectorStore:
    """A store that takes sentence vectors and the nearest passages from LanceDB's column."""

    def __init__(self, store: Store, vectors: Multivectors) -> None:
        self._store = store
        self._vectors = vectors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def likely(
        self, _space: str, vector: Floats, count: int, docs: DocSet | None = None
    ) -> ScoredKeys:
        return self._vectors.nearest(vector, count, _condition(docs))

    def sentence_vectors_of(
        self, _space: str, keys: Keys, _pooled: Floats | None = None
    ) -> tuple[Floats, NDArray[np.int64]]:
        return self._vectors.vectors_of(keys)


def _rows(keys: Keys, flat: Floats, offsets: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    halves = pa.array(flat.astype(np.float16).reshape(-1))
    vectors = pa.FixedSizeListArray.from_arrays(halves, flat.shape[1])
    lists = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), vectors)
    return pa.table({"key": keys, "doc": docs_of(keys), "vectors": lists})


def _condition(docs: DocSet | None) -> str | None:
    if docs is None:
        return None
    listed = f"doc IN ({','.join(map(str, docs.docs.tolist()))})"
    return listed if docs.allowed else f"NOT ({listed})"
