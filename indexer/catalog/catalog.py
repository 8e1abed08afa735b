"""The open catalog: its parts, and facts about the whole library (``meta``).

Each change of several rows is one transaction; ``Catalog.write`` joins several calls in one.
Readers on other threads see the last commit and never wait for the writer.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from indexer.api.errors import LecternError, WorldError
from indexer.catalog.bindings import Bindings, FilterResolver
from indexer.catalog.choices import COLLECTIONS, CORRECTIONS, Choices, read_choice, write_choice
from indexer.catalog.coverage import Coverage
from indexer.catalog.docs import Docs, Spaces
from indexer.catalog.files import Files
from indexer.catalog.names import FileNames, Names, ShortWords, correct_document
from indexer.catalog.queue import ReadingQueue
from indexer.catalog.roots import Roots
from indexer.catalog.scans import Scans
from indexer.catalog.schema import LAYOUT
from indexer.database import Database

# With more collections, a circle of them would be too deep to resolve.
MOST_COLLECTIONS = 200


class Catalog:
    """An open catalog. Thread-safe; only the holder of the library lock may open one.

    Args:
        path: The SQLite file, made if it is missing.
        refusal: Why it is read-only, None if it is writable.

    Raises ``library_newer`` (with nothing touched), ``library_damaged``, ``library_unwritable``,
    ``disk_full`` or ``library_older``.
    """

    def __init__(self, path: Path, refusal: LecternError | None = None) -> None:
        self.db = Database(path, LAYOUT, refusal)
        self.choices = Choices(self.db)
        self.roots = Roots(self.db, self.choices)
        self.files = Files(self.db, self.roots)
        self.queue = ReadingQueue(self.db)
        self.docs = Docs(self.db)
        self.coverage = Coverage(self.db, self.files, self.docs)
        self.spaces = Spaces(self.db)
        bindings = Bindings(self.db)
        self.filters = FilterResolver(self.db, bindings)
        self.names = Names(self.db, bindings)
        self.short_words = ShortWords(self.db)
        self.file_names = FileNames(self.db)
        self.scans = Scans(self.db, self.roots, self.file_names.index_names)
        if not self.refusal and self.meta("library_id") is None:
            with self.db.write():
                self.choices.restore_choices()
                self.set_meta("library_id", secrets.token_hex(8))
                self.set_meta("created_ns", str(time.time_ns()))

    @property
    def refusal(self) -> LecternError | None:
        """Why the catalog is read-only, None if it is writable."""
        return self.db.refusal

    def must_be_writable(self) -> None:
        """Raise the refusal, if there is one; call this before changing other files."""
        self.db.must_be_writable()

    def meta(self, key: str) -> str | None:
        """Read a fact about the whole library."""
        return read_choice(self.db.reader(), key) or None

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the whole library."""
        with self.db.write() as connection:
            write_choice(connection, key, value)

    def collections(self) -> dict[str, str]:
        """The collections by name: each is a query whose filters select its documents."""
        kept: dict[str, str] = json.loads(self.meta(COLLECTIONS) or "{}")
        return kept

    def set_collection(
        self, name: str, change: Callable[[str], str], *, renames: bool = True
    ) -> dict[str, str]:
        """Set the filters of a collection, or delete it if there are none; return all collections.

        Names that differ only in case are the same; with ``renames`` the collection takes the case
        of ``name``. ``change`` is called with the present filters, "" for none, and returns the new
        ones. Raises ``bad_request`` if there are ``MOST_COLLECTIONS`` others.
        """
        with self.db.write():
            known = self.collections()
            others = {one: text for one, text in known.items() if one.casefold() != name.casefold()}
            before = "".join(known.keys() - others.keys())
            filters = change(known.get(before, ""))
            name = name if renames else before or name
            if filters and len(others) >= MOST_COLLECTIONS:
                raise WorldError("bad_request", reason=f"there are {MOST_COLLECTIONS} collections")
            kept = dict(sorted((others | ({name: filters} if filters else {})).items()))
            self.set_meta(COLLECTIONS, json.dumps(kept))
        self.choices.save_choices()
        return kept

    def correct_document(self, path: Path, title: str, author: str, year: str) -> None:
        """Correct the title, author and year of a file's document; they survive another reading.

        Raises ``not_a_root`` if the library has no such file.
        """
        known = self.files.at(path)
        if known is None:
            raise WorldError("not_a_root", path=str(path))
        file, row = known
        with self.db.write() as connection:
            kept = json.loads(self.meta(CORRECTIONS) or "{}")
            kept[row.path] = [title, author, year]
            self.set_meta(CORRECTIONS, json.dumps(kept))
            self.db.mark_files_changed()
            correct_document(connection, file)
        self.choices.save_choices()

    def close(self) -> None:
        """Close the connections of all threads."""
        with contextlib.suppress(WorldError, sqlite3.Error):
            self.choices.save_choices()
        self.db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
