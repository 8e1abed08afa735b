"""A folder of documents, a library and the tiny model; and libraries compared by what is in them.

Owns what tests of whole engines share. It must not know processes (``killing``).
"""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer.api.progress import CancelToken, Progress, Step
from indexer.api.requests import GetStatus, Index, ListFiles, Search, Verify
from indexer.api.types import Why
from indexer.config import EngineConfig, Precision
from indexer.engine.engine import Engine
from indexer.pipeline.parts import BatchSizes
from indexer.store.values import keys_of
from tests.tiny_model import TINY
from tests.unit.catalog.fakes import listed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.api.types import Hit, Summary

# Small enough that the corpus takes several of each kind.
PACE = BatchSizes(
    passages=4,
    vectors=8,
    unit=8,
    ann_from=32,
)


class Outcome(Struct, frozen=True):
    """What an indexing run did: ``read`` counts the files whose bytes were looked at."""

    summary: Summary
    read: int

    @property
    def work(self) -> tuple[int, int, int]:
        """Files read, documents written, passages embedded."""
        return self.read, self.summary.documents_added, self.summary.passages


class World(Struct, frozen=True):
    """Documents, a library and the folder of the tiny model."""

    documents: Path
    library: Path
    models: Path
    precision: Precision = Precision.FP32
    model: str = TINY

    @property
    def config(self) -> EngineConfig:
        return EngineConfig(
            library=self.library,
            models=self.models,
            model=self.model,
            precision=self.precision,
            threads=1,
            children=1,
            offline=True,
            min_free_bytes=0,
        )

    def copy(self, library: Path) -> World:
        """A copy of the library, of the same documents."""
        shutil.copytree(self.library, library)
        return replace(self, library=library)

    def move(self, folder: Path) -> World:
        """Copies of library and documents that take the place of the originals."""
        moved = replace(self.copy(folder / "library"), documents=folder / "documents")
        # A move of the whole tree, as far as the file system tells: same bytes, sizes and times.
        shutil.copytree(self.documents, moved.documents)
        with moved.engine() as engine:
            (root,) = engine.catalog.roots.all()
            engine.catalog.roots.relocate(root.id, moved.documents)
            # New inodes on the same volume: every file is hashed again, and nothing more.
            read, *written = moved.index(engine).work
            assert read > 0
            assert written == [0, 0]
        return moved

    @contextlib.contextmanager
    def engine(self, *, batches: BatchSizes = PACE, **changes: Any) -> Iterator[Engine]:
        """Open the library; ``changes`` are other values of its configuration."""
        config = replace(self.config, **changes)
        with contextlib.closing(Engine.open(config, batches=batches)) as engine:
            yield engine

    def index(self, engine: Engine, *paths: Path, token: CancelToken | None = None) -> Outcome:
        """Index some paths, the documents if none is given."""
        read = 0

        def note(progress: Progress) -> None:
            nonlocal read
            if progress.step is Step.INDEX:
                read = progress.files_done

        chosen = paths or (self.documents,)
        summary = engine.call(Index(tuple(chosen)), report=note, token=token or CancelToken())
        return Outcome(summary, read)


def indexed_texts(folder: Path, models: Path, texts: dict[str, str]) -> World:
    """A library of some texts by their paths; to be moved, not touched."""
    world = World(folder / "documents", folder / "library", models)
    for name, text in texts.items():
        path = world.documents / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with world.engine() as engine:
        world.index(engine)
    return world


def search(engine: Engine, query: str, limit: int = 5) -> tuple[Hit, ...]:
    return engine.call(Search(query, limit)).hits


def found(engine: Engine, query: str) -> list[str]:
    """The files that a query finds, best first."""
    return list(dict.fromkeys(hit.file for hit in search(engine, query)))


def quoted(engine: Engine, words: str) -> list[str]:
    """The files that hold these words next to each other."""
    hits = search(engine, f'"{words}"', 20)
    return sorted({hit.file for hit in hits if hit.why is Why.PHRASE})


def states(engine: Engine) -> dict[str, str]:
    """Every file with its state, or with the reason where there is one."""
    rows = engine.call(ListFiles(offset=0, limit=10_000)).files
    return {row.file: row.code or str(row.state) for row in rows}


def kinds(engine: Engine) -> set[str]:
    """What is wrong with the library."""
    verified = engine.call(Verify())
    return {problem.kind for problem in verified.problems}


class Seen(Struct, frozen=True):
    """A library as it can be compared: by files, whatever numbers documents have.

    ``vectors`` holds, for each file, the vectors of its passages and of their sentences;
    ``shared`` which files hold the same text.
    """

    files: dict[str, tuple[object, ...]]
    passages: dict[str, list[dict[str, Any]]]
    vectors: dict[str, tuple[Any, Any]]
    shared: set[frozenset[str]]
    words: dict[str, int]
    hits: list[list[tuple[str, int, int]]]


_COLUMNS = (
    "ordinal", "text_id", "language", "page_first", "page_last", "char_start", "char_end",
    "heading_path", "text", "view", "text_starts", "view_starts", "text_pages", "sections",
)  # fmt: skip
QUERIES = ("zephyr clause", '"single xylophone"', "tides")
_WORDS = ("zephyr", "xylophone", "kalo", "tides", "report")


def look(engine: Engine) -> Seen:
    """Look at all there is, and insist that it hangs together."""
    check_whole(engine)
    catalog, store = engine.catalog, engine.store
    space = catalog.spaces.active()
    assert space is not None
    files: dict[str, tuple[object, ...]] = {}
    passages, vectors = {}, {}
    owners: dict[int, set[str]] = {}
    for row in listed(catalog):
        files[row.file] = (row.state, row.code, row.detail, row.size, row.pages, row.bad_pages)
        known = catalog.files.at(row.path)
        doc = catalog.files.doc_of(known[0]) if known else None
        if doc is None:
            continue
        owners.setdefault(doc, set()).add(row.file)
        keys = keys_of(doc, store.texts.counts([doc])[doc])
        rows = store.texts.passages(keys)
        passages[row.file] = [
            {column: getattr(rows[int(key)], column) for column in _COLUMNS} for key in keys
        ]
        sentences, _ = store.sentence_vectors_of(space.key, keys)
        vectors[row.file] = store.vectors_of(space.key, keys), sentences
    hits = [
        [(hit.file, hit.start, hit.end) for hit in search(engine, query, 3)] for query in QUERIES
    ]
    shared = {frozenset(names) for names in owners.values()}
    return Seen(files, passages, vectors, shared, engine.searcher.lexicon.df(_WORDS), hits)


def check_whole(engine: Engine) -> None:
    """Nothing twice, nothing that nobody owns, nothing unfinished."""
    catalog, store = engine.catalog, engine.store
    space = catalog.spaces.active()
    assert space is not None
    assert store.verify() == []
    known = catalog.docs.known().tolist()
    expected = catalog.docs.expected()
    assert store.known_docs().tolist() == [doc for doc in known if expected[doc]]
    assert store.texts.counts(known) == expected
    for doc, passages in expected.items():
        assert len(store.keys_with_vectors(space.key, doc)) == passages
    assert catalog.spaces.pending(space.id, 10) == []
    assert catalog.docs.orphans() == []
    assert catalog.queue.waiting() == 0
    assert catalog.names.missing(space.id) == []
    assert engine.call(GetStatus()).embedded_share == 1.0
    assert catalog.db.value("PRAGMA integrity_check") == "ok"


def check_same(seen: Seen, undisturbed: Seen, *, cosine: float | None = None) -> None:
    """Insist that two libraries are alike: vectors to a thousandth, or to a cosine."""
    assert seen.files == undisturbed.files
    assert seen.passages == undisturbed.passages
    assert seen.shared == undisturbed.shared
    assert seen.words == undisturbed.words
    assert seen.hits == undisturbed.hits
    assert seen.vectors.keys() == undisturbed.vectors.keys()
    for file, pair in seen.vectors.items():
        for mine, theirs in zip(pair, undisturbed.vectors[file], strict=True):
            if cosine is None:
                np.testing.assert_allclose(mine, theirs, atol=1e-3, err_msg=file)
            else:
                assert (mine * theirs).sum(axis=1).min() >= cosine, file
