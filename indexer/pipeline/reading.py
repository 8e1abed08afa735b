"""Takes files from the queue and reads them: hashes each, and lets a child extract it.

The threads here wait for the disk and for children, so that the indexing thread never does. Files
that may have crashed an engine are read alone, others by priority. An additional reader takes files
that are more urgent than all that are being read. A broken, hostile or vanished file results in an
event with its failure, never in a dead thread. The replies to a reader's events tell it what to do
next.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum, auto
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING

import psutil
from msgspec.structs import replace

from indexer import faults
from indexer.api.errors import Cancelled, InternalError, LecternError, WorldError
from indexer.api.phrases import reason_of
from indexer.catalog.roots import normal
from indexer.extract.process.messages import KnownPages
from indexer.extract.process.sandbox import ExtractionChild
from indexer.files.walk import ContentHash, content_id, is_unchanged
from indexer.pipeline.embedding import WAIT_S, offer
from indexer.pipeline.events import (
    Event,
    FileFinished,
    FileHashed,
    PagesWithoutText,
    PassagesCut,
    TextExtracted,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

    from indexer.api.types import DocumentInfo
    from indexer.catalog.records import QueuedFile
    from indexer.config import Limits
    from indexer.pipeline.parts import Parts
    from indexer.throttle.throttle import Throttle

log = logging.getLogger(__name__)


# The child of the urgent reader ends after this many seconds without a job, to free memory.
IDLE_S = 20.0
# A language is expected if it has this share of the number of documents of the commonest one.
_FREQUENT = 0.1
_MOST_FOLDERS = 1_000
# A document has room in memory if this multiple of the most that one may take is available.
_ROOM = 2


def available_bytes() -> int:
    """Return the memory that is available without swapping."""
    return int(psutil.virtual_memory().available)


class ReaderRole(Enum):
    """When a reader takes jobs."""

    MAIN = auto()  # always
    EXTRA = auto()  # unless work is slowed
    URGENT = auto()  # only urgent files, without pauses


class ExpectedLanguages:
    """The expected languages of a file: those found in its folder so far, else the library's.

    ``counts`` are the numbers of the library's documents by language, "" if unknown.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        known = {language: count for language, count in counts.items() if language}
        most = max(known.values(), default=0)
        self._library = tuple(one for one, count in known.items() if count >= _FREQUENT * most)
        self._folders: OrderedDict[bytes, dict[str, None]] = OrderedDict()

    def note(self, path: bytes, language: str) -> None:
        """Note the language of a file that was read. Thread-safe, as each step is atomic."""
        if language:
            self._folders.setdefault(os.path.dirname(path), {})[language] = None  # noqa: PTH120  # bytes
            if len(self._folders) > _MOST_FOLDERS:
                self._folders.popitem(last=False)

    def beside(self, path: bytes) -> tuple[str, ...]:
        """Return the languages to expect in a file."""
        found = self._folders.get(os.path.dirname(path))  # noqa: PTH120  # bytes
        return tuple(found or self._library)


class FileReader:
    """One thread with one extraction child, which takes jobs and puts events.

    Args:
        events: A bounded queue. If it is full, this thread and its child wait, which bounds memory.
        throttle: Returns how long to pause.
        library: The folder of the library, where children look up recognised text.
        languages: The probable languages of texts that do not name their encoding.
        role: When this reader takes jobs, and whether it pauses.

    ``busy_s`` is the total time of extraction.
    """

    def __init__(  # noqa: PLR0913  # the parts of one run
        self,
        jobs: Queue[QueuedFile],
        events: Queue[Event],
        limits: Limits,
        password_of: Callable[[bytes], str | None],
        throttle: Throttle,
        library: Path,
        *,
        languages: ExpectedLanguages,
        role: ReaderRole = ReaderRole.MAIN,
    ) -> None:
        self._jobs = jobs
        self._role = role
        self._library = library
        self._languages = languages
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
        """Abort the document that is being read, and end. Its file stays queued."""
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
        """Read jobs with a child until the reader stops or the child is idle for ``IDLE_S``."""
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
            if self._wait_for(hashed.reply):
                self._extract(child, job, content)
        except LecternError as error:
            failure = error
        except FileNotFoundError:
            failure = WorldError("vanished")
        except PermissionError:
            failure = WorldError("path_denied", path=job.path.decode("utf-8", "replace"))
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
            if not is_unchanged(job.path, content.stamp):  # the text may belong to other bytes
                raise WorldError("changed_while_read")
            self._languages.note(job.path, info.language)
            # Only equal bytes share a text, as a hostile reader could claim any document's text.
            own = hashlib.sha256(f"{content.content_id} {info.text_id}".encode())
            opened = TextExtracted(job, content, replace(info, text_id=own.hexdigest()))
            self._worked(began)
            self._put(opened)
            return self._wait_for(opened.reply)

        path, password = Path(os.fsdecode(job.path)), self._password_of(job.path)
        recognised = KnownPages(self._library.absolute(), content.content_id)

        def textless(pages: Sequence[int]) -> None:
            if pages:
                self._put(PagesWithoutText(job, content, pages))

        began = time.monotonic()
        try:
            for passages in child.extract(
                path, job.format, password, decide, recognised=recognised, on_textless=textless,
                languages=self._languages.beside(job.path), alone=job.alone,
            ):  # fmt: skip
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
            self._throttle.pause_after(worked, self._stopping.is_set)

    def _wait_for(self, reply: Future[bool]) -> bool:
        while not self._stopping.is_set():
            with suppress(TimeoutError):
                return reply.result(WAIT_S)
        raise Cancelled

    def _put(self, event: Event) -> None:
        if not offer(self._events, event, self._stopping):
            raise Cancelled


class PasswordsByPath:
    """Passwords by path, only in memory and never logged. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}

    def set_password(self, path: str, password: str) -> None:
        self._known[normal(path)] = password

    def password_of(self, path: bytes) -> str | None:
        return self._known.get(normal(path))


class Intake:
    """The readers of one run, and their files.

    ``files`` are the taken and unfinished files by id. ``suspects`` says whether the queue may
    still have files that may have crashed an engine.
    """

    def __init__(self, parts: Parts, events: Queue[Event]) -> None:
        self.files: dict[int, QueuedFile] = {}
        self.suspects = True
        self._parts, self._events = parts, events
        self._queue = parts.catalog.queue
        self._jobs: Queue[QueuedFile] = Queue()
        self._urgent: Queue[QueuedFile] = Queue(1)
        self._overtaking = 0  # the file of the urgent reader
        self._current = ""  # the path of the file that was started last
        self._languages = ExpectedLanguages(parts.catalog.docs.languages())
        self._readers = [
            self._reader(self._jobs, ReaderRole.EXTRA if number else ReaderRole.MAIN)
            for number in range(parts.children)
        ]
        self._urgent_reader = self._reader(self._urgent, ReaderRole.URGENT)

    def _reader(self, jobs: Queue[QueuedFile], role: ReaderRole) -> FileReader:
        parts = self._parts
        return FileReader(
            jobs,
            self._events,
            parts.limits,
            parts.password_of,
            parts.throttle,
            parts.scanned_pages.library,
            languages=self._languages,
            role=role,
        )

    @property
    def current(self) -> str:
        """The path of the file that was started last; "" if none is being read."""
        return self._current if self.files else ""

    @property
    def busy_s(self) -> float:
        """The mean busy time of the readers, without the urgent one."""
        return sum(reader.busy_s for reader in self._readers) / len(self._readers)

    def refill(self, *, writing: bool, embeds_suspects: bool) -> None:
        """Give the readers the next files.

        Args:
            writing: Whether passages of finished files are not written yet.
            embeds_suspects: Whether a document that may have crashed an engine lacks vectors.
        """
        self._overtake(embeds_suspects=embeds_suspects)
        wanted = 2 * self._parts.children - len(self.files) + bool(self._overtaking)
        if wanted > 0:
            for job in self._next(wanted, writing=writing, embeds_suspects=embeds_suspects):
                self.files[job.file] = job
                self._jobs.put(job)

    def _next(self, wanted: int, *, writing: bool, embeds_suspects: bool) -> list[QueuedFile]:
        """Return the files to be read next.

        Files that may have crashed an engine come first, one at a time. Each is embedded before the
        next is read, so that another crash identifies the file. Without room in memory they come
        last.
        """
        if self.suspects:
            if self.files or writing:
                return []
            room = self._has_room()
            if room and (jobs := self._queue.take(1, suspects=True)):
                return [replace(job, alone=True) for job in jobs]
            self.suspects = False
        if embeds_suspects:
            return []
        jobs = self._queue.take(wanted, without=self.files)
        if not (jobs or self.files or writing):
            alone = self._has_room()
            jobs = [replace(job, alone=alone) for job in self._queue.take(1, suspects=True)]
        return jobs

    def _has_room(self) -> bool:
        """Whether the system has so much memory that no reader is killed for lack of it."""
        return available_bytes() > _ROOM * self._parts.limits.resident_bytes

    def _overtake(self, *, embeds_suspects: bool) -> None:
        """Start reading a file that is more urgent than all that are being read.

        Otherwise a note that was just saved might wait until two books are read.
        """
        if self._overtaking or self.suspects or not self.files or embeds_suspects:
            return
        above = max(job.priority for job in self.files.values())
        for job in self._queue.take(1, without=self.files, above=above):
            self._overtaking = job.file
            self.files[job.file] = job
            self._urgent.put(job)

    def started(self, job: QueuedFile) -> None:
        """Note that a file is being read."""
        self._current = job.path.decode("utf-8", "replace")
        self._queue.started(job.file, alone=job.alone)

    def finished(self, job: QueuedFile) -> None:
        """Forget a file that was read, or failed."""
        del self.files[job.file]
        if job.file == self._overtaking:
            self._overtaking = 0

    def stop(self) -> None:
        """Ask the readers to end."""
        for reader in (*self._readers, self._urgent_reader):
            reader.stop()

    def join(self) -> None:
        """Wait until the readers have ended."""
        for reader in (*self._readers, self._urgent_reader):
            reader.join()

    def release_files(self) -> None:
        """Return unfinished files to the queue."""
        self._queue.release(self.files)
