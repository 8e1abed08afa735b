"""Which pages show something and hold no text, and what was recognised on them.

Owns what is asked and recorded. Pages belong to bytes (a hash), so that names, moves and copies
cost nothing; what is kept says which engine and languages made it. A page is written in one
transaction, and every call is one. It must not know how text is recognised or who asks for it.
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

# So often a page may stop the program before it is set aside.
MAX_STOPS = 2
# A document is read anew after so many of its pages, and then each time they have doubled.
_FIRST_PAGES = 32

# What another engine read counts as not read, unless there is none to read it again.
_WAITS = "iif(?1 = '', made_by = '', made_by <> ?1)"
# Of the documents of which least is missing; image files are last, as there may be very many.
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
    """How many pages are read, wait for it, or were set aside."""

    read: int = 0
    waiting: int = 0
    failed: int = 0


class PageCache:
    """The pages of one library. Thread-safe; one engine at a time has it.

    The file is made when the first page is noted. Any call may raise ``disk_full`` or
    ``library_unwritable``.

    Args:
        library: The folder of the library.
        writable: Whether anything may be written; if not, only what asks may be called.
    """

    def __init__(self, library: Path, *, writable: bool = True) -> None:
        self._file = CacheFile(library, writable=writable)
        self.path = self._file.path

    def add_pages(
        self, content_id: str, size: int, pages: Iterable[int], *, last: bool = False
    ) -> None:
        """Record which pages of a content hold no text of their own, perhaps none.

        Args:
            content_id: The hash of the bytes.
            size: Of the file.
            pages: Their numbers.
            last: Whether they are read after those of all others.
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
            made_by: Engine and languages; what others made counts as not read. "" for none.
            without: Bytes to leave out.
        """
        rows = self._file.rows(_NEXT, made_by, json.dumps(list(without)))
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def store(self, content_id: str, page: int, made_by: str, words: bytes) -> None:
        """Keep what was recognised on a page."""
        self._update(content_id, page, made_by, words, "")
        faults.reached("page-recognised")

    def record_stop(self, content_id: str, page: int, made_by: str, reason: str) -> bool:
        """Count a run that a page stopped; return whether the page is given up with this one."""
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
        """Record a page as failed for this engine and these languages."""
        self._update(content_id, page, made_by, None, reason)

    def due(self, made_by: str) -> list[str]:
        """Return the contents that are to be extracted again for their recognised pages."""
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
        """Give the pages of some bytes that were set aside another chance."""
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
            # What an earlier engine read is better than nothing.
            connection.execute(
                "UPDATE pages SET made_by = ?, words = coalesce(?, words), stops = 0, reason = ? "
                "WHERE page = ? AND content = (SELECT id FROM contents WHERE content_id = ?)",
                (made_by, words, reason, page, content_id),
            )
            connection.execute(
                "UPDATE contents SET fresh = fresh + 1 WHERE content_id = ?", (content_id,)
            )
