"""Counts the languages of questions, which with those of documents decide on a library's model."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from indexer.catalog.choices import ASKED
from indexer.search.query_expansion import clear_language

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.query.grammar import Query

_DAY_S = 86_400
_KEPT_DAYS = 28
# Counts are written together, as each write waits for the disk; a crash may lose some.
_SAVED_TOGETHER = 10


class AskedLanguages:
    """The languages of the questions of the last four weeks. Thread-safe.

    A query that continues or shortens the one before is the same question, which is still being
    typed. Only its language and day are kept.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._typed, self._language = "", ""
        self._new: Counter[str] = Counter()

    def note_question(self, query: Query) -> str:
        """Count a query, and return its language, "" if it is not clear."""
        language = clear_language(query.text, query.terms)
        with self._lock:
            typed = query.text.strip()
            same = typed.startswith(self._typed) or self._typed.startswith(typed)
            if not same and self._language:
                self._new[self._language] += 1
            self._typed, self._language = typed, language
            many = self._new.total() >= _SAVED_TOGETHER
        if many:
            self.save_counts()
        return language

    def save_counts(self, *, closing: bool = False) -> None:
        """Write the counts since the last call; if ``closing``, also the last question."""
        with self._lock:
            if closing and self._language:
                self._new[self._language] += 1
                self._typed, self._language = "", ""
            new, self._new = self._new, Counter()
        if not new or self._catalog.refusal is not None:
            return
        today = int(time.time() // _DAY_S)
        days = _recent_days(self._catalog, today)
        days[today] = Counter(days.get(today, {})) + new
        self._catalog.set_meta(ASKED, json.dumps(days))


def asked_languages(catalog: Catalog) -> Counter[str]:
    """Count the questions of the last four weeks by language."""
    asked: Counter[str] = Counter()
    for counts in _recent_days(catalog, int(time.time() // _DAY_S)).values():
        asked.update(counts)
    return asked


def _recent_days(catalog: Catalog, today: int) -> dict[int, dict[str, int]]:
    """The counts of the last four weeks by day, numbered from 1970."""
    kept: dict[str, dict[str, int]] = json.loads(catalog.meta(ASKED) or "{}")
    by_day = {int(day): counts for day, counts in kept.items()}
    return {day: by_day[day] for day in by_day if today - _KEPT_DAYS < day <= today}
