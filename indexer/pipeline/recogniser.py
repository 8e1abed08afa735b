"""Recognises scanned pages in the background, one at a time, while the engine has no other work.

Recognised pages are stored in a cache at once, so no interruption loses them. ``ScannedPages``
keeps the cache consistent with the catalog. A failure of a page or a whole file is valid until the
file changes.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from indexer import faults
from indexer.api.errors import Cancelled, LecternError, WorldError
from indexer.api.formats import DRAWN
from indexer.api.status import ScannedPagesStatus
from indexer.catalog.scanned import ScannedContents
from indexer.extract.process.sandbox import ExtractionChild
from indexer.files.walk import size_and_time
from indexer.ocr.cache import LASTING, PageCache, PageCounts
from indexer.ocr.tesseract import (
    SCRIPT_REASON,
    Tesseract,
    default_languages,
    find_program,
    for_document,
    install_command,
    language_to_install,
)

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken
    from indexer.catalog.catalog import Catalog
    from indexer.config import EngineConfig, Limits
    from indexer.throttle.throttle import Throttle

log = logging.getLogger(__name__)

# Reason codes of documents without recognised text. All map to the state ``no_text``.
CODES = ("ocr_pending", "needs_ocr", "ocr_off")
_WAITING = ("ocr_pending", "ocr_off")
# The name of the networks that come with Lectern (``indexer.ocr.ppocr``).
_OWN = "PP-OCRv6"
# The memory of a child that recognises text: the networks and the image of a page.
_RESIDENT_BYTES = 1 << 30
_NO_TEXT = "no_text"
# Newly installed languages are detected at this interval in seconds, Tesseract at each call.
CHECK_EVERY_S = 600.0
_IMAGE = "image"


class ScannedPages:
    """The scanned pages of one library. Thread-safe.

    ``ready`` says whether there may be pages to recognise. Reading it costs nothing.
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
        """Tesseract for scripts that PP-OCRv6 does not read; None if it is not installed."""
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
        """The name of the recognisers, stored with their text; "" if recognition is off."""
        if not self._config.ocr:
            return ""
        if (program := self.program) is None:
            return _OWN
        languages = dict.fromkeys((*self.languages, *program.languages))
        return f"{_OWN}, tesseract {program.version} {'+'.join(languages)}"

    def detect_tesseract(self) -> None:
        """Detect Tesseract, and update the reason codes of waiting documents."""
        with self._lock:
            if self._program is None or time.monotonic() - self._checked > CHECK_EVERY_S:
                self._checked = float("-inf")
        # These were read by an earlier version, or their cache was lost.
        unknown = self.contents.with_code(DRAWN, (_NO_TEXT, *CODES)) - self.cache.content_ids()
        self.contents.read_again(unknown)
        self.contents.explain(_WAITING, self._failure().code)
        self.ready = True

    def note_pages(self, content_id: str, size: int, form: str, pages: Iterable[int] = ()) -> None:
        """Store which pages of some bytes have content but no text."""
        self.cache.add_pages(content_id, size, pages, last=form == _IMAGE)
        self.ready = True

    def explain_no_text(
        self, failure: LecternError, content_id: str, size: int, form: str
    ) -> LecternError:
        """Return a document's failure, or the one that says what recognition can do about it."""
        reason = str(failure.detail.get("reason", ""))
        if failure.code == "unreadable" and reason.startswith(SCRIPT_REASON):
            script = reason.removeprefix(SCRIPT_REASON).title()
            needed = language_to_install(script, self._config.ocr_languages)
            return WorldError("needs_ocr", reason=reason, command=install_command(needed))
        if failure.code != _NO_TEXT:
            return failure
        self.note_pages(content_id, size, form)
        return self._failure() if self.cache.has_waiting(content_id, self.made_by) else failure

    def publish(self) -> int:
        """Queue documents again whose pages were recognised.

        Returns the number of queued files.
        """
        queued = 0
        for content_id in self.cache.due(self.made_by):
            queued += self.contents.read_again([content_id])
            faults.reached("pages-published")
            self.cache.mark_published(content_id)
        return queued

    def reset_failures(self, paths: Sequence[Path]) -> None:
        """Retry failed pages of files under some paths; without paths, of all files."""
        self.cache.reset_failures(self.contents.under(paths) if paths else self.cache.content_ids())
        self.ready = True

    def delete_orphaned_pages(self) -> None:
        """Delete the pages of bytes that no file has any more."""
        if gone := self.cache.content_ids() - self.contents.held():
            self.cache.delete(gone)

    def counts(self) -> PageCounts:
        return self.cache.counts(self.made_by)

    def scans_status(self) -> ScannedPagesStatus:
        counts = self.counts()
        return ScannedPagesStatus(
            read=counts.read,
            waiting=counts.waiting,
            set_aside=counts.failed,
            engine=self._engine() if self._config.ocr else "",
            languages=tuple(self.languages),
            code="" if self._config.ocr else "ocr_off",
        )

    def close(self) -> None:
        self.cache.close()

    def _failure(self) -> WorldError:
        return WorldError("ocr_pending" if self._config.ocr else "ocr_off")

    def _engine(self) -> str:
        return f"{_OWN}, Tesseract {self.program.version}" if self.program else _OWN


# Failures in which a page crashed Tesseract or the child.
_STOPS = frozenset({"out_of_time", "out_of_memory", "child_died", "internal"})
# The reason code of a page with two such failures, and of a page that cannot be rendered.
REASON = "not_recognised"
# Documents with recognised pages are collected for this many seconds, then queued again.
PUBLISH_S = 15.0


class Recogniser(Struct):
    """Recognises scanned pages. Only one thread at a time may call ``work``."""

    scanned_pages: ScannedPages
    throttle: Throttle
    limits: Limits
    password_of: Callable[[bytes], str | None]
    _skipped: set[str] = field(default_factory=set)

    def recognise_pages(
        self, token: CancelToken, busy: Callable[[], bool], note: Callable[[int, int], None]
    ) -> int:
        """Recognise pages until none is left, or until documents are queued again.

        Args:
            token: Ends the work, and the current page is lost.
            busy: Called between pages, returns whether the engine has other work.
            note: Called with the numbers of recognised and remaining pages.

        Returns the number of files queued again. Raises ``Cancelled`` if the token was cancelled,
        ``disk_full`` if recognised text cannot be stored.
        """
        # Set first, as new pages set it again; after a fault it stays False.
        self.scanned_pages.ready = False
        self._skipped.clear()
        if not self.scanned_pages.made_by:
            return self.scanned_pages.publish()
        try:
            return self._work(token, busy, note)
        except Cancelled:
            self.scanned_pages.ready = True
            raise

    def _work(
        self, token: CancelToken, busy: Callable[[], bool], note: Callable[[int, int], None]
    ) -> int:
        read, began = 0, time.monotonic()
        memory = max(self.limits.resident_bytes, _RESIDENT_BYTES)
        with ExtractionChild(replace(self.limits, resident_bytes=memory)) as child:
            while not (self.throttle.paused or busy()):
                token.check()
                page = self.scanned_pages.cache.next_page(self.scanned_pages.made_by, self._skipped)
                if page is None:
                    return self.scanned_pages.publish()
                note(read, self.scanned_pages.counts().waiting)
                read += self._read(child, page, token)
                if time.monotonic() - began > PUBLISH_S and (
                    queued := self.scanned_pages.publish()
                ):
                    self.scanned_pages.ready = True
                    return queued
        self.scanned_pages.ready = True
        return self.scanned_pages.publish()

    def _read(self, child: ExtractionChild, page: tuple[str, int], token: CancelToken) -> bool:
        """Recognise one page; return whether there is text to publish."""
        content, number = page
        place = self.scanned_pages.contents.place(content)
        if place is None or size_and_time(place.path) != place.size_and_time:
            self._skipped.add(content)
            return False
        program, languages = self.scanned_pages.program, self.scanned_pages.languages
        if program is not None:
            languages = for_document(languages, program.languages, place.language)
        path, password = Path(os.fsdecode(place.path)), self.password_of(place.path)
        began = time.monotonic()
        try:
            words, lasting = child.recognise(
                path, number, password, program, languages, stopping=lambda: token.cancelled
            )
        except LecternError as error:
            self._failed(content, number, error)
            return False
        if size_and_time(place.path) != place.size_and_time:
            self._skipped.add(content)
            return False
        made_by = LASTING if lasting else self.scanned_pages.made_by
        self.scanned_pages.cache.store(content, number, made_by, words)
        self.throttle.pause_after(time.monotonic() - began, lambda: token.cancelled)
        return True

    def _failed(self, content: str, number: int, error: LecternError) -> None:
        log.warning("page %d was not recognised: %s", number, error)
        if error.code in _STOPS:
            self.scanned_pages.cache.record_stop(
                content, number, self.scanned_pages.made_by, REASON
            )
        elif error.code == "unreadable":
            said = str(error.detail.get("reason", ""))
            reason = said if said.startswith(SCRIPT_REASON) else REASON
            self.scanned_pages.cache.give_up(content, number, self.scanned_pages.made_by, reason)
        else:
            # A password, permission or drive is missing, but the page itself may be fine.
            self._skipped.add(content)
