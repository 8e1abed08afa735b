from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from indexer.api.types import FileState
from indexer.catalog.queue import MAX_TRIES
from indexer.catalog.states import FAULT, Stamp
from tests.unit.catalog.fakes import listed

from .fakes import FakeWalk, found, info, read, read_all, root_at, states

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.catalog.catalog import Catalog


@pytest.fixture
def root(catalog: Catalog, tmp_path: Path) -> int:
    return root_at(catalog, tmp_path / "r").id


def test_small_files_come_first_and_new_ones_before_old(catalog: Catalog, root: int) -> None:
    entries = [
        found("big", size=10_000_000, mtime_ns=9),
        found("old", mtime_ns=1),
        found("new", mtime_ns=5, size=60_000),
    ]
    catalog.scans.apply([(root, FakeWalk({"": entries}))])
    names = [job.path.decode().rpartition("/")[2] for job in catalog.queue.take(3)]
    assert names == ["new", "old", "big"]


def test_a_taken_file_is_given_out_once_until_it_is_released(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    taken = catalog.queue.take(1) + catalog.queue.take(5)
    assert len(taken) == 2
    assert catalog.queue.take(5) == []
    assert catalog.queue.waiting() == 2
    catalog.queue.release([job.file for job in taken])
    assert len(catalog.queue.take(5)) == 2


def test_a_failure_after_the_first_passages_takes_the_file_off_the_queue(
    catalog: Catalog, root: int
) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("copy")]}))])
    jobs = catalog.queue.take(2)
    for job in jobs:
        begun = catalog.docs.begin(job.file, "hash", job.stamp, info("text"), title_used="")
    catalog.docs.forget([begun.doc], failed=jobs[0].file)
    catalog.queue.fail(jobs[0].file, "child_died", {"reason": "a message"}, taken=True)
    assert [job.file for job in catalog.queue.take(5)] == [jobs[1].file]


def test_files_of_an_offline_root_wait(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    catalog.roots.set_online(root, online=False)
    assert catalog.queue.take(5) == []
    assert catalog.queue.waiting() == 0


@pytest.mark.parametrize(
    ("code", "state"),
    [("needs_password", "needs_password"), ("no_text", "no_text"), ("empty", "empty")],
)
def test_a_failure_of_the_bytes_is_shared_by_copies(
    catalog: Catalog, root: int, code: str, state: str
) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    first, second = catalog.queue.take(2)
    catalog.queue.fail(first.file, code, {"pages": 2}, content=("hash", "text", 1))
    assert catalog.docs.link(second.file, "hash", second.stamp, "text", 1)
    assert states(catalog) == {"a": state, "b": state}
    assert {row.code for row in listed(catalog)} == {code}
    assert catalog.queue.waiting() == 0


def test_a_failure_of_the_file_keeps_what_was_found_before(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    doc = read_all(catalog)["a"]
    catalog.scans.apply([(root, FakeWalk({"": [found("a", mtime_ns=2)]}))])
    (job,) = catalog.queue.take(1)
    assert catalog.queue.fail(job.file, "out_of_time", {"limit": "60 s"}) is FileState.FAILED
    assert states(catalog) == {"a": "failed"}
    assert catalog.docs.orphans() == []
    assert list(catalog.files.by_document([doc])) == [doc]


def test_a_passing_failure_is_tried_again_at_the_next_scan(catalog: Catalog, root: int) -> None:
    walk = FakeWalk({"": [found("a"), found("b")]})
    catalog.scans.apply([(root, walk)])
    first, second = catalog.queue.take(2)
    catalog.queue.fail(first.file, "changed_while_read")
    catalog.queue.fail(second.file, "out_of_memory", {"limit": "1 GB"})
    assert catalog.queue.waiting() == 0
    catalog.scans.apply([(root, walk)])
    assert [job.file for job in catalog.queue.take(5)] == [first.file]


def test_what_was_asked_for_goes_first(catalog: Catalog, tmp_path: Path) -> None:
    old, new = (root_at(catalog, tmp_path / name).id for name in ("old", "new"))
    catalog.scans.apply([(old, FakeWalk({"": [found("small"), found("large", size=10_000_000)]}))])
    catalog.scans.apply([(new, FakeWalk({"": [found("huge", size=90_000_000), found("slight")]}))])
    catalog.queue.prioritise([new])
    named = catalog.files.at(tmp_path / "old" / "large")
    assert named is not None
    assert catalog.queue.retry(files=[named[0]]) == 1
    names = [job.path.decode().rpartition("/")[2] for job in catalog.queue.take(9)]
    assert names == ["large", "slight", "huge", "small"]
    # It was asked for once: when it changes it waits like any other.
    for file in (named[0],):
        catalog.queue.started(file)
        assert catalog.db.value("SELECT priority FROM files WHERE id = ?", file) == 0


def test_alone_in_the_queue_nothing_is_preferred(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    catalog.queue.prioritise([root])
    assert catalog.db.value("SELECT max(priority) FROM files") == 0


def test_a_passing_failure_is_tried_again_later_and_later(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    waits: list[int] = []
    while jobs := catalog.queue.take(1):
        (job,) = jobs
        catalog.queue.started(job.file)
        began = time.time_ns()
        assert catalog.queue.fail(job.file, "read_error", {"reason": "x"}) is FileState.FAILED
        assert states(catalog) == {"a": "failed"}
        assert catalog.queue.take(1) == []
        assert catalog.queue.waiting() == 0
        assert catalog.queue.available() == (0, 0)
        due = catalog.queue.next_due_ns()
        if due is not None:
            waits.append(due - began)
            # That much later.
            with catalog.db.write() as connection:
                connection.execute("UPDATE files SET due_ns = 1 WHERE due_ns > 0")
            assert catalog.queue.waiting() == 1
    assert len(waits) == MAX_TRIES - 1
    assert all(later > 3 * sooner for sooner, later in pairwise(waits))
    assert catalog.queue.next_due_ns() is None
    # A look at the folder queues it at once, whatever was tried.
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    assert len(catalog.queue.take(1)) == 1


def test_retry_queues_by_state(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    first, second = catalog.queue.take(2)
    catalog.queue.fail(first.file, "needs_password", content=("hash", "text", 1))
    catalog.queue.fail(second.file, "child_died", {"reason": "signal 11"})
    assert catalog.queue.retry(states=[FileState.NEEDS_PASSWORD, FileState.FAILED]) == 2
    assert set(states(catalog).values()) == {"queued"}
    assert len(catalog.queue.take(5)) == 2


def test_a_killed_run_is_queued_again_and_blames_nobody(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b")]}))])
    for _ in range(5):
        for job in catalog.queue.take(2):
            catalog.queue.started(job.file)
        assert catalog.queue.recover() == []
        assert set(states(catalog).values()) == {"queued"}
    assert catalog.queue.waiting() == 2


def test_a_document_that_was_there_at_two_faults_is_set_aside(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b", mtime_ns=9)]}))])
    catalog.queue.take(2)
    folder = catalog.roots.root_by_id(root).path.decode()
    bad, good = (catalog.files.at(f"{folder}/{name}") for name in "ab")
    assert bad is not None
    assert good is not None
    for expected in ("queued", "failed"):
        catalog.queue.started(bad[0])
        catalog.queue.recover(blame=FAULT)
        assert states(catalog)["a"] == expected
        catalog.queue.take(2)
    assert states(catalog) == {"a": "failed", "b": "queued"}


def test_an_interrupted_document_is_handed_back_whole(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a"), found("b", mtime_ns=0)]}))])
    jobs = catalog.queue.take(2)
    kept = read(catalog, jobs[0], "a")
    begun = catalog.docs.begin(jobs[1].file, "hash", jobs[1].stamp, info("b"), title_used="")
    unfinished = catalog.queue.recover()
    assert unfinished == [begun.doc]
    catalog.docs.forget(unfinished)
    assert catalog.docs.known().tolist() == [kept]
    assert states(catalog) == {"a": "text_only", "b": "queued"}
    (again,) = catalog.queue.take(5)
    assert read(catalog, again, "b") > begun.doc


def test_a_file_that_changes_while_it_is_read_stays_queued(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    (job,) = catalog.queue.take(1)
    begun = catalog.docs.begin(job.file, "hash", job.stamp, info("a"), title_used="")
    catalog.scans.apply([(root, FakeWalk({"": [found("a", mtime_ns=5)]}))])
    catalog.docs.finish_passages(begun.doc, 1)
    (again,) = catalog.queue.take(1)
    assert again.stamp == Stamp(10, 5, 7, 0)


@pytest.mark.parametrize("when", ["before its text is known", "while its passages are written"])
def test_a_file_that_is_excluded_while_it_is_read_stays_excluded(
    catalog: Catalog, root: int, when: str
) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    (job,) = catalog.queue.take(1)
    excluded = FakeWalk({"": [found("a", state=FileState.EXCLUDED)]})
    if when == "before its text is known":
        catalog.scans.apply([(root, excluded)])
    begun = catalog.docs.begin(job.file, "hash", job.stamp, info("a"), title_used="")
    if when == "while its passages are written":
        catalog.scans.apply([(root, excluded)])
    catalog.docs.finish_passages(begun.doc, 1)
    assert states(catalog) == {"a": "excluded"}
    assert catalog.docs.orphans() == [begun.doc]


def test_what_an_older_extractor_read_is_read_again_quietly(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    old = read_all(catalog)["a"]
    assert catalog.queue.requeue_outdated(2) == 1
    assert states(catalog) == {"a": "text_only"}
    (job,) = catalog.queue.take(1)
    begun = catalog.docs.begin(
        job.file, "hash of a", job.stamp, info("a", version=2), title_used=""
    )
    assert list(catalog.files.by_document([old, begun.doc])) == [old]
    catalog.docs.finish_passages(begun.doc, 2)
    assert list(catalog.files.by_document([old, begun.doc])) == [begun.doc]
    assert catalog.docs.orphans() == [old]


def test_a_rescan_looks_at_every_file_again(catalog: Catalog, root: int) -> None:
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    read_all(catalog)
    assert catalog.queue.requeue_all(root) == 1
    (job,) = catalog.queue.take(5)
    assert catalog.docs.link(job.file, "hash of a", job.stamp, "text", 1)
    assert catalog.queue.waiting() == 0


def test_a_failure_says_nothing_about_a_file_that_changed_meanwhile(
    catalog: Catalog, tmp_path: Path
) -> None:
    root = root_at(catalog, tmp_path / "r")
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt")]}))])
    (job,) = catalog.queue.take(1)
    catalog.scans.apply([(root.id, FakeWalk({"": [found("a.txt", mtime_ns=2)]}))])
    catalog.queue.fail(job.file, "unreadable", {"reason": "half written"}, taken=True)
    assert states(catalog) == {"a.txt": "queued"}
    # And it is not read twice at the same time.
    assert catalog.queue.take(1, without=[job.file]) == []
    (again,) = catalog.queue.take(1)
    assert again.stamp.mtime_ns == 2
    catalog.queue.fail(job.file, "unreadable", {"reason": "damaged"}, taken=True)
    assert states(catalog) == {"a.txt": "unreadable"}
