"""The engine: one library, open in this process, worked on and answering.

Owns the order in which the parts of a library are opened, worked and closed; what is only asked is
answered by ``indexer.engine.open_library``. Its door is ``call``, with the requests of
``indexer.api.requests``; it must not know sockets, commands or windows.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import shutil
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from indexer.api.answers import RepairOutcome
from indexer.api.errors import Cancelled, LecternError, WorldError
from indexer.api.lock import LibraryLock
from indexer.api.progress import CancelToken, Progress, Reporter, Step, ignore
from indexer.api.requests import (
    Discard,
    GetStatus,
    Index,
    Reindex,
    Remove,
    Repair,
    RollBack,
    SetPatterns,
    Verify,
    Watch,
)
from indexer.api.status import ModelChoice
from indexer.catalog import Catalog
from indexer.engine import reindex
from indexer.engine.open_library import Caller, Handlers, OpenLibrary
from indexer.engine.status import describe
from indexer.files.scanner import Scanner
from indexer.library.crashes import blame_for_last_end, crash_mark, retry_after_update
from indexer.library.library import CATALOG_NAME, LANCE_NAME, exists, is_writable
from indexer.library.recovery import recover
from indexer.library.removal import forget_orphans, remove_paths
from indexer.library.repair import repair, verify
from indexer.pipeline.indexing_job import IndexingJob
from indexer.pipeline.parts import BatchSizes, Parts
from indexer.pipeline.run import Run
from indexer.search import score_normalisation
from indexer.store.disk import open_errors
from indexer.store.store import Store
from indexer.watching.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from indexer.api.answers import Removal, Verification, WatchState
    from indexer.api.contract import Request
    from indexer.api.status import Status
    from indexer.api.types import Summary
    from indexer.catalog import Root, Space
    from indexer.config import EngineConfig
    from indexer.watching.watcher import Read

A = TypeVar("A")

log = logging.getLogger(__name__)


# What opening says, beside missing tables, of a library that was not made to its end.
_UNMADE = {"library_older", "library_unwritable"}


class Engine(OpenLibrary):
    """An open library. Thread-safe: one thread indexes at a time, any number may ask.

    Use ``open``; the constructor only takes what is already open.
    """

    def __init__(
        self,
        config: EngineConfig,
        lock: LibraryLock,
        catalog: Catalog,
        store: Store,
        batches: BatchSizes,
    ) -> None:
        super().__init__(config, catalog, store)
        self.batches = batches
        self.scanner = Scanner(catalog, config)
        self.watcher = Watcher(self.scanner, self._read_queued)
        self.lock = lock
        self._indexing = threading.Lock()
        self._due_ns = None if catalog.refusal else catalog.queue.next_due_ns()

    @classmethod
    def open(cls, config: EngineConfig, *, batches: BatchSizes | None = None) -> Self:
        """Open a library, making it if there is none, and put in order what a crash left.

        Args:
            config: Which library, and how.
            batches: How much is gathered before it is written.

        A library that cannot be written is opened to be read: everything that would change it
        raises ``library_read_only``, or ``disk_full`` where that is why.

        Raises:
            WorldError: ``library_locked``, ``library_newer``, ``library_damaged``,
                ``library_unwritable``, ``disk_full`` or ``library_older``.
        """
        batches = batches or BatchSizes()
        lock = _locked(config.library)
        with contextlib.ExitStack() as unless_open:
            unless_open.callback(lock.release)
            catalog = _open_catalog(config.library / CATALOG_NAME, lock.refusal)
            unless_open.callback(catalog.close)
            lance, writable = config.library / LANCE_NAME, catalog.refusal is None
            with open_errors(lance), _unmade_for_want_of_room(catalog.refusal):
                store = Store.open(
                    lance,
                    threads=config.threads or _cores(),
                    thresholds=batches.thresholds,
                    writable=writable,
                )
                engine = cls(config, lock, catalog, store, batches)
                if writable:
                    engine._put_in_order()
            unless_open.pop_all()
        return engine

    def close(self) -> None:
        with contextlib.ExitStack() as parts:
            parts.callback(self.lock.release)
            if not self.lock.is_intact():
                # Closing tidies up by path, where another library may be by now. What is committed
                # is safe: the folder is as a kill would have left it.
                self.watcher.stop()
                _keep_open(self)
                return
            parts.callback(self.catalog.close)
            parts.callback(self.store.close)
            parts.callback(self.searcher.close)
            parts.callback(self.scanned_pages.close)
            self.watcher.stop()

    def call(
        self,
        request: Request[A],
        *,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> A:
        """See ``indexer.api.contract.EngineApi``; only whoever serves answers ``Shutdown``."""
        handler = self.handlers.get(type(request))
        if handler is None:
            raise WorldError("busy", reason="in_use")
        answer: A = handler(self, request, Caller(token or CancelToken(), report or ignore))
        return answer

    def _index(
        self, request: Index, caller: Caller, *, first: bool = True, change: bool | None = None
    ) -> Summary:
        """Index, and change to the model of the settings.

        Args:
            request: What is indexed.
            caller: Who asks.
            first: Embed what is new in the space that is searched before anything is changed.
            change: Whether to change; one that serves does it when nobody asks for anything.
        """
        self.catalog.must_be_writable()
        change = not self.config.background if change is None else change
        began = time.monotonic()
        with self._indexing, crash_mark(self.config.library):
            reporter = Reporter(self._noting(caller.report), caller.token)
            roots = self._roots(request.paths, request.patterns)
            patient = self.config.background
            make_parts = partial(self._parts, first=first)
            job = IndexingJob(make_parts, Run, reporter, patient=patient)
            seen, cancelled = 0, False
            try:
                self.scanned_pages.refresh()
                if request.scan:
                    seen = job.do(lambda: self._scan(roots, reporter, rescan=request.rescan))
                if request.paths:
                    self.catalog.queue.prioritise([root.id for root in roots])
                job.do(job.read)
                # One that serves does it between calls, when nobody waits for anything.
                while not self.config.background and self.recognise(caller.report, caller.token):
                    job.do(job.read)
                if change and job.parts.space.id != self._target().id:
                    job.do(partial(job.read, partial(self._parts, first=False)))
                job.do(lambda: self._tidy(reporter))
            except Cancelled:
                cancelled = True
            finally:
                self.activities.note(None)
                # What is due and still there could not be read: its root is away.
                due = self.catalog.queue.next_due_ns()
                self._due_ns = due if due is not None and due > time.time_ns() else None
            seconds = time.monotonic() - began
            return job.summary(roots, seen, seconds, cancelled=cancelled)

    def _target(self) -> Space:
        """The space to fill in the end; call it while nothing is embedded."""
        self.models.use(reindex.for_languages(self.catalog, self.config))
        return self.models.space(self.catalog)

    def recognise(
        self,
        report: Callable[[Progress], None],
        token: CancelToken,
        busy: Callable[[], bool] = lambda: False,
    ) -> int:
        """Read scanned pages until none waits or there is something else to do.

        Returns:
            How many files are to be read anew for what was found.
        """
        reporter = Reporter(self._noting(report), token)

        def note(read: int, waiting: int) -> None:
            reporter.report(Progress(Step.RECOGNISE, files_done=read, files_total=read + waiting))

        return self.recogniser.work(token, busy, note)

    def scans_wait(self) -> bool:
        """Whether there may be scanned pages to read."""
        return self.scanned_pages.ready and not self.throttle.paused and not self.catalog.refusal

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """Take in what ``index`` was asked for while a run goes on, which then reads it next."""
        self.catalog.must_be_writable()
        roots = self._roots(paths, patterns)
        self.scanner.scan(roots)
        self.catalog.queue.prioritise([root.id for root in roots])
        self.activities.stale()

    def overdue(self) -> bool:
        """Whether something that failed is to be tried again now."""
        return self._due_ns is not None and time.time_ns() >= self._due_ns

    def change_waits(self) -> bool:
        """Whether the library is to change to another model, and may."""
        if self.throttle.paused or self.catalog.refusal:
            return False
        try:
            config = reindex.for_languages(self.catalog, self.config)
            return reindex.waits(self.catalog, config)
        except WorldError:  # the settings name a model that is not here
            return False

    def read_with(self, read: Read) -> None:
        """Have what the watcher finds read by whoever serves, in its turn."""
        self.watcher.read = read

    def stop_watching(self) -> None:
        self.watcher.stop()

    def _set_patterns(self, request: SetPatterns, _caller: Caller) -> tuple[str, ...]:
        found = self.catalog.roots.find(request.root)
        if found is None or found[1] not in {b"", found[0].file_name}:
            raise WorldError("not_a_root", path=str(request.root))
        if request.patterns is not None:
            self.catalog.roots.set_patterns(found[0].id, request.patterns)
            self.watcher.wake()
        return tuple(self.catalog.roots.get(found[0].id).patterns)

    def _status(self, _request: GetStatus, _caller: Caller) -> Status:
        return describe(self, self.watcher.describe())

    def _watch(self, request: Watch, _caller: Caller) -> WatchState:
        if request.on:
            self.catalog.must_be_writable()
        if request.on is not None:
            self.watcher.start() if request.on else self.watcher.stop()
        return self.watcher.describe()

    def _reindex(self, request: Reindex, caller: Caller) -> Summary:
        self.catalog.must_be_writable()
        with self._indexing:
            self._use(reindex.chosen(self.config, request.model, request.precision))
            reindex.requeue_outdated(self.catalog)
        return self._index(Index(scan=False), caller, first=False, change=True)

    def _roll_back(self, _request: RollBack, _caller: Caller) -> ModelChoice:
        self.catalog.must_be_writable()
        with self._indexing:
            record = reindex.roll_back(self.catalog).record
            choice = ModelChoice(str(record["model"]), str(record["precision"]))
            self._use(reindex.chosen(self.config, choice.model, choice.precision))
        return choice

    def _discard(self, _request: Discard, _caller: Caller) -> int:
        self.catalog.must_be_writable()
        with self._indexing:
            self.lock.check()
            return reindex.discard(self.catalog, self.store)

    def _verify(self, _request: Verify, caller: Caller) -> Verification:
        tick = partial(Reporter(caller.report, caller.token).report, Progress(Step.MAINTAIN))
        with self._indexing:
            return verify(self.catalog, self.store, tick).describe(self.catalog, self.store)

    def _repair(self, _request: Repair, caller: Caller) -> RepairOutcome:
        self.catalog.must_be_writable()
        tick = partial(Reporter(caller.report, caller.token).report, Progress(Step.MAINTAIN))
        with self._indexing, self.scanner.exclusive:
            self.lock.check()
            before, after = repair(self.catalog, self.store, tick)
        self.activities.stale()
        queued = self.catalog.queue.waiting()
        return RepairOutcome(tuple(before.problems), tuple(after.problems), queued)

    def _remove(self, request: Remove, _caller: Caller) -> Removal:
        self.catalog.must_be_writable()
        with self.scanner.exclusive:
            # Nobody waits for a run to end; it drops at its end what nothing needs any more.
            tidy = self._indexing.acquire(blocking=False)
            try:
                self.lock.check()
                return remove_paths(self.catalog, self.store, request.paths, tidy=tidy)
            finally:
                self.activities.stale()
                if tidy:
                    self._indexing.release()

    # -- indexing ---------------------------------------------------------------------------

    def _roots(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> list[Root]:
        for path in paths:
            _must_be_readable(path)
        roots = [self.catalog.roots.add(path) for path in paths] or self.catalog.roots.all()
        if patterns is not None:
            for root in roots[: len(paths)]:
                self.catalog.roots.set_patterns(root.id, patterns)
            roots = [self.catalog.roots.get(root.id) for root in roots]
        return roots

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
            password_of=self.passwords.find,
            throttle=self.throttle,
            scanned_pages=self.scanned_pages,
        )

    def _scan(self, roots: Sequence[Root], reporter: Reporter, *, rescan: bool) -> int:
        def note(count: int) -> None:
            reporter.report(Progress(Step.SCAN, files_total=count))

        counts = self.scanner.scan(roots, reporter.token, note)
        if rescan:
            for root in roots:
                self.catalog.queue.requeue_all(root.id)
        return sum(count.seen for count in counts)

    def _read_queued(self, token: CancelToken, done: Callable[[Exception | None], None]) -> None:
        """Read what the watcher found, while no queue does that."""
        try:
            summary = self.call(Index(scan=False), token=token)
        except LecternError as error:
            done(error)
        else:
            done(Cancelled() if summary.cancelled else None)

    def _check_space(self) -> None:
        self.lock.check()
        free = shutil.disk_usage(self.config.library).free
        if free < self.config.min_free_bytes:
            needed = f"{self.config.min_free_bytes / 1e9:.1f} GB"
            raise WorldError("disk_full", needed=needed, path=str(self.config.library))

    def _put_in_order(self) -> None:
        try:
            self.store.clean_at_open()
            recover(self.catalog, self.store, blame=blame_for_last_end(self.config.library))
            retry_after_update(self.catalog)
            reindex.requeue_outdated(self.catalog)
            reindex.note_dropped_tables(self.catalog, self.store)
        except LecternError as error:
            if error.code != "disk_full":
                raise
            # It must not keep anyone from searching; the next run tries again.
            log.warning("the library could not be put in order", exc_info=True)

    def _tidy(self, reporter: Reporter) -> None:
        self.lock.check()
        reporter.report(Progress(Step.MAINTAIN), force=True)
        forget_orphans(self.catalog, self.store)
        self.scanned_pages.tidy()
        self.catalog.lexicon.maintain()
        self.catalog.names.prune()
        reindex.settle(self.catalog, self.store, self.models.space(self.catalog))
        # Beside the maintenance of a large table, the model's memory would make the peak.
        self.models.close_indexing()
        self.store.maintain(idle=True)
        score_normalisation.refresh(self.catalog, self.store, self.models)

    def _noting(self, report: Callable[[Progress], None]) -> Callable[[Progress], None]:
        def note(progress: Progress) -> None:
            self.activities.note(progress)
            report(progress)

        return note

    handlers: ClassVar[Handlers] = {
        **OpenLibrary.handlers,
        Index: _index,
        SetPatterns: _set_patterns,
        GetStatus: _status,
        Watch: _watch,
        Reindex: _reindex,
        RollBack: _roll_back,
        Discard: _discard,
        Verify: _verify,
        Repair: _repair,
        Remove: _remove,
    }


def _locked(library: Path) -> LibraryLock:
    if exists(library) and not is_writable(library):
        return LibraryLock.share(library)
    return LibraryLock.acquire(library)


def _open_catalog(path: Path, refusal: LecternError | None) -> Catalog:
    """Open the catalog; only to be read where the disk has no room for SQLite's side files."""
    try:
        return Catalog(path, refusal)
    except WorldError as error:
        if refusal is not None or error.code != "disk_full":
            raise
        with _unmade_for_want_of_room(error):
            return Catalog(path, error)


@contextlib.contextmanager
def _unmade_for_want_of_room(refusal: LecternError | None) -> Iterator[None]:
    """Tell what a full disk kept from being made or brought up to date from old and damaged."""
    try:
        yield
    except WorldError as error:
        unmade = error.code in _UNMADE or error.detail.get("reason") == "no_tables"
        if refusal is None or refusal.code != "disk_full" or not unmade:
            raise
        raise WorldError(refusal.code, **refusal.detail) from error


def _keep_open(engine: Engine) -> None:
    """Keep the files of an engine open until the process has ended, its last moments included.

    The last connection to a database that closes deletes the write-ahead log at its path.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))


def _readers() -> int:
    """Two on two cores already: words are found the sooner, and the model still has its turn."""
    return max(min(_cores(), 2), _cores() // 2)


def _cores() -> int:
    return os.cpu_count() or 1


def _must_be_readable(path: Path) -> None:
    """Refuse what cannot be indexed before anything is changed.

    Raises:
        WorldError: ``path_missing`` or ``path_denied``.
    """
    if not os.path.lexists(path):
        raise WorldError("path_missing", path=str(path))
    if not os.access(path, os.R_OK):
        raise WorldError("path_denied", path=str(path))
