"""Which parts make up the words of the documents that a table has passages of now.

Owns the derived file of words, and in memory the parts of rows that it lacks. What a part has of a
document is valid while the table has all rows of it from which it was counted; the others are
counted again. It must not know what a part holds; see ``document_counts``.
"""

from __future__ import annotations

import io
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.store.derived import FOLDER, Layout
from indexer.store.document_counting import counted, joined
from indexer.store.document_counts import UNREADABLE, Part
from indexer.store.document_words import DocumentWords, Placed
from indexer.store.values import docs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, BinaryIO

    from indexer.store.derived import Derived, PartFile
    from indexer.store.rowmap import ById
    from indexer.store.table import Table
    from indexer.store.values import Int32s, Int64s, Mask

# Rows that are counted at once, with 150 MB of memory.
_BATCH = 8_192
_COLUMNS = ("view", "language")


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows that were counted in memory."""

    part: Part
    all_keys: Int64s
    ids: Int64s

    def keys(self) -> Int64s:
        return self.all_keys


@dataclass(frozen=True, slots=True)
class Counted:
    """The words of the rows that a table had, and from which parts they are.

    Attributes:
        keys: Of the rows.
        file: The derived file.
        in_file: Its parts.
        in_memory: What it lacks.
        words: Of all.
    """

    keys: Int64s
    file: Derived | None
    in_file: Mapping[PartFile, Part]
    in_memory: Sequence[_Rows]
    words: DocumentWords


def current(table: Table) -> DocumentWords:
    """The words of the documents that a table has now; what its file lacks is counted once."""
    known = table.documents
    if known is None or known.keys is not table.rows.keys() or known.file is not _file(table):
        with table.counting:
            known = _counted_now(table)
    return known.words


def _file(table: Table) -> Derived | None:
    return table.files.get(LAYOUT.name)


def _counted_now(table: Table) -> Counted:
    known, by_id, file = table.documents, table.rows.by_id(), _file(table)
    if known is None or known.keys is not by_id.keys or known.file is not file:
        try:
            known = _completed(table, known, by_id, file)
        except UNREADABLE:
            if file is None:
                raise
            table.forget_file(LAYOUT)
            return _counted_now(table)
        table.documents = known
    return known


def _completed(table: Table, known: Counted | None, by_id: ById, file: Derived | None) -> Counted:
    opened = known.in_file if known else {}
    files = file.parts if file else ()
    in_file = {one: opened.get(one) or Part(one.read, one.stored) for one in files}
    missing = np.ones(len(by_id.keys), bool)
    rows = zip(in_file.items(), file.placed(by_id).at if file else (), strict=True)
    placed = [_placed(part, at, one.keys, missing) for (one, part), at in rows]
    held = []
    for one in known.in_memory if known else ():
        at = by_id.indices_of(one.keys(), one.ids)
        found = _placed(one.part, at, one.keys, missing)
        if (found.docs >= 0).any():
            held.append((one, found))
    lacking = np.flatnonzero(missing)
    for start in range(0, len(lacking), _BATCH):
        wanted = lacking[start : start + _BATCH]
        one = _read(table, by_id.keys[wanted], by_id.rows[wanted])
        held.append((one, Placed(one.part, one.part.docs)))
        while len(held) > 1 and len(held[-2][0].ids) <= len(held[-1][0].ids):
            held[-2:] = [_together(held[-2:])]
    words = DocumentWords(table.rows.documents()[0], placed + [found for _, found in held])
    return Counted(by_id.keys, file, in_file, [one for one, _ in held], words)


def _placed(part: Part, at: Int32s, keys: Callable[[], Int64s], missing: Mask) -> Placed:
    """Which documents of a part are valid; their rows are not ``missing`` any more.

    Args:
        part: The part.
        at: The indices of its rows among those of the table, -1 of rows that are gone.
        keys: Gives the keys of its rows.
        missing: Which rows of the table are in no other part.
    """
    wrong = at < 0
    wrong[~wrong] = ~missing[at[~wrong]]
    docs = part.docs
    if wrong.any():
        of_rows = docs_of(keys())
        gone = np.unique(of_rows[wrong])
        at, docs = at[~np.isin(of_rows, gone)], np.where(np.isin(docs, gone), -1, docs)
    missing[at] = False
    return Placed(part, docs)


def _read(table: Table, keys: Int64s, ids: Int64s) -> _Rows:
    """Count rows of a table, without those that are gone meanwhile."""
    found, places = table.take(keys, _COLUMNS)
    keys, ids = keys[places], ids[places]
    return _Rows(Part.in_memory(_counted(found, keys)), keys, ids)


def _counted(found: Any, keys: Int64s) -> Iterator[bytes]:
    views, languages = (found.column(name).combine_chunks() for name in _COLUMNS)
    return counted(views, docs_of(keys), languages)


def _together(found: Sequence[tuple[_Rows, Placed]]) -> tuple[_Rows, Placed]:
    """Parts in memory as one, without documents that are not valid."""
    kept = [np.isin(docs_of(rows.keys()), placed.docs) for rows, placed in found]
    packed = joined([rows.part for rows, _ in found], [placed.docs >= 0 for _, placed in found])
    part = Part.in_memory(packed)
    keys = np.concatenate([rows.keys()[of] for (rows, _), of in zip(found, kept, strict=True)])
    ids = np.concatenate([rows.ids[of] for (rows, _), of in zip(found, kept, strict=True)])
    return _Rows(part, keys, ids), Placed(part, part.docs)


def _made(
    table: Table, keys: Int64s, _ids: Int64s, _files: Sequence[str]
) -> Iterator[tuple[bytes, Int64s]]:
    """Count rows, some at a time, and pack them together."""
    parts = []
    with tempfile.TemporaryFile(dir=table.path / FOLDER) as spool:
        for start in range(0, len(keys), _BATCH):
            batch = slice(start, start + _BATCH)
            found, places = table.take(keys[batch], _COLUMNS)
            if len(places) != len(keys[batch]):
                raise OSError("rows went while they were read")
            begin = spool.seek(0, io.SEEK_END)
            spool.writelines(_counted(found, keys[batch][places]))
            parts.append(_spooled(spool, begin))
        none = np.empty((0, 0), np.int64)
        for block in joined(parts, [np.ones(len(one.docs), bool) for one in parts]):
            yield block, none
    yield b"", np.empty((0, len(keys)), np.int64)


def _spooled(spool: BinaryIO, begin: int) -> Part:
    """The part that a file has from an offset to its end."""

    def read(offset: int, count: int) -> bytes:
        spool.seek(begin + offset)
        return spool.read(count)

    return Part(read, spool.tell() - begin)


def _merged(files: Sequence[PartFile]) -> Iterator[bytes]:
    try:
        parts = [Part(one.read, one.stored) for one in files]
        yield from joined(parts, [np.ones(len(one.docs), bool) for one in parts])
    except UNREADABLE as error:
        raise OSError("a file of words was altered") from error


LAYOUT = Layout("words", 0, made=_made, merged=_merged, always=True)
