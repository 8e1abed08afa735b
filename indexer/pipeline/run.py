"""One indexing run, which feeds readers and the model, writes their results, and detects the end.

Reading, embedding and writing overlap. The indexing thread schedules work and is the only writer of
the library. Passages are buffered and written to the store, and then their documents are marked in
the catalog, so that a kill loses nothing. A document may need several writes and is marked after
the last.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from queue import Empty, Queue
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from indexer import faults
from indexer.api.errors import LecternError
from indexer.extract.base import EXTRACTOR_VERSION
from indexer.pipeline.embedding import EmbeddingWorker
from indexer.pipeline.events import (
    Embedded,
    EmbeddingFailed,
    Event,
    FileFinished,
    FileHashed,
    PagesWithoutText,
    PassagesCut,
    TextExtracted,
)
from indexer.pipeline.parts import Effort, Parts, RunCounts
from indexer.pipeline.rates import Rates
from indexer.pipeline.reading import Intake
from indexer.pipeline.vectors import VectorWriter
from indexer.store.values import PassageRow

if TYPE_CHECKING:
    from indexer.api.progress import Progress, Reporter
    from indexer.api.types import DocumentInfo, Passage
    from indexer.catalog.catalog import Catalog
    from indexer.files.walk import ContentHash
    from indexer.store.store import Store

# A commit of words takes some 0.1 s of processor time on a slow processor, even if it is small.
FLUSH_S = 5.0


class WrittenDocument(Struct):
    """A document whose passages are being written, and the number of passages so far."""

    doc: int
    info: DocumentInfo
    passages: int = 0
    priority: int = 0  # bytes of its file


class PassageWriter(Struct):
    """Buffers the passages of documents and writes them in few commits."""

    catalog: Catalog
    store: Store
    flush_at: int  # passages
    written: int = 0
    _rows: list[PassageRow] = field(default_factory=list)
    _ended: list[WrittenDocument] = field(default_factory=list)
    _since: float = 0.0

    @property
    def holding(self) -> bool:
        """Whether a flush would write anything."""
        return bool(self._rows or self._ended)

    def buffer_passages(self, doc: int, info: DocumentInfo, passages: Sequence[Passage]) -> None:
        """Buffer some passages of a document, in order."""
        if not self.holding:
            self._since = time.monotonic()
        self._rows.extend(
            PassageRow(doc, info.text_id, info.language, passage) for passage in passages
        )

    def complete_document(self, document: WrittenDocument) -> None:
        """Mark a document as complete at the next flush."""
        if not self.holding:
            self._since = time.monotonic()
        self._ended.append(document)

    def drop_document(self, doc: int, failed: int) -> None:
        """Delete a partly read document of a failed file from the buffer and the store."""
        self._rows = [row for row in self._rows if row.doc != doc]
        self.store.delete_docs([doc])
        self.catalog.docs.forget([doc], failed=failed)

    def due(self, *, starved: bool) -> bool:
        """Whether to flush now, which is at once if the model has nothing to embed."""
        if not self.holding:
            return False
        waited = time.monotonic() - self._since
        return len(self._rows) >= self.flush_at or waited >= FLUSH_S or (starved and waited >= 0.3)

    def flush_passages(self) -> list[WrittenDocument]:
        """Write the buffer, first to the store; return the documents that this completes."""
        rows, ended = self._rows, self._ended
        self._rows, self._ended = [], []
        if rows or ended:
            self.store.add_passages(rows, [one.doc for one in ended])
            self.written += len(rows)
            faults.reached("passages-committed")
        if ended:
            with self.catalog.db.write():
                for one in ended:
                    self.catalog.docs.finish_passages(one.doc, one.passages)
            faults.reached("passages-marked")
        return ended


log = logging.getLogger(__name__)

# Readers and children wait while the queue of events is full, which bounds memory.
EVENTS_AHEAD = 32
TICK_S = 0.2
# The number of documents to read before a model for other languages may be chosen.
ENOUGH_READ = 8


class IndexingRun:
    """A run over all files that are queued and all passages without vectors.

    ``reporter`` receives progress, and its token ends the run cleanly. ``before`` are the counts of
    the runs that this one continues.
    """

    def __init__(self, parts: Parts, reporter: Reporter, before: RunCounts) -> None:
        self.parts = parts
        self._before = before
        self._own = RunCounts()
        self._reporter = reporter
        self._events: Queue[Event] = Queue(EVENTS_AHEAD)
        self._intake = Intake(parts, self._events)
        self._writing: dict[int, WrittenDocument] = {}  # by file
        self._with_gaps: set[str] = set()  # contents with pages to be recognised
        self._worker = EmbeddingWorker(
            parts.open_embedder, self._events, parts.gate, parts.throttle
        )
        self.passages = PassageWriter(parts.catalog, parts.store, parts.batches.passages)
        self.vectors = VectorWriter(
            parts.catalog, parts.store, parts.space, self._worker, parts.batches
        )
        self._rates = Rates(parts.catalog, parts.space.id)
        self._suits: bool | None = None  # see ``Parts``; decided before anything is embedded
        self._pausing: float | None = None  # when the pause was requested

    def work_off_queue(self) -> bool:
        """Work until nothing is left, until a pause, or until another model fits the files.

        Returns whether nothing is left. Raises ``Cancelled`` if the token was cancelled,
        ``disk_full`` or another error that ends a run. Finished work is written in any case.
        """
        try:
            while not (halted := self._halted()) and not self._done():
                self._refill()
                self._handle_event()
                self._flush_due()
                self._report()
            self._report(force=True)
        finally:
            self.stop()
        return not halted

    @property
    def counts(self) -> RunCounts:
        """The counts so far, including those of earlier runs."""
        return self._before + self.own

    @property
    def own(self) -> RunCounts:
        """The counts of this run."""
        return replace(
            self._own,
            written=self.passages.written,
            embedded=self.vectors.embedded,
            reused=self.vectors.backlog.reuse.reused,
            tokens=self.vectors.tokens,
            seconds=self._rates.seconds,
        )

    @property
    def effort(self) -> Effort:
        """The busy time of this run's readers and its model."""
        return Effort(self._intake.busy_s, self._worker.busy_s)

    # -- deciding ---------------------------------------------------------------------------

    def _halted(self) -> bool:
        """Whether to stop for a pause, which gives work in progress some time to finish."""
        if not self.parts.throttle.paused and self._suits is not False:
            self._pausing = None
            return False
        if self._pausing is None:
            self._pausing = time.monotonic()
        in_progress = self._intake.files or self.vectors.in_flight
        return (
            not in_progress or time.monotonic() - self._pausing >= self.parts.batches.pause_grace_s
        )

    def _refill(self) -> None:
        if self._pausing is not None:
            return
        self._intake.refill(
            writing=self.passages.holding, embeds_suspects=self.vectors.backlog.has_suspects
        )
        if self._suits is None:
            self._suits = self.parts.suits(0 if self._read_all else ENOUGH_READ)
        if not self._intake.suspects and self._suits:
            self._advance_found()
            self.vectors.feed_model()

    def _advance_found(self) -> None:
        """Embed documents first that the person has found or opened."""
        files = self.parts.catalog.files
        while self.parts.found:
            known = files.at(self.parts.found.popleft())
            doc = files.doc_of(known[0]) if known is not None else None
            if doc is not None:
                self.vectors.backlog.advance_document(doc)

    def _done(self) -> bool:
        if not self._read_all or not self.vectors.idle:
            return False
        self._refill()
        if self._intake.files or self.vectors.in_flight:
            return False
        # The flush marks documents without passages to embed, so that others may be opened.
        return self._suits is True and not self.vectors.flush_vectors()

    @property
    def _read_all(self) -> bool:
        return not self._intake.files and not self.passages.holding

    # -- events -----------------------------------------------------------------------------

    def _handle_event(self) -> None:
        try:
            event = self._events.get(timeout=TICK_S)
        except Empty:
            return
        match event:
            case FileHashed():
                self._hashed(event)
            case PagesWithoutText(job, content, pages):
                stamp = content.stamp
                self.parts.scanned_pages.note_pages(
                    content.content_id, stamp.size, job.format, pages
                )
                self._with_gaps.add(content.content_id)
            case TextExtracted():
                self._opened(event)
            case PassagesCut():
                self._cut(event)
            case FileFinished():
                self._finished(event)
            case Embedded():
                self.vectors.buffer_vectors(event)
            case EmbeddingFailed(failure):
                raise failure

    def _hashed(self, event: FileHashed) -> None:
        job = event.job
        self._intake.started(job)
        known = self.parts.catalog.docs.link(
            job.file, event.content.content_id, event.content.stamp, job.format, EXTRACTOR_VERSION
        )
        event.reply.set_result(not known)

    def _opened(self, event: TextExtracted) -> None:
        job, info, content = event.job, event.info, event.content
        begun = self.parts.catalog.docs.begin(
            job.file, content.content_id, content.stamp, info, title_used=info.title
        )
        if begun.write_passages:
            self._writing[job.file] = WrittenDocument(begun.doc, info, priority=job.priority)
        faults.reached("document-begun", job.path)
        event.reply.set_result(begun.write_passages)

    def _cut(self, event: PassagesCut) -> None:
        writing = self._writing[event.job.file]
        writing.passages += len(event.passages)
        self.passages.buffer_passages(writing.doc, writing.info, event.passages)
        faults.reached("passages-cut")

    def _finished(self, event: FileFinished) -> None:
        job = event.job
        self._intake.finished(job)
        writing = self._writing.pop(job.file, None)
        self._own.files += 1
        self._own.bytes += job.stamp.size
        if event.failure is not None:
            self._failed(event, event.failure, writing)
        elif writing is not None:
            self.passages.complete_document(writing)
            self._own.cut += writing.passages
            self._count(event.content, writing.info.pages)

    def _count(self, content: ContentHash | None, pages: int) -> None:
        """Count a document, unless it was read again for recognised pages."""
        known = content.content_id if content is not None else ""
        if known in self._before.with_gaps:
            return
        self._own.documents += 1
        self._own.pages += pages
        if known in self._with_gaps:
            self._own.with_gaps += (known,)

    def _failed(
        self, event: FileFinished, failure: LecternError, writing: WrittenDocument | None
    ) -> None:
        if writing is not None:
            self.passages.drop_document(writing.doc, event.job.file)
        content = None
        if event.content is not None:
            content = (event.content.content_id, event.job.format, EXTRACTOR_VERSION)
            failure = self.parts.scanned_pages.explain_no_text(
                failure, event.content.content_id, event.content.stamp.size, event.job.format
            )
        self.parts.catalog.queue.fail(
            event.job.file, failure.code, failure.detail, content=content, taken=True
        )

    # -- writing ----------------------------------------------------------------------------

    def _flush_due(self) -> None:
        if self.passages.due(starved=self._worker.starved):
            self.parts.check_space()
            for document in self.passages.flush_passages():
                self.vectors.backlog.queue_document(document.doc, document.priority)
        if self.vectors.due(last=self._read_all):
            self.parts.check_space()
            self.vectors.flush_vectors()
            if not self.vectors.backlog.has_suspects:  # a crash would count against them
                self.parts.store.maintain()

    def stop(self) -> None:
        """End the workers, then write what they have finished; idempotent."""
        self._intake.stop()
        self._worker.stop()
        self._intake.join()
        self._worker.join()
        while True:
            try:
                event = self._events.get_nowait()
            except Empty:
                break
            if isinstance(event, Embedded):
                self.vectors.buffer_vectors(event)
        self._intake.release_files()
        try:
            self.parts.check_space()
            self.passages.flush_passages()
            self.vectors.flush_vectors()
        except LecternError:
            # Probably the run stops because the disk is full. Unwritten work stays pending.
            log.warning("the last batch could not be written", exc_info=True)

    def _report(self, *, force: bool = False) -> None:
        if self._reporter.is_due() or force:
            self._reporter.report(self.progress, force=force)

    @property
    def progress(self) -> Progress:
        """Return the progress, including earlier runs."""
        progress = self._rates.progress(self.own, self._intake.files.values(), self._before)
        return replace(progress, current=self._intake.current)
