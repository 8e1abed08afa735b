"""The cache of pages with content but no text, and of their recognised text.

Owns its queries. Pages are keyed by the hash of the file's bytes, so that renames, moves and copies
cost nothing; each entry names the program and languages that made it. Every call is one
transaction. It must not know how text is recognised or for whom.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer import faults
from indexer.ocr.cache_file import CacheFile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

# The number of runs that a page may end before it counts as failed.
MAX_STOPS = 2
# A document is extracted again after so many of its pages, and then each time they have doubled.
_FIRST_PAGES = 32

# Text by another program counts as missing, unless there is no program now.
_WAITS = "iif(?1 = '', made_by = '', made_by <> ?1)"
# Documents with the fewest missing pages first; image files last, as there may be very many.
_NEXT = f"""
WITH waiting AS (
    SELECT p.content, p.page, count(*) OVER (PARTITION BY p.content) AS missing FROM pages p
    WHERE {_WAITS}
)
SELECT c.content_id, w.page FROM waiting w JOIN contents c ON c.id = w.content
WHERE c.content_id NOT IN (SELECT value FROM json_each(?2))
ORDER BY c.last, w.missing, w.content, w.page LIMIT 1
"""  # constants
_DUE = f"""
SELECT content_id FROM contents c WHERE fresh > 0 AND (
    NOT EXISTS (SELECT 1 FROM pages WHERE content = c.id AND {_WAITS})
    OR fresh >= max({_FIRST_PAGES}, (SELECT count(*) FROM pages
        WHERE content = c.id AND NOT {_WAITS}) - fresh))
"""  # constants
_FAILED = "words IS NULL AND reason <> ''"


@dataclass(frozen=True, slots=True)
class PageCounts:
    """The numbers of pages that are recognised, waiting, or failed."""

    read: int = 0
    waiting: int = 0
    failed: int = 0


class PageCache:
    """The pages of one library. Thread-safe; used by one engine at a time.

    The file is created with the first page. Any call may raise ``disk_full`` or
    ``library_unwritable``.

    Args:
        library: The folder of the library.
        writable: Whether the library is writable; if not, only reading calls are permitted.
    """

    def __init__(self, library: Path, *, writable: bool = True) -> None:
        self._file = CacheFile(library, writable=writable)
        self.path = self._file.path

    def add_pages(
        self, content_id: str, size: int, pages: Iterable[int], *, last: bool = False
    ) -> None:
        """Record which pages of a content have no text of their own, possibly none.

        Args:
            content_id: The hash of the bytes.
            size: Of the file.
            pages: Their numbers.
            last: Whether they are recognised after those of all others.
        """
        with self._file.write() as connection:
            connection.execute(
                "INSERT INTO contents (content_id, size, last) VALUES (?, ?, ?) "
                "ON CONFLICT (content_id) DO NOTHING",
                (content_id, size, last),
            )
            row = "SELECT id FROM contents WHERE content_id = ?"
            (content,) = connection.execute(row, (content_id,)).fetchone()
            connection.executemany(
                "INSERT OR IGNORE INTO pages (content, page) VALUES (?, ?)",
                [(content, page) for page in pages],
            )

    def next_page(self, made_by: str, without: Collection[str] = ()) -> tuple[str, int] | None:
        """Return the content and number of the page to recognise next, ``None`` if none waits.

        Args:
            made_by: Program and languages; text by others counts as missing. "" for none.
            without: Contents to leave out.
        """
        rows = self._file.rows(_NEXT, made_by, json.dumps(list(without)))
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def store(self, content_id: str, page: int, made_by: str, words: bytes) -> None:
        """Store the recognised text of a page."""
        self._update(content_id, page, made_by, words, "")
        faults.reached("page-recognised")

    def record_stop(self, content_id: str, page: int, made_by: str, reason: str) -> bool:
        """Count a run that a page ended; return whether the page counts as failed now."""
        with self._file.write() as connection:
            (stops,) = connection.execute(
                "UPDATE pages SET stops = stops + 1 WHERE page = ? AND content = "
                "(SELECT id FROM contents WHERE content_id = ?) RETURNING stops",
                (page, content_id),
            ).fetchone()
            if stops < MAX_STOPS:
                return False
            self.give_up(content_id, page, made_by, reason)
        return True

    def give_up(self, content_id: str, page: int, made_by: str, reason: str) -> None:
        """Record a page as failed for this program and these languages."""
        self._update(content_id, page, made_by, None, reason)

    def due(self, made_by: str) -> list[str]:
        """Return the contents that must be extracted again for their recognised pages."""
        return [row[0] for row in self._file.rows(_DUE, made_by)]

    def mark_published(self, content_id: str) -> None:
        """Record that a content will be extracted again."""
        with self._file.write() as connection:
            connection.execute("UPDATE contents SET fresh = 0 WHERE content_id = ?", (content_id,))

    def counts(self, made_by: str) -> PageCounts:
        """Count the pages of the library."""
        ((total, waiting, failed),) = self._file.rows(
            f"SELECT count(*), coalesce(sum({_WAITS}), 0), "  # constants
            f"coalesce(sum(NOT {_WAITS} AND {_FAILED}), 0) FROM pages",
            made_by,
        ) or [(0, 0, 0)]
        return PageCounts(total - waiting - failed, waiting, failed)

    def has_waiting(self, content_id: str, made_by: str) -> bool:
        """Whether pages of a content wait for recognition."""
        return bool(
            self._file.rows(
                "SELECT 1 FROM pages JOIN contents c ON c.id = content "
                f"WHERE c.content_id = ?2 AND {_WAITS} LIMIT 1",
                made_by,
                content_id,
            )
        )

    def content_ids(self) -> set[str]:
        """Return all contents with an entry."""
        return {row[0] for row in self._file.rows("SELECT content_id FROM contents")}

    def reset_failures(self, content_ids: Iterable[str]) -> None:
        """Reset the failed pages of some contents."""
        if not self.path.exists():
            return
        with self._file.write() as connection:
            connection.executemany(
                f"UPDATE pages SET made_by = '', stops = 0, reason = '' WHERE {_FAILED} "
                "AND content = (SELECT id FROM contents WHERE content_id = ?)",
                [(content_id,) for content_id in content_ids],
            )

    def delete(self, content_ids: Iterable[str]) -> None:
        """Delete the pages of contents that no file holds any more."""
        with self._file.write() as connection:
            connection.executemany(
                "DELETE FROM contents WHERE content_id = ?",
                [(content_id,) for content_id in content_ids],
            )

    def close(self) -> None:
        """Close the file, if it is open."""
        self._file.close()

    def _update(
        self, content_id: str, page: int, made_by: str, words: bytes | None, reason: str
    ) -> None:
        with self._file.write() as connection:
            # Text by an earlier program is kept until it is replaced.
            connection.execute(
                "UPDATE pages SET made_by = ?, words = coalesce(?, words), stops = 0, reason = ? "
                "WHERE page = ? AND content = (SELECT id FROM contents WHERE content_id = ?)",
                (made_by, words, reason, page, content_id),
            )
            connection.execute(
                "UPDATE contents SET fresh = fresh + 1 WHERE content_id = ?", (content_id,)
            )
