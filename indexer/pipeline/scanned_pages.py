"""The scanned pages of one library: which are to be recognised, by which program and languages.

Owns keeping the cache of pages consistent with the catalog, and the reason codes of documents that
wait for recognition. It must not know how a page is recognised (``indexer.pipeline.recogniser``).
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import WorldError
from indexer.api.formats import DRAWN
from indexer.api.status import ScannedPagesStatus
from indexer.catalog.scanned import ScannedContents
from indexer.ocr.cache import PageCache
from indexer.ocr.tesseract import default_languages, find_program, install_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from indexer.api.errors import LecternError
    from indexer.catalog.catalog import Catalog
    from indexer.config import EngineConfig
    from indexer.ocr.cache import PageCounts
    from indexer.ocr.tesseract import Tesseract

log = logging.getLogger(__name__)

# Reason codes of documents without recognised text; all map to the state ``no_text``.
CODES = ("ocr_pending", "needs_ocr", "ocr_off")
_NO_TEXT = "no_text"
# Seconds between checks for newly installed languages; Tesseract itself is checked at each call.
CHECK_EVERY_S = 600.0
_IMAGE = "image"


class ScannedPages:
    """The scanned pages of one library. Thread-safe.

    Args:
        catalog: Holds their documents.
        config: Whether and in which languages they are recognised.

    ``ready`` is whether there may be pages to recognise; reading it is free.
    """

    def __init__(self, catalog: Catalog, config: EngineConfig) -> None:
        self.library = config.library
        self.cache = PageCache(config.library, writable=not catalog.refusal)
        self.contents = ScannedContents(catalog.db)
        self.ready = True
        self._config = config
        self._lock = threading.Lock()
        self._checked = float("-inf")
        self._program: Tesseract | None = None

    @property
    def program(self) -> Tesseract | None:
        """The recognition program; None if there is none."""
        with self._lock:
            if self._checked == float("-inf"):
                self._program = find_program() if self._config.ocr else None
                self._checked = time.monotonic()
            return self._program

    @property
    def languages(self) -> list[str]:
        """The languages of recognition, the most likely first."""
        program = self.program
        return default_languages(program.languages, self._config.ocr_languages) if program else []

    @property
    def made_by(self) -> str:
        """The program's version, stored with its text: another one recognises again. "" if none."""
        program = self.program
        return f"tesseract {program.version} {'+'.join(self.languages)}" if program else ""

    def refresh(self) -> None:
        """Detect what is installed, and update the reason codes of waiting documents."""
        with self._lock:
            if self._program is None or time.monotonic() - self._checked > CHECK_EVERY_S:
                self._checked = float("-inf")
        # Documents read by an earlier version, or whose cache was lost.
        unknown = self.contents.with_code(DRAWN, (_NO_TEXT, *CODES)) - self.cache.content_ids()
        self.contents.read_again(unknown)
        failure = self._failure()
        self.contents.explain(CODES, failure.code, failure.detail)
        self.ready = True

    def note(self, content_id: str, size: int, form: str, pages: Iterable[int] = ()) -> None:
        """Store which pages of some bytes have content but no text."""
        self.cache.add_pages(content_id, size, pages, last=form == _IMAGE)
        self.ready = True

    def explain(self, failure: LecternError, content_id: str, size: int, form: str) -> LecternError:
        """Return the failure of a document without text, by what recognition can do about it."""
        if failure.code != _NO_TEXT:
            return failure
        self.note(content_id, size, form)
        return self._failure() if self.cache.has_waiting(content_id, self.made_by) else failure

    def publish(self) -> int:
        """Queue documents again whose pages have been recognised.

        Returns:
            How many files were queued.
        """
        queued = 0
        for content_id in self.cache.due(self.made_by):
            queued += self.contents.read_again([content_id])
            faults.reached("pages-published")
            self.cache.mark_published(content_id)
        return queued

    def reset_failures(self, paths: Sequence[Path]) -> None:
        """Retry failed pages of the files under some paths, or of all without paths."""
        self.cache.reset_failures(self.contents.under(paths) if paths else self.cache.content_ids())
        self.ready = True

    def tidy(self) -> None:
        """Delete the pages of bytes that no file holds any more."""
        if gone := self.cache.content_ids() - self.contents.held():
            self.cache.delete(gone)

    def counts(self) -> PageCounts:
        return self.cache.counts(self.made_by)

    def describe(self) -> ScannedPagesStatus:
        counts = self.counts()
        return ScannedPagesStatus(
            read=counts.read,
            waiting=counts.waiting,
            set_aside=counts.failed,
            engine=f"Tesseract {self.program.version}" if self.program else "",
            languages=tuple(self.languages),
            code="" if self.program else self._failure().code,
            install="" if self.program or not self._config.ocr else install_command(),
        )

    def close(self) -> None:
        self.cache.close()

    def _failure(self) -> WorldError:
        if not self._config.ocr:
            return WorldError("ocr_off")
        if self.program is None:
            return WorldError("needs_ocr", command=install_command())
        return WorldError("ocr_pending")
