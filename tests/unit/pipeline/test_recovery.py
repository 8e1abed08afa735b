from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.library.recovery import incomplete, recover
from tests.store_rows import rows, vectors
from tests.unit.catalog.fakes import FakeWalk, found, listed, root_at
from tests.unit.pipeline.conftest import SPACE

if TYPE_CHECKING:
    from tests.unit.pipeline.conftest import Library


def states(library: Library) -> dict[str, str]:
    return {row.file: str(row.state) for row in listed(library.catalog)}


def test_an_undamaged_library_is_unchanged(library: Library) -> None:
    docs = library.read(a=2, b=0)
    assert recover(library.catalog, library.store) == 0
    assert library.catalog.docs.expected() == {docs["a"]: 2, docs["b"]: 0}
    assert library.store.texts.counts([docs["a"]]) == {docs["a"]: 2}


def test_a_document_that_was_being_written_is_read_again(library: Library) -> None:
    (doc,) = library.begin("a")
    library.store.add_passages(rows(doc, ["half"]))
    assert recover(library.catalog, library.store) == 1
    assert library.store.known_docs().tolist() == []
    assert library.catalog.docs.known().tolist() == []
    assert states(library) == {"a.txt": "queued"}
    assert len(library.catalog.queue.take(10)) == 1


def test_a_document_whose_passages_are_gone_is_read_again(library: Library) -> None:
    docs = library.read(a=2, b=3)
    library.store.add_vectors(SPACE, vectors(docs["a"], [0, 1]))
    library.store.delete_docs([docs["a"]])
    assert incomplete(library.catalog, library.store) == [docs["a"]]
    assert recover(library.catalog, library.store) == 1
    assert states(library) == {"a.txt": "queued", "b.txt": "text_only"}
    assert library.store.known_docs().tolist() == [docs["b"]]
    assert recover(library.catalog, library.store) == 0


def test_a_document_with_more_passages_than_it_has_is_read_again(library: Library) -> None:
    docs = library.read(a=2)
    library.store.add_passages(rows(docs["a"], ["again"], first=2))
    assert recover(library.catalog, library.store) == 1
    assert library.store.known_docs().tolist() == []


def test_orphans_are_deleted_when_nothing_can_need_them(library: Library) -> None:
    docs = library.read(a=1, b=2)
    root = root_at(library.catalog, library.folder)
    library.catalog.scans.apply([(root.id, FakeWalk({"": [found("b.txt"), found("c.txt")]}))])
    recover(library.catalog, library.store)
    # The queued file may be the deleted one at another path.
    assert sorted(library.store.known_docs().tolist()) == sorted(docs.values())
    (waiting,) = library.catalog.queue.take(1)
    library.catalog.queue.fail(waiting.file, "vanished")
    recover(library.catalog, library.store)
    # Missing vectors may be copied from it.
    assert sorted(library.store.known_docs().tolist()) == sorted(docs.values())
    library.catalog.spaces.remove(library.space.id)
    recover(library.catalog, library.store)
    assert library.store.known_docs().tolist() == [docs["b"]]
    assert library.catalog.docs.expected() == {docs["b"]: 2}


def test_documents_only_in_the_store_are_deleted(library: Library) -> None:
    docs = library.read(a=1)
    library.store.add_passages(rows(77, ["nobody's"]))
    library.store.add_vectors(SPACE, vectors(78, [0]))
    assert recover(library.catalog, library.store) == 2
    assert library.store.known_docs().tolist() == [docs["a"]]
    assert library.store.verify() == []
