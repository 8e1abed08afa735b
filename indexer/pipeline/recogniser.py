"""Recognises scanned pages in the background, one at a time, while the engine has no other work.

Owns the order, and whether a failure concerns the page or the whole file until it changes.
Recognised pages are stored at once, so no interruption loses them. It must not know work queues,
nor how a page is recognised (``indexer.extract.pdf.recognition``).
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
from indexer.ocr.tesseract import for_document

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.progress import CancelToken
    from indexer.config import Limits
    from indexer.ocr.tesseract import Tesseract
    from indexer.pipeline.scanned_pages import ScannedPages
    from indexer.throttle.throttle import Throttle

log = logging.getLogger(__name__)

# Failures in which a page ended Tesseract or the child.
_STOPS = frozenset({"out_of_time", "out_of_memory", "child_died", "internal"})
# The reason code of a page with two such failures, or that cannot be rendered.
REASON = "not_recognised"
# Seconds for which documents with recognised pages are gathered before they are queued again.
PUBLISH_S = 15.0


@dataclass(slots=True)
class Recogniser:
    """Recognises scanned pages. Only one thread at a time may call ``work``.

    Args:
        scanned_pages: The pages to be recognised, and the store of their text.
        throttle: Returns how long to pause.
        limits: The limits on a page's time and memory.
        password_of: Returns the password of the file at a path.
    """

    scanned_pages: ScannedPages
    throttle: Throttle
    limits: Limits
    password_of: Callable[[bytes], str | None]
    _skipped: set[str] = field(default_factory=set)

    def work(
        self, token: CancelToken, busy: Callable[[], bool], note: Callable[[int, int], None]
    ) -> int:
        """Recognise pages until none is left, or until documents are queued again.

        Args:
            token: Ends the work; the current page is lost.
            busy: Called between pages: whether the engine has other work.
            note: Called with the numbers of pages recognised and left.

        Returns:
            How many files were queued again.

        Raises:
            Cancelled: If the token was cancelled.
            WorldError: If recognised text cannot be stored.
        """
        program = self.scanned_pages.program
        # Reset first: ``note`` sets it again for new pages, and after a fault it stays False.
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
        program: Tesseract,
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
        self, child: ExtractionChild, program: Tesseract, page: tuple[str, int], token: CancelToken
    ) -> bool:
        """Recognise one page; return whether there is text to publish."""
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
            # A missing password, permission or drive: the page itself may be fine.
            self._skipped.add(content)
