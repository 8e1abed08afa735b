"""A real catalog and store, with documents that are read but not embedded."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from queue import Queue
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.catalog.catalog import Catalog
from indexer.embed.batches import PassageVectors
from indexer.pipeline.embedding import EmbeddingWorker
from indexer.pipeline.run import PassageWriter, WrittenDocument
from indexer.store.store import Store
from indexer.throttle.throttle import QueryGate, Throttle
from tests.store_rows import DIMENSION, passage, unit
from tests.unit.catalog.fakes import FakeWalk, found, info, root_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from indexer.catalog.records import Space
    from indexer.embed.batches import EmbedInput
    from indexer.pipeline.events import Event

SPACE = "tiny/1"


@dataclass
class Library:
    """A catalog, a store and a space in it."""

    catalog: Catalog
    store: Store
    space: Space
    folder: Path

    def begin(self, *names: str) -> list[int]:
        """Scan files with these names and begin the document of each; returns the documents."""
        root = root_at(self.catalog, self.folder)
        self.catalog.scans.apply(
            [(root.id, FakeWalk({"": [found(f"{name}.txt") for name in names]}))]
        )
        docs = []
        for job in sorted(self.catalog.queue.take(len(names)), key=lambda job: job.path):
            self.catalog.queue.started(job.file)
            name = job.path.decode().rpartition("/")[2]
            begun = self.catalog.docs.begin(
                job.file, f"hash of {name}", job.stamp, info(name), title_used=f"Title of {name}"
            )
            docs.append(begun.doc)
        return docs

    def write(self, doc: int, passages: int) -> None:
        """Write the passages of a document after ``begin``."""
        writer = PassageWriter(self.catalog, self.store, 1000)
        about = info(str(doc))
        writer.buffer_passages(
            doc, about, [passage(n, f"passage {n} of {doc}") for n in range(passages)]
        )
        writer.complete_document(WrittenDocument(doc, about, passages))
        assert [one.doc for one in writer.flush_passages()] == [doc]

    def read(self, **passages: int) -> dict[str, int]:
        """Read documents with these numbers of passages; returns their ids by name."""
        docs = dict(zip(sorted(passages), self.begin(*passages), strict=True))
        for name, doc in docs.items():
            self.write(doc, passages[name])
        return docs


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with (
        Catalog(tmp_path / "catalog.sqlite") as catalog,
        closing(Store.open(tmp_path / "index", threads=1)) as store,
    ):
        space = catalog.spaces.add_space(SPACE, {"model": "tiny"})
        catalog.spaces.activate(space.id)
        yield Library(catalog, store, space, tmp_path / "folder")


class WordCountEmbedder:
    """An embedder whose vectors hold the length of the text: quick, and the same every time.

    A model reads ``batch`` inputs a run; a run of one input ends no passage at first, as one of
    a passage that is longer than the window does.
    """

    def __init__(self, batch: int = 2) -> None:
        self.batch = batch
        self.budgets: list[int] = []
        self.runs: list[list[EmbedInput]] = []

    def encode_batches(
        self,
        passages: Sequence[EmbedInput],
        *,
        runs: Sequence[int] | None = None,  # as in the real one
        budget: Callable[[], int] | None = None,
    ) -> Iterator[list[tuple[int, PassageVectors]]]:
        yield []
        for start in range(0, len(passages), self.batch):
            self.budgets.append(budget() if budget else 0)
            run = list(passages[start : start + self.batch])
            self.runs.append(run)
            yield [(start + at, vectors_of(one)) for at, one in enumerate(run)]


def vectors_of(one: EmbedInput) -> PassageVectors:
    made = np.zeros(DIMENSION, np.float32)
    made[0], made[1] = 1.0, len(one.view)
    vector = unit(made)
    return PassageVectors(vector, vector[None].repeat(len(one.view_starts), 0), len(one.view))


@pytest.fixture
def events() -> Queue[Event]:
    return Queue(8)


@pytest.fixture
def worker(events: Queue[Event]) -> Iterator[EmbeddingWorker]:
    running = EmbeddingWorker(WordCountEmbedder, events, QueryGate(), Throttle())
    yield running
    running.stop()
    running.join()
