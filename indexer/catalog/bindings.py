"""Arrays of files and their documents, and the filters of searches that are resolved by them.

A snapshot of the files that hold a searchable document is rebuilt when files or folders change, so
that a query costs a few array operations. Filters are on folders, extensions, times, sizes, titles,
authors and languages.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from indexer.catalog.roots import below, join, normal
from indexer.database import CachedValues

if TYPE_CHECKING:
    from indexer.arrays import Int32s, Int64s, Mask
    from indexer.catalog.records import DocFilter
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


class FilterResolver:
    """Resolves filters against one catalog."""

    def __init__(self, database: Database, bindings: Bindings) -> None:
        self._db = database
        self._bindings = bindings
        self._resolved = CachedValues["Int32s"](database, database.files_version_read)

    def resolve(self, wanted: DocFilter) -> Int32s | None:
        """Return the documents that match a filter, ascending; None if the filter is empty.

        A document matches if it satisfies all conditions on documents and one of its files
        satisfies all conditions on files. Documents with incomplete passages never match.
        """
        if wanted == type(wanted)():
            return None
        return self._resolved.get(wanted, lambda: self._matching(wanted))

    def _matching(self, wanted: DocFilter) -> Int32s:
        snapshot = self._bindings.snapshot()
        docs = np.unique(snapshot.doc[self._files(snapshot, wanted)])
        for kept in self._by_document(wanted):
            docs = np.intersect1d(docs, kept, assume_unique=True)
        docs.flags.writeable = False
        return docs

    def _files(self, snapshot: Snapshot, wanted: DocFilter) -> Mask:
        """Return a mask of the files in the snapshot that satisfy the conditions on files."""
        kept = np.ones(len(snapshot.doc), np.bool_)
        if wanted.folders:
            kept &= self._inside(snapshot, wanted.folders)
        if wanted.not_folders:
            kept &= ~self._inside(snapshot, wanted.not_folders)
        if wanted.extensions:
            kept &= np.isin(snapshot.extension, _extensions(snapshot, wanted.extensions))
        if wanted.not_extensions:
            kept &= ~np.isin(snapshot.extension, _extensions(snapshot, wanted.not_extensions))
        bounds = (
            (snapshot.last_ns, snapshot.first_ns, wanted.dated_ns),
            (snapshot.size, snapshot.size, wanted.size),
        )
        for largest, smallest, (low, high) in bounds:
            if low is not None:
                kept &= largest >= low
            if high is not None:
                kept &= smallest < high
        return kept

    def _inside(self, snapshot: Snapshot, values: Sequence[str]) -> Mask:
        """Return a mask of the files that are in some folders or are named themselves."""
        inside = np.isin(snapshot.folder, _folders(snapshot, values))
        docs = [doc for value in values for doc in self._named(value)]
        return inside | np.isin(snapshot.doc, docs) if docs else inside

    def _named(self, value: str) -> list[int]:
        """The document of the file at an absolute path, if there is one."""
        path = os.path.expanduser(value)  # pathlib fails on values that are not paths
        if not os.path.isabs(path):
            return []
        whole = normal(path)
        found = []
        for root, folder in self._db.rows("SELECT id, path FROM roots"):
            relative = below(folder, whole)
            if relative:
                parent, _, name = relative.rpartition(b"/")
                found += self._db.rows(
                    "SELECT c.doc FROM folders d JOIN files f ON f.folder = d.id "
                    "JOIN contents c ON c.id = f.content "
                    "WHERE d.root = ? AND d.path = ? AND f.name = ? AND c.doc IS NOT NULL",
                    root,
                    parent,
                    name,
                )
        return [doc for (doc,) in found]

    def _by_document(self, wanted: DocFilter) -> list[Int32s]:
        conditions = []
        if wanted.titles:
            rows = self._db.rows(
                "SELECT d.doc, d.title FROM docs d UNION ALL SELECT c.doc, n.text "
                "FROM contents c JOIN files f ON f.content = c.id JOIN names n ON n.id = f.stem"
            )
            conditions.append(_holding(rows, wanted.titles))
        if wanted.authors:
            rows = self._db.rows("SELECT doc, author FROM docs WHERE author <> ''")
            conditions.append(_holding(rows, wanted.authors))
        if wanted.languages:
            languages = {language.lower() for language in wanted.languages}
            rows = self._db.rows("SELECT doc, language FROM docs")
            conditions.append(_array({doc for doc, language in rows if language in languages}))
        return conditions


def _folders(snapshot: Snapshot, values: Sequence[str]) -> list[int]:
    patterns = [folder_pattern(value) for value in values]
    return [
        folder
        for folder, path in snapshot.folders.items()
        if any(pattern.search(path) for pattern in patterns)
    ]


def _extensions(snapshot: Snapshot, values: Sequence[str]) -> list[int]:
    wanted = {value.lower().lstrip(".") for value in values}
    return [code for text, code in snapshot.extensions.items() if text in wanted]


def _holding(rows: Sequence[tuple[int, str]], values: Sequence[str]) -> Int32s:
    wanted = [_spaced(value) for value in values]
    found = set()
    for doc, text in rows:
        folded = _spaced(text)
        if any(value in folded for value in wanted):
            found.add(doc)
    return _array(found)


def _spaced(text: str) -> str:
    """Fold a text to words with a space before each, so that they match from their start."""
    return " " + " ".join(re.findall(r"[^\W_]+", fold(text)))


def _array(docs: set[int]) -> Int32s:
    return np.array(sorted(docs), np.int32)
