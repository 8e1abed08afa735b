"""Every single write of the catalog and of the store fails once: nothing that was there is lost.

Run as a module it does that, in a process that has the shim of ``tests.soak.write_faults`` in front
of the system's calls.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import LecternError
from indexer.catalog.catalog import Catalog
from indexer.config import EngineConfig
from indexer.engine.engine import Engine
from indexer.library.library import CATALOG_NAME
from indexer.store.store import Store
from indexer.store.values import Term
from tests.integration.store_victim import PASSAGES, SPACE
from tests.soak.write_faults import compile_shim
from tests.soak.write_shim import Shim
from tests.store_rows import rows, vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[Path], None]

ROOT = Path(__file__).resolve().parents[2]
ERRORS = (errno.ENOSPC, errno.EIO)
# Each of so many writes at the start of opening fails, and after that every so many-th.
EACH = 25
VERSIONS = {"new": 0, "older": 5}  # of the catalog
BEFORE, AFTER = range(1, 3), range(4, 5)  # documents


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", ["catalog", "store"])
def test_a_write_that_fails_is_said_and_costs_nothing(part: str, tmp_path: Path) -> None:
    assert _run(part, tmp_path) > 10, "hardly any write was seen"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", ["new", "older"])
def test_a_library_that_cannot_be_made_for_want_of_room_is_not_called_damaged_or_old(
    part: str, tmp_path: Path
) -> None:
    assert _run(part, tmp_path) > 10, "hardly any write was seen"


def _run(part: str, tmp_path: Path) -> int:
    """Let writes fail in a process of its own; gives how many did."""
    shim = compile_shim(tmp_path)
    if shim is None:
        pytest.skip("nothing compiles a library to preload here (apt-get install gcc)")
    done = subprocess.run(
        [sys.executable, "-m", "tests.integration.test_failing_writes", part, tmp_path, shim],
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return int(done.stdout.split()[0])


def _catalog(path: Path) -> None:
    with Catalog(path) as catalog:
        for number in range(20):
            with catalog.db.write(durable=number % 3 == 0):
                catalog.set_meta(f"key {number}", "x" * 3000)


def _catalog_is_whole(path: Path) -> None:
    with Catalog(path) as catalog:
        assert catalog.db.value("PRAGMA integrity_check") == "ok"
        assert catalog.meta("before") == "is here"
    _catalog(path)


def _store(path: Path) -> None:
    with closing(Store.open(path, threads=1)) as store:
        for doc in AFTER:
            store.add_passages(rows(doc, [f"fox {doc} at {i}" for i in range(PASSAGES)]))
            store.add_vectors(SPACE, vectors(doc, range(PASSAGES)))
        store.delete_docs([1])
        store.maintain(idle=True)


def _store_is_whole(path: Path) -> None:
    with closing(Store.open(path, threads=1)) as store:
        store.delete_docs([1])  # it may have been half done
        assert list(store.verify()) == []
        known = store.known_docs().tolist()
        assert set(known) >= set(BEFORE) - {1}
        assert set(store.texts.counts(known).values()) == {PASSAGES}
        for doc in set(BEFORE) - {1}:
            assert len(store.keys_with_vectors(SPACE, doc)) == PASSAGES
        found = store.match([Term("fox")], 10**6).keys
        assert len(found) == len(set(found.tolist())) == PASSAGES * len(known)
        store.maintain(idle=True)


def _fail_at_every_write(shim: Shim, base: Path, use: Step, whole: Step) -> int:
    """Let one write after the other fail, each time from the same beginning.

    The errors take turns; ``make soak`` draws writes for each of them.
    """
    library = base.with_name("library")
    nth = 0
    while nth == 0 or shim.failed:
        error = ERRORS[nth % len(ERRORS)]
        nth += 1
        with suppress(FileNotFoundError):
            shutil.rmtree(library)
        shutil.copytree(base, library)
        try:
            with shim.failing(library, nth, error), suppress(LecternError):
                use(library / "place")
            whole(library / "place")
        except Exception as wrong:
            told = f"after {errno.errorcode[error]} at {nth}: {shim.failed}"
            raise AssertionError(told) from wrong
    return nth - 1


def _fill_at_every_write(shim: Shim, folder: Path, version: int) -> int:
    """Open a library on a disk that is full from one write on; ``version`` 0 is none at all."""
    config = EngineConfig(folder / "library", folder / "models", offline=True)
    made = 0
    while made == 0 or shim.failed:
        made += 1 if made < EACH else EACH
        with suppress(FileNotFoundError):
            shutil.rmtree(config.library)
        if version:
            config.library.mkdir()
            _old_catalog(config.library / CATALOG_NAME, version)
        said = "disk_full"
        try:
            with shim.failing(config.library, made, errno.ENOSPC, on=True):
                Engine.open(config).close()
        except LecternError as error:
            said = error.code
        assert said == "disk_full", f"{said} at {made}: {shim.failed}"
        Engine.open(config).close()
    return made


def _old_catalog(path: Path, version: int) -> None:
    Catalog(path).close()
    with closing(sqlite3.connect(path)) as catalog:
        catalog.execute(f"PRAGMA user_version = {version}")


def main() -> None:
    part, folder, shim = sys.argv[1:]
    if part in VERSIONS:
        writes = _fill_at_every_write(Shim(Path(shim)), Path(folder).resolve(), VERSIONS[part])
        sys.stdout.write(f"{writes} writes failed")
        return
    base = Path(folder).resolve() / "base"
    base.mkdir()
    if part == "catalog":
        with Catalog(base / "place") as catalog:
            catalog.set_meta("before", "is here")
        parts = _catalog, _catalog_is_whole
    else:
        with closing(Store.open(base / "place", threads=1)) as store:
            for doc in BEFORE:
                store.add_passages(rows(doc, [f"fox {doc} at {i}" for i in range(PASSAGES)]))
                store.add_vectors(SPACE, vectors(doc, range(PASSAGES)))
        parts = _store, _store_is_whole
    sys.stdout.write(f"{_fail_at_every_write(Shim(Path(shim)), base, *parts)} writes failed")


if __name__ == "__main__":
    main()
