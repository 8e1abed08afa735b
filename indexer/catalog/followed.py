"""Updates paths in collections and corrections when files or folders are renamed or moved.

The queries of collections contain paths in the form ``in:"/folder/file"``.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

from indexer.catalog.choices import COLLECTIONS, CORRECTIONS, read_choice, write_choice
from indexer.catalog.roots import below, join

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

_MOVED = """
SELECT ro.path, do.path, o.name, rn.path, dn.path, n.name, n.id
FROM files o JOIN folders do ON o.folder = do.id JOIN roots ro ON do.root = ro.id
JOIN files n ON n.inode = o.inode AND n.volume = o.volume AND n.id <> o.id
JOIN folders dn ON n.folder = dn.id JOIN roots rn ON dn.root = rn.id
WHERE o.id = ? AND o.inode <> 0
"""
_FOLDERS = """
SELECT DISTINCT r.path, d.path FROM roots r JOIN folders d ON d.root = r.id
JOIN files f ON f.folder = d.id
"""


@contextlib.contextmanager
def following(connection: sqlite3.Connection, removed: Collection[int]) -> Iterator[None]:
    """Update paths of files that are removed inside the block and exist elsewhere."""
    moved = _moves(connection, removed)
    yield
    _follow(connection, moved)


def _moves(connection: sqlite3.Connection, removed: Collection[int]) -> dict[str, str]:
    """Map old paths of files about to be removed, and of their folders, to the present paths.

    Nothing is looked up unless a collection names paths, or a document was corrected.
    """
    if "in:" not in read_choice(connection, COLLECTIONS) and not read_choice(
        connection, CORRECTIONS
    ):
        return {}
    found: dict[str, str] = {}
    for file in removed:
        for row in connection.execute(_MOVED, (file,)):
            if row[6] not in removed:
                old, new = join(*row[:3]), join(*row[3:6])
                for pair in _with_folders(os.fsdecode(old), os.fsdecode(new)):
                    found.setdefault(*pair)
    return found


def _follow(connection: sqlite3.Connection, moved: dict[str, str]) -> None:
    """Replace paths in corrections and collections, but not of folders that still have files."""
    corrections = json.loads(read_choice(connection, CORRECTIONS) or "{}")
    if moved.keys() & corrections.keys():
        followed = {moved.get(path, path): given for path, given in corrections.items()}
        write_choice(connection, CORRECTIONS, json.dumps(followed))
    text = before = read_choice(connection, COLLECTIONS)
    if not any(_written(old) in text for old in moved):
        return
    folders = [join(root, folder) for root, folder in connection.execute(_FOLDERS)]
    for old, new in moved.items():
        stays = any(below(os.fsencode(old), folder) is not None for folder in folders)
        if not stays:
            text = text.replace(_written(old), _written(new))
    if text != before:
        write_choice(connection, COLLECTIONS, text)


def _with_folders(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the old and new path of a file, and of the folders above that moved with it."""
    yield old, new
    while os.path.basename(old) == os.path.basename(new):
        old, new = os.path.dirname(old), os.path.dirname(new)
        if old == new:
            return
        yield old, new


def _written(path: str) -> str:
    """Encode a filter as it appears in the JSON of the queries."""
    return json.dumps(f'in:"{path}"')[1:-1]
