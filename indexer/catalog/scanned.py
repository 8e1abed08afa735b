"""Documents with scanned pages: their files, and the reason why they have no text.

Text recognition queries and marks contents and files through this module. Pages to recognise and
recognised text are in ``indexer.ocr.cache``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.api.formats import DRAWN
from indexer.catalog.roots import below, join, normal
from indexer.catalog.states import queue_quietly

if TYPE_CHECKING:
    from indexer.database import Database

_WHERE = """
SELECT r.path, d.path, f.name, f.size, f.mtime_ns, coalesce(o.language, '')
FROM contents c JOIN files f ON f.content = c.id JOIN folders d ON d.id = f.folder
JOIN roots r ON r.id = f.root LEFT JOIN docs o ON o.doc = c.doc
WHERE c.content_id = ? AND r.state = 'online' AND NOT f.volume_missing
    AND f.fixed_state = '' LIMIT 1
"""
# A version that no extractor has, different in each row because of the UNIQUE constraint.
_OUTDATE = f"UPDATE contents SET extractor_version = -id - {1 << 40} WHERE content_id = ?"
_WITH_BYTES = "fixed_state = '' AND content IN (SELECT id FROM contents WHERE content_id = ?)"


class ScannedFile(Struct, frozen=True):
    """A file with given bytes, its size and time when it was read, and its language."""

    path: bytes
    size_and_time: tuple[int, int]  # see ``indexer.files.walk``
    language: str


class ScannedContents:
    """The contents of one catalog that may hold scanned pages."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def place(self, content_id: str) -> ScannedFile | None:
        """Return a file with these bytes that is readable now."""
        for root, folder, name, size, time, language in self._db.rows(_WHERE, content_id):
            return ScannedFile(join(root, folder, name), (size, time), language)
        return None

    def under(self, paths: Sequence[Path]) -> set[str]:
        """Return the bytes of the files at, or under, some paths."""
        wanted = [normal(path) for path in paths]
        rows = self._db.rows(
            "SELECT r.path, d.path, f.name, c.content_id FROM contents c "
            "JOIN files f ON f.content = c.id JOIN folders d ON d.id = f.folder "
            "JOIN roots r ON r.id = f.root "
            "WHERE c.format IN (SELECT value FROM json_each(?))",
            json.dumps(DRAWN),
        )
        return {
            content
            for root, folder, name, content in rows
            if any(below(path, join(root, folder, name)) is not None for path in wanted)
        }

    def held(self) -> set[str]:
        """Return the hashes of all contents."""
        return set(self._db.column("SELECT DISTINCT content_id FROM contents"))

    def with_code(self, forms: Collection[str], codes: Collection[str]) -> set[str]:
        """Return the hashes of contents of some formats that have one of some reason codes."""
        wanted = (
            "SELECT content_id FROM contents WHERE extractor_version > 0 "
            "AND format IN (SELECT value FROM json_each(?)) "
            "AND code IN (SELECT value FROM json_each(?))"
        )
        return set(self._db.column(wanted, json.dumps(list(forms)), json.dumps(list(codes))))

    def explain(self, codes: Collection[str], code: str) -> None:
        """Replace some reason codes by another one of the same state."""
        listed = json.dumps(list(codes))
        where = "code IN (SELECT value FROM json_each(?)) AND (code <> ? OR detail <> '')"
        if self._db.value(f"SELECT 1 FROM contents WHERE {where}", listed, code):
            changed = f"UPDATE contents SET code = ?, detail = '' WHERE {where}"
            self._db.change(changed, code, listed, code)

    def read_again(self, content_ids: Iterable[str]) -> int:
        """Queue files with some bytes again, and count them; their text stays until then."""
        queued = 0
        with self._db.write() as connection:
            for content_id in content_ids:
                connection.execute(_OUTDATE, (content_id,))
                queued += queue_quietly(connection, _WITH_BYTES, content_id)
        return queued
