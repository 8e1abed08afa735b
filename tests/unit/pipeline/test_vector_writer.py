from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.pipeline.events import Embedded
from indexer.pipeline.parts import BatchSizes
from indexer.pipeline.vectors import VectorWriter
from indexer.store.values import VectorRows, docs_of, key_of, keys_of
from tests.store_rows import ordinals_of, vectors
from tests.unit.pipeline.conftest import SPACE
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from queue import Queue

    import pytest

    from indexer.pipeline.embedding import EmbeddingWorker
    from indexer.pipeline.events import Event
    from tests.unit.pipeline.conftest import Library


def writer_of(
    library: Library, worker: EmbeddingWorker, batches: BatchSizes | None = None
) -> VectorWriter:
    return VectorWriter(
        library.catalog,
        library.store,
        library.space,
        worker,
        batches or BatchSizes(unit=4, vectors=4),
    )


def drain(writer: VectorWriter, events: Queue[Event]) -> list[Embedded]:
    """Feed the model and handle its events until nothing is left; returns the batches."""
    made = []
    writer.feed_model()
    while writer.in_flight:
        event = events.get(timeout=WAIT_S)
        assert isinstance(event, Embedded)
        writer.buffer_vectors(event)
        made.append(event)
        writer.feed_model()
    return made


def test_written_passages_are_embedded_and_marked(
    library: Library, worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    docs = library.read(a=3, b=5)
    writer = writer_of(library, worker)
    drain(writer, events)
    assert writer.embedded == 8
    assert library.catalog.spaces.pending(library.space.id, 10) != []

    assert writer.flush_vectors()
    assert writer.idle
    assert library.catalog.spaces.pending(library.space.id, 10) == []
    for name, doc in docs.items():
        keys = library.store.keys_with_vectors(SPACE, doc)
        assert ordinals_of(keys) == list(range({"a": 3, "b": 5}[name]))


def test_a_partly_embedded_document_is_completed(
    library: Library, worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    docs = library.read(a=4)
    library.catalog.spaces.begin(docs["a"], library.space.id)
    library.store.add_vectors(SPACE, vectors(docs["a"], [0, 2]))
    writer = writer_of(library, worker)
    made = drain(writer, events)
    told = {key for batch in made for key in batch.rows.keys.tolist() if key > 0}
    assert told == {key_of(docs["a"], 1), key_of(docs["a"], 3)}
    assert writer.flush_vectors()
    assert library.store.verify() == []
    assert ordinals_of(library.store.keys_with_vectors(SPACE, docs["a"])) == [0, 1, 2, 3]


def test_a_document_whose_mark_alone_was_lost_is_marked(
    library: Library, worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    docs = library.read(a=2)
    library.catalog.spaces.begin(docs["a"], library.space.id)
    library.store.add_vectors(SPACE, vectors(docs["a"], [0, 1]))
    writer = writer_of(library, worker)
    drain(writer, events)
    assert writer.embedded == 0
    assert writer.flush_vectors()
    assert library.catalog.spaces.pending(library.space.id, 10) == []


def test_a_document_without_passages_is_complete_at_once(
    library: Library, worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    library.read(a=0)
    writer = writer_of(library, worker)
    drain(writer, events)
    assert writer.flush_vectors()
    assert library.catalog.spaces.pending(library.space.id, 10) == []


def test_documents_written_meanwhile_follow_in_the_order_they_were_written(
    library: Library, worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    first, second = library.begin("a", "b")
    writer = writer_of(library, worker)
    assert not any((batch.rows.keys > 0).any() for batch in drain(writer, events))
    # The later number is written first.
    for doc in (second, first):
        library.write(doc, 2)
        writer.backlog.queue_document(doc)
    made = drain(writer, events)
    told = [doc for batch in made for doc in docs_of(batch.rows.keys).tolist() if doc > 0]
    assert told == [second, second, first, first]
    writer.flush_vectors()
    assert library.catalog.spaces.pending(library.space.id, 10) == []


def test_prioritised_documents_overtake_those_in_progress(
    library: Library, worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    backlog, second, note = library.begin("a", "b", "c")
    library.write(backlog, 40)
    library.write(second, 4)
    writer = writer_of(library, worker)  # units of four passages
    writer.feed_model()
    fed = writer.in_flight  # as many as the model's thread has taken meanwhile, and its queue holds
    library.write(note, 2)
    writer.backlog.queue_document(note, 1)
    made = drain(writer, events)
    told = [doc for batch in made for doc in docs_of(batch.rows.keys).tolist() if doc > 0]
    assert 0 < told.index(note) <= fed < 44
    assert [doc for doc in told if doc != note] == [backlog] * 40 + [second] * 4
    writer.flush_vectors()
    assert library.catalog.spaces.pending(library.space.id, 10) == []


def test_what_was_found_is_embedded_before_what_waits(
    library: Library,
    worker: EmbeddingWorker,
    events: Queue[Event],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("indexer.pipeline.vectors.DOCS_AHEAD", 1)
    docs = library.read(a=40, b=4, c=2)
    writer = writer_of(library, worker)
    writer.feed_model()  # the first document is opened
    writer.backlog.advance_document(docs["c"])
    writer.backlog.advance_document(99)  # nothing waits by this number
    made = [event for event in drain(writer, events) if event.rows.keys[0] > 0]
    embedded = [doc for batch in made for doc in docs_of(batch.rows.keys).tolist()]
    assert sorted(embedded) == sorted([docs["a"]] * 40 + [docs["b"]] * 4 + [docs["c"]] * 2)
    assert embedded.index(docs["c"]) < embedded.index(docs["b"])
    writer.flush_vectors()
    assert library.catalog.spaces.pending(library.space.id, 10) == []


def test_names_are_embedded_once(
    library: Library, worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    library.read(annual_report=1, minutes=1)
    drain(writer_of(library, worker), events)
    known, space = library.catalog.names, library.space.id
    names, made = known.vectors(space, known.embedded(space))
    texts = library.catalog.names.texts(names.tolist())
    assert sorted(texts.values()) == ["annual_report", "folder", "minutes"]
    assert made.shape == (3, 32)
    again = drain(writer_of(library, worker), events)
    assert not any((batch.rows.keys < 0).any() for batch in again)


def test_when_a_flush_is_due(library: Library, worker: EmbeddingWorker) -> None:
    library.read(a=9)
    writer = writer_of(library, worker, BatchSizes(unit=9, vectors=6))
    batch = Embedded(_zeros(4), tokens=1)
    writer.in_flight = 9
    assert not writer.due(last=True)
    writer.buffer_vectors(batch)
    assert not writer.due(last=True)  # more is being embedded
    writer.buffer_vectors(batch)
    assert writer.due(last=False)  # the buffer is full


def test_the_last_batch_does_not_wait(library: Library, worker: EmbeddingWorker) -> None:
    writer = writer_of(library, worker)
    writer.in_flight = 1
    writer.buffer_vectors(Embedded(_zeros(1), tokens=1))
    assert not writer.due(last=False)
    assert writer.due(last=True)


def _zeros(count: int) -> VectorRows:
    zeros = np.zeros((count, 32), np.float32)
    return VectorRows(keys_of(1, count), zeros, zeros, np.arange(count + 1))
