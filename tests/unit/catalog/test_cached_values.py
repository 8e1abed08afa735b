"""Values kept between queries: never older than the rows that a thread sees."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from indexer.catalog.schema import LAYOUT
from indexer.database import CachedValues, Database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "catalog.sqlite", LAYOUT)
    yield opened
    opened.close()


def test_reads_once_until_something_is_written(database: Database) -> None:
    kept = CachedValues[object](database, database.version_read)
    first = kept.get("a", object)
    assert kept.get("a", object) is first
    with database.write():
        pass
    assert kept.get("a", object) is not first


def test_keys_are_kept_apart(database: Database) -> None:
    kept = CachedValues[str](database, database.version_read)
    assert kept.get(1, lambda: "one") == "one"
    assert kept.get(2, lambda: "two") == "two"
    assert kept.get(1, lambda: "read again") == "one"


def test_a_writer_sees_what_it_wrote_and_leaves_no_trace_of_it(database: Database) -> None:
    kept = CachedValues[str](database, database.version_read)
    kept.get(None, lambda: "before")
    undone = contextlib.ExitStack()
    undone.enter_context(database.write())
    assert kept.get(None, lambda: "in the middle") == "in the middle"
    with pytest.raises(ZeroDivisionError), undone:
        raise ZeroDivisionError
    assert kept.get(None, lambda: "after") == "before"


def test_only_a_change_of_what_it_follows_makes_it_read_again(database: Database) -> None:
    kept = CachedValues[str](database, database.files_version_read)
    kept.get(None, lambda: "old")
    with database.write():
        pass
    assert kept.get(None, lambda: "new") == "old"  # places did not change
    with database.write():
        database.mark_files_changed()
    assert kept.get(None, lambda: "new") == "new"
