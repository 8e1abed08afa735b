"""The open tables of a library: which there are, and how each is opened, made or dropped.

Owns the connection to LanceDB, and the handling of tables that a crash, damage or another version
left. It must not know what rows contain, nor how they are searched.
"""

from __future__ import annotations

import logging
import shutil
import threading
from typing import TYPE_CHECKING, Any, Self

from indexer.api.errors import LecternError, WorldError
from indexer.store import damage, indices, runtime, schema
from indexer.store.disk import (
    drop_unfinished,
    open_errors,
    system_error,
    unfinished,
    write_errors,
)
from indexer.store.metadata_copies import MetadataCopies
from indexer.store.pooled_file import FOLDER as POOLED_FOLDER
from indexer.store.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

log = logging.getLogger(__name__)

_OUTGROWN = 1.3
_WRONG_COLUMNS = "the list of its columns is wrong"


class Tables:
    """The tables in one directory, by name. Use ``open``."""

    def __init__(self, path: Path, threads: int, *, writable: bool, suspect: bool) -> None:
        self.writable = writable
        #: Names of the tables of an earlier version, which were dropped to be rebuilt.
        self.outdated: list[str] = []
        self._path = path
        self._threads = threads
        self.cache_bytes = runtime.cache_bytes(path)
        self._db = runtime.connect(path, threads, self.cache_bytes)
        self._making = threading.Lock()
        self._open: dict[str, Table] = {}
        absent = {table.stem for table in unfinished(path)}
        for name in self._db.list_tables().tables:
            if name not in absent:
                MetadataCopies(path / f"{name}.lance", writable=writable).restore()
                self._admit(name, self._db.open_table(name), suspect=suspect)

    @classmethod
    def open(cls, path: Path, threads: int, *, writable: bool, suspect: bool = False) -> Self:
        """See ``Store.open``."""
        if writable:
            with write_errors(path):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.chmod(0o700)
            drop_unfinished(path)
        # LanceDB would create the directory.
        tables = cls(path, threads, writable=writable, suspect=suspect) if path.is_dir() else None
        if tables is None:
            raise WorldError("library_damaged", library=str(path.parent), reason="no_tables")
        return tables

    def vectors(self, space: str) -> Table | None:
        """The table of an embedding space, if it has any vectors."""
        return self._open.get(schema.vectors_table(space))

    def by_name(self) -> Mapping[str, Table]:
        """A copy of the open tables by name."""
        return dict(self._open)

    def require(self, name: str, columns: Callable[[], Any]) -> Table:
        """Return a table, created if missing."""
        with self._making:
            if name not in self._open:
                with write_errors(self._path):
                    made = self._db.create_table(name, schema=columns())
                self._register(name, made)
            return self._open[name]

    def drop(self, name: str) -> None:
        """Delete a table, if there is one of that name."""
        if self._open.pop(name, None) is not None:
            self._db.drop_table(name)

    def close(self) -> None:
        self._open.clear()

    def restore_metadata(self) -> dict[str, int]:
        """Put back altered metadata before all is read; return the number of files by table."""
        counts: dict[str, int] = {}
        for name, table in self.by_name().items():
            if counts.setdefault(name, len(table.copies.restore())):
                table.inner.checkout_latest()
                table.forget_rows()
        return counts

    def grow_cache(self) -> None:
        """Reopen all tables with a larger cache if their indices have outgrown it."""
        wanted = runtime.cache_bytes(self._path)
        if wanted > _OUTGROWN * self.cache_bytes:
            self._reopen(wanted)

    def empty_caches(self) -> None:
        """Give back what queries have cached; for the writing thread, as it reopens all tables."""
        self._reopen(runtime.cache_bytes(self._path))
        for table in self._open.values():
            table.codes = None
        runtime.give_back()

    def _reopen(self, cache: int) -> None:
        self.cache_bytes = cache
        self._db = runtime.connect(self._path, self._threads, cache)
        for name, table in self._open.items():
            table.inner = self._db.open_table(name)

    def _admit(self, name: str, inner: Any, *, suspect: bool) -> None:
        library = str(self._path.parent)
        if _has_wrong_columns(name, inner):
            raise WorldError("library_damaged", library=library, reason=_WRONG_COLUMNS)
        found = schema.version_of(inner.schema)
        if found > (known := schema.known_version(name)):
            raise WorldError("library_newer", library=library, found=found, known=known)
        lost = _take_out(Table(inner, self._path / f"{name}.lance")) if suspect else 0
        if schema.is_current(name, inner.schema):
            self._register(name, inner)
        elif not self.writable:
            raise WorldError("library_older", library=library)
        else:
            self._db.drop_table(name)
            self.outdated.append(name)
            return
        self._open[name].lost = lost

    def _register(self, name: str, inner: Any) -> None:
        table = Table(inner, self._path / f"{name}.lance", writable=self.writable)
        if self.writable:
            indices.make_listable(table)
        indices.refresh_coverage(table)
        table.copies.record()
        self._open[name] = table


def _take_out(table: Table) -> int:
    try:
        indices.make_listable(table)
        return damage.take_out(table)
    except LecternError:
        # Opening it meets the same error, or none.
        log.warning("%s could not be examined", table.path.stem, exc_info=True)
        return 0


def _has_wrong_columns(name: str, inner: Any) -> bool:
    """Whether a table has the columns of no version, as with damage that Lance does not notice.

    A table that lost its version looks like one of the first; then the commit before knows it.
    """
    try:
        found = schema.version_of(inner.schema)
    except ValueError:
        return True
    known = schema.known_version(name)
    if found == known:
        return not schema.is_current(name, inner.schema)
    return found < known and _was_current(name, inner)


def _was_current(name: str, inner: Any) -> bool:
    try:
        inner.checkout(inner.version - 1)
        return schema.is_current(name, inner.schema)
    except BaseException as error:  # it was deleted, or is damaged too; a panic is no Exception
        if not damage.may_be_damage(error):
            raise
        return False
    finally:
        inner.checkout_latest()


def make_openable(lance: Path) -> Iterator[str]:
    """Roll damaged tables back to a version that Lance opens, or delete them; no engine may run.

    Yields:
        A sentence for each change.

    Raises:
        WorldError: If the system, not the bytes, is the reason that a table cannot be read.
    """
    if not lance.is_dir():
        return
    database = runtime.connect(lance, 1, runtime.cache_bytes(lance))
    for path in sorted(lance.glob("*.lance")):
        copies = MetadataCopies(path, writable=True)
        if restored := copies.restore():
            yield f"{len(restored)} altered files of {path.stem} are put back."
        # Newer lists come first.
        lists, given_up = sorted((path / "_versions").glob("*.manifest")), 0
        while lists:
            try:
                opened = database.open_table(path.stem)
                if _has_wrong_columns(path.stem, opened):
                    raise ValueError(_WRONG_COLUMNS)  # handled as Lance's errors are
                damage.blocks(opened)
                break
            except BaseException as error:  # a panic of Lance is no Exception
                if not damage.may_be_damage(error):
                    raise system_error(error, path) or error from error
                with open_errors(lance):
                    lists[0].read_bytes()  # raises what the system refuses
                lists.pop(0).unlink()
                given_up += 1
        if not lists:
            shutil.rmtree(path)
            yield f"The table {path.stem} could not be read at all; it is made anew."
        elif given_up:
            copies.forget()
            shutil.rmtree(path / POOLED_FOLDER, ignore_errors=True)
            yield f"The table {path.stem} is back to what it was {given_up} commits ago."
