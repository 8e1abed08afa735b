"""The files that are being read: which are taken from the queue, and the readers that get them.

Owns the order: files that may have crashed an engine alone, then by priority, with one reader for
files that are more urgent than all that are being read. It must not know what becomes of a text.
"""

from __future__ import annotations

from queue import Queue
from typing import TYPE_CHECKING

from indexer.pipeline.rates import FilesInReading
from indexer.pipeline.reading import FileReader, ReaderRole

if TYPE_CHECKING:
    from indexer.catalog.records import QueuedFile
    from indexer.pipeline.events import Event
    from indexer.pipeline.parts import Parts


class Intake:
    """The readers of one run, and their files.

    Attributes:
        files: The files that were taken and are not finished, by number.
        suspects: Whether files may be left in the queue that may have crashed an engine.
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
            role,
        )

    @property
    def taken(self) -> FilesInReading:
        return FilesInReading(len(self.files), sum(job.stamp.size for job in self.files.values()))

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
            writing: Passages of finished files are not written yet.
            embeds_suspects: A document that may have crashed an engine waits for its vectors.
        """
        self._overtake(embeds_suspects=embeds_suspects)
        wanted = 2 * self._parts.children - len(self.files) + bool(self._overtaking)
        if wanted > 0:
            for job in self._next(wanted, writing=writing, embeds_suspects=embeds_suspects):
                self.files[job.file] = job
                self._jobs.put(job)

    def _next(self, wanted: int, *, writing: bool, embeds_suspects: bool) -> list[QueuedFile]:
        """Return the files to be read next.

        Files that may have crashed an engine come first, one at a time, and each is embedded before
        the next is read: another crash then identifies the file.
        """
        if self.suspects:
            if self.files or writing:
                return []
            if jobs := self._queue.take(1, suspects=True):
                return jobs
            self.suspects = False
        return [] if embeds_suspects else self._queue.take(wanted, without=self.files)

    def _overtake(self, *, embeds_suspects: bool) -> None:
        """Start reading a file that is more urgent than all that are being read.

        Otherwise a note that was just saved would wait until two books are read.
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
        self._queue.started(job.file)

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

    def release(self) -> None:
        """Return unfinished files to the queue."""
        self._queue.release(self.files)
