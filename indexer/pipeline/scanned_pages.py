"""The scanned pages of one library: what waits, why it waits, and what becomes of what was read.

Owns the agreement of the cache of pages with the catalog, and who reads them: which program, in
which languages, if any. It must not know how a page is read (``indexer.pipeline.recogniser``).
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import WorldError
from indexer.api.formats import DRAWN
from indexer.api.status import ScanStatus
from indexer.catalog.scanned import ScannedContents
from indexer.ocr.cache import PageCache
from indexer.ocr.languages import default_languages
from indexer.ocr.tesseract import find_program, install_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from indexer.api.errors import LecternError
    from indexer.catalog.catalog import Catalog
    from indexer.config import EngineConfig
    from indexer.ocr.cache import PageCounts
    from indexer.ocr.tesseract import Program

log = logging.getLogger(__name__)

# Why a document without text has none yet; all are of the state ``no_text``.
CODES = ("ocr_pending", "needs_ocr", "ocr_off")
_NO_TEXT = "no_text"
# A language that is installed meanwhile is found after so long; Tesseract itself at once.
CHECK_EVERY_S = 600.0
_IMAGE = "image"


class ScannedPages:
    """What is known of scanned pages. Thread-safe.

    Args:
        catalog: Holds their documents.
        config: Says whether and in which languages they are to be read.

    ``ready`` says that there may be something to do; asking costs nothing.
    """

    def __init__(self, catalog: Catalog, config: EngineConfig) -> None:
        self.library = config.library
        self.cache = PageCache(config.library, writable=not catalog.refusal)
        self.contents = ScannedContents(catalog.db)
        self.ready = True
        self._config = config
        self._lock = threading.Lock()
        self._checked = float("-inf")
        self._program: Program | None = None

    @property
    def program(self) -> Program | None:
        """What reads them; None if nothing does."""
        with self._lock:
            if self._checked == float("-inf"):
                self._program = find_program() if self._config.ocr else None
                self._checked = time.monotonic()
            return self._program

    @property
    def languages(self) -> list[str]:
        """The languages they are read in, the likeliest first."""
        program = self.program
        return default_languages(program.languages, self._config.ocr_languages) if program else []

    @property
    def made_by(self) -> str:
        """What is noted with what was read: another one reads it again. "" if there is none."""
        program = self.program
        return f"tesseract {program.version} {'+'.join(self.languages)}" if program else ""

    def refresh(self) -> None:
        """Check what is installed now, and correct the reasons of documents that wait for it."""
        with self._lock:
            if self._program is None or time.monotonic() - self._checked > CHECK_EVERY_S:
                self._checked = float("-inf")
        # Those of an earlier version, or of a cache that was lost.
        unknown = self.contents.with_code(DRAWN, (_NO_TEXT, *CODES)) - self.cache.content_ids()
        self.contents.read_again(unknown)
        failure = self._failure()
        self.contents.explain(CODES, failure.code, failure.detail)
        self.ready = True

    def note(self, content_id: str, size: int, form: str, pages: Iterable[int] = ()) -> None:
        """Remember the pages of some bytes that show something and hold no text."""
        self.cache.add_pages(content_id, size, pages, last=form == _IMAGE)
        self.ready = True

    def explain(self, failure: LecternError, content_id: str, size: int, form: str) -> LecternError:
        """Say of a document without text what there is to be done about its pages."""
        if failure.code != _NO_TEXT:
            return failure
        self.note(content_id, size, form)
        return self._failure() if self.cache.has_waiting(content_id, self.made_by) else failure

    def publish(self) -> int:
        """Queue documents again for their pages that were recognised meanwhile.

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
        """Give pages of some files, or of all without paths, that were set aside another chance."""
        self.cache.reset_failures(self.contents.under(paths) if paths else self.cache.content_ids())
        self.ready = True

    def tidy(self) -> None:
        """Drop what belongs to bytes that no file holds any more."""
        if gone := self.cache.content_ids() - self.contents.held():
            self.cache.delete(gone)

    def counts(self) -> PageCounts:
        return self.cache.counts(self.made_by)

    def describe(self) -> ScanStatus:
        counts = self.counts()
        return ScanStatus(
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
