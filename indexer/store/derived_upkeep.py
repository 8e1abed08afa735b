"""When parts of the derived files of a table are made and merged; whether they are whole.

Rows that no part has come into a new one, and a part that is no larger than all later ones together
is merged with them: of a file there are few parts, as many as its rows can be halved, and a row is
written again as often at most. Owns this, and the order of writing: a part is written under a new
name, then the stamp that lists it is replaced, then what the stamp lists no more is deleted. So a
kill leaves the old file or the new one. It must not know what a file holds.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
import zlib
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.api.atomic import DISK_FULL, replacing, write_file
from indexer.store.deletions import data_files
from indexer.store.derived import FOLDER, FORMAT, Derived, PartFile, PartStamp, read_stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from indexer.store.derived import Layout
    from indexer.store.table import Table
    from indexer.store.values import Int64s

log = logging.getLogger(__name__)

# A part is made of so many rows.
_MISSING = 256
# Without other work a part is merged when it is no larger than so many times all later ones: a
# query takes some 60 µs more for each part in which it looks for a stem.
_IDLE_TIMES = 8
# A part is given up, and what is left of its rows read again, when this share is stale.
_STALE_SHARE = 0.25
# Rows of larger tables are read from LanceDB, whose cost grows less: each takes up to 24 bytes of
# memory here.
MOST_ROWS = 2_000_000
_SPARE_BYTES, _ROW_BYTES = 1 << 30, 4096
_ROWS_AT_ONCE = 1 << 16
_NAME_BYTES = 8


def refresh(table: Table, *, idle: bool = True) -> bool:
    """Write what the files of a table lack, if that is enough; for the writing thread.

    Args:
        table: A table with keys.
        idle: Whether there is no other work.

    Returns:
        Whether anything was written.
    """
    total = len(table.rows.keys()) if idle else 0
    files = follow(table) if total else []
    if not files:
        return False
    written = [_refresh(table, one, files) for one in table.layouts if total <= MOST_ROWS]
    _sweep(table)
    return any(written)


def follow(table: Table) -> Sequence[str]:
    """Note in which data files the rows of a table lie now, after they may have been compacted.

    Returns:
        The names of the data files, sorted; none if they are not known.
    """
    files = sorted(data_files(table.path) or ())
    for layout in table.layouts if files else ():
        file = table.files.get(layout.name)
        if file is not None and not file.present <= set(files):
            with suppress(OSError):  # the next process would make it anew
                _replace(table, layout, file.parts, files)
    return files


def discard(table: Table) -> None:
    """Delete the files of a table; the table answers until they are made again."""
    for layout in table.layouts:
        table.forget_file(layout)
    shutil.rmtree(table.path / FOLDER, ignore_errors=True)


def damaged(table: Path) -> bool:
    """Whether a file of a table has other bytes than were written."""
    return any(_damaged(stamp) for stamp in (table / FOLDER).glob("*.json"))


def _damaged(stamp: Path) -> bool:
    try:
        for part in read_stamp(stamp)[1]:
            with suppress(FileNotFoundError):
                _check(stamp.with_name(part.file), part)
    except FileNotFoundError:
        return False
    except (OSError, ValueError, TypeError):
        return True
    return False


def _check(path: Path, part: PartStamp) -> None:
    """Read a part; ``OSError`` is raised if it has other bytes than were written."""
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum = zlib.crc32(block, checksum)
    if checksum != part.checksum:
        raise OSError("a derived file was altered")


def _refresh(table: Table, layout: Layout, files: Sequence[str]) -> bool:
    """Bring a file up to date, if it lacks enough and the disk has room."""
    try:
        parts, keys, ids = _wanted(table, layout)
        if len(keys) and _has_room(table, len(keys) * _ROW_BYTES):
            (table.path / FOLDER).mkdir(mode=0o700, exist_ok=True)
            parts.append(_made(table, layout, keys, ids, files))
            parts.sort(key=lambda part: -part.rows)
        elif len(keys):
            return False
        small = _small(parts, _IDLE_TIMES)
        if len(small) > 1 and _has_room(table, sum(part.stored for part in small)):
            parts[-len(small) :] = [_merged(table, layout, small)]
        elif not len(keys):
            return False
        _replace(table, layout, parts, files)
    except OSError as error:
        log.warning("%s has no new file of %s: %s", table.path.stem, layout.name, error)
        if error.errno not in DISK_FULL:  # else what there is stays
            table.forget_file(layout)
        return False
    return True


def _small(parts: Sequence[PartFile], times: int) -> Sequence[PartFile]:
    """Of parts, the largest first, those from the first one on that later ones nearly equal."""
    later = sum(part.rows for part in parts)
    for at, part in enumerate(parts):
        later -= part.rows
        if part.rows <= times * later:
            return parts[at:]
    return []


def _wanted(table: Table, layout: Layout) -> tuple[list[PartFile], Int64s, Int64s]:
    """The parts to keep, and the keys and ids of the rows for a new one, none if they are few."""
    if layout.name not in table.files and not _damaged(table.path / FOLDER / layout.stamp):
        table.load_file(layout)  # an error of the drive may have been the reason to close it
    file, (keys, ids) = table.files.get(layout.name), table.rows.pairs()
    if file is None:
        return [], keys, ids
    parts = list(file.parts)
    placed = file.placed(table.rows.by_id())
    new = placed.lacking.copy()
    for part, at in zip(file.parts, placed.at, strict=True):
        if np.count_nonzero(at < 0) > _STALE_SHARE * part.rows:
            parts.remove(part)
            new[at[at >= 0]] = True
    if np.count_nonzero(new) <= _MISSING and len(parts) == len(file.parts):
        new[:] = False
    return parts, keys[new], ids[new]


def _made(
    table: Table, layout: Layout, keys: Int64s, ids: Int64s, files: Sequence[str]
) -> PartFile:
    """A new part of some rows."""
    numbers = [np.empty((layout.numbers, 0), np.int64)]

    def stored() -> Iterator[bytes]:
        for block, part in layout.made(table, keys, ids, files):
            numbers.append(part)
            yield block

    def of_rows() -> Iterator[bytes]:
        every = np.concatenate(numbers, axis=1)
        if every.shape[1] != len(keys):
            raise OSError("rows went while they were read")
        yield every.tobytes()

    places = files if layout.places == "files" else []
    stamp = partial(PartStamp, rows=len(keys), last=int(ids.max()), files=places)
    heads = iter([keys.tobytes(), ids.tobytes()])
    return _written(table, layout, stamp, [heads, stored(), of_rows()], "making")


def _merged(table: Table, layout: Layout, parts: Sequence[PartFile]) -> PartFile:
    """A part of the rows of several."""
    for part in parts:
        _check(table.path / FOLDER / part.stamp.file, part.stamp)  # or damage would be hidden
    whole = Derived(parts, layout, ())

    def rows() -> Iterator[tuple[int, slice]]:
        for at, part in enumerate(parts):
            for start in range(0, part.rows, _ROWS_AT_ONCE):
                yield at, slice(start, start + _ROWS_AT_ONCE)

    keys = (parts[at].keys(some).tobytes() for at, some in rows())
    ids = (parts[at].ids(some).tobytes() for at, some in rows())
    numbers = (
        whole.numbers(at, which, some).tobytes()
        for which in range(layout.numbers)
        for at, some in rows()
    )
    last = max(part.stamp.last for part in parts)
    stamp = partial(PartStamp, rows=whole.rows, last=last, files=whole.files)
    return _written(
        table, layout, stamp, [chain(keys, ids), layout.merged(parts), numbers], "merging"
    )


def _written(
    table: Table,
    layout: Layout,
    stamp: Callable[..., PartStamp],
    sections: Sequence[Iterator[bytes]],
    doing: str,
) -> PartFile:
    """Write a part: keys and row ids, what is stored, numbers."""
    folder = table.path / FOLDER
    name, checksum, ends = f"{layout.name}-{secrets.token_hex(_NAME_BYTES)}.bin", 0, []
    with replacing(folder / name) as file:
        for section in sections:
            for block in section:
                file.write(block)
                checksum = zlib.crc32(block, checksum)
                faults.reached(f"derived-{doing}", layout.name)
            ends.append(file.tell())
    faults.reached("derived-written", layout.name)
    stored = ends[1] - ends[0]
    return PartFile(folder, stamp(file=name, stored=stored, checksum=checksum), layout)


def _replace(table: Table, layout: Layout, parts: Sequence[PartFile], files: Sequence[str]) -> None:
    """Use these parts from now on; the stamp makes the next process use them."""
    table.files[layout.name] = Derived(parts, layout, files)
    stamps = [asdict(part.stamp) for part in parts]
    said = json.dumps({"format": FORMAT, "files": list(files), "parts": stamps})
    write_file(table.path / FOLDER / layout.stamp, said)
    faults.reached("derived-stamped", layout.name)


def _has_room(table: Table, size: int) -> bool:
    return shutil.disk_usage(table.path).free >= size + _SPARE_BYTES


def _sweep(table: Table) -> None:
    """Delete what belongs to no file, such as parts that were merged or never listed."""
    known = {layout.stamp for layout in table.layouts}
    known |= {part.stamp.file for file in table.files.values() for part in file.parts}
    with suppress(FileNotFoundError):
        for left in (table.path / FOLDER).iterdir():
            if left.name not in known:
                with suppress(PermissionError):  # a reader has it open on Windows
                    left.unlink()
