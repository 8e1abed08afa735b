"""The words of names and titles, each with the names or documents that have it.

They are written with the names and titles, in one transaction. (The words of texts are in the
store, those for finding files in ``names``.)
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from indexer.text.name_words import initialisms, joined_neighbours, name_tokens
from indexer.text.stemmers import stem_all
from indexer.text.terms import forms, words

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from indexer.database import Database

    Ids = NDArray[np.int32]

#: Mark of the first letters of a name, which are no word of it.
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


class ShortWords:
    """The words of one catalog's names and titles."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def complete(self) -> None:
        """Write the words of all names and titles if there are none, as in an older catalog."""
        none = "SELECT NOT EXISTS (SELECT 1 FROM {}) AND EXISTS (SELECT 1 FROM {})"
        if self._db.value(none.format("name_words", "names")):
            with self._db.write() as connection:
                add_names(connection)
        if self._db.value(none.format("title_words", "docs")):
            with self._db.write() as connection:
                for row in connection.execute("SELECT doc, title, language FROM docs").fetchall():
                    add_title(connection, *row)

    def names_with(self, wanted: Iterable[str]) -> dict[str, Ids]:
        """The names with each word, ascending, without words that no name has."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for word, name in self._db.rows(_NAMES_WITH, json.dumps(list(wanted))):
            found[word].append(name)
        return {word: np.array(names, np.int32) for word, names in found.items()}

    def titles_with(self, wanted: Iterable[str]) -> dict[str, dict[int, int]]:
        """The documents with each word in their title, and how often, without words of none."""
        found: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for word, doc, times in self._db.rows(_TITLES_WITH, json.dumps(list(wanted))):
            if times:
                found[word][doc] = times
        return dict(found)

    def title_lengths(self) -> tuple[Ids, Ids]:
        """The documents whose title has words, and how many."""
        rows = self._db.rows("SELECT doc, sum(times) FROM title_words GROUP BY doc")
        docs, lengths = np.array(rows, np.int32).reshape(-1, 2).T
        return docs, lengths

    def titles_beginning(self, prefix: str, limit: int) -> list[str]:
        """Some words of titles with a prefix."""
        rows = self._db.rows(
            "SELECT DISTINCT word FROM title_words WHERE word >= ? AND word < ? AND times > 0 "
            "LIMIT ?",
            prefix,
            prefix + _AFTER,
            limit,
        )
        return [word for (word,) in rows]

    def title_words_of(self, stems: Iterable[str]) -> dict[str, set[str]]:
        """The words of titles with each stem, without stems of none."""
        rows = self._db.rows(_TITLES_OF_STEMS, json.dumps(list(stems)), _AFTER)
        found: defaultdict[str, set[str]] = defaultdict(set)
        for stem, word in rows:
            found[stem].add(word.partition("|")[2])
        return dict(found)

    def has_beginning(self, prefixes: Iterable[str]) -> bool:
        """Whether a word of a name or title has one of some prefixes."""
        one = "SELECT 1 FROM {} WHERE word >= ? AND word < ? LIMIT 1"
        return any(
            self._db.rows(one.format(table), prefix, prefix + _AFTER)
            for prefix in prefixes
            for table in ("name_words", "title_words")
        )


def add_names(connection: sqlite3.Connection) -> None:
    """Write the words of the names that are newer than all with words."""
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


def prune(connection: sqlite3.Connection) -> None:
    """Delete the words of names and of documents that are gone."""
    connection.execute("DELETE FROM name_words WHERE name NOT IN (SELECT id FROM names)")
    connection.execute("DELETE FROM title_words WHERE doc NOT IN (SELECT doc FROM docs)")


def _name_words(name: str) -> Iterable[str]:
    initials = (INITIALS + letters for letters in initialisms(name))
    return dict.fromkeys((*name_tokens(name), *joined_neighbours(name), *initials))
