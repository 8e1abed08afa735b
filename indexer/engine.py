"""The engine: one library, open in this process, and everything that can be asked of it.

Owns the parts of an open library and the order in which they are opened, worked and closed. It
answers to ``indexer.api``; it must not know sockets, commands or windows.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from indexer import reindex
from indexer.activity import Activity
from indexer.catalog import Catalog
from indexer.catalog.coverage import Chosen
from indexer.crashes import at_work, ended_badly
from indexer.errors import Cancelled, LecternError, WorldError
from indexer.estimate import estimate
from indexer.library import CATALOG_NAME, LANCE_NAME
from indexer.lock import LibraryLock
from indexer.looking import Looking
from indexer.lookup import describe_document, sentences
from indexer.models_in_use import ModelsInUse
from indexer.passwords import Passwords
from indexer.pipeline.gate import QueryGate
from indexer.pipeline.lane import Run
from indexer.pipeline.pace import Pace
from indexer.pipeline.parts import Parts
from indexer.progress import CancelToken, Progress, Reporter, Step, ignore
from indexer.query import parse
from indexer.recovery import recover
from indexer.removal import forget_orphans, remove_paths
from indexer.retry import retry, unlock
from indexer.search import Searcher
from indexer.shift import Shift
from indexer.similar import Similar
from indexer.status import check_library, describe
from indexer.store import Store
from indexer.store.disk import opening
from indexer.throttle import Speed, Throttle
from indexer.types import FileState, Summary
from indexer.watching.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.catalog import Root
    from indexer.config import EngineConfig
    from indexer.pipeline.parts import Counts
    from indexer.types import FileRow, SearchResult

log = logging.getLogger(__name__)


class Engine:
    """An open library. Thread-safe: one thread indexes at a time, any number may ask.

    Use ``open``; the constructor only takes what is already open.
    """

    def __init__(
        self, config: EngineConfig, lock: LibraryLock, catalog: Catalog, store: Store, pace: Pace
    ) -> None:
        self.config = config
        self.batches = pace
        self.catalog = catalog
        self.store = store
        self.models = ModelsInUse(config)
        self.throttle = Throttle(considerate=config.background)
        self.gate = QueryGate(self.throttle)
        self.throttle.load(catalog)
        self.activities = Activity(catalog, self.models, self.throttle)
        self.passwords = Passwords()
        self.searcher = Searcher(catalog, store, self.models)
        self.similar = Similar(catalog, store, self.models)
        self.looking = Looking(catalog, config)
        self.watcher = Watcher(self.looking, self._read_queued)
        self._lock = lock
        self._indexing = threading.Lock()
        self._due_ns = catalog.queue.next_due_ns()

    @classmethod
    def open(cls, config: EngineConfig, *, pace: Pace | None = None) -> Self:
        """Open a library, making it if there is none, and put in order what a crash left.

        Args:
            config: Which library, and how.
            pace: How much is gathered before it is written.

        Raises:
            WorldError: ``library_locked``, ``library_newer``, ``library_damaged``,
                ``library_unwritable`` or ``disk_full``.
        """
        pace = pace or Pace()
        lock = LibraryLock.acquire(config.library)
        with contextlib.ExitStack() as unless_open:
            unless_open.callback(lock.release)
            catalog = Catalog(config.library / CATALOG_NAME)
            unless_open.callback(catalog.close)
            lance = config.library / LANCE_NAME
            with opening(lance):
                store = Store.open(lance, threads=config.threads or _cores(), upkeep=pace.upkeep)
                engine = cls(config, lock, catalog, store, pace)
                engine._put_in_order()
            unless_open.pop_all()
        return engine

    def close(self) -> None:
        with contextlib.ExitStack() as parts:
            parts.callback(self._lock.release)
            parts.callback(self.catalog.close)
            parts.callback(self.store.close)
            parts.callback(self.searcher.close)
            self.watcher.stop()

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        rescan: bool = False,
        scan: bool = True,
        patterns: Sequence[str] | None = None,
    ) -> Summary:
        with self._indexing, at_work(self.catalog):
            reporter = Reporter(self._noting(report), token)
            roots = self._roots(paths, patterns)
            shift = Shift(self._parts(), Run, reporter, patient=self.config.background)
            seen, cancelled = 0, False
            try:
                if scan:
                    seen = shift.do(lambda: self._scan(roots, reporter, rescan=rescan))
                if paths:
                    self.catalog.queue.prefer([root.id for root in roots])
                shift.do(shift.read)
                shift.do(lambda: self._tidy(reporter))
            except Cancelled:
                cancelled = True
            finally:
                self.activities.note(None)
                self._due_ns = self.catalog.queue.next_due_ns()
            return self._summary(shift.counts, roots, seen, cancelled=cancelled)

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """Take in what ``index`` was asked for while a run goes on, which then reads it next."""
        roots = self._roots(paths, patterns)
        self.looking.scan(roots)
        self.catalog.queue.prefer([root.id for root in roots])
        self.activities.stale()

    def overdue(self) -> bool:
        """Whether something that failed is to be tried again now."""
        return self._due_ns is not None and time.time_ns() >= self._due_ns

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        token: CancelToken | None = None,
        explain: bool = False,
        full_text: bool,
    ) -> SearchResult:
        with self.gate.query():
            if (query := parse(text)).filters.like:
                token = token or CancelToken()
                return self.similar.search(query, limit=limit, token=token, full_text=full_text)
            return self.searcher.search(
                text, limit=limit, token=token, explain=explain, full_text=full_text
            )

    def status(self) -> dict[str, Any]:
        return describe(self)

    def files(
        self,
        state: str | None,
        root: str | None,
        offset: int,
        limit: int,
        *,
        order: str = "path",
        text: str = "",
    ) -> list[FileRow]:
        return self.catalog.coverage.page(self._chosen(state, root, text), order, offset, limit)

    def total(self, state: str | None, root: str | None, *, text: str = "") -> int:
        return self.catalog.coverage.total(self._chosen(state, root, text))

    def estimate(
        self,
        paths: Sequence[Path],
        *,
        token: CancelToken,
        patterns: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        return estimate(self.catalog, self.config, paths, token, patterns)

    def retry(self, paths: Sequence[Path]) -> int:
        self.activities.stale()
        return retry(self.catalog, paths)

    def unlock(self, path: Path, password: str) -> int:
        self.activities.stale()
        return unlock(self.catalog, self.passwords, path, password)

    def patterns(self, root: Path, patterns: Sequence[str] | None) -> list[str]:
        found = self.catalog.roots.find(root)
        if found is None or found[1] not in {b"", found[0].only}:
            raise WorldError("not_a_root", path=str(root))
        if patterns is not None:
            self.catalog.roots.set_patterns(found[0].id, patterns)
            self.watcher.wake()
        return list(self.catalog.roots.get(found[0].id).patterns)

    def watch(self, *, on: bool | None) -> dict[str, Any]:
        if on is not None:
            self.watcher.start() if on else self.watcher.stop()
        return self.watcher.describe()

    def activity(self) -> dict[str, Any]:
        return self.activities.describe()

    def pace(
        self, *, speed: str | None = None, paused: bool | None = None, typing: bool | None = None
    ) -> dict[str, Any]:
        chosen = Speed(speed) if speed is not None else None
        self.throttle.set(chosen, paused=paused, typing=typing)
        if chosen is not None or paused is not None:
            self.throttle.save(self.catalog)
        return self.activity()

    def document(self, path: Path) -> dict[str, Any]:
        return describe_document(self.catalog, path)

    def passage_spans(self, path: Path, start: int, end: int) -> list[tuple[int, int]]:
        return sentences(self.catalog, self.store, path, start, end)

    def reindex_cost(self, model: str | None, precision: str | None) -> dict[str, Any]:
        return reindex.cost(self.catalog, self.store, reindex.chosen(self.config, model, precision))

    def reindex(
        self,
        model: str | None,
        precision: str | None,
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
    ) -> Summary:
        with self._indexing:
            self._use(reindex.chosen(self.config, model, precision))
            reindex.requeue_outdated(self.catalog)
        return self.index((), report=report, token=token, scan=False)

    def roll_back(self) -> dict[str, Any]:
        with self._indexing:
            record = reindex.roll_back(self.catalog).record
            model, precision = str(record["model"]), str(record["precision"])
            self._use(reindex.chosen(self.config, model, precision))
        return {"model": model, "precision": precision}

    def discard(self) -> dict[str, Any]:
        with self._indexing:
            return {"bytes": reindex.discard(self.catalog, self.store)}

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        with self.looking.exclusive:
            # Nobody waits for a run to end; it drops at its end what nothing needs any more.
            tidy = self._indexing.acquire(blocking=False)
            try:
                return remove_paths(self.catalog, self.store, paths, tidy=tidy)
            finally:
                self.activities.stale()
                if tidy:
                    self._indexing.release()

    def doctor(self) -> list[dict[str, Any]]:
        return check_library(self)

    def _use(self, config: EngineConfig) -> None:
        self.config = config
        self.models.use(config)

    def _chosen(self, state: str | None, root: str | None, text: str) -> Chosen:
        under = self.catalog.roots.find(root) if root else None
        if root and under is None:
            raise WorldError("not_a_root", path=root)
        return Chosen(FileState(state) if state else None, under[0].id if under else None, text)

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

    def _parts(self) -> Parts:
        return Parts(
            catalog=self.catalog,
            store=self.store,
            space=self.models.space(self.catalog),
            open_embedder=self.models.indexing,
            gate=self.gate,
            limits=self.config.limits,
            children=self.config.children or max(1, _cores() // 2),
            check_space=self._check_space,
            pace=self.batches,
            password_of=self.passwords.of,
            throttle=self.throttle,
        )

    def _scan(self, roots: Sequence[Root], reporter: Reporter, *, rescan: bool) -> int:
        def note(count: int) -> None:
            reporter.report(Progress(Step.SCAN, files_total=count))

        counts = self.looking.scan(roots, reporter.token, note)
        if rescan:
            for root in roots:
                self.catalog.queue.requeue_all(root.id)
        return sum(count.seen for count in counts)

    def _read_queued(self, token: CancelToken, done: Callable[[Exception | None], None]) -> None:
        """Read what the watcher found, where no lane was lent for it."""
        try:
            summary = self.index((), report=ignore, token=token, scan=False)
        except LecternError as error:
            done(error)
        else:
            done(Cancelled() if summary.cancelled else None)

    def _check_space(self) -> None:
        free = shutil.disk_usage(self.config.library).free
        if free < self.config.min_free_bytes:
            needed = f"{self.config.min_free_bytes / 1e9:.1f} GB"
            raise WorldError("disk_full", needed=needed, path=str(self.config.library))

    def _put_in_order(self) -> None:
        try:
            self.store.clean_at_open()
            recover(self.catalog, self.store, crashed=ended_badly(self.catalog))
            reindex.requeue_outdated(self.catalog)
        except LecternError as error:
            if error.code != "disk_full":
                raise
            # It must not keep anyone from searching; the next run tries again.
            log.warning("the library could not be put in order", exc_info=True)

    def _tidy(self, reporter: Reporter) -> None:
        reporter.report(Progress(Step.MAINTAIN), force=True)
        forget_orphans(self.catalog, self.store)
        self.catalog.lexicon.maintain()
        self.catalog.names.prune()
        reindex.settle(self.catalog, self.store, self.models.space(self.catalog))
        self.store.maintain(idle=True)

    def _noting(self, report: Callable[[Progress], None]) -> Callable[[Progress], None]:
        def note(progress: Progress) -> None:
            self.activities.note(progress)
            report(progress)

        return note

    def _summary(
        self, counts: Counts, roots: Sequence[Root], seen: int, *, cancelled: bool
    ) -> Summary:
        states: dict[str, int] = {}
        for root in roots:
            for state, count in self.catalog.files.counts(root.id).items():
                states[str(state)] = states.get(str(state), 0) + count
        return Summary(
            states=states,
            files_seen=seen,
            documents_added=counts.documents,
            pages=counts.pages,
            passages=counts.embedded,
            tokens=counts.tokens,
            seconds=counts.seconds,
            cancelled=cancelled,
            reused=counts.reused,
        )


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
