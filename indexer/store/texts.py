"""The texts of a library: the passages of its documents, in one SQLite file.

A passage is one row, deflated, with a checksum over its key and its bytes. It is written once. A
document may take several transactions; the last one marks it as complete. Rows are found by their
keys, ``doc << 20 | ordinal``, and ordinals have no gaps, so that the keys of a document follow from
the number of its passages and are never read.

A row that fails its checksum, or that SQLite cannot read, is left out of every answer. Its document
is marked as damaged and read again. Other documents are not affected.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer import faults
from indexer.api.errors import LecternError
from indexer.api.lru_cache import SharedCache
from indexer.database import DAMAGED, Database, Layout, is_whole
from indexer.salvage import copy_damaged_database, replace_database
from indexer.store.values import (
    MAX_ORDINAL,
    ORDINAL_BITS,
    StoredPassage,
    key_of,
    ranges,
)

if TYPE_CHECKING:
    from indexer.api.status import TableSize
    from indexer.arrays import Int64s
    from indexer.store.values import PassageRow

T = TypeVar("T")

log = logging.getLogger(__name__)

TEXTS_NAME = "texts.sqlite"
_TABLES = """
-- The documents with passages, and how many these are.
CREATE TABLE documents (
    doc INTEGER PRIMARY KEY,
    text_id TEXT NOT NULL,
    language TEXT NOT NULL,
    passages INTEGER NOT NULL,
    complete INTEGER NOT NULL,               -- the number of the commit of the last one, 0 before
    damaged INTEGER NOT NULL DEFAULT 0       -- whether a row was found to be unreadable
) STRICT;

CREATE TABLE passages (
    key INTEGER PRIMARY KEY,                 -- doc << 20 | ordinal
    view BLOB NOT NULL,                      -- deflated
    rest BLOB NOT NULL,                      -- a MessagePack array, deflated with the view as
                                             -- dictionary
    crc INTEGER NOT NULL                     -- CRC-32 of key, view and rest
) STRICT;

CREATE TABLE commits (number INTEGER NOT NULL) STRICT;
INSERT INTO commits VALUES (0);
"""
LAYOUT = Layout("text store", 0x4C656378, 1, _TABLES, cache_kib=2048)  # "Lecx"

_DOCUMENT = "doc, text_id, language, passages, complete, damaged"
_MOST_DOCS = (1 << 63 - ORDINAL_BITS) - 1
# Tidies a copied file: deletes documents that only damage can have made and passages without a
# document, and marks documents that lack passages.
_IN_ORDER = f"""
DELETE FROM documents
WHERE doc NOT BETWEEN 1 AND {_MOST_DOCS} OR passages NOT BETWEEN 0 AND {MAX_ORDINAL + 1};
DELETE FROM passages WHERE NOT EXISTS (
    SELECT 1 FROM documents
    WHERE doc = key >> {ORDINAL_BITS} AND key & {MAX_ORDINAL} < passages
);
UPDATE documents SET damaged = 1 WHERE passages <> (
    SELECT count(*) FROM passages
    WHERE key BETWEEN doc << {ORDINAL_BITS} AND (doc << {ORDINAL_BITS}) + passages - 1
);
UPDATE commits SET number = 1 + (SELECT coalesce(max(complete), 0) FROM documents)
"""
_COPIED = ("documents", "passages")
_INSERT = "INSERT INTO passages (key, view, rest, crc) VALUES (?, ?, ?, ?)"
_SELECT = "SELECT view, rest, crc FROM passages WHERE key = ?"
_LEVEL, _RAW = 6, -15  # no header and no checksum of zlib's own
_WINDOW = 32_768  # the reach of deflate
# The number of passages read at a time.
_STREAM = 256
_KEPT_BYTES, _PASSAGE_BYTES = 4 << 20, 6_000


class _Rest(msgspec.Struct, array_like=True):
    """The fields of a row other than the view; ``text`` is None if it equals the view."""

    text: str | None
    page_first: int
    page_last: int
    char_start: int
    char_end: int
    heading_path: tuple[str, ...]
    text_starts: tuple[int, ...]
    view_starts: tuple[int, ...]
    text_pages: tuple[int, ...] = ()
    sections: tuple[tuple[int, tuple[str, ...]], ...] = ()


_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(_Rest).decode


class DamagedRowError(Exception):
    """A row is missing, unreadable or altered."""


class StoredDocument(Struct, frozen=True):
    """A document that has passages.

    Attributes:
        text_id: The hash of its text.
        language: ISO 639-1 code, "" for unknown.
        passages: The number of passages.
        complete: The number of the commit that completed it, 0 until then. Numbers are unique and
            ascend.
        damaged: Whether some row of it is unreadable.
    """

    text_id: str
    language: str
    passages: int
    complete: int = 0
    damaged: bool = False


class Texts:
    """An open text store. One thread writes, any number of threads read.

    Args:
        path: The file, made if it is missing.
        refusal: Why it is read-only, None if it is writable.

    Every method raises what ``Database`` does.
    """

    def __init__(self, path: Path, refusal: LecternError | None = None) -> None:
        self._db = Database(path, LAYOUT, refusal)
        # Held while documents change, so that memory and file agree.
        self._changing = threading.RLock()
        self._documents: Mapping[int, StoredDocument]
        self._keys: Int64s | None
        self._recent: SharedCache[int, StoredPassage]
        self._load()

    def close(self) -> None:
        self._db.close()

    # -- writing ----------------------------------------------------------------------------

    def add_passages(self, rows: Sequence[PassageRow], complete: Collection[int] = ()) -> None:
        """Append passages and mark documents as complete, in one transaction.

        Args:
            rows: Passages; a document's follow the passages that it already has.
            complete: The documents that now have all of their passages.

        After an error nothing is written. Raises ``ValueError`` if the ordinal of a passage is not
        the next one or does not fit a key, or ``disk_full``.
        """
        packed = [_packed(row) for row in rows]
        with self._changing:
            known = self._documents
            changed = {doc: known[doc] for doc in complete if doc in known}
            for row in rows:
                now = changed.get(row.doc) or known.get(row.doc)
                now = now or StoredDocument(row.text_id, row.language, 0)
                if row.passage.ordinal != now.passages:
                    raise ValueError(f"an ordinal is not {now.passages}, the next one")
                changed[row.doc] = replace(now, passages=now.passages + 1)
            with self._db.write() as connection:
                connection.execute("UPDATE commits SET number = number + 1")
                number: int = connection.execute("SELECT number FROM commits").fetchone()[0]
                for doc in changed.keys() & set(complete):
                    changed[doc] = replace(changed[doc], complete=number)
                connection.executemany(_INSERT, packed)
                _write_documents(connection, changed)
                faults.reached("texts-written")
            self._note({**known, **changed})

    def delete_docs(self, docs: Collection[int]) -> None:
        """Delete documents and their passages."""
        with self._changing:
            gone = [doc for doc in docs if doc in self._documents]
            if not gone:
                return
            with self._db.write() as connection:
                for doc in gone:
                    _delete(connection, doc)
            self._note({doc: one for doc, one in self._documents.items() if doc not in set(gone)})

    def shrink(self) -> bool:
        """Give free pages back to the file system, if they are many."""
        return self._db.shrink()

    # -- what is there ----------------------------------------------------------------------

    def documents(self) -> Mapping[int, StoredDocument]:
        """All documents that have passages. The mapping never changes; a new one replaces it."""
        return self._documents

    def keys(self) -> Int64s:
        """The keys of all passages, ascending; the same array until rows are added or deleted."""
        if (known := self._keys) is None:
            known = self._keys = self.keys_of(sorted(self._documents))
        return known

    def keys_of(self, docs: Sequence[int]) -> Int64s:
        """The keys of documents' passages, one document after the other."""
        counts = self.counts(docs)
        firsts = np.array(docs, np.int64) << ORDINAL_BITS
        return ranges(firsts, np.array([counts[doc] for doc in docs], np.int64))

    def counts(self, docs: Iterable[int]) -> dict[int, int]:
        """The number of passages of each document."""
        known = self._documents
        return {doc: known[doc].passages if doc in known else 0 for doc in docs}

    def damaged_docs(self) -> list[int]:
        """The documents known to have unreadable rows."""
        return [doc for doc, one in self._documents.items() if one.damaged]

    def size(self) -> TableSize:
        """Count the rows and bytes."""
        return self._db.size(sum(one.passages for one in self._documents.values()))

    # -- reading ----------------------------------------------------------------------------

    def views(self, keys: Int64s) -> dict[int, str]:
        """The views of passages by key; missing ones are left out."""
        return self._read(keys, lambda _document, row: _inflated(row.view).decode())

    def passages(self, keys: Int64s) -> dict[int, StoredPassage]:
        """Passages by key; missing ones are left out."""
        few = len(keys) <= _STREAM  # the next query may ask for them again
        return self._read(keys, _passage, self._recent if few else None)

    def iter_passages(self, docs: Sequence[int]) -> Iterator[StoredPassage]:
        """Stream all passages of documents, in the order given."""
        keys = self.keys_of(docs)
        for at in range(0, len(keys), _STREAM):
            yield from self._read(keys[at : at + _STREAM], _passage).values()

    def _read(
        self,
        keys: Int64s,
        made: Callable[[StoredDocument, _Row], T],
        kept: SharedCache[int, T] | None = None,
    ) -> dict[int, T]:
        """Apply ``made`` to the intact rows among these, and return its results by key.

        ``kept`` is a cache of earlier results.
        """
        database, documents = self._db, self._documents
        found: dict[int, T] = {}
        damaged: list[int] = []

        def read(key: int) -> T:
            return made(documents[key >> ORDINAL_BITS], _row(connection, key))

        try:
            with database.read() as connection:
                for key in keys.tolist():
                    document = documents.get(key >> ORDINAL_BITS)
                    if document is None or key & MAX_ORDINAL >= document.passages:
                        continue
                    try:
                        found[key] = kept.get(key, partial(read, key)) if kept else read(key)
                    except DamagedRowError:
                        damaged.append(key)
        except sqlite3.ProgrammingError:  # ``rebuild`` closed the file and replaces it
            with self._changing:
                if database is self._db:
                    raise
            return self._read(keys, made, kept)
        if damaged:
            self._note_damage(damaged)
        return found

    # -- damage -----------------------------------------------------------------------------

    def verify(self, tick: Callable[[], None] = lambda: None) -> tuple[list[str], list[int], int]:
        """Read every row. ``tick`` is called after each document and may raise to stop.

        Returns the problems that SQLite reports about the file, the documents with missing or
        altered rows, and the number of rows that belong to no document.
        """
        for doc in self._documents:
            for _ in self.iter_passages([doc]):
                pass
            tick()
        there = 0
        with contextlib.suppress(LecternError):  # the check of the structure reports it
            there = int(self._db.value("SELECT count(*) FROM passages"))
        strange = max(0, there - len(self.keys()))
        return self._db.problems(), self.damaged_docs(), strange

    def rebuild(self) -> None:
        """Copy the readable rows into a new file, which replaces this one."""
        path = self._db.path
        with self._changing:
            new = copy_damaged_database(path, LAYOUT, _COPIED, _IN_ORDER)
            self._db.close()
            replace_database(new, path)
            self._db = Database(path, LAYOUT)
            self._load()

    def _note_damage(self, keys: Collection[int]) -> None:
        """Mark the documents of unreadable rows as damaged, if the rows still exist."""
        if self._db.in_write:
            return
        with self._changing:
            known, found = self._documents, {}
            for key in keys:
                document = known.get(doc := key >> ORDINAL_BITS)
                if document is None or key & MAX_ORDINAL >= document.passages or document.damaged:
                    continue
                with self._db.read() as connection, contextlib.suppress(DamagedRowError):
                    _row(connection, key)
                    continue
                found[doc] = replace(document, damaged=True)
            if not found:
                return
            log.error("%d documents have unreadable passages", len(found))
            self._documents = {**known, **found}
            # A search must not fail because of a full disk or damage to this table.
            with contextlib.suppress(LecternError), self._db.write() as connection:
                _write_documents(connection, found)

    # -- within -----------------------------------------------------------------------------

    def _load(self) -> None:
        rows = self._db.rows(f"SELECT {_DOCUMENT} FROM documents ORDER BY doc")
        self._note(dict(map(_document, rows)))

    def _note(self, documents: Mapping[int, StoredDocument]) -> None:
        self._documents, self._keys = documents, None
        self._recent = SharedCache(_KEPT_BYTES, lambda _: _PASSAGE_BYTES)


def make_openable(path: Path) -> Iterator[str]:
    """Rebuild a damaged text store. No engine may be running.

    Yields:
        A sentence for each change.

    Raises ``library_newer``, ``library_unwritable`` or ``disk_full``.
    """
    if not path.exists() or is_whole(path):
        return
    new = copy_damaged_database(path, LAYOUT, _COPIED, _IN_ORDER)
    with contextlib.closing(Texts(new)) as texts:
        documents, damaged = len(texts.documents()), len(texts.damaged_docs())
    replace_database(new, path)
    yield (
        f"The texts were damaged. Those of {documents:,} documents are in a new file; "
        f"{damaged:,} of them have lost passages and are read again."
    )


class _Row(NamedTuple):
    """A row of ``passages``."""

    key: int
    view: bytes
    rest: bytes
    crc: int


def _row(connection: sqlite3.Connection, key: int) -> _Row:
    """Read a row. Raises ``DamagedRowError`` if it is missing or altered."""
    try:
        found = connection.execute(_SELECT, (key,)).fetchone()
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in DAMAGED:
            raise
        raise DamagedRowError from error
    if found is None:
        raise DamagedRowError
    view, rest, crc = found
    if not (isinstance(view, bytes) and isinstance(rest, bytes)) or crc != _crc(key, view, rest):
        raise DamagedRowError
    return _Row(key, view, rest, crc)


def _crc(key: int, view: bytes, rest: bytes) -> int:
    return zlib.crc32(rest, zlib.crc32(view, zlib.crc32(key.to_bytes(8, "little"))))


def _packed(row: PassageRow) -> _Row:
    """Encode a passage as a row."""
    one = row.passage
    if not 0 <= one.ordinal <= MAX_ORDINAL:
        raise ValueError(f"an ordinal is not within 0 and {MAX_ORDINAL}")
    plain = one.view.encode()
    other = _Rest(*(getattr(one, name) for name in _Rest.__struct_fields__))
    other.text = None if one.text == one.view else one.text
    key, view, rest = key_of(row.doc, one.ordinal), _deflated(plain), _deflated(_pack(other), plain)
    return _Row(key, view, rest, _crc(key, view, rest))


def _passage(document: StoredDocument, row: _Row) -> StoredPassage:
    plain = _inflated(row.view)
    view, rest = plain.decode(), _unpack(_inflated(row.rest, plain))
    rest.text = view if rest.text is None else rest.text
    return StoredPassage(
        doc=row.key >> ORDINAL_BITS,
        text_id=document.text_id,
        language=document.language,
        ordinal=row.key & MAX_ORDINAL,
        view=view,
        **msgspec.structs.asdict(rest),
    )


def _deflated(plain: bytes, dictionary: bytes = b"") -> bytes:
    squeeze = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, zdict=dictionary[-_WINDOW:])
    return squeeze.compress(plain) + squeeze.flush()


def _inflated(packed: bytes, dictionary: bytes = b"") -> bytes:
    if not dictionary:
        return zlib.decompress(packed, _RAW)
    stretch = zlib.decompressobj(_RAW, zdict=dictionary[-_WINDOW:])
    return stretch.decompress(packed) + stretch.flush()


def _document(row: tuple[Any, ...]) -> tuple[int, StoredDocument]:
    doc, text_id, language, passages, complete, damaged = row
    return int(doc), StoredDocument(text_id, language, int(passages), int(complete), bool(damaged))


def _write_documents(
    connection: sqlite3.Connection, documents: Mapping[int, StoredDocument]
) -> None:
    connection.executemany(
        f"INSERT OR REPLACE INTO documents ({_DOCUMENT}) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (doc, one.text_id, one.language, one.passages, one.complete, int(one.damaged))
            for doc, one in documents.items()
        ],
    )


def _delete(connection: sqlite3.Connection, doc: int) -> None:
    connection.execute(
        "DELETE FROM passages WHERE key >= ? AND key < ?", (key_of(doc, 0), key_of(doc + 1, 0))
    )
    connection.execute("DELETE FROM documents WHERE doc = ?", (doc,))
