"""The library's vocabulary: ids of words, and look-ups by prefix, stem and edit distance.

Owns the tables of terms and stems. It must not know in which documents a word occurs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from indexer.catalog.lexicon.typos import can_be_typo, one_edit_away
from indexer.text.terms import forms

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping

    from indexer.catalog.database import Database

LAST = "\U0010ffff"  # prefix + LAST sorts after every word with the prefix
_STEMS = (
    "SELECT s.stem, max(t.df) FROM lexicon_stems s JOIN lexicon_terms t ON t.term = s.term "
    "WHERE t.df > 0"
)


class Vocabulary:
    """The words of one lexicon."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def ids(self, words: Collection[str]) -> dict[str, int]:
        """Return the ids of the words that have one."""
        rows = self._db.rows(
            "SELECT term, id FROM lexicon_terms WHERE term IN (SELECT value FROM json_each(?))",
            json.dumps(list(words)),
        )
        return dict(rows)

    def add(self, found: Mapping[str, tuple[int, str]]) -> dict[str, int]:
        """Add document counts to words, inserting new ones, inside the caller's transaction.

        Args:
            found: For each word its number of new documents, and a language of these.

        Returns:
            The ids of all words.
        """
        with self._db.write() as connection:
            known = self.ids(found)
            rows = connection.execute("SELECT value FROM meta WHERE key = 'next_term'").fetchone()
            following = int(rows[0]) if rows else 1
            new = [word for word in found if word not in known]
            numbers = dict(zip(new, range(following, following + len(new)), strict=True))
            connection.executemany(
                "INSERT INTO lexicon_terms (term, id, df, language) VALUES (?, ?, ?, ?)",
                [(word, numbers[word], *found[word]) for word in new],
            )
            connection.executemany(
                "UPDATE lexicon_terms SET df = df + ? WHERE term = ?",
                [(found[word][0], word) for word in known],
            )
            connection.execute(
                "INSERT OR REPLACE INTO meta (key, value) VALUES ('next_term', ?)",
                (str(following + len(new)),),
            )
            _add_stems(connection, {word: found[word][1] for word in new})
        return known | numbers

    def by_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Return words that begin with a prefix and their document counts, frequent ones first.

        In languages with proclitics, such as articles, words match without them as well.
        """
        end = prefix + LAST
        rows = self._db.rows(
            "SELECT term, df FROM lexicon_terms WHERE term >= ? AND term < ? AND df > 0 "
            "ORDER BY df DESC, term LIMIT ?",
            prefix,
            end,
            limit,
        )
        if not prefix.isascii():
            rows += self._db.rows(
                f"{_STEMS} AND s.stem >= ? AND s.stem < ? AND instr(s.term, s.stem) > 1 "
                "GROUP BY s.stem ORDER BY 2 DESC, s.stem LIMIT ?",
                prefix,
                end,
                limit,
            )
        return rows

    def nearest(self, word: str, languages: Iterable[str]) -> list[tuple[str, int]]:
        """Return words one edit away and their document counts, frequent ones first.

        If there are none, words whose stem in some languages is that of a string one edit away.
        """
        if not can_be_typo(word):
            return []
        near = one_edit_away(word)
        rows = self._db.rows(
            "SELECT term, df FROM lexicon_terms WHERE df > 0 AND term IN "
            "(SELECT value FROM json_each(?)) ORDER BY df DESC, term",
            json.dumps(list(near)),
        )
        if not word.isascii():
            rows += self._stems(json.dumps(list(near)))
        if not rows and not word.isascii():
            near = {stem for one in languages for other in near for stem in forms(other, one).stems}
            rows = self._stems(json.dumps(list(filter(can_be_typo, near))))
        return rows

    def stems(self, wanted: Collection[str]) -> list[str]:
        """Return the given words that are stems of words."""
        return [stem for stem, _ in self._stems(json.dumps(list(wanted)))]

    def _stems(self, listed: str) -> list[tuple[str, int]]:
        where = "AND s.stem IN (SELECT value FROM json_each(?)) GROUP BY s.stem ORDER BY 2 DESC"
        return self._db.rows(f"{_STEMS} {where}", listed)

    def ending_with(self, ending: str, limit: int) -> list[tuple[str, int]]:
        """Return words that end with another and their document counts, frequent ones first.

        Scans all words: 0.1 s for a million.
        """
        return self._db.rows(
            "SELECT term, df FROM lexicon_terms WHERE df > 0 AND term GLOB ? "
            "ORDER BY df DESC, term LIMIT ?",
            f"*?{ending}",
            limit,
        )

    def forms(self, word: str, languages: Iterable[str]) -> list[str]:
        """Return the words that share a stem with a word in one of the languages, itself first."""
        wanted = {stem for language in languages for stem in forms(word, language).stems}
        rows = self._db.rows(
            "SELECT DISTINCT term FROM lexicon_stems WHERE stem IN "
            "(SELECT value FROM json_each(?)) AND term <> ? ORDER BY term",
            json.dumps(sorted(wanted)),
            word,
        )
        return [word, *(row[0] for row in rows)]


def _add_stems(connection: sqlite3.Connection, words: Mapping[str, str]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO lexicon_stems (stem, term) VALUES (?, ?)",
        [(stem, word) for word, language in words.items() for stem in forms(word, language).stems],
    )
