"""Works off the pages that wait to be recognised, one at a time, when nothing else is to be done.

Owns the order, what is noted of each page, and what a failure means: for the page, or for the file
as long as it is as it is. Whatever ends the work, pages that were read are kept. It must not know
work queues, nor how a page is read (``indexer.extract.pdf.recognition``).
"""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import Cancelled, LecternError
from indexer.extract.process.sandbox import ExtractionChild
from indexer.files.hashing import size_and_time
from indexer.ocr.languages import for_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.progress import CancelToken
    from indexer.config import Limits
    from indexer.ocr.tesseract import Program
    from indexer.pipeline.scanned_pages import ScannedPages
    from indexer.throttle.throttle import Throttle

log = logging.getLogger(__name__)

# What ended the program, or the child, over a page.
_STOPS = frozenset({"out_of_time", "out_of_memory", "child_died", "internal"})
# The reason of a page that did so twice, or that cannot be drawn.
REASON = "not_recognised"
# Documents are queued again together, after this.
PUBLISH_S = 15.0


@dataclass(slots=True)
class Recogniser:
    """Reads scanned pages. One thread at a time works.

    Args:
        scanned_pages: What waits, and takes what was read.
        throttle: Says when to rest.
        limits: What a page may cost.
        password_of: Asked, with the path of a file, how to open it.
    """

    scanned_pages: ScannedPages
    throttle: Throttle
    limits: Limits
    password_of: Callable[[bytes], str | None]
    _skipped: set[str] = field(default_factory=set)

    def work(
        self, token: CancelToken, busy: Callable[[], bool], note: Callable[[int, int], None]
    ) -> int:
        """Read pages until none waits, or until documents are queued again.

        Args:
            token: Ends the work; the page being read is lost.
            busy: Asked between pages whether something else is to be done.
            note: Told how many pages were read and how many wait.

        Returns:
            How many files were queued again.

        Raises:
            Cancelled: If the token was cancelled.
            WorldError: If what was read cannot be kept.
        """
        program = self.scanned_pages.program
        # Whoever notes a page meanwhile says otherwise; and after a fault nothing is to be done.
        self.scanned_pages.ready = False
        self._skipped.clear()
        if program is None:
            return self.scanned_pages.publish()
        try:
            return self._work(program, token, busy, note)
        except Cancelled:
            self.scanned_pages.ready = True
            raise

    def _work(
        self,
        program: Program,
        token: CancelToken,
        busy: Callable[[], bool],
        note: Callable[[int, int], None],
    ) -> int:
        read, began = 0, time.monotonic()
        with ExtractionChild(self.limits) as child:
            while not (self.throttle.paused or busy()):
                token.check()
                page = self.scanned_pages.cache.next_page(self.scanned_pages.made_by, self._skipped)
                if page is None:
                    return self.scanned_pages.publish()
                note(read, self.scanned_pages.counts().waiting)
                read += self._read(child, program, page, token)
                if time.monotonic() - began > PUBLISH_S and (
                    queued := self.scanned_pages.publish()
                ):
                    self.scanned_pages.ready = True
                    return queued
        self.scanned_pages.ready = True
        return self.scanned_pages.publish()

    def _read(
        self, child: ExtractionChild, program: Program, page: tuple[str, int], token: CancelToken
    ) -> bool:
        """Read one page; whether there is something to keep."""
        content, number = page
        place = self.scanned_pages.contents.place(content)
        if place is None or size_and_time(place.path) != place.size_and_time:
            self._skipped.add(content)
            return False
        languages = for_document(self.scanned_pages.languages, program.languages, place.language)
        path, password = Path(os.fsdecode(place.path)), self.password_of(place.path)
        began = time.monotonic()
        try:
            words = child.recognise(
                path, number, password, program, languages, stopping=lambda: token.cancelled
            )
        except LecternError as error:
            self._failed(content, number, error)
            return False
        if size_and_time(place.path) != place.size_and_time:
            self._skipped.add(content)
            return False
        self.scanned_pages.cache.store(content, number, self.scanned_pages.made_by, words)
        self.throttle.rest(time.monotonic() - began, lambda: token.cancelled)
        return True

    def _failed(self, content: str, number: int, error: LecternError) -> None:
        log.warning("page %d was not recognised: %s", number, error)
        if error.code in _STOPS:
            self.scanned_pages.cache.record_stop(
                content, number, self.scanned_pages.made_by, REASON
            )
        elif error.code == "unreadable":
            self.scanned_pages.cache.give_up(content, number, self.scanned_pages.made_by, REASON)
        else:
            # A password, a permission, a drive: nothing is wrong with the page.
            self._skipped.add(content)
