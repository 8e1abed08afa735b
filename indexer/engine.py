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
from typing import TYPE_CHECKING, Any, Self

from indexer.catalog import Catalog
from indexer.errors import Cancelled, LecternError, WorldError
from indexer.excludes import Excludes
from indexer.library import CATALOG_NAME, LANCE_NAME
from indexer.lock import LibraryLock
from indexer.models_in_use import ModelsInUse
from indexer.pipeline.gate import QueryGate
from indexer.pipeline.lane import Parts, Run
from indexer.pipeline.pace import Pace
from indexer.progress import Progress, Reporter, Step
from indexer.recovery import recover
from indexer.removal import forget_orphans, remove_paths
from indexer.scan import RootWalk, ScanRules, known_formats
from indexer.search import Searcher
from indexer.status import check_library, describe
from indexer.store import Store
from indexer.store.disk import opening
from indexer.types import FileState, Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.catalog import Root
    from indexer.config import EngineConfig
    from indexer.progress import CancelToken
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
        self.pace = pace
        self.catalog = catalog
        self.store = store
        self.models = ModelsInUse(config)
        self.gate = QueryGate()
        self.searcher = Searcher(catalog, store, self.models)
        self._lock = lock
        self._indexing = threading.Lock()
        self._progress: Progress | None = None  # of the run that goes on, for ``status``

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
            self.searcher.close()

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        rescan: bool = False,
    ) -> Summary:
        with self._indexing:
            reporter = Reporter(self._noting(report), token)
            for path in paths:
                _must_be_readable(path)
            roots = [self.catalog.roots.add(path) for path in paths] or self.catalog.roots.all()
            recover(self.catalog, self.store)
            run = Run(self._parts(), reporter)
            seen, cancelled = 0, False
            try:
                seen = self._scan(roots, reporter, rescan=rescan)
                run.work()
                self._tidy(reporter)
            except Cancelled:
                cancelled = True
            finally:
                run.stop()
                self._progress = None
            return self._summary(run, roots, seen, cancelled=cancelled)

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
            return self.searcher.search(
                text, limit=limit, token=token, explain=explain, full_text=full_text
            )

    def status(self) -> dict[str, Any]:
        return describe(self, self._progress)

    def files(self, state: str | None, root: str | None, offset: int, limit: int) -> list[FileRow]:
        under = self.catalog.roots.find(root) if root else None
        if root and under is None:
            raise WorldError("not_a_root", path=root)
        return self.catalog.files.listing(
            state=FileState(state) if state else None,
            root=under[0].id if under else None,
            offset=offset,
            limit=limit,
        )

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        with self._indexing:
            return remove_paths(self.catalog, self.store, paths)

    def doctor(self) -> list[dict[str, Any]]:
        return check_library(self)

    # -- indexing ---------------------------------------------------------------------------

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
            pace=self.pace,
        )

    def _scan(self, roots: Sequence[Root], reporter: Reporter, *, rescan: bool) -> int:
        seen = 0
        for root in roots:
            walk = RootWalk(root, self._rules(root), reporter.token)
            before = seen

            def note(count: int, before: int = before) -> None:
                reporter.report(Progress(Step.SCAN, files_total=before + count))

            counts = self.catalog.scans.apply(root.id, walk, note)
            if rescan:
                self.catalog.queue.requeue_all(root.id)
            seen += counts.seen
        return seen

    def _rules(self, root: Root) -> ScanRules:
        others = {other.path: "another root" for other in self.catalog.roots.all()
                  if other.path != root.path and not other.only}  # fmt: skip
        library = os.fsencode(self.config.library.resolve())
        return ScanRules(
            excludes=Excludes((*self.config.exclude, *root.patterns), hidden=self.config.hidden),
            formats=known_formats(),
            max_bytes=self.config.limits.largest_bytes,
            max_bytes_of=self.config.limits.by_format,
            passed_by={**others, library: "Lectern's own library"},
            roots=[known.path for known in self.catalog.roots.all()],
        )

    def _check_space(self) -> None:
        free = shutil.disk_usage(self.config.library).free
        if free < self.config.min_free_bytes:
            needed = f"{self.config.min_free_bytes / 1e9:.1f} GB"
            raise WorldError("disk_full", needed=needed, path=str(self.config.library))

    def _put_in_order(self) -> None:
        try:
            self.store.clean_at_open()
            recover(self.catalog, self.store)
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
        self.store.maintain(idle=True)

    def _noting(self, report: Callable[[Progress], None]) -> Callable[[Progress], None]:
        def note(progress: Progress) -> None:
            self._progress = progress
            report(progress)

        return note

    def _summary(self, run: Run, roots: Sequence[Root], seen: int, *, cancelled: bool) -> Summary:
        states: dict[str, int] = {}
        for root in roots:
            for state, count in self.catalog.files.counts(root.id).items():
                states[str(state)] = states.get(str(state), 0) + count
        return Summary(
            states=states,
            files_seen=seen,
            documents_added=run.counts.documents,
            pages=run.counts.pages,
            passages=run.vectors.embedded,
            tokens=run.vectors.tokens,
            seconds=run.seconds,
            cancelled=cancelled,
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
