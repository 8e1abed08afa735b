"""Killed at any point, indexing goes on where it was: nothing twice, nothing lost.

Every case is a real process that ends by SIGKILL at a named point (``indexer.faults``); then the
library is opened, indexed to the end and compared with one that was never disturbed.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from indexer import faults
from indexer.config import Precision
from tests.e2e.conftest import Lectern
from tests.integration import killing
from tests.integration.killing import kill_at, kill_within
from tests.integration.world import Seen, World, check_same, look
from tests.tiny_model import TINY
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from pathlib import Path

Kill = Callable[[World, str], None]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and SIGSTOP are POSIX")


# A point, and the how-manieth time the process comes by it.
POINTS = [
    # reading
    "file-hashed:2",
    "document-begun:1",
    "passages-cut:5",
    # embedding
    "batch-embedded:6",
    # between the commits of store and catalog, and right after both
    "texts-written:2",
    "texts-committed:1",
    "texts-committed:3",
    "passages-committed:3",
    "passages-marked:2",
    "vectors-committed:1",
    "vectors-committed:4",
    "vectors-marked:1",
    # upkeep, before and after each step
    "vectors-indexing:1",
    "vectors-indexed:1",
]
# Points from which the store is at work on its files for a while.
BUSY = ["vectors-indexing:1", "texts-written:2"]


@pytest.fixture
def world(indexed: World, tmp_path: Path) -> World:
    """The same documents and a library that is not there yet."""
    return World(indexed.documents, tmp_path / "library", indexed.models)


def finish(world: World, undisturbed: Seen) -> None:
    """Index to the end, compare, and see that nothing was left to do."""
    with world.engine() as engine:
        world.index(engine)
        check_same(look(engine), undisturbed)
        assert world.index(engine).work == (0, 0, 0)


@pytest.mark.parametrize(
    ("kill", "point"),
    [*((kill_at, point) for point in POINTS), *((kill_within, point) for point in BUSY)],
)
def test_killed(world: World, undisturbed: Seen, kill: Kill, point: str) -> None:
    kill(world, point)
    finish(world, undisturbed)


def test_killed_again_and_again(world: World, undisturbed: Seen) -> None:
    for point in ("passages-cut:2", "vectors-committed:2", "vectors-indexing:1"):
        kill_at(world, point)
    finish(world, undisturbed)


def test_killed_in_int8(indexed: World, tmp_path: Path) -> None:
    """The vectors of 8 bits depend a little on what shares the batch, and not more."""
    whole = World(indexed.documents, tmp_path / "whole", indexed.models, Precision.INT8)
    with whole.engine() as engine:
        whole.index(engine)
        expected = look(engine)
    world = World(indexed.documents, tmp_path / "library", indexed.models, Precision.INT8)
    kill_at(world, "vectors-committed:2")
    with world.engine() as engine:
        world.index(engine)
        check_same(look(engine), expected, cosine=0.985)


@pytest.mark.parametrize("point", ["passages-committed:1", "passages-committed:3"])
def test_killed_while_it_puts_the_library_in_order(
    world: World, undisturbed: Seen, point: str
) -> None:
    kill_at(world, point)
    kill_at(world, "leftovers-deleted:1")
    finish(world, undisturbed)


@pytest.mark.parametrize(
    ("point", "back"),
    [
        ("orphans-deleted:1", False),
        ("orphans-deleted:1", True),
        ("table-cleared:1", True),
        ("table-cleared:2", True),
    ],
)
def test_killed_while_a_document_that_is_gone_is_deleted(
    indexed: World, undisturbed: Seen, tmp_path: Path, point: str, *, back: bool
) -> None:
    """Also when the file comes back: the catalog still knows a document the store has lost."""
    mine = indexed.move(tmp_path / "mine")
    (mine.documents / "long.txt").unlink()
    kill_at(mine, point)
    if back:
        shutil.copy2(indexed.documents / "long.txt", mine.documents)
    with mine.engine() as engine:
        mine.index(engine)
        seen = look(engine)
    if back:
        check_same(seen, undisturbed)
    else:
        assert seen.files == {k: v for k, v in undisturbed.files.items() if k != "long.txt"}


def test_killed_while_a_file_of_vectors_is_made(world: World, undisturbed: Seen) -> None:
    kill_at(world, "tables-making=vector store:1")
    finish(world, undisturbed)


@pytest.mark.parametrize("point", ["passages-cut:1", "batch-embedded:2"])
def test_ctrl_c_ends_cleanly_and_the_next_run_completes(
    indexed: World, undisturbed: Seen, tmp_path: Path, point: str
) -> None:
    lectern = _command_line(tmp_path, indexed.models)
    fault = {faults.VARIABLE: f"{point}:SIGSTOP"}
    with lectern.start("index", indexed.documents, environment=fault) as process:
        killing.wait_until_stopped(process)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130
    assert out.startswith("Stopped after")
    assert "`lectern index` goes on where it stopped." in out
    assert "Traceback" not in err
    assert killing.children_of(process.pid) == []

    finish(World(indexed.documents, lectern.library, indexed.models), undisturbed)


def _command_line(folder: Path, models: Path) -> Lectern:
    """A person's account in which everything but the person is as in ``World``."""
    lectern = Lectern(folder, "app")
    (folder / "run").mkdir(mode=0o700)
    shutil.copytree(models, lectern.library.parent / "models")
    settings = folder / "home" / "config" / "lectern" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"model": TINY, "precision": "fp32", "min_free_gb": 0}))
    return lectern
