"""When the derived files of a table are made, and how; whether they are whole.

Owns what is too much to lack, and the order of writing, by which a kill leaves a file that is valid
or none. It must not know what a file holds.
"""

from __future__ import annotations

import json
import logging
import secrets
import shutil
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer import faults
from indexer.api.atomic import replacing, write_file
from indexer.store.deletions import data_files
from indexer.store.derived import FOLDER, FORMAT, NAME_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.store.derived import Layout
    from indexer.store.table import Table

log = logging.getLogger(__name__)

# A file is made again when so many rows, and this share of all, are not in it; the second numbers
# are for times when there is other work.
_MISSING, _MISSING_SHARE = 256, 0.05
_LAGGING, _LAGGING_SHARE = 8_192, 0.125
# Rows of larger tables are read from LanceDB, whose cost grows less: each takes up to 24 bytes of
# memory here.
MOST_ROWS = 2_000_000
_SPARE_BYTES, _ROW_BYTES = 1 << 30, 4096


def refresh(table: Table, *, idle: bool = True) -> bool:
    """Make the files of a table anew that lack too much; for the writing thread.

    Args:
        table: A table with keys.
        idle: Whether there is no other work.

    Returns:
        Whether one was made.
    """
    wanted = [layout for layout in table.layouts if idle or _lags(table, layout)]
    files, total = data_files(table.path) if wanted else None, len(table.rows.keys())
    if files is None or not total:
        return False
    made = [
        _refresh(table, layout, sorted(files))
        for layout in wanted
        if layout.always or total <= MOST_ROWS
    ]
    return any(made)


def _lags(table: Table, layout: Layout) -> bool:
    """Whether a file has to be made now, though there is other work."""
    file, rows = table.files.get(layout.name), table.count()
    lacking = rows - (0 if file is None else file.rows)
    return layout.always and lacking > max(_LAGGING, _LAGGING_SHARE * rows)


def _refresh(table: Table, layout: Layout, files: list[str]) -> bool:
    """Make a file anew if it lacks too much; without room on the disk there is none."""
    folder, derived = table.path / FOLDER, table.files.get(layout.name)
    try:
        if derived is not None:
            aligned = derived.aligned(table)
            missing = len(aligned.keys) - (derived.rows - aligned.stale)
            moved = not set(files) >= set(derived.files)
            void = moved and (layout.of_files or aligned.stale > 0)
            if not void and missing <= max(_MISSING, _MISSING_SHARE * len(aligned.keys)):
                if moved:  # the rows are in other files since they were compacted
                    stamp = json.loads((folder / layout.files[1]).read_text(encoding="utf-8"))
                    derived.files = files
                    _write_stamp(folder / layout.files[1], {**stamp, "files": files})
                return False
        return _make(table, layout, folder, files)
    except OSError as error:
        log.warning("%s has no file of %s: %s", table.path.stem, layout.name, error)
        table.forget_file(layout)
        for name in layout.files:
            with suppress(OSError):
                (folder / name).unlink()
        return False


def discard(table: Table) -> None:
    """Delete the files of a table; the table answers until they are made again."""
    for layout in table.layouts:
        table.forget_file(layout)
    shutil.rmtree(table.path / FOLDER, ignore_errors=True)


def damaged(table: Path) -> bool:
    """Whether a file of a table has other bytes than were written."""
    return any(_damaged(stamp) for stamp in (table / FOLDER).glob("*.json"))


def _damaged(said: Path) -> bool:
    try:
        stamp = json.loads(said.read_text(encoding="utf-8"))
        checksum = 0
        with said.with_suffix(".bin").open("rb") as file:
            while block := file.read(1 << 20):
                checksum = zlib.crc32(block, checksum)
        return bool(checksum != stamp["checksum"])
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError):
        return True


def _make(table: Table, layout: Layout, folder: Path, files: list[str]) -> bool:
    """Write both files; the stamp, which names the other one, comes last."""
    keys, rows = table.rows.pairs()
    if shutil.disk_usage(table.path).free < len(keys) * _ROW_BYTES + _SPARE_BYTES:
        return False
    folder.mkdir(mode=0o700, exist_ok=True)
    known = {name for one in table.layouts for name in one.files}
    for left in folder.iterdir():
        if left.name not in known:
            left.unlink()
    name = secrets.token_bytes(NAME_BYTES)
    checksum = stored = 0
    numbers = [np.empty((layout.numbers, 0), np.int64)]

    def blocks() -> Iterator[bytes]:
        nonlocal stored
        yield name
        yield keys.tobytes()
        yield rows.tobytes()
        for block, part in layout.parts(table, keys, rows, files):
            stored += len(block)
            numbers.append(part)
            yield block
        yield np.concatenate(numbers, axis=1).tobytes()

    with replacing(folder / layout.files[0]) as file:
        for block in blocks():
            file.write(block)
            checksum = zlib.crc32(block, checksum)
            faults.reached("derived-writing", layout.name)
        table.forget_file(layout)  # an open file cannot be replaced on Windows
        if sum(part.shape[1] for part in numbers) != len(keys):
            raise OSError("rows went while they were read")
    faults.reached("derived-written", layout.name)
    stamp = {
        "format": FORMAT,
        "name": name.hex(),
        "rows": len(keys),
        "stored": stored,
        "checksum": checksum,
        "files": files,
    }
    _write_stamp(folder / layout.files[1], stamp)
    faults.reached("derived-stamped", layout.name)
    table.load_file(layout)
    return True


def _write_stamp(path: Path, stamp: dict[str, Any]) -> None:
    with suppress(FileNotFoundError):
        write_file(path, json.dumps(stamp))
