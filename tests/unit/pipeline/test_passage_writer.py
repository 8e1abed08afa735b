from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.pipeline.run import PassageWriter, WrittenDocument
from tests.store_rows import passage
from tests.unit.catalog.fakes import info

if TYPE_CHECKING:
    from tests.unit.pipeline.conftest import Library


def writer_of(library: Library, flush_at: int = 4) -> PassageWriter:
    return PassageWriter(library.catalog, library.store, flush_at)


def test_passages_are_written_by_a_flush_and_marked_at_the_end(library: Library) -> None:
    (doc,) = library.begin("a")
    writer = writer_of(library)
    writer.buffer_passages(doc, info("a"), [passage(0, "first"), passage(1, "second")])
    assert library.store.texts.counts([doc]) == {doc: 0}

    assert writer.flush_passages() == []
    assert library.store.texts.counts([doc]) == {doc: 2}
    assert library.catalog.docs.expected() == {}

    writer.buffer_passages(doc, info("a"), [passage(2, "third")])
    writer.complete_document(WrittenDocument(doc, info("a"), 3))
    assert [one.doc for one in writer.flush_passages()] == [doc]
    assert library.store.texts.counts([doc]) == {doc: 3}
    assert library.catalog.docs.expected() == {doc: 3}
    assert writer.written == 3
    assert not writer.holding


def test_a_document_without_passages_is_marked(library: Library) -> None:
    (doc,) = library.begin("a")
    writer = writer_of(library)
    writer.complete_document(WrittenDocument(doc, info("a"), 0))
    assert writer.holding
    assert [one.doc for one in writer.flush_passages()] == [doc]
    assert library.catalog.docs.expected() == {doc: 0}


def test_a_flush_is_due_when_enough_is_held_or_it_has_waited(library: Library) -> None:
    (doc,) = library.begin("a")
    writer = writer_of(library, flush_at=2)
    assert not writer.due(starved=True)
    writer.buffer_passages(doc, info("a"), [passage(0, "first")])
    assert not writer.due(starved=False)
    writer.buffer_passages(doc, info("a"), [passage(1, "second")])
    assert writer.due(starved=False)
    writer.flush_passages()
    assert not writer.due(starved=True)


def test_a_partly_read_document_that_failed_is_deleted(library: Library) -> None:
    good, bad = library.begin("good", "bad")
    writer = writer_of(library)
    writer.buffer_passages(bad, info("bad"), [passage(0, "written")])
    writer.flush_passages()
    writer.buffer_passages(good, info("good"), [passage(0, "kept")])
    writer.buffer_passages(bad, info("bad"), [passage(1, "held")])
    writer.drop_document(bad, failed=0)
    writer.complete_document(WrittenDocument(good, info("good"), 1))
    assert [one.doc for one in writer.flush_passages()] == [good]
    assert library.store.known_docs().tolist() == [good]
    assert library.catalog.docs.known().tolist() == [good]
