from __future__ import annotations

import stat
import sys
import threading
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.errors import WorldError
from indexer.catalog.catalog import Catalog
from indexer.catalog.schema import LAYOUT
from indexer.database import Database
from tests.unit.catalog.fakes import listed

from .fakes import FakeWalk, found, root_at

if TYPE_CHECKING:
    from pathlib import Path


def test_a_failing_block_leaves_nothing_behind(catalog: Catalog) -> None:
    def fail() -> None:
        with catalog.db.write():
            catalog.set_meta("one", "1")
            with catalog.db.write():
                catalog.set_meta("two", "2")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert catalog.meta("one") is None
    assert catalog.meta("two") is None
    catalog.set_meta("one", "2")
    assert catalog.meta("one") == "2"


def test_readers_do_not_wait_for_the_writer(catalog: Catalog, tmp_path: Path) -> None:
    root = root_at(catalog, tmp_path / "r").id
    catalog.scans.apply([(root, FakeWalk({"": [found("a")]}))])
    seen: list[int] = []
    with catalog.db.write() as connection:
        connection.execute("DELETE FROM files")
        reader = threading.Thread(target=lambda: seen.append(len(listed(catalog))))
        reader.start()
        reader.join(5)
        assert listed(catalog) == []
    assert seen == [1]


def test_writers_take_turns(catalog: Catalog) -> None:
    catalog.set_meta("count", "0")

    def add() -> None:
        for _ in range(50):
            with catalog.db.write():
                catalog.set_meta("count", str(int(catalog.meta("count") or 0) + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert catalog.meta("count") == "200"


def test_what_was_committed_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with Catalog(path) as catalog:
        library = catalog.meta("library_id")
        catalog.set_meta("key", "value")
    with Catalog(path) as catalog:
        assert catalog.meta("key") == "value"
        assert catalog.meta("library_id") == library


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_can_read_the_files(catalog: Catalog) -> None:
    catalog.set_meta("key", "value")
    for path in catalog.db.path.parent.glob("catalog.sqlite*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name


def test_a_file_that_is_no_catalog_is_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(b"something else entirely" * 100)
    with pytest.raises(WorldError) as caught:
        Catalog(path)
    assert caught.value.code == "library_damaged"


def test_a_file_that_is_no_database_is_left_closed(tmp_path: Path) -> None:
    """Although the error, whose frames hold the connection, is kept."""
    path = tmp_path / "catalog.sqlite"
    Database(path, LAYOUT).close()
    data = bytearray(path.read_bytes())
    data[16:18] = b"\xff\xff"  # the size of a page
    path.write_bytes(data)
    with pytest.raises(WorldError) as caught:
        Database(path, LAYOUT)
    assert caught.value.code == "library_damaged"
    assert str(path) not in {file.path for file in psutil.Process().open_files()}


def test_a_torn_catalog_is_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    Catalog(path).close()
    content = bytearray(path.read_bytes())
    content[100:8192] = b"\xff" * 8092
    path.write_bytes(content)
    with pytest.raises(WorldError) as caught:
        Catalog(path)
    assert caught.value.code == "library_damaged"


def test_a_catalog_in_a_missing_folder_is_called_unwritable(tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        Catalog(tmp_path / "missing" / "catalog.sqlite")
    assert caught.value.code == "library_unwritable"
