"""Names of files and folders: their vectors and words, and a search for files by name.

Each distinct name is embedded once and joined to documents at query time, so a rename adds one name
and changes no passage. A file in any state is found if every word occurs in its name or folder, and
at least one in its name. The words of names and titles are written in the same transaction as
these; the words of texts are in the store.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from indexer.catalog.choices import CORRECTIONS, read_choice
from indexer.catalog.roots import join
from indexer.database import CachedValues, Database
from indexer.text.name_words import initialisms, joined_neighbours, name_tokens, pairs
from indexer.text.stemmers import stem_all
from indexer.text.terms import forms, words

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

    from indexer.arrays import Float32s, Indices, Int32s
    from indexer.catalog.bindings import Bindings, Snapshot


_MISSING = """
SELECT id, text FROM names n WHERE id > ? AND text <> '' AND NOT EXISTS
    (SELECT 1 FROM name_vectors v WHERE v.space = ? AND v.name = n.id)
ORDER BY id LIMIT ?
"""
# Without INDEXED BY the planner scans every non-empty file per batch.
_UNNAMED = (
    "SELECT id, name FROM files INDEXED BY files_unnamed WHERE stem IS NULL AND content IS NOT NULL"
)


class NameLinks(Struct, frozen=True):
    """Pairs of a name and a document that has it.

    ``depth`` is 0 for the file's own name and 1 for that of its folder. ``docs`` are the documents
    that have a name, ascending, and ``owner`` is the index in ``docs`` for each pair.
    """

    name: Int32s
    doc: Int32s
    depth: NDArray[np.int8]
    docs: Int32s
    owner: Indices


class Names:
    """The names of one catalog."""

    def __init__(self, database: Database, bindings: Bindings) -> None:
        self._db = database
        self._bindings = bindings
        self._links: tuple[Snapshot, NameLinks] | None = None
        self._embedded = CachedValues["Int32s"](database, database.files_version_read)

    def bind(self) -> int:
        """Assign name ids to the files and folders that got documents since the last call."""
        if not self._db.rows(_UNNAMED + " LIMIT 1"):
            return 0
        with self._db.write() as connection:
            files = [(stem_of(name), file) for file, name in connection.execute(_UNNAMED)]
            folders = connection.execute(
                "SELECT d.id, d.path, r.path FROM folders d JOIN roots r ON r.id = d.root "
                "WHERE d.name IS NULL AND d.id IN "
                "(SELECT folder FROM files INDEXED BY files_unnamed "
                "WHERE stem IS NULL AND content IS NOT NULL)"
            ).fetchall()
            named = [(name_of(path, root), folder) for folder, path, root in folders]
            connection.executemany(
                "INSERT OR IGNORE INTO names (text) VALUES (?)",
                [(text,) for text, _ in files + named],
            )
            add_names(connection)
            bound = "SET {} = (SELECT id FROM names WHERE text = ?) WHERE id = ?"
            connection.executemany("UPDATE files " + bound.format("stem"), files)
            connection.executemany("UPDATE folders " + bound.format("name"), named)
            self._db.mark_files_changed()
        return len(files)

    def missing(self, space: int, limit: int = 1000, after: int = 0) -> list[tuple[int, str]]:
        """Return names without a vector in a space, as ``(name, text)``; call ``bind`` first.

        Ids ascend with time; only names with ids above ``after`` are returned.
        """
        return self._db.rows(_MISSING, after, space, limit)

    def store(self, space: int, names: Sequence[int], vectors: Float32s) -> None:
        """Store the vectors of names, one row each, as float16."""
        rows = [
            (space, name, vector.tobytes())
            for name, vector in zip(names, vectors.astype("<f2"), strict=True)
        ]
        with self._db.write() as connection:
            self._db.mark_files_changed()
            connection.executemany(
                "INSERT OR REPLACE INTO name_vectors (space, name, vector) VALUES (?, ?, ?)", rows
            )

    def embedded(self, space: int) -> Int32s:
        """Return the names that have a vector in a space, ascending; cached until files change."""
        named = "SELECT name FROM name_vectors WHERE space = ? ORDER BY name"
        return self._embedded.get(space, lambda: np.array(self._db.column(named, space), np.int32))

    def vectors(self, space: int, names: Int32s) -> tuple[Int32s, Float32s]:
        """Return the names among these that have a vector in a space, and the vectors, (k, dim).

        ``dim`` is 0 if there are none.
        """
        rows = self._db.rows(
            "SELECT name, vector FROM name_vectors JOIN json_each(?) ON name = value "
            "WHERE space = ? ORDER BY key",
            json.dumps(names.tolist()),
            space,
        )
        found = np.fromiter((row[0] for row in rows), np.int32, len(rows))
        joined = np.frombuffer(b"".join(row[1] for row in rows), "<f2")
        return found, joined.reshape(len(rows), -1 if rows else 0).astype(np.float32)

    def links(self) -> NameLinks:
        """Return the names of all searchable documents; cached until files change."""
        snapshot = self._bindings.snapshot()
        if self._links is not None and self._links[0] is snapshot:
            return self._links[1]
        folders = dict(self._db.rows("SELECT id, name FROM folders WHERE name IS NOT NULL"))
        used, inverse = np.unique(snapshot.folder, return_inverse=True)
        of_folder = np.array([folders.get(int(folder), 0) for folder in used], np.int32)[inverse]
        pairs = [
            np.stack([names, snapshot.doc, np.full(len(names), depth, np.int32)], axis=1)
            for depth, names in enumerate((snapshot.stem, of_folder))
        ]
        both = np.unique(np.concatenate(pairs), axis=0) if len(used) else np.zeros((0, 3), np.int32)
        both = both[both[:, 0] > 0]
        docs, owner = np.unique(both[:, 1], return_inverse=True)
        links = NameLinks(both[:, 0], both[:, 1], both[:, 2].astype(np.int8), docs, owner)
        self._links = snapshot, links
        return links

    def texts(self, names: Sequence[int]) -> dict[int, str]:
        """Return the texts of names."""
        rows = self._db.rows(
            "SELECT id, text FROM names WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps([int(name) for name in names]),
        )
        return dict(rows)

    def last(self) -> int:
        """Return the largest id of a name; ids ascend with time."""
        found: int = self._db.value("SELECT max(id) FROM names") or 0
        return found

    def prune(self) -> int:
        """Delete names that no file or folder has, and words of deleted names and documents."""
        with self._db.write() as connection:
            self._db.mark_files_changed()
            pruned = connection.execute(
                "DELETE FROM names WHERE id NOT IN "
                "(SELECT stem FROM files WHERE stem IS NOT NULL UNION "
                "SELECT name FROM folders WHERE name IS NOT NULL)"
            ).rowcount
            connection.execute("DELETE FROM name_words WHERE name NOT IN (SELECT id FROM names)")
            connection.execute("DELETE FROM title_words WHERE doc NOT IN (SELECT doc FROM docs)")
            return pruned


def stem_of(name: bytes) -> str:
    """Return a file's name without its extension, as text."""
    text = name.decode("utf-8", "replace")
    head, _, tail = text.rpartition(".")
    return head if head and len(tail) <= 8 else text


def name_of(path: bytes, root: bytes) -> str:
    """Return the last component of a folder below a root, or of the root itself, as text."""
    if path:
        return path.rpartition(b"/")[2].decode("utf-8", "replace")
    return os.path.basename(root).decode("utf-8", "replace")


_FIND = "SELECT rowid, name FROM file_words WHERE file_words MATCH ? LIMIT ?"
_CALLED = (
    "SELECT f.id, f.name FROM file_words w JOIN files f ON f.id = w.rowid "
    "WHERE w.file_words MATCH ? LIMIT ?"
)
MIN_PREFIX = 2
# Scoring every file with a common word would take too long. With more matches than this, only names
# that equal the query are sure to come first.
RANKED = 1000
# Only these names are split into parts, since splitting takes six times as long.
_MIXED = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
EXACT = "="  # the prefix of a token that is a whole name
# A query of ``MIN_BEGINNING`` letters or more matches names that begin with it, if at most
# ``MOST_BEGUN`` names do; a beginning that more names share is an ordinary word.
MIN_BEGINNING, MOST_BEGUN = 3, 3
_EXTENSION = re.compile(r"(?<=.)\.[^\s.]{0,8}$")


class FileNames:
    """The full-text index of one catalog's file names."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def index_names(
        self, connection: sqlite3.Connection, files: Sequence[tuple[int, bytes, bytes]]
    ) -> None:
        """Index (file, folder, name) inside the caller's transaction."""
        folders: dict[bytes, str] = {}
        rows = []
        for file, folder, name in files:
            if folder not in folders:
                folders[folder] = _words(folder)
            rows.append((file, f"{_words(name)} {EXACT}{_joined(name)}", folders[folder]))
        connection.executemany(
            "INSERT INTO file_words (rowid, name, folder) VALUES (?, ?, ?)", rows
        )

    def find(self, wanted: Sequence[str], limit: int, *, prefix_last: bool = False) -> list[int]:
        """Return the files whose names have all words, best first; the last may be a prefix.

        The words are folded, as ``indexer.text.terms.words`` gives them.
        """
        if not wanted:
            return []
        parts = [part for word in wanted for part in _parts(word)]
        quoted = ['"{}"'.format(part.replace('"', '""')) for part in parts]
        if prefix_last and len(parts[-1]) >= MIN_PREFIX:
            quoted[-1] += " *"
        exact = self._db.rows(_FIND, f'name : "{EXACT}{"".join(wanted)}"', limit)
        query = f"({' AND '.join(quoted)}) AND name : ({' OR '.join(quoted)})"
        found = self._db.rows(_FIND, query, max(limit, RANKED))
        # A name is better the larger the query's share of it.
        found.sort(key=lambda row: (len(row[1].split()), row[0]))
        return list(dict.fromkeys(row[0] for row in exact + found))[:limit]

    def called(self, text: str, limit: int, *, open_ended: bool) -> list[int]:
        """Return the files whose whole name is a text, then those whose names begin with it.

        The text may lack the extension. Names that begin with it count if ``open_ended`` is true
        and there are few.
        """
        whole = _joined_text(text)
        exact = [file for file, _ in self._joined_as(whole, limit)]
        ending = _EXTENSION.search(text)
        if ending is not None:
            typed = ending[0].lower()
            for file, name in self._joined_as(_joined_text(text[: ending.start()]), limit):
                found = name[name.rfind(b".") :].decode("utf-8", "replace").lower()
                if found == typed or (open_ended and found.startswith(typed)):
                    exact.append(file)
        begun: list[int] = []
        if open_ended and len(whole) >= MIN_BEGINNING:
            found_so = self._joined_as(whole, MOST_BEGUN + len(exact) + 1, more=" *")
            begun = [file for file, _ in found_so if file not in exact]
        return (exact + begun if len(begun) <= MOST_BEGUN else exact)[:limit]

    def _joined_as(self, joined: str, limit: int, more: str = "") -> list[tuple[int, bytes]]:
        """Files whose joined name equals some letters; with ``more``, begins with them."""
        return self._db.rows(_CALLED, f'name : "{EXACT}{joined}"{more}', limit) if joined else []

    def count(self, word: str) -> int:
        """Count the files that have a word in their name or folder."""
        found: int = self._db.value(
            "SELECT doc FROM file_vocabulary WHERE term = ?", word, default=0
        )
        return found

    def by_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return words of names that begin with a prefix, and in how many files they occur."""
        rows = self._db.rows(
            "SELECT term, doc FROM file_vocabulary WHERE term >= ? AND term < ? LIMIT ?",
            prefix,
            prefix + "\U0010ffff",
            max(limit, 1000),
        )
        return sorted(rows, key=lambda row: (-row[1], row[0]))[:limit]


def _words(path: bytes) -> str:
    text = path.decode("utf-8", "replace")
    found = words(text.replace("_", " "))
    if _MIXED.search(text):
        found = list(dict.fromkeys(found + name_tokens(text)))
    return " ".join([*found, *pairs(text)])


def _parts(word: str) -> list[str]:
    """The tokens of a query word in the index: pairs of characters in some scripts."""
    found = pairs(word)
    return found[: len(word) - 1] if len(word) > 1 and len(found) == 2 * len(word) - 1 else [word]


def _joined(name: bytes) -> str:
    """Join the words of a name without its extension into one token."""
    return _joined_text((name.rpartition(b".")[0] or name).decode("utf-8", "replace"))


def _joined_text(text: str) -> str:
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    return "".join(words(text.replace("_", " ")))


#: Marks initialisms, which are not words of a name.
INITIALS = "="
_AFTER = "\U0010ffff"
_NAMES_WITH = (
    "SELECT word, name FROM name_words WHERE word IN (SELECT value FROM json_each(?)) ORDER BY name"
)
_TITLES_WITH = (
    "SELECT word, doc, times FROM title_words WHERE word IN (SELECT value FROM json_each(?))"
)
_TITLES_OF_STEMS = (
    "SELECT value, word FROM json_each(?) JOIN title_words "
    "ON word >= value || '|' AND word < value || '|' || ?"
)
_DOCUMENT_OF = """
SELECT r.path, d.path, f.name, t.doc, t.language FROM files f JOIN folders d ON d.id = f.folder
JOIN roots r ON r.id = f.root JOIN contents c ON c.id = f.content JOIN docs t ON t.doc = c.doc
WHERE f.id = ?
"""


class ShortWords:
    """The words of one catalog's names and titles."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def names_with(self, wanted: Iterable[str]) -> dict[str, Int32s]:
        """The names with each word, ascending, without words that no name has."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for word, name in self._db.rows(_NAMES_WITH, json.dumps(list(wanted))):
            found[word].append(name)
        return {word: np.array(names, np.int32) for word, names in found.items()}

    def titles_with(self, wanted: Iterable[str]) -> dict[str, dict[int, int]]:
        """Count each word in the title of each document, without words that no title has."""
        found: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for word, doc, times in self._db.rows(_TITLES_WITH, json.dumps(list(wanted))):
            if times:
                found[word][doc] = times
        return dict(found)

    def title_lengths(self) -> tuple[Int32s, Int32s]:
        """The documents whose titles have words, and the numbers of words."""
        rows = self._db.rows("SELECT doc, sum(times) FROM title_words GROUP BY doc")
        docs, lengths = np.array(rows, np.int32).reshape(-1, 2).T
        return docs, lengths

    def titles_beginning(self, prefix: str, limit: int) -> list[str]:
        """Some words of titles with a prefix."""
        begin = (
            "SELECT DISTINCT word FROM title_words WHERE word >= ? AND word < ? AND times > 0 "
            "LIMIT ?"
        )
        return self._db.column(begin, prefix, prefix + _AFTER, limit)

    def title_words_of(self, stems: Iterable[str]) -> dict[str, set[str]]:
        """The words of titles by stem, without stems that no word has."""
        rows = self._db.rows(_TITLES_OF_STEMS, json.dumps(list(stems)), _AFTER)
        found: defaultdict[str, set[str]] = defaultdict(set)
        for stem, word in rows:
            found[stem].add(word.partition("|")[2])
        return dict(found)

    def has_beginning(self, prefixes: Iterable[str]) -> bool:
        """Whether a word of a name or title begins with one of some prefixes."""
        one = "SELECT 1 FROM {} WHERE word >= ? AND word < ? LIMIT 1"
        return any(
            self._db.rows(one.format(table), prefix, prefix + _AFTER)
            for prefix in prefixes
            for table in ("name_words", "title_words")
        )


def add_names(connection: sqlite3.Connection) -> None:
    """Write the words of names that are newer than the last name with words."""
    rows = connection.execute(
        "SELECT id, text FROM names WHERE id > (SELECT coalesce(max(name), 0) FROM name_words)"
    ).fetchall()
    connection.executemany(
        "INSERT OR IGNORE INTO name_words VALUES (?, ?)",
        [(word, name) for name, text in rows for word in _name_words(text)],
    )


def add_title(connection: sqlite3.Connection, doc: int, title: str, language: str) -> None:
    """Write the words of a document's title, and their stems."""
    counts = Counter(words(title))
    listed = list(counts)
    for word, stem in zip(listed, stem_all(listed, language), strict=True):
        for other in (stem,) if word.isascii() else forms(word, language).stems:
            counts[f"{other}|{word}"] = 0
    connection.executemany(
        "INSERT OR REPLACE INTO title_words VALUES (?, ?, ?)",
        [(word, doc, times) for word, times in counts.items()],
    )


def correct_document(connection: sqlite3.Connection, file: int) -> None:
    """Apply a person's corrections of title, author and year to the document of a file."""
    kept = read_choice(connection, CORRECTIONS)
    row = connection.execute(_DOCUMENT_OF, (file,)).fetchone() if kept else None
    if row is None:
        return
    if given := json.loads(kept).get(os.fsdecode(join(*row[:3]))):
        doc, language = row[3:]
        connection.execute(
            "UPDATE docs SET title = ?, author = ?, created = ? WHERE doc = ?", (*given, doc)
        )
        connection.execute("DELETE FROM title_words WHERE doc = ?", (doc,))
        add_title(connection, doc, given[0], language)


def _name_words(name: str) -> Iterable[str]:
    initials = (INITIALS + letters for letters in initialisms(name))
    return dict.fromkeys((*name_tokens(name), *joined_neighbours(name), *initials))
