"""While a run goes on: another folder is read next, one is taken out, and nobody waits."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import GetActivity, Index, ListFiles, Remove, Search
from indexer.server.service import Host, Service
from tests.integration.held import HeldEngine
from tests.integration.speaking import answer_to, ask, greeted
from tests.integration.world import PACE, World, check_whole, quoted, states
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.api.endpoint import MessageStream


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    return World(indexed.documents, tmp_path / "library", indexed.models)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    other = tmp_path / "other"
    other.mkdir()
    (other / "quay.txt").write_text("The marble quay gleams at noon.")
    return other


@pytest.fixture
def held(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HeldEngine]:
    """An engine that is served, in the middle of a run over the documents."""
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    HeldEngine.may_embed, HeldEngine.may_end = threading.Event(), threading.Event()
    HeldEngine.at_a_book = threading.Event()
    engine = HeldEngine.open(world.config, batches=PACE)
    with contextlib.closing(Host(engine, Service(engine, world.library))):
        yield engine
        engine.may_embed.set()
        engine.may_end.set()


@pytest.fixture
def client(held: HeldEngine, world: World) -> Iterator[MessageStream]:
    with contextlib.closing(greeted(world.library)) as client:
        ask(client, 1, Index((world.documents,)))
        wait_for(lambda: bool(quoted(held, "zephyr clause")))
        yield client


def test_a_folder_added_meanwhile_is_read_next(
    client: MessageStream, held: HeldEngine, world: World, other: Path
) -> None:
    ask(client, 2, Index((other,)))
    wait_for(lambda: quoted(held, "marble quay") == ["quay.txt"])
    assert held.call(GetActivity()).running is not None
    held.may_embed.set()
    assert answer_to(client, 2)["type"] == "reply"
    assert states(held)["quay.txt"] == "indexed"
    check_whole(held)


def test_what_is_saved_meanwhile_is_found_however_long_the_rest_takes_to_read(
    client: MessageStream, held: HeldEngine, other: Path
) -> None:
    """The one reader is at a book, and the model gets to nothing."""
    (other / "book.txt").write_text("A book takes long to read.")
    ask(client, 2, Index((other,)))
    assert held.at_a_book.wait(WAIT_S)
    (other / "note.txt").write_text("A note that was saved meanwhile.")
    root = next(root for root in held.catalog.roots.all() if root.path.endswith(b"other"))
    held.scanner.scan_entries({root.id: {b"": frozenset({b"note.txt"})}})  # as the watcher does
    wait_for(lambda: quoted(held, "saved meanwhile") == ["note.txt"])
    assert not held.may_end.is_set()
    held.may_end.set()
    held.may_embed.set()
    wait_for(lambda: states(held)["note.txt"] == states(held)["book.txt"] == "indexed")
    wait_for(lambda: held.call(GetActivity()).running is None)
    check_whole(held)


def test_a_folder_is_taken_out_without_waiting(
    client: MessageStream, held: HeldEngine, world: World
) -> None:
    files = held.call(ListFiles()).total
    ask(client, 3, Remove((world.documents,)))
    assert answer_to(client, 3)["answer"] == files
    assert quoted(held, "zephyr clause") == []
    assert held.call(ListFiles()).total == 0
    held.may_embed.set()
    wait_for(lambda: held.call(GetActivity()).running is None)
    world.index(held)
    check_whole(held)


def test_what_failed_is_tried_again_by_itself(held: HeldEngine, world: World, other: Path) -> None:
    held.may_embed.set()
    service = Service(held, world.library, lasting=True)
    path = other / "quay.txt"
    before = path.stat()
    path.chmod(0)
    held.catalog.roots.add_root(other)
    held.call(Index((other,)))
    row = held.catalog.files.at(path)
    assert row is not None
    path.chmod(0o600)
    # As a drive would that did not answer for a moment.
    held.catalog.queue.retry(files=[row[0]])
    (job,) = held.catalog.queue.take(1)
    held.catalog.queue.fail(job.file, "read_error", {"reason": "the drive is asleep"})
    held.call(Index(scan=False))
    assert states(held)["quay.txt"] == "read_error"
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    waiting = threading.Thread(target=service.wait)
    waiting.start()
    try:
        wait_for(lambda: time.monotonic() > 0 and states(held)["quay.txt"] == "indexed")
    finally:
        service.stop()
        waiting.join()
        service.close()


def test_a_question_is_understood_before_anything_is_embedded(
    client: MessageStream, held: HeldEngine
) -> None:
    """The leading passages found by words have the meaning that they will have once all is read."""
    question = Search("where does the zephyr clause stand", explain=True)
    early = held.call(question)
    assert early.embedded_share == 0.0
    before = early.hits[0].explain
    assert before is not None
    assert before.passage["pooled"] != 0.0
    assert before.passage["sentence"] != 0.0
    held.may_embed.set()
    wait_for(lambda: held.call(GetActivity()).running is None)
    known = {(hit.path, hit.start): hit.explain for hit in held.call(question).hits}
    after = known[early.hits[0].path, early.hits[0].start]
    assert after is not None
    for name in ("pooled", "sentence"):
        assert before.passage[name] == pytest.approx(after.passage[name], abs=0.02)
