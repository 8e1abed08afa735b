"""A file that ends the engine: found out among the innocent, set aside, and given another chance.

The engine is a process of its own that ends while it has the file in hand: by the signal that a
fault of a library raises, or by one that a person sends.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.requests import GetActivity, GetStatus, ListFiles, Retry
from indexer.api.types import FileState
from indexer.catalog import queue
from indexer.catalog.catalog import Catalog
from indexer.catalog.states import FAULT, FOR_MEMORY, MAX_CRASHES, UNEXPLAINED
from indexer.config import Limits
from indexer.extract.process import process
from indexer.library.crashes import MARK_NAME, TRIED_KEY, CrashMark, LastEnd, last_end
from indexer.pipeline import reading
from tests.integration import rights
from tests.integration.killing import finish, kill_at, start, stopped_at
from tests.integration.world import World, found, kinds, states
from tests.unit.extract.pdfs import endless_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WINDOWS = sys.platform == "win32"
posix = pytest.mark.skipif(WINDOWS, reason="SIGKILL is POSIX")
POISON = "poison.txt"
# It is read after some files and before others.
SIZES = {"a.txt": 100, "b.txt": 200, POISON: 900, "y.txt": 4_000, "z.txt": 7_000}


@pytest.fixture
def world(world: World) -> World:
    for name, size in SIZES.items():
        word = name.partition(".")[0]
        (world.documents / name).write_text(f"The zephyr of {word}.\n\n" + "Calm. " * (size // 6))
    return world


def fault_at(world: World, point: str) -> None:
    """Index until the process ends at a point as a fault of a library ends it."""
    with start(world, f"{point}:SIGABRT") as process:
        finish(process, -signal.SIGABRT)


@posix
def test_a_file_that_ends_the_engine_twice_is_set_aside(world: World) -> None:
    fault_at(world, f"document-begun={POISON}:1")
    with Catalog(world.library / "catalog.sqlite") as catalog:
        blamed = catalog.db.value("SELECT count(*) FROM files WHERE in_flight = 2")
        assert blamed >= 1
    fault_at(world, f"document-begun={POISON}:1")
    with world.engine() as engine:
        # The second time it was alone: nobody else is to blame.
        others = [name for name in SIZES if name != POISON]
        assert states(engine)[POISON] == "crashed_engine"
        assert "crashed_engine" not in {states(engine)[name] for name in others}
        assert engine.call(ListFiles(FileState.FAILED)).total == 1
        assert engine.call(GetStatus()).set_aside == 1
        assert engine.call(GetActivity()).set_aside == 1
        world.index(engine)
        assert sorted(found(engine, "zephyr")) == sorted(others)
        assert engine.call(Retry()) == 1
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")
        assert engine.call(GetActivity()).set_aside == 0


@posix
def test_one_bad_end_is_forgiven_once_the_file_is_read(world: World) -> None:
    kill_at(world, f"document-begun={POISON}:1")
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")
        assert engine.catalog.db.value("SELECT max(crashes) FROM files") == 0


@posix
def test_a_document_that_ends_the_engine_in_the_model_twice_is_set_aside(world: World) -> None:
    text = (world.documents / POISON).read_text() + "\n\nThe zephyr that ends it."
    (world.documents / POISON).write_text(text)
    (world.documents / "copy.txt").write_text(text)
    others = list(SIZES.keys() - {POISON})
    for _ in range(2):
        fault_at(world, "passage-embedding=that ends it.:1")
    with world.engine() as engine:
        assert states(engine)[POISON] == "crashed_engine"
        world.index(engine)
        set_aside = dict.fromkeys([POISON, "copy.txt"], "crashed_engine")
        assert states(engine) == {**dict.fromkeys(others, "indexed"), **set_aside}
        assert engine.call(ListFiles(FileState.FAILED)).total == 2
        assert engine.call(GetActivity()).set_aside == 2
        assert found(engine, '"zephyr that ends it"')  # by its words
        assert world.index(engine).work == (0, 0, 0)
        assert kinds(engine) == set()
        assert engine.call(Retry((world.documents / POISON,)))
        world.index(engine)
        assert set(states(engine).values()) == {"indexed"}
        assert engine.call(GetActivity()).set_aside == 0


@posix
def test_vectors_that_were_written_before_an_abort_are_kept(world: World) -> None:
    (world.documents / POISON).rename(world.documents.parent / POISON)
    with world.engine() as engine:
        world.index(engine)
    (world.documents.parent / POISON).rename(world.documents / POISON)
    fault_at(world, "vectors-committed:1")
    with world.engine() as engine:
        world.index(engine)
        assert set(states(engine).values()) == {"indexed"}
        assert engine.call(ListFiles(FileState.INDEXED)).total == len(SIZES)


@posix
def test_one_bad_end_in_the_model_is_forgiven(world: World) -> None:
    fault_at(world, "batch-embedded:2")
    with world.engine() as engine:
        assert engine.catalog.db.value("SELECT max(crashes) FROM doc_spaces") == FAULT
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")
        assert engine.catalog.db.value("SELECT max(crashes) FROM doc_spaces") == 0


def test_a_file_that_hangs_its_reader_is_left_alone_with_the_reason(world: World) -> None:
    (world.documents / "endless.pdf").write_bytes(endless_page(pages=1, endless=1))
    with world.engine(limits=Limits(silence_s=8.0)) as engine:
        world.index(engine)
        assert states(engine) == {**dict.fromkeys(SIZES, "indexed"), "endless.pdf": "unreadable"}
        (row,) = engine.call(ListFiles(FileState.UNREADABLE)).files
        assert "stops_reader" in row.detail
        # Neither by itself nor at the next look.
        assert world.index(engine).read == 0
        assert engine.call(Retry()) == 1


@posix
def test_a_person_who_kills_the_engine_twice_has_no_file_set_aside(world: World) -> None:
    for _ in range(2):
        kill_at(world, f"document-begun={POISON}:1")
    with world.engine() as engine:
        assert engine.catalog.db.value("SELECT max(crashes) FROM files") == 2 * UNEXPLAINED
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")


@posix
def test_a_file_that_always_ends_the_engine_is_set_aside_without_a_trace_too(world: World) -> None:
    for _ in range(MAX_CRASHES):
        kill_at(world, f"document-begun={POISON}:1")
    with world.engine() as engine:
        assert states(engine)[POISON] == "crashed_engine"
        assert engine.call(GetStatus()).set_aside == 1


# The reader of a text is killed, as the system does for want of memory, until a file is there.
_KILLED = """
import os, signal, sys
from indexer.extract.plain import text
from indexer.extract.process import child
honest = text.open_source
def open_source(path, password, limits):
    if path.name == POISON and not os.path.exists(FLAG):
        signal.raise_signal(signal.SIGKILL)
    return honest(path, password, limits)
text.open_source = open_source
sys.exit(child.main())
"""


@pytest.fixture
def killed(world: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file whose absence has the reader of one text killed."""
    flag = world.documents.parent / "flag"
    code = f"POISON, FLAG = {POISON!r}, {str(flag)!r}\n{_KILLED}"

    def command(_limits: object, scratch: str) -> list[str]:
        return [sys.executable, "-P", "-c", code, f"--scratch={scratch}"]

    monkeypatch.setattr(process, "command", command)
    monkeypatch.setattr(queue, "BACK_OFF_S", 0.0)
    return flag


@posix
def test_a_reader_that_is_killed_without_room_for_it_blames_no_file(
    world: World, killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "available_bytes", lambda: 0)
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == {**dict.fromkeys(SIZES, "indexed"), POISON: "reader_killed"}
        assert engine.call(GetStatus()).set_aside == 0
        killed.touch()
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")


@posix
def test_a_file_whose_reader_is_killed_alone_and_with_room_fails(
    world: World, killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "available_bytes", lambda: 1 << 40)
    with world.engine() as engine:
        world.index(engine)
        assert not killed.exists()
        assert states(engine) == {**dict.fromkeys(SIZES, "indexed"), POISON: "child_died"}
        assert world.index(engine).read == 0


@posix
def test_an_engine_that_is_killed_for_memory_again_and_again_blames_only_what_was_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill_at(world, f"document-begun={POISON}:1")
    with Catalog(world.library / "catalog.sqlite") as catalog:
        for _ in range(MAX_CRASHES + 1):
            catalog.queue.recover(blame=FOR_MEMORY)
            (job,) = catalog.queue.take(1, suspects=True)
            catalog.queue.started(job.file)
        catalog.queue.recover(blame=FOR_MEMORY)
    with world.engine() as engine:
        assert "crashed_engine" not in states(engine).values()
    with Catalog(world.library / "catalog.sqlite") as catalog:
        for _ in range(2):
            (job,) = catalog.queue.take(1, suspects=True)
            catalog.queue.started(job.file, alone=True)
            catalog.queue.recover(blame=FOR_MEMORY)
    with world.engine() as engine:
        assert list(states(engine).values()).count("crashed_engine") == 1


@posix
def test_what_an_earlier_version_set_aside_is_tried_again(world: World) -> None:
    for _ in range(2):
        fault_at(world, f"document-begun={POISON}:1")
    with world.engine() as engine:
        assert states(engine)[POISON] == "crashed_engine"
        engine.catalog.set_meta(TRIED_KEY, "an earlier one")
    with world.engine() as engine:
        assert states(engine)[POISON] == "queued"
        world.index(engine)
        assert states(engine) == dict.fromkeys(SIZES, "indexed")


@posix
def test_a_disk_that_fills_up_blames_no_file(world: World, tmp_path: Path) -> None:
    with rights.small_disk(tmp_path / "disk", 24 << 20) as disk:
        small = World(world.documents, disk / "library", world.models)
        with stopped_at(small, f"document-begun={POISON}:1") as process:
            ballast = rights.fill(disk)
            process.send_signal(signal.SIGCONT)
            _, complaints = process.communicate(timeout=60)
            assert process.returncode == 1
            assert "disk_full" in complaints or "is free on the disk of" in complaints
        # It cannot be cleared by writing: no byte is free. Neither now nor by those that try.
        assert not (small.library / MARK_NAME).exists()
        for _ in range(3):
            with pytest.raises(WorldError) as caught, small.engine() as engine:
                small.index(engine)
            assert caught.value.code == "disk_full"
        ballast.unlink()
        with small.engine() as engine:
            assert engine.catalog.db.value("SELECT max(crashes) FROM files") == 0
            small.index(engine)
            assert states(engine) == dict.fromkeys(SIZES, "indexed")


@posix
def test_a_fault_on_a_full_disk_leaves_its_trace(world: World, tmp_path: Path) -> None:
    with rights.small_disk(tmp_path / "disk", 24 << 20) as disk:
        small = World(world.documents, disk / "library", world.models)
        with stopped_at(small, f"document-begun={POISON}:1") as process:
            rights.fill(disk)
            process.send_signal(signal.SIGABRT)
            process.send_signal(signal.SIGCONT)
            finish(process, -signal.SIGABRT)
        assert last_end(small.library) == LastEnd(FAULT, by_fault=True)


@contextlib.contextmanager
def working(library: Path) -> Iterator[None]:
    """An engine that has documents in progress."""
    mark = CrashMark(library)
    try:
        with mark.working():
            yield
    finally:
        mark.leave()


def test_a_clean_end_leaves_no_mark(tmp_path: Path) -> None:
    assert last_end(tmp_path) == LastEnd()
    mark = CrashMark(tmp_path)
    assert (tmp_path / MARK_NAME).exists()
    with pytest.raises(WorldError), mark.working():
        raise WorldError("disk_full", needed="1 GB", path="/")
    mark.remove()
    assert not (tmp_path / MARK_NAME).exists()
    assert last_end(tmp_path) == LastEnd()


def test_an_end_in_the_middle_is_noticed_once(tmp_path: Path) -> None:
    with working(tmp_path):
        assert last_end(tmp_path) == LastEnd(UNEXPLAINED, by_fault=WINDOWS)
        assert last_end(tmp_path) == LastEnd()


def test_an_end_without_documents_in_progress_blames_none(tmp_path: Path) -> None:
    mark = CrashMark(tmp_path)
    with mark.working():
        pass
    assert last_end(tmp_path) == LastEnd(0, by_fault=WINDOWS)
    mark.leave()


@pytest.mark.parametrize(
    "change", [{"boot": "another start"}, {"boot": 1.0e9}, {"inode": 1}], ids=str
)
def test_a_machine_that_went_down_and_a_copy_blame_nobody(
    tmp_path: Path, change: dict[str, object]
) -> None:
    with working(tmp_path):
        path = tmp_path / MARK_NAME
        mark = json.loads(path.read_bytes().rstrip(b"\0"))
        with path.open("r+b") as file:
            file.write(json.dumps({**mark, **change}).encode().ljust(512, b"\0"))
        assert last_end(tmp_path) == LastEnd()


def test_an_end_for_want_of_memory_is_known(tmp_path: Path) -> None:
    with working(tmp_path):
        path = tmp_path / MARK_NAME
        mark = json.loads(path.read_bytes().rstrip(b"\0"))
        with path.open("r+b") as file:
            mark["killed_for_memory"] -= 1  # the kernel has killed one since
            file.write(json.dumps(mark).encode().ljust(512, b"\0"))
        assert last_end(tmp_path) == LastEnd(FOR_MEMORY, by_fault=True)


def test_a_mark_that_was_cut_short_blames_nobody(tmp_path: Path) -> None:
    (tmp_path / MARK_NAME).write_bytes(b"{")
    assert last_end(tmp_path) == LastEnd()
    assert not (tmp_path / MARK_NAME).exists()
