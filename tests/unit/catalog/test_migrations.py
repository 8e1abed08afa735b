"""Migrations of the catalog run once, in order, and refuse what is newer or another's."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.catalog import migrations
from indexer.catalog.catalog import Catalog
from indexer.catalog.migration_steps import MIGRATIONS

if TYPE_CHECKING:
    from pathlib import Path


def _set_version(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _made_by(path: Path, version: int) -> sqlite3.Connection:
    """Open an empty catalog of an earlier version."""
    connection = sqlite3.connect(path, isolation_level=None)
    for step in MIGRATIONS[:version]:
        connection.executescript(step)
    connection.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
    return connection


def _shape(path: Path) -> dict[str, bytes]:
    return {found.name: found.read_bytes() for found in path.parent.iterdir()}


def test_a_newer_library_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    Catalog(path).close()
    _set_version(path, migrations.VERSION + 1)
    before = _shape(path)
    with pytest.raises(WorldError) as caught:
        Catalog(path)
    assert caught.value.code == "library_newer"
    assert caught.value.detail["found"] == migrations.VERSION + 1
    assert _shape(path) == before


def test_a_newer_version_in_the_log_alone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    Catalog(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_autocheckpoint = 0")
        other.execute(f"PRAGMA user_version = {migrations.VERSION + 1}")
        with pytest.raises(WorldError) as caught:
            Catalog(path)
        assert caught.value.code == "library_newer"


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA application_id = 77")
        other.execute("CREATE TABLE theirs (x)")
    before = _shape(path)
    with pytest.raises(WorldError) as caught:
        Catalog(path)
    assert caught.value.code == "library_damaged"
    assert _shape(path) == before


def test_steps_are_run_once_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "catalog.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        monkeypatch.setattr(migrations, "VERSION", 1)
        monkeypatch.setattr(migrations, "MIGRATIONS", ("CREATE TABLE a (x)",))
        migrations.migrate(connection, path)
        steps = ("CREATE TABLE a (x)", "CREATE TABLE b (x); INSERT INTO b VALUES (1)")
        monkeypatch.setattr(migrations, "VERSION", 2)
        monkeypatch.setattr(migrations, "MIGRATIONS", steps)
        migrations.migrate(connection, path)
        migrations.migrate(connection, path)
        assert connection.execute("SELECT count(*) FROM b").fetchone() == (1,)
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_failing_step_leaves_the_version_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "catalog.sqlite"
    monkeypatch.setattr(migrations, "VERSION", 2)
    monkeypatch.setattr(
        migrations, "MIGRATIONS", ("CREATE TABLE a (x)", "CREATE TABLE b (x); CREATE TABLE a (y)")
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrations.migrate(connection, path)
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        tables = connection.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
        assert tables == [("a",)]


def test_reasons_of_earlier_names_are_known(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with closing(_made_by(path, 6)) as connection:
        connection.execute(
            "INSERT INTO contents (content_id, format, code, extractor_version) "
            "VALUES ('a', 'pdf', 'scan_waits', 1)"
        )
        migrations.migrate(connection, path)
        assert connection.execute("SELECT code FROM contents").fetchall() == [("ocr_pending",)]


def test_what_is_in_english_is_not_read_again_for_words_of_other_scripts(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with closing(_made_by(path, 7)) as connection:
        for doc, language in enumerate(("en", "zh"), 1):
            connection.execute(
                "INSERT INTO docs VALUES (?, ?, '', '', '', '', ?, 1, 1, 1, 'done', 1, NULL, NULL)",
                (doc, language, language),
            )
            connection.execute(
                "INSERT INTO contents (content_id, format, doc, extractor_version) "
                "VALUES (?, 'pdf', ?, 3)",
                (language, doc),
            )
        migrations.migrate(connection, path)
        found = connection.execute("SELECT content_id, extractor_version FROM contents").fetchall()
        assert sorted(found) == [("en", 5), ("zh", 3)]


def test_the_words_of_documents_leave_the_catalog_and_take_no_room_any_more(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    with closing(_made_by(path, 10)) as older:
        older.execute("INSERT INTO lexicon_chunks VALUES (1, 1, 1, zeroblob(1 << 20))")
        older.execute(
            "INSERT INTO docs (doc, text_id, title_used, title, author, created, language, pages, "
            "characters, passages_state, added_ns) "
            "VALUES (1, '', '', 'A', '', '', 'en', 1, 1, 'done', 1)"
        )
    before = path.stat().st_size
    with Catalog(path) as catalog:
        assert (
            catalog.db.value("SELECT count(*) FROM sqlite_master WHERE name LIKE 'lexicon%'") == 0
        )
        assert catalog.docs.get([1])[1].title == "A"
        catalog.docs.forget([1])
    assert path.stat().st_size < before - (1 << 20)
