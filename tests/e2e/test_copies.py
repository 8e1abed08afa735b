"""A library is copied, moved or replaced while its engine runs; commands use the right one."""

from __future__ import annotations

import contextlib
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.endpoint import NOTE_NAME
from indexer.api.private_files import HOLDER_NAME
from tests.mounting import Mounter, can_mount
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from tests.e2e.conftest import Lectern


@pytest.fixture
def engine(lectern: Lectern, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """An engine that serves a library of three files until the test ends it."""
    lectern("index", folder)
    with lectern.start("engine") as engine:
        serving(engine)
        yield engine


@pytest.fixture
def copy(lectern: Lectern, engine: subprocess.Popen[str]) -> Path:
    """A copy of the library of that engine, with the files that lead to the engine."""
    copy = lectern.folder / "copy"
    shutil.copytree(lectern.library, copy)
    assert (copy / NOTE_NAME).exists()
    assert (copy / HOLDER_NAME).exists()
    return copy


def serving(engine: subprocess.Popen[str]) -> None:
    assert engine.stderr is not None
    said = engine.stderr.readline()
    assert "Serving" in said, said


def status(lectern: Lectern, library: Path | None = None) -> dict[str, Any]:
    named = () if library is None else ("--library", library)
    return dict(json.loads(lectern(*named, "status", "--json").stdout))


def sockets(lectern: Lectern) -> set[Path]:
    return set((lectern.folder / "run").glob("*.sock"))


def whole(lectern: Lectern) -> None:
    """Check that the engine of the original answers, with all its documents."""
    assert status(lectern)["library"] == str(lectern.library)
    assert status(lectern)["documents"] == 3


def test_status_of_a_copy_is_that_of_the_copy(lectern: Lectern, copy: Path) -> None:
    assert status(lectern, copy)["library"] == str(copy)
    assert not (copy / NOTE_NAME).exists()  # the stale note was removed, in the copy only
    assert (lectern.library / NOTE_NAME).exists()
    assert len(sockets(lectern)) == 1
    whole(lectern)


def test_what_is_removed_from_a_copy_stays_in_the_original(
    lectern: Lectern, copy: Path, folder: Path
) -> None:
    assert "3 files" in lectern("--library", copy, "remove", folder).stdout
    assert status(lectern, copy)["documents"] == 0
    assert "lease" not in lectern("--library", copy, "search", "rent").stdout
    assert "lease" in lectern("search", "rent").stdout
    whole(lectern)


def test_a_copy_has_an_engine_of_its_own(lectern: Lectern, copy: Path, folder: Path) -> None:
    before = sockets(lectern)
    with lectern.start("--library", copy, "engine") as second:
        serving(second)
        assert before < sockets(lectern)
        lectern("--library", copy, "remove", folder / "ice.txt")
        assert status(lectern, copy)["documents"] == 2
        whole(lectern)
        lectern("--library", copy, "engine", "--stop")
        assert second.wait(WAIT_S) == 0
    assert sockets(lectern) == before
    whole(lectern)


def test_the_engine_of_the_original_is_not_stopped_from_a_copy(
    lectern: Lectern, copy: Path, engine: subprocess.Popen[str]
) -> None:
    assert "No engine" in lectern("--library", copy, "engine", "--stop").stderr
    assert engine.poll() is None
    whole(lectern)


def test_a_copy_is_opened_without_its_original(
    lectern: Lectern, copy: Path, engine: subprocess.Popen[str]
) -> None:
    lectern("engine", "--stop")
    assert engine.wait(WAIT_S) == 0
    with lectern.start("engine") as again:  # at the same address, with another secret
        serving(again)
        assert status(lectern, copy)["library"] == str(copy)
        whole(lectern)


def test_a_copy_of_a_killed_engine_is_a_library_of_its_own(
    lectern: Lectern, copy: Path, engine: subprocess.Popen[str]
) -> None:
    engine.kill()
    engine.wait(WAIT_S)
    assert status(lectern, copy)["library"] == str(copy)
    assert len(sockets(lectern)) == 1  # the killed engine's socket is not removed for the copy
    whole(lectern)
    assert sockets(lectern) == set()


def test_deleting_a_copy_leaves_the_original(lectern: Lectern, copy: Path) -> None:
    lectern("--library", copy, "remove", "--everything", "--yes")
    assert not (copy / NOTE_NAME).exists()
    whole(lectern)


def test_a_link_to_a_library_reaches_its_engine(
    lectern: Lectern, engine: subprocess.Popen[str]
) -> None:
    link = lectern.folder / "link"
    link.symlink_to(lectern.library)
    assert status(lectern, link)["library"] == str(lectern.library)


def test_an_engine_whose_library_is_renamed_ends_and_says_so(
    lectern: Lectern, engine: subprocess.Popen[str]
) -> None:
    moved = lectern.folder / "moved"
    lectern.library.rename(moved)
    _out, said = engine.communicate(timeout=WAIT_S)
    assert engine.returncode == 3
    assert "[library_moved]" in said
    assert "Traceback" not in said
    assert status(lectern, moved)["documents"] == 3
    assert not lectern.library.exists()


def test_a_renamed_library_can_be_used_at_once(
    lectern: Lectern, engine: subprocess.Popen[str], folder: Path
) -> None:
    moved = lectern.folder / "moved"
    lectern.library.rename(moved)
    lectern("--library", moved, "remove", folder / "ice.txt")
    assert status(lectern, moved)["documents"] == 2
    assert engine.wait(WAIT_S) == 3


def test_a_library_in_the_place_of_another_gets_its_own_engine(
    lectern: Lectern, engine: subprocess.Popen[str], folder: Path
) -> None:
    backup = lectern.folder / "backup"
    shutil.copytree(lectern.library, backup)
    lectern.library.rename(lectern.folder / "moved")
    backup.rename(lectern.library)
    with lectern.start("engine") as second:
        serving(second)
        assert engine.wait(WAIT_S) == 3
        # The first engine, when it ended, removed no file of the second.
        assert (lectern.library / NOTE_NAME).exists()
        assert (lectern.library / HOLDER_NAME).exists()
        lectern("remove", folder / "ice.txt")
        assert status(lectern)["documents"] == 2
        lectern("engine", "--stop")
        assert second.wait(WAIT_S) == 0
    assert status(lectern, lectern.folder / "moved")["documents"] == 3


def test_a_backup_that_is_laid_over_a_library_ends_its_engine(
    lectern: Lectern, copy: Path, engine: subprocess.Popen[str], folder: Path
) -> None:
    with contextlib.ExitStack() as stack:
        second = stack.enter_context(lectern.start("--library", copy, "engine"))
        serving(second)
        for file in copy.iterdir():  # written in place: the folder and its lock stay the same
            (lectern.library / file.name).write_bytes(file.read_bytes())
        assert engine.wait(WAIT_S) == 3
        assert status(lectern, copy)["library"] == str(copy)
        second.kill()
    assert status(lectern)["library"] == str(lectern.library)


@pytest.mark.skipif(not can_mount(), reason="mounting needs root on Linux")
def test_a_bind_mount_of_a_library_reaches_its_engine(
    lectern: Lectern, engine: subprocess.Popen[str]
) -> None:
    place = lectern.folder / "bound"
    place.mkdir()
    with contextlib.closing(Mounter()) as mounter:
        mounter.bind(lectern.library, place)
        assert status(lectern, place)["library"] == str(lectern.library)
