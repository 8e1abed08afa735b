"""The engine: a library that is open in this process and answers requests through ``call``.

It opens and closes the parts of a library in the right order, and answers requests that neither
index (``indexer.engine.indexing``) nor only read (``open_library``).
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self, TypeVar

from indexer.api import requests
from indexer.api.answers import Check, RepairOutcome, Verification, WatchState
from indexer.api.errors import Cancelled, LecternError, WorldError
from indexer.api.phrases import reason_in
from indexer.api.private_files import LibraryLock
from indexer.api.progress import CancelToken, Progress, Report, Reporter, Step, ignore_progress
from indexer.catalog.catalog import Catalog
from indexer.engine import reindex
from indexer.engine.indexing import IndexingLibrary, cores
from indexer.engine.status import check_library, describe_library
from indexer.library.crashes import CrashMark, LastEnd, last_end, retry_after_update
from indexer.library.library import (
    CATALOG_NAME,
    INDEX_NAME,
    clear_older,
    exists,
    has_other_files,
    is_writable,
)
from indexer.library.recovery import recover
from indexer.library.removal import remove_paths
from indexer.library.repair import repair, verify
from indexer.pipeline.parts import BatchSizes
from indexer.store.store import Store
from indexer.watching.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from indexer.api.contract import Request
    from indexer.api.status import Status
    from indexer.config import EngineConfig
    from indexer.watching.watcher import Read

A = TypeVar("A")

log = logging.getLogger(__name__)


# Besides missing tables, opening raises these if the creation of a library was interrupted.
_UNMADE = {"library_older", "library_unwritable"}


class Engine(IndexingLibrary):
    """An open library. Thread-safe.

    Use ``open``; the constructor takes parts that are already open.
    """

    @cached_property
    def watcher(self) -> Watcher:
        return Watcher(self.scanner, self._read_queued)

    @classmethod
    def open(cls, config: EngineConfig, *, batches: BatchSizes | None = None) -> Self:
        """Open a library, which is created if missing, and recover it after a crash.

        Args:
            config: The configuration.
            batches: The sizes of buffers.

        A library on a read-only or full disk is opened read-only. Every request that would change
        it raises ``library_read_only`` or ``disk_full``.

        Raises ``library_locked``, ``library_newer``, ``library_damaged``, ``library_unwritable``,
        ``disk_full``, ``library_older``, ``path_denied``, or ``not_empty`` if the folder of a new
        library has other files.
        """
        batches = batches or BatchSizes()
        lock = _locked(config.library)
        with contextlib.ExitStack() as unless_open:
            unless_open.callback(lock.release)
            before = LastEnd() if lock.refusal else last_end(config.library)
            mark = CrashMark(config.library, writable=lock.refusal is None)
            unless_open.callback(mark.remove)
            if lock.refusal is None:
                clear_older(config.library)
            catalog = _open_catalog(config.library / CATALOG_NAME, lock.refusal)
            unless_open.callback(catalog.close)
            index, writable = config.library / INDEX_NAME, catalog.refusal is None
            with _unmade_for_want_of_room(catalog.refusal):
                store = Store.open(
                    index,
                    threads=config.threads or cores(),
                    ann_from=batches.ann_from,
                    writable=writable,
                    suspect=writable and before.by_fault,
                )
                engine = cls(config, lock, mark, catalog, store, batches)
                if writable:
                    engine._put_in_order(before.blame)
            unless_open.pop_all()
        return engine

    def close(self) -> None:
        with contextlib.ExitStack() as parts:
            parts.callback(self.lock.release)
            if not self.lock.is_intact():
                # Closing would write by path, where another library may be by now. Without it the
                # folder is as after a kill, and nothing committed is lost.
                self.watcher.stop()
                self.crash_mark.leave()
                _keep_open(self)
                return
            parts.callback(self.crash_mark.remove)
            parts.callback(self.catalog.close)
            parts.callback(self.store.close)
            parts.callback(self.searcher.close)
            parts.callback(self.asked.save_counts, closing=True)
            parts.callback(self.scanned_pages.close)
            self.watcher.stop()

    def call(
        self, request: Request[A], *, token: CancelToken | None = None, report: Report | None = None
    ) -> A:
        """See ``indexer.api.contract.EngineApi``; ``Shutdown`` is handled by the service.

        The method named after a request answers it: ``answer_list_files`` for ``ListFiles``.
        """
        method = getattr(self, f"answer_{request.wire_name}", None)
        if method is None:
            raise WorldError("busy", reason="in_use")
        answer: A = method(request, Reporter(report or ignore_progress, token or CancelToken()))
        return answer

    def read_with(self, read: Read) -> None:
        """Set the function with which the service reads files that the watcher has queued."""
        self.watcher.read = read

    def stop_watching(self) -> None:
        self.watcher.stop()

    def answer_set_patterns(
        self, request: requests.SetPatterns, _caller: Reporter
    ) -> tuple[str, ...]:
        found = self.catalog.roots.find(request.root)
        if found is None or found[1] not in {b"", found[0].file_name}:
            raise WorldError("not_a_root", path=str(request.root))
        if request.patterns is not None:
            self.catalog.roots.set_patterns(found[0].id, request.patterns)
            self.watcher.wake()
        return tuple(self.catalog.roots.root_by_id(found[0].id).patterns)

    def answer_get_status(self, _request: requests.GetStatus, _caller: Reporter) -> Status:
        return describe_library(self, self.watcher.watch_state())

    def answer_diagnose(self, _request: requests.Diagnose, _caller: Reporter) -> tuple[Check, ...]:
        return check_library(self)

    def answer_watch(self, request: requests.Watch, _caller: Reporter) -> WatchState:
        if request.on:
            self.catalog.must_be_writable()
        if request.on is not None:
            self.watcher.start() if request.on else self.watcher.stop()
        return self.watcher.watch_state()

    def answer_verify(self, _request: requests.Verify, caller: Reporter) -> Verification:
        tick = partial(caller.report, Progress(Step.MAINTAIN))
        with self._indexing:
            return verify(self.catalog, self.store, tick).describe(self.catalog, self.store)

    def answer_repair(self, _request: requests.Repair, caller: Reporter) -> RepairOutcome:
        self.catalog.must_be_writable()
        tick = partial(caller.report, Progress(Step.MAINTAIN))
        with self._indexing, self.scanner.exclusive:
            self.lock.check()
            before, after = repair(self.catalog, self.store, tick)
        self.activities.stale()
        queued = self.catalog.queue.waiting()
        return RepairOutcome(tuple(before.problems), tuple(after.problems), queued)

    def answer_remove(self, request: requests.Remove, _caller: Reporter) -> int:
        self.catalog.must_be_writable()
        with self.scanner.exclusive:
            # Removal does not wait for a running run, which deletes orphans at its end.
            tidy = self._indexing.acquire(blocking=False)
            try:
                self.lock.check()
                return remove_paths(self.catalog, self.store, request.paths, tidy=tidy)
            finally:
                self.activities.stale()
                if tidy:
                    self._indexing.release()

    def _read_queued(self, token: CancelToken, done: Callable[[Exception | None], None]) -> None:
        """Read files that the watcher has queued, if there is no service."""
        try:
            summary = self.call(requests.Index(scan=False), token=token)
        except LecternError as error:
            done(error)
        else:
            done(Cancelled() if summary.cancelled else None)

    def _put_in_order(self, blame: int) -> None:
        try:
            recover(self.catalog, self.store, blame=blame)
            retry_after_update(self.catalog)
            reindex.requeue_outdated(self.catalog)
        except LecternError as error:
            if error.code != "disk_full":
                raise
            # A failed recovery must not prevent searching; the next run repeats it.
            log.warning("the library could not be put in order", exc_info=True)


def _locked(library: Path) -> LibraryLock:
    if not exists(library):
        if has_other_files(library):
            raise WorldError("not_empty", path=str(library))
    elif not is_writable(library):
        return LibraryLock.share(library)
    return LibraryLock.acquire(library)


def _open_catalog(path: Path, refusal: LecternError | None) -> Catalog:
    """Open the catalog, read-only if the disk has no room for the WAL's files."""
    try:
        return Catalog(path, refusal)
    except WorldError as error:
        if refusal is not None or error.code != "disk_full":
            raise
        with _unmade_for_want_of_room(error):
            return Catalog(path, error)


@contextlib.contextmanager
def _unmade_for_want_of_room(refusal: LecternError | None) -> Iterator[None]:
    """Report ``disk_full`` if opening fails because of an interrupted creation."""
    try:
        yield
    except WorldError as error:
        unmade = error.code in _UNMADE or reason_in(error.detail) == "no_tables"
        if refusal is None or refusal.code != "disk_full" or not unmade:
            raise
        raise WorldError(refusal.code, **refusal.detail) from error


def _keep_open(engine: Engine) -> None:
    """Keep the files of an engine open until the process ends.

    Closing the last connection to a database deletes the WAL at its path, where another library's
    may be.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
