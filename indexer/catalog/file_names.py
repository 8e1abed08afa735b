"""Finds files by the words of their names, in whatever state the files are.

Owns the full-text table of names. A file is found if every word occurs in its name or its folder,
and at least one in its name. It must not know documents.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.text.name_words import name_tokens, pairs
from indexer.text.terms import words

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from indexer.database import Database

_FIND = "SELECT rowid, name FROM file_words WHERE file_words MATCH ? LIMIT ?"
_CALLED = (
    "SELECT f.id, f.name FROM file_words w JOIN files f ON f.id = w.rowid "
    "WHERE w.file_words MATCH ? LIMIT ?"
)
MIN_PREFIX = 2
# Scoring every file with a common word would exceed the time of a query; beyond this many matches
# only a name that equals the query is sure to come first.
RANKED = 1000
# Only such names are split into parts, since splitting takes six times as long.
_MIXED = re.compile(r"[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
EXACT = "="  # prefix of the token of a whole name
# A query of at least so many letters matches names that begin with it, if at most so many names do:
# a beginning that many share is an ordinary word.
MIN_BEGINNING, MOST_BEGUN = 3, 3
_EXTENSION = re.compile(r"(?<=.)\.[^\s.]{0,8}$")


class FileNames:
    """The full-text index of one catalog's file names."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
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
        """Return the files whose names hold all words, best first.

        Args:
            wanted: Folded words, as ``indexer.text.terms.words`` gives them.
            limit: The most files to give.
            prefix_last: Whether the last word matches as a prefix.
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
        # The larger the query's share of the name, the better.
        found.sort(key=lambda row: (len(row[1].split()), row[0]))
        return list(dict.fromkeys(row[0] for row in exact + found))[:limit]

    def called(self, text: str, limit: int, *, open_ended: bool) -> list[int]:
        """Return the files whose whole name is a text, then those whose names begin with it.

        Args:
            text: A name with or without its extension.
            limit: The most files to give.
            open_ended: Whether the text may be a prefix of the name, if few names begin with it.
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
        """Files whose joined name is some letters, or with ``more`` begins with them."""
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
    """The tokens of a query word in the table: in some scripts, pairs of characters."""
    found = pairs(word)
    return found[: len(word) - 1] if len(word) > 1 and len(found) == 2 * len(word) - 1 else [word]


def _joined(name: bytes) -> str:
    """Join the words of a name without its extension into one token."""
    return _joined_text((name.rpartition(b".")[0] or name).decode("utf-8", "replace"))


def _joined_text(text: str) -> str:
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    return "".join(words(text.replace("_", " ")))
