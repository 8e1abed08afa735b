"""The desk of an open library: every question that can be answered while somebody else works.

Owns the parts that answer, and the settings that take effect at once (speed, pause, passwords).
``indexer.engine.engine`` opens, works and closes; this must not know how.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.progress import CancelToken
from indexer.api.types import FileState
from indexer.catalog.coverage import CoverageFilter
from indexer.embed.models_in_use import ModelsInUse
from indexer.engine import reindex
from indexer.engine.activity import Activity
from indexer.engine.estimate import estimate
from indexer.engine.lookup import describe_document, sentences
from indexer.engine.passwords import Passwords
from indexer.engine.retry import retry, unlock
from indexer.engine.status import check_library, describe
from indexer.pipeline.recogniser import Recogniser
from indexer.pipeline.scanned_pages import ScannedPages
from indexer.query.grammar import parse
from indexer.search.compare import Comparer
from indexer.search.explain import Explainer
from indexer.search.search import Searcher
from indexer.search.similar import Similar
from indexer.throttle.gate import QueryGate
from indexer.throttle.throttle import Speed, Throttle

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indexer.api.types import FileRow, SearchResult
    from indexer.catalog import Catalog
    from indexer.config import EngineConfig
    from indexer.store import Store


class Desk:
    """Answers questions about an open library (``indexer.api.contract``). Thread-safe."""

    def __init__(self, config: EngineConfig, catalog: Catalog, store: Store) -> None:
        self.config = config
        self.catalog = catalog
        self.store = store
        self.models = ModelsInUse(config)
        self.throttle = Throttle(adaptive=config.background)
        self.throttle.load(catalog)
        self.gate = QueryGate(self.throttle)
        self.activities = Activity(catalog, self.models, self.throttle)
        self.passwords = Passwords()
        self.scanned_pages = ScannedPages(catalog, config)
        self.recogniser = Recogniser(
            self.scanned_pages, self.throttle, config.limits, self.passwords.of
        )
        self.searcher = Searcher(catalog, store, self.models)
        self.similar = Similar(catalog, store, self.models)
        self.explainer = Explainer(catalog, store, self.models)
        self.comparer = Comparer(catalog, store)

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
            query = parse(text)
            search = self.similar.search if query.filters.like else self.searcher.search
            return search(
                query,
                limit=limit,
                token=token or CancelToken(),
                explain=explain,
                full_text=full_text,
            )

    def explain(self, text: str, path: Path, start: int) -> dict[str, Any]:
        with self.gate.query():
            return self.explainer.explain(text, path, start)

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> dict[str, Any]:
        return self.comparer.compare(first, second, limit=limit, token=token)

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
        self.catalog.must_be_writable()
        self.activities.stale()
        queued = retry(self.catalog, paths)
        self.scanned_pages.reset_failures(paths)
        return queued

    def unlock(self, path: Path, password: str) -> int:
        self.catalog.must_be_writable()
        self.activities.stale()
        return unlock(self.catalog, self.passwords, path, password)

    def activity(self) -> dict[str, Any]:
        return self.activities.describe()

    def pace(
        self, *, speed: str | None = None, paused: bool | None = None, typing: bool | None = None
    ) -> dict[str, Any]:
        chosen = Speed(speed) if speed is not None else None
        if chosen is not None or paused is not None:
            self.catalog.must_be_writable()
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

    def doctor(self) -> list[dict[str, Any]]:
        return check_library(self)

    def _use(self, config: EngineConfig) -> None:
        self.config = config
        self.models.use(config)

    def _chosen(self, state: str | None, root: str | None, text: str) -> CoverageFilter:
        under = self.catalog.roots.find(root) if root else None
        if root and under is None:
            raise WorldError("not_a_root", path=root)
        return CoverageFilter(
            FileState(state) if state else None, under[0].id if under else None, text
        )
