from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from indexer.api.types import FileState
from indexer.catalog.catalog import Catalog
from indexer.catalog.docs import RESERVED
from indexer.catalog.states import FAULT
from tests.unit.catalog.fakes import listed

from .fakes import FakeWalk, found, info, read, read_all, root_at, states

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(catalog: Catalog, tmp_path: Path) -> int:
    return root_at(catalog, tmp_path / "r").id


def test_copies_share_one_document(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")], "d": [found("c")]}))])
    docs = {read(catalog, job, "same") for job in catalog.queue.take(3)}
    assert len(docs) == 1
    (places,) = catalog.files.by_document(docs).values()
    assert [place.relative for place in places] == ["a", "b", "d/c"]


def test_a_copy_met_while_its_text_is_written_waits_for_it(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    first, second = catalog.queue.take(2)
    one = catalog.docs.begin(first.file, "h1", first.stamp, info("same"), title_used="")
    two = catalog.docs.begin(second.file, "h2", second.stamp, info("same"), title_used="")
    assert one.doc == two.doc
    assert (one.write_passages, two.write_passages) == (True, False)
    assert set(states(catalog).values()) == {"queued"}
    catalog.docs.finish_passages(one.doc, 1)
    assert set(states(catalog).values()) == {"text_only"}
    assert catalog.queue.waiting() == 0


def test_known_bytes_are_not_read_again(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    first, second = catalog.queue.take(2)
    assert not catalog.docs.link(first.file, "hash of x", first.stamp, "text", 1)
    doc = read(catalog, first, "x")
    assert not catalog.docs.link(second.file, "hash of x", second.stamp, "html", 1)
    assert not catalog.docs.link(second.file, "hash of x", second.stamp, "text", 2)
    assert catalog.docs.link(second.file, "hash of x", second.stamp, "text", 1)
    assert catalog.files.doc_of(second.file) == doc


def test_vectors_make_a_document_indexed_or_partial(catalog: Catalog, root: int) -> None:
    space = catalog.spaces.add_space("mini", {"dimension": 4})
    catalog.spaces.activate(space.id)
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    whole, torn = catalog.queue.take(2)
    read(catalog, whole, "a")
    begun = catalog.docs.begin(
        torn.file, "hash", torn.stamp, info("b", bad_pages=(2, 3), lost="why"), title_used=""
    )
    catalog.docs.finish_passages(begun.doc, 1)
    assert set(states(catalog).values()) == {"text_only"}
    for doc, passages in catalog.spaces.pending(space.id, 10):
        assert not catalog.spaces.begin(doc, space.id)
        assert catalog.spaces.begin(doc, space.id)
        catalog.spaces.finish(doc, space.id, passages)
    assert states(catalog) == {"a": "indexed", "b": "partial"}
    assert listed(catalog)[1].bad_pages == (2, 3)
    assert catalog.spaces.pending(space.id, 10) == []


def test_switching_the_space_is_one_row_and_the_states_follow(catalog: Catalog, root: int) -> None:
    first, second = catalog.spaces.add_space("one", {}), catalog.spaces.add_space("two", {})
    assert catalog.spaces.add_space("one", {}) == first
    catalog.spaces.activate(first.id)
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    doc = read_all(catalog)["a"]
    catalog.spaces.finish(doc, first.id, 4)
    assert states(catalog) == {"a": "indexed"}
    catalog.spaces.activate(second.id)
    assert states(catalog) == {"a": "text_only"}
    catalog.spaces.activate(first.id)
    assert states(catalog) == {"a": "indexed"}
    active = catalog.spaces.active()
    assert active is not None
    assert active.id == first.id


def test_totals_count_documents_not_copies(catalog: Catalog, root: int) -> None:
    space = catalog.spaces.add_space("mini", {})
    catalog.spaces.activate(space.id)
    catalog.scans.apply([(root, FakeWalk({"": [found(name) for name in "abc"]}))])
    jobs = catalog.queue.take(2)
    doc = read(catalog, jobs[0], "same", passages=5)
    read(catalog, jobs[1], "same")
    catalog.spaces.finish(doc, space.id, 5)
    totals = catalog.spaces.totals()
    assert (totals.documents, totals.passages, totals.embedded) == (1, 5, 5)
    assert catalog.docs.languages() == {"en": 1}
    assert catalog.docs.expected() == {doc: 5}
    assert catalog.docs.docs_by_id([doc, 99])[doc].title == "Title of same"


def test_numbers_are_never_given_out_twice(tmp_path: Path) -> None:
    seen: set[int] = set()
    for turn in range(3):
        with Catalog(tmp_path / "catalog.sqlite") as catalog:
            root = root_at(catalog, tmp_path / "r").id
            names = [found(f"{turn}-{k}", mtime_ns=turn) for k in range(RESERVED // 2 + 1)]
            catalog.scans.apply([(root, FakeWalk({"": names}))])
            docs = set(read_all(catalog).values())
            assert len(docs) == len(names)
            assert not docs & seen
            seen |= docs
            catalog.docs.forget(docs)


def test_pages_that_were_read_on_through_a_damage_are_listed_and_cost_no_state(
    catalog: Catalog, root: int
) -> None:
    space = catalog.spaces.add_space("mini", {}).id
    catalog.spaces.activate(space)
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    (torn,) = catalog.queue.take(1)
    begun = catalog.docs.begin(
        torn.file, "hash", torn.stamp, info("a", bad_pages=(2,)), title_used=""
    )
    catalog.docs.finish_passages(begun.doc, 1)
    catalog.spaces.finish(begun.doc, space, 1)
    (row,) = listed(catalog)
    assert (row.state, row.bad_pages) == ("indexed", (2,))


def test_numbers_that_could_not_be_promised_are_not_given_out(tmp_path: Path) -> None:
    """Or the next engine would give them out again."""

    def refuse(action: int, what: str | None, *_: object) -> int:
        refused = action == sqlite3.SQLITE_TRANSACTION and what == "COMMIT"
        return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK

    docs: list[int] = []
    for names in (["a", "b"], ["a", "b", "c"]):
        with Catalog(tmp_path / "catalog.sqlite") as catalog:
            root = root_at(catalog, tmp_path / "documents")
            catalog.scans.apply([(root.id, FakeWalk({"": [found(name) for name in names]}))])
            job, *others = catalog.queue.take(2)
            if others:
                catalog.db.reader().set_authorizer(refuse)
                with pytest.raises(sqlite3.DatabaseError):
                    catalog.docs.begin(job.file, "hash", job.stamp, info("a"), title_used="")
                catalog.db.reader().set_authorizer(None)
                (job,) = others
            docs.append(read(catalog, job, f"text {len(docs)}"))
    assert docs[0] < docs[1]


def test_a_document_that_the_model_had_at_two_faults_is_set_aside(
    catalog: Catalog, root: int
) -> None:
    space = catalog.spaces.add_space("mini", {})
    catalog.spaces.activate(space.id)
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b"), found("copy")]}))])
    docs = {"a": read(catalog, catalog.queue.take(1)[0], "a"), "b": 0}
    docs["b"] = read(catalog, catalog.queue.take(1)[0], "b")
    catalog.spaces.begin(docs["a"], space.id)
    catalog.spaces.begin(docs["b"], space.id)
    catalog.spaces.recover(blame=FAULT)
    assert catalog.spaces.suspects(space.id) == [docs["a"], docs["b"]]
    catalog.spaces.begin(docs["b"], space.id)
    catalog.spaces.finish(docs["b"], space.id, 3)
    catalog.spaces.begin(docs["a"], space.id)
    catalog.spaces.recover()  # a clean end blames nobody
    catalog.spaces.begin(docs["a"], space.id)
    catalog.spaces.recover(blame=FAULT)
    # A copy that is found later shares what is known.
    read(catalog, catalog.queue.take(1)[0], "a")
    assert states(catalog) == {"a": "failed", "b": "indexed", "copy": "failed"}
    assert {row.code for row in listed(catalog, FileState.FAILED)} == {"crashed_engine"}
    assert catalog.coverage.set_aside() == 2
    assert catalog.spaces.pending(space.id, 10) == []
    assert catalog.spaces.suspects(space.id) == []

    known = catalog.files.at(listed(catalog, FileState.FAILED)[0].path)
    assert known is not None
    assert catalog.queue.retry(files=[known[0]]) == 1
    assert states(catalog) == {"a": "queued", "b": "indexed", "copy": "text_only"}
    assert [doc for doc, _ in catalog.spaces.pending(space.id, 10)] == [docs["a"]]
    assert catalog.coverage.set_aside() == 0


def test_a_correction_stays_when_a_document_is_read_again_renamed_or_the_catalog_made_anew(
    catalog: Catalog, root: int, tmp_path: Path
) -> None:
    def known() -> tuple[str, str, str, bool]:
        docs = catalog.docs.docs_by_id(catalog.docs.known().tolist())
        one = max(docs.values(), key=lambda doc: doc.doc)
        named = one.doc in catalog.short_words.titles_with(["lease"]).get("lease", {})
        return one.title, one.author, one.created, named

    catalog.scans.apply([(root, FakeWalk({"": [found("a", inode=5)]}))])
    read_all(catalog)
    assert known() == ("Title of a", "", "", False)
    catalog.correct_document(tmp_path / "r" / "a", "Lease", "Doe, Jane", "2021")
    assert known() == ("Lease", "Doe, Jane", "2021", True)
    catalog.scans.apply([(root, FakeWalk({"": [found("a", inode=5, mtime_ns=2)]}))])
    (job,) = catalog.queue.take(3)
    read(catalog, job, "another text")
    assert known() == ("Lease", "Doe, Jane", "2021", True)
    catalog.scans.apply([(root, FakeWalk({"": [found("b", inode=5, mtime_ns=2)]}))])
    catalog.scans.apply([(root, FakeWalk({"": [found("b", inode=5, mtime_ns=3)]}))])
    (job,) = catalog.queue.take(3)
    read(catalog, job, "a third text")
    assert known() == ("Lease", "Doe, Jane", "2021", True)
    catalog.close()
    for file in catalog.db.path.parent.glob("catalog*"):
        file.unlink()
    catalog = Catalog(catalog.db.path)
    catalog.scans.apply([(catalog.roots.all()[0].id, FakeWalk({"": [found("b", inode=5)]}))])
    read_all(catalog)
    assert known() == ("Lease", "Doe, Jane", "2021", True)
    catalog.close()
