"""Arrays of files and their documents, from which filters and name evidence are computed.

A snapshot of the files that hold a searchable document is rebuilt when files or folders change, so
that a query costs a few array operations.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from indexer.catalog.roots import join
from indexer.database import CachedValues

if TYPE_CHECKING:
    from indexer.arrays import Int32s, Int64s
    from indexer.database import Database

_FILES = """
SELECT c.doc, f.folder, coalesce(d.sent_first_ns, f.mtime_ns), coalesce(d.sent_last_ns, f.mtime_ns),
    f.size, coalesce(f.stem, 0), f.extension
FROM files f JOIN contents c ON c.id = f.content JOIN docs d ON d.doc = c.doc
WHERE d.passages_state = 'done'
"""


class Snapshot(Struct, frozen=True):
    """The files with documents; all arrays have one entry per file.

    ``first_ns`` and ``last_ns`` are dates of mails; for other documents both are the file's.

    ``folders`` maps a folder's number to its path from the top of the file system, folded, with
    "/" around every component; ``extensions`` maps the text to the code used in ``extension``.
    """

    doc: Int32s
    folder: Int32s
    first_ns: Int64s
    last_ns: Int64s
    size: Int64s
    stem: Int32s
    extension: Int32s
    extensions: Mapping[str, int]
    folders: Mapping[int, str]


class Bindings:
    """Keeps the latest snapshot. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._latest = CachedValues[Snapshot](database, database.files_version_read)

    def snapshot(self) -> Snapshot:
        """Return the snapshot of the last commit."""
        return self._latest.get(None, self._build)

    def _build(self) -> Snapshot:
        rows = self._db.rows(_FILES)
        columns: list[Any] = list(zip(*rows, strict=True)) or [()] * 7
        codes = {text: code for code, text in enumerate(dict.fromkeys(columns[6]))}
        folders = self._db.rows(
            "SELECT d.id, r.path, d.path FROM folders d JOIN roots r ON r.id = d.root"
        )
        return Snapshot(
            np.array(columns[0], np.int32),
            np.array(columns[1], np.int32),
            np.array(columns[2], np.int64),
            np.array(columns[3], np.int64),
            np.array(columns[4], np.int64),
            np.array(columns[5], np.int32),
            np.array([codes[text] for text in columns[6]], np.int32),
            codes,
            {row[0]: folded_path(join(row[1], row[2])) for row in folders},
        )


def folded_path(path: bytes) -> str:
    """Fold a path for comparing: "/" around every component, no case, no accents."""
    parts = os.fsdecode(path).replace(os.sep, "/").split("/")
    return "/" + "".join(f"{fold(part)}/" for part in parts if part)


def fold(text: str) -> str:
    """Remove case, accents and compatibility forms from a text."""
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFKC", plain.casefold())


def folder_pattern(value: str) -> re.Pattern[str]:
    """Compile the value of a folder filter to a pattern for searching folded paths.

    ``*`` and ``?`` match within one component.
    """
    if value.startswith("~"):
        value = os.path.expanduser(value)  # pathlib fails on values that are not paths
    text = value.replace(os.sep, "/")
    wanted = [fold(part) for part in text.split("/") if part]
    escaped = ["".join(_WILD.get(char, re.escape(char)) for char in part) for part in wanted]
    absolute = text.startswith("/") or re.match(r"[A-Za-z]:/", text)
    return re.compile(("^/" if absolute else "/") + "".join(f"{part}/" for part in escaped))


_WILD = {"*": "[^/]*", "?": "[^/]"}
