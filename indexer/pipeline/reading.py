"""Reads documents: hashes the file, then has a child extract it.

Owns the threads that wait on disk and on children, so that the indexing thread never does. A
broken, hostile or vanished file ends in an event with its failure, never in a dead thread. It must
not know the catalog or the store: the replies to its events decide what is read.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from enum import Enum, auto
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import Cancelled, InternalError, LecternError, WorldError
from indexer.api.phrases import reason_of
from indexer.extract.process.messages import KnownPages
from indexer.extract.process.sandbox import ExtractionChild
from indexer.files.hashing import content_id, unchanged
from indexer.pipeline.events import (
    WAIT_S,
    Event,
    FileFinished,
    FileHashed,
    PagesWithoutText,
    PassagesCut,
    TextExtracted,
    offer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.types import DocumentInfo
    from indexer.catalog.records import QueuedFile
    from indexer.config import Limits
    from indexer.files.hashing import ContentHash
    from indexer.throttle.throttle import Throttle

log = logging.getLogger(__name__)


# Seconds without a job after which the child of the urgent reader ends, to free its memory.
IDLE_S = 20.0


class ReaderRole(Enum):
    """When a reader takes jobs: always, unless work is slowed, or urgent ones without pauses."""

    MAIN = auto()
    EXTRA = auto()
    URGENT = auto()


class FileReader:
    """One thread with one extraction child; takes jobs, puts events.

    Args:
        events: A bounded queue: a full one blocks this thread and its child, which bounds memory.
        limits: The limits on a document's time and memory.
        password_of: Returns the password of the file at a path.
        throttle: Returns how long to pause.
        library: The folder of the library, where children look up recognised text.
        role: When this reader takes jobs, and whether it pauses.

    ``busy_s`` is the total time of extraction.
    """

    def __init__(
        self,
        jobs: Queue[QueuedFile],
        events: Queue[Event],
        limits: Limits,
        password_of: Callable[[bytes], str | None],
        throttle: Throttle,
        library: Path,
        role: ReaderRole = ReaderRole.MAIN,
    ) -> None:
        self._jobs = jobs
        self._role = role
        self._library = library
        self._events = events
        self._limits = limits
        self._password_of = password_of
        self._throttle = throttle
        self.busy_s = 0.0
        self._stopping = threading.Event()
        self._child: ExtractionChild | None = None
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Abort the document being read and end; its file stays queued."""
        self._stopping.set()
        child = self._child
        if child is not None:
            child.kill()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                with ExtractionChild(self._limits) as child:
                    self._child = child
                    self._serve(child)
        except Cancelled:
            pass
        finally:
            self._child = None

    def _serve(self, child: ExtractionChild) -> None:
        """Read jobs with a child until the reader stops or the child was idle for ``IDLE_S``."""
        worked = time.monotonic()
        while not self._stopping.is_set():
            if self._role is ReaderRole.EXTRA and self._throttle.slowed:
                self._stopping.wait(WAIT_S)
                continue
            try:
                job = self._jobs.get(timeout=WAIT_S)
            except Empty:
                idle = time.monotonic() - worked > IDLE_S
                if self._role is ReaderRole.URGENT and child.pid is not None and idle:
                    return
                continue
            self._read(child, job)
            worked = time.monotonic()

    def _read(self, child: ExtractionChild, job: QueuedFile) -> None:
        content: ContentHash | None = None
        failure: LecternError | None = None
        try:
            content = content_id(job.path, stopping=self._stopping.is_set)
            faults.reached("file-hashed", job.path)
            hashed = FileHashed(job, content)
            self._put(hashed)
            if hashed.reply.wait(self._stopping):
                self._extract(child, job, content)
        except LecternError as error:
            failure = error
        except FileNotFoundError:
            failure = WorldError("vanished")
        except PermissionError:
            failure = WorldError("path_denied", path=_shown(job.path))
        except OSError as error:
            failure = WorldError("read_error", reason=reason_of(error))
        except Cancelled:
            raise
        except Exception as error:
            log.exception("reading failed")
            failure = InternalError("internal", reason=f"{type(error).__name__}: {error}")
        if self._stopping.is_set():
            raise Cancelled
        self._put(FileFinished(job, content, failure))

    def _extract(self, child: ExtractionChild, job: QueuedFile, content: ContentHash) -> None:
        def decide(info: DocumentInfo) -> bool:
            if not unchanged(job.path, content.stamp):  # the text may not be of the hashed bytes
                raise WorldError("changed_while_read")
            opened = TextExtracted(job, content, info)
            self._worked(began)
            self._put(opened)
            return opened.reply.wait(self._stopping)

        path, password = Path(os.fsdecode(job.path)), self._password_of(job.path)
        recognised = KnownPages(self._library.absolute(), content.content_id)

        def textless(pages: Sequence[int]) -> None:
            if pages:
                self._put(PagesWithoutText(job, content, pages))

        began = time.monotonic()
        try:
            for passages in child.extract(
                path, job.format, password, decide, recognised=recognised, on_textless=textless
            ):
                self._put(PassagesCut(job, passages))
        except WorldError as error:
            if error.code == "needs_password" and password is not None:
                raise WorldError("wrong_password") from error
            raise

    def _worked(self, began: float) -> None:
        """Add the time that a document took, and pause for the throttle."""
        worked = time.monotonic() - began
        self.busy_s += worked
        if self._role is not ReaderRole.URGENT:
            self._throttle.rest(worked, self._stopping.is_set)

    def _put(self, event: Event) -> None:
        if not offer(self._events, event, self._stopping):
            raise Cancelled


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "replace")
