"""Indexes an open library: scans folders, reads and embeds files, and changes the model.

Only one thread at a time indexes. The steps of an indexing job are in ``indexer.pipeline``.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.api.errors import Cancelled, WorldError
from indexer.api.private_files import LibraryLock, check_room
from indexer.api.progress import CancelToken, Progress, Reporter, Step
from indexer.api.requests import Calibrate, Index
from indexer.api.status import ModelChoice
from indexer.api.types import FileState, Summary
from indexer.embed.factory import fastest_precision
from indexer.engine import reindex
from indexer.engine.open_library import OpenLibrary
from indexer.files.scanner import Scanner
from indexer.library.removal import forget_orphans
from indexer.pipeline.indexing_job import IndexingJob
from indexer.pipeline.parts import BatchSizes, Parts
from indexer.search import calibration
from indexer.search.score_normalisation import refresh_language_means

if TYPE_CHECKING:
    from indexer.api.models import Discard, Reindex, RollBack
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Root, Space
    from indexer.config import EngineConfig, Precision
    from indexer.library.crashes import CrashMark
    from indexer.store.store import Store


class IndexingLibrary(OpenLibrary):
    """Indexes an open library. Thread-safe: one thread indexes, any number of threads may read."""

    def __init__(
        self,
        config: EngineConfig,
        lock: LibraryLock,
        crash_mark: CrashMark,
        catalog: Catalog,
        store: Store,
        batches: BatchSizes,
    ) -> None:
        super().__init__(config, catalog, store)
        self.lock = lock
        self.crash_mark = crash_mark
        self.batches = batches
        self.scanner = Scanner(catalog, config)
        self._indexing = threading.Lock()
        # By model. Measured once, as it takes seconds and must not change during a run.
        self._fastest: dict[str, Precision] = {}
        self._calibrated = False
        self._due_ns = None if catalog.refusal else catalog.queue.next_due_ns()

    def answer_index(
        self, request: Index, caller: Reporter, *, first: bool = True, change: bool | None = None
    ) -> Summary:
        """Index, and change to the configured model.

        Args:
            first: Embed new documents in the active space before the change.
            change: Whether to change now; by default a service does it while idle.
        """
        self.catalog.must_be_writable()
        change = not self.config.background if change is None else change
        began = time.monotonic()
        with self._indexing, self.crash_mark.working():
            reporter = Reporter(self._noting(caller.sink), caller.token)
            roots = self._roots(request.paths, request.patterns)
            patient = self.config.background
            make_parts = partial(self._parts, first=first)
            job = IndexingJob(make_parts, reporter, patient=patient)
            seen, cancelled = 0, False
            try:
                self.scanned_pages.detect_tesseract()
                if request.scan:
                    seen = job.do(lambda: self._scan(roots, reporter, rescan=request.rescan))
                if request.paths:
                    self.catalog.queue.prioritise([root.id for root in roots])
                job.do(job.read_and_embed)
                # A service recognises pages between requests, while idle.
                while not self.config.background and self.recognise(caller.sink, caller.token):
                    job.do(job.read_and_embed)
                if change and job.parts.space.id != self._target().id:
                    job.do(partial(job.read_and_embed, partial(self._parts, first=False)))
                job.do(lambda: self._tidy(reporter))
            except Cancelled:
                cancelled = True
            finally:
                self.activities.note_progress(None)
                # Due files that were not read are in an unreachable root.
                due = self.catalog.queue.next_due_ns()
                self._due_ns = due if due is not None and due > time.time_ns() else None
            seconds = time.monotonic() - began
            return job.summary(roots, seen, seconds, cancelled=cancelled)

    def answer_calibrate(self, _request: Calibrate, caller: Reporter) -> None:
        if not self.config.background:
            self.calibrate(caller.token)

    def calibration_waits(self) -> bool:
        """Whether documents may have changed since the last calibration."""
        return not (self._calibrated or self.throttle.paused or self.catalog.refusal)

    def calibrate(self, token: CancelToken) -> None:
        """Measure how close passages come to questions, if documents have changed much."""
        self._calibrated = True
        try:
            calibration.refresh_calibration(self.searcher, token, self.gate.wait_for_queries)
        except Cancelled:
            self._calibrated = False
            raise

    def _target(self) -> Space:
        """The space of the configured model. Call this while nothing is being embedded."""
        config = reindex.for_library(self.catalog, self.config)
        if config.fastest_precision and not self.catalog.spaces.totals().embedded:
            if config.model not in self._fastest:
                self._fastest[config.model] = fastest_precision(config)
            config = replace(config, precision=self._fastest[config.model])
        self.models.configure_models(config)
        return self.models.space(self.catalog)

    def recognise(
        self,
        report: Callable[[Progress], None],
        token: CancelToken,
        busy: Callable[[], bool] = lambda: False,
    ) -> int:
        """Recognise scanned pages until none is left or there is other work.

        Returns the number of files queued again for their recognised text.
        """
        reporter = Reporter(self._noting(report), token)

        def note(read: int, waiting: int) -> None:
            reporter.report(Progress(Step.RECOGNISE, files_done=read, files_total=read + waiting))

        return self.recogniser.recognise_pages(token, busy, note)

    def has_pages_to_recognise(self) -> bool:
        """Whether there may be scanned pages to recognise."""
        return self.scanned_pages.ready and not self.throttle.paused and not self.catalog.refusal

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """Scan the paths of a waiting request, so that the current run reads them next."""
        self.catalog.must_be_writable()
        roots = self._roots(paths, patterns)
        self.scanner.scan(roots)
        self.catalog.queue.prioritise([root.id for root in roots])
        self.activities.stale()

    def overdue(self) -> bool:
        """Whether a failed file is due for a retry."""
        return self._due_ns is not None and time.time_ns() >= self._due_ns

    def release_memory(self) -> bool:
        """Free memory that only queries need; the next query takes it again.

        Returns whether it did. It does not while something is being written, nor if another library
        may be at the path from which tables would be opened again.
        """
        if not self.lock.is_intact() or not self._indexing.acquire(blocking=False):
            return False
        try:
            self.models.close_queries()
            self.store.empty_caches()
        finally:
            self._indexing.release()
        return True

    def change_waits(self) -> bool:
        """Whether a change of model is pending and possible."""
        if self.throttle.paused or self.catalog.refusal:
            return False
        try:
            config = reindex.for_library(self.catalog, self.config)
            return reindex.waits(self.catalog, config)
        except WorldError:  # the configured model is not on this machine
            return False

    def answer_reindex(self, request: Reindex, caller: Reporter) -> Summary:
        self.catalog.must_be_writable()
        with self._indexing:
            self._use(reindex.chosen(self.config, request.model, request.precision))
            reindex.requeue_outdated(self.catalog)
        return self.answer_index(Index(scan=False), caller, first=False, change=True)

    def answer_roll_back(self, _request: RollBack, _caller: Reporter) -> ModelChoice:
        self.catalog.must_be_writable()
        with self._indexing:
            space = reindex.before(self.catalog)
            self.catalog.spaces.switch(space.id)  # the current space is kept
            choice = ModelChoice(str(space.record["model"]), str(space.record["precision"]))
            self._use(reindex.chosen(self.config, choice.model, choice.precision))
        return choice

    def answer_discard(self, _request: Discard, _caller: Reporter) -> int:
        self.catalog.must_be_writable()
        with self._indexing:
            self.lock.check()
            return reindex.discard(self.catalog, self.store)

    def _roots(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> list[Root]:
        for path in paths:
            _must_be_readable(path)
        roots = [self._root_at(path, patterns) for path in paths] or self.catalog.roots.all()
        if patterns is not None:
            for root in roots[: len(paths)]:
                self.catalog.roots.set_patterns(root.id, patterns)
            roots = [self.catalog.roots.root_by_id(root.id) for root in roots]
        return roots

    def _root_at(self, path: Path, patterns: Sequence[str] | None) -> Root:
        """Return the root of a path; add it, unless the path is a file listed under a root."""
        found = self.catalog.roots.find(path)
        listed = self.catalog.files.at(path) if patterns is None else None
        if found is not None and listed is not None and listed[1].state is not FileState.EXCLUDED:
            return found[0]
        return self.catalog.roots.add_root(path)

    def _parts(self, *, first: bool) -> Parts:
        space = self._target()
        if first:
            space = reindex.searched_first(self.catalog, self.config, space)
        return Parts(
            catalog=self.catalog,
            store=self.store,
            space=space,
            suits=partial(reindex.suits, self.catalog, self.config, space),
            open_embedder=partial(self.models.indexing, space),
            gate=self.gate,
            limits=self.config.limits,
            children=self.config.children or _readers(),
            check_space=self._check_space,
            batches=self.batches,
            password_of=self.passwords.password_of,
            throttle=self.throttle,
            scanned_pages=self.scanned_pages,
            found=self.found,
        )

    def _scan(self, roots: Sequence[Root], reporter: Reporter, *, rescan: bool) -> int:
        def note(count: int) -> None:
            reporter.report(Progress(Step.SCAN, files_total=count))

        counts = self.scanner.scan(roots, reporter.token, note)
        if rescan:
            for root in roots:
                self.catalog.queue.requeue_all(root.id)
        return sum(count.seen for count in counts)

    def _check_space(self) -> None:
        self.lock.check()
        check_room(self.config.min_free_bytes, self.config.library)

    def _tidy(self, reporter: Reporter) -> None:
        self.lock.check()
        reporter.report(Progress(Step.MAINTAIN), force=True)
        forget_orphans(self.catalog, self.store)
        self.scanned_pages.delete_orphaned_pages()
        self.catalog.names.prune()
        reindex.finalise(self.catalog, self.store, self.models.space(self.catalog))
        # The model's memory would add to the peak while a large table is maintained.
        self.models.close_indexing()
        self.store.maintain(idle=True)
        refresh_language_means(self.catalog, self.store)
        self._calibrated = False

    def _noting(self, report: Callable[[Progress], None]) -> Callable[[Progress], None]:
        def note(progress: Progress) -> None:
            self.activities.note_progress(progress)
            report(progress)

        return note


def cores() -> int:
    return os.cpu_count() or 1


def _readers() -> int:
    """Half the cores; but two readers on two cores, so that words are searchable sooner."""
    return max(min(cores(), 2), cores() // 2)


def _must_be_readable(path: Path) -> None:
    """Refuse a path that cannot be indexed before anything is changed.

    Raises ``path_missing`` or ``path_denied``.
    """
    if not os.path.lexists(path):
        raise WorldError("path_missing", path=str(path))
    if not os.access(path, os.R_OK):
        raise WorldError("path_denied", path=str(path))
