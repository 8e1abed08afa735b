"""An open library, which answers all requests that are possible during indexing.

Changes of speed, pause and passwords are effective at once.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.api.answers import FileList, FolderCount
from indexer.api.errors import WorldError
from indexer.api.types import Explanation, FileState, SearchResult
from indexer.catalog.coverage import CoverageFilter
from indexer.catalog.roots import join
from indexer.embed.factory import ModelsInUse
from indexer.embed.installed import list_models, obtain_model, remove_model
from indexer.engine import reindex
from indexer.engine.activity import ActivityMonitor
from indexer.engine.document_reading import (
    describe_document,
    embed_texts,
    list_documents,
    parse_within,
    read_passages,
)
from indexer.engine.estimate import estimate_cost
from indexer.pipeline.reading import PasswordsByPath
from indexer.pipeline.recogniser import Recogniser, ScannedPages
from indexer.query.filters import clean
from indexer.query.grammar import parse, without_filters_of
from indexer.search.compare import Comparer
from indexer.search.explain import Explainer
from indexer.search.restatements import Elsewhere
from indexer.search.search import Searcher
from indexer.search.similar import Similar
from indexer.throttle.throttle import QueryGate, Throttle

if TYPE_CHECKING:
    from indexer.api import models, requests
    from indexer.api.answers import (
        Comparison,
        Document,
        DocumentList,
        DocumentText,
        Estimate,
        Parallel,
        ReindexCost,
    )
    from indexer.api.progress import Reporter
    from indexer.api.status import Activity
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Root
    from indexer.config import EngineConfig
    from indexer.store.store import Store


# About as many as the hits of a few questions.
FOUND_KEPT = 64
# The states in which another attempt to read may succeed.
_FAILED = (FileState.FAILED, FileState.UNREADABLE)


class OpenLibrary:
    """Answers requests to an open library, each by the method with its name. Thread-safe."""

    def __init__(self, config: EngineConfig, catalog: Catalog, store: Store) -> None:
        self.config = config
        self.catalog = catalog
        self.store = store
        self.models = ModelsInUse(_as_the_library(config, catalog))
        self.throttle = Throttle(adaptive=config.background)
        self.throttle.load_pace(catalog)
        self.gate = QueryGate(self.throttle)
        # Paths of documents that were recently found or opened. They are embedded first.
        self.found: deque[str] = deque(maxlen=FOUND_KEPT)
        self.activities = ActivityMonitor(catalog, self.models, self.throttle)
        self.passwords = PasswordsByPath()
        self.scanned_pages = ScannedPages(catalog, config)
        self.recogniser = Recogniser(
            self.scanned_pages, self.throttle, config.limits, self.passwords.password_of
        )
        self.asked = reindex.AskedLanguages(catalog)
        self.searcher = Searcher(catalog, store, self.models)
        self.similar = Similar(catalog, store, self.models)
        self.explainer = Explainer(catalog, store, self.models, self.searcher.lexicon)
        self.comparer = Comparer(catalog, store)
        self.elsewhere = Elsewhere(catalog, store, self.models)

    def answer_search(self, request: requests.Search, caller: Reporter) -> SearchResult:
        query = parse_within(request.text, request.within)
        asked_in = self.asked.note_question(query)
        answer = self.similar.search_similar if query.filters.like else self.searcher.search
        with self.gate.query():
            result = answer(
                query,
                limit=request.limit,
                token=caller.token,
                explain=request.explain,
                full_text=request.full_text,
            )
        self.found.extend(hit.path for hit in result.hits)
        unread = reindex.unread_language(self.catalog, self.config, asked_in)
        return replace(result, notes=(*result.notes, *unread))

    def answer_search_by_words(
        self, request: requests.SearchByWords, caller: Reporter
    ) -> SearchResult:
        query = parse_within(request.text, request.within)
        if query.filters.like:
            return SearchResult(())
        with self.gate.query():
            return self.searcher.search(
                query, limit=request.limit, token=caller.token, by_words=True
            )

    def answer_explain(self, request: requests.Explain, _caller: Reporter) -> Explanation | None:
        with self.gate.query():
            return self.explainer.explain_hit(request.text, request.path, request.start)

    def answer_compare(self, request: requests.Compare, caller: Reporter) -> Comparison:
        first, second = request.first, request.second
        return self.comparer.compare(first, second, limit=request.limit, token=caller.token)

    def answer_find_elsewhere(
        self, request: requests.FindElsewhere, caller: Reporter
    ) -> tuple[Parallel, ...]:
        with self.gate.query():
            return self.elsewhere.find_restatements(request, caller.token)

    def answer_list_files(self, request: requests.ListFiles, _caller: Reporter) -> FileList:
        chosen = CoverageFilter(request.state, text=request.text)
        if request.root is not None:
            root, folder = self._place(request.root)
            inside = b"" if root.file_name else folder
            chosen = replace(chosen, root=root.id, folder=inside)
        coverage = self.catalog.coverage
        rows = coverage.page(chosen, request.order, request.offset, request.limit)
        space = self.catalog.spaces.active()
        read = {"", *space.languages} if space and space.languages else None
        listed = (
            row if read is None or row.language in read else replace(row, by_words=True)
            for row in rows
        )
        return FileList(tuple(listed), coverage.total(chosen))

    def answer_list_folders(
        self, request: requests.ListFolders, _caller: Reporter
    ) -> tuple[FolderCount, ...]:
        root, folder = self._place(request.folder)
        found = self.catalog.coverage.subfolders(root.id, folder)
        return tuple(
            FolderCount(os.fsdecode(join(root.path, folder, name)), files, has_folders)
            for name, (files, has_folders) in found.items()
        )

    def _place(self, path: Path) -> tuple[Root, bytes]:
        """Return the root of a path, and the path below it. Raises ``not_a_root``."""
        found = self.catalog.roots.find(path)
        if found is None:
            raise WorldError("not_a_root", path=str(path))
        return found

    def answer_estimate_index(self, request: requests.EstimateIndex, caller: Reporter) -> Estimate:
        return estimate_cost(self.catalog, self.config, request, caller.token)

    def answer_retry(self, request: requests.Retry, _caller: Reporter) -> int:
        self.catalog.must_be_writable()
        self.activities.stale()
        # Copies are found first, since a file that is queued again has no content until it is read.
        self.scanned_pages.reset_failures(request.paths)
        if not request.paths:
            return self.catalog.queue.retry(states=_FAILED)
        chosen: list[int] = []
        for path in request.paths:
            known = self.catalog.files.at(path)
            if known is not None:
                chosen.append(known[0])
            elif self.catalog.coverage.holds(path):
                chosen += self.catalog.coverage.under(path, _FAILED)
            else:
                raise WorldError("not_a_root", path=str(path))
        return self.catalog.queue.retry(files=chosen)

    def answer_unlock(self, request: requests.Unlock, _caller: Reporter) -> int:
        self.catalog.must_be_writable()
        self.activities.stale()
        known = self.catalog.files.at(request.path)
        if known is None:
            raise WorldError("not_a_root", path=str(request.path))
        # A copy that is read without the password would fail, and thus all copies.
        copies = {known[0], *self.catalog.queue.copies(known[0])}
        for row in self.catalog.files.files_by_id(copies).values():
            self.passwords.set_password(row.path, request.password)
        return self.catalog.queue.retry(files=copies)

    def answer_get_activity(self, _request: requests.GetActivity, _caller: Reporter) -> Activity:
        return self.activities.current_activity()

    def answer_set_pace(self, request: requests.SetPace, _caller: Reporter) -> Activity:
        lasting = request.speed is not None or request.paused is not None
        if lasting:
            self.catalog.must_be_writable()
        self.throttle.set_pace(request.speed, paused=request.paused, typing=request.typing)
        if lasting:
            self.throttle.save_pace(self.catalog)
        return self.activities.current_activity()

    def answer_set_collection(
        self, request: requests.SetCollection, _caller: Reporter
    ) -> Mapping[str, str]:
        if request.filters and not parse(request.filters).filters:
            raise WorldError("bad_query", reason="it has no filter")
        renames = not (request.adds or request.removes)
        change = partial(_changed_collection, request)
        return self.catalog.set_collection(request.name.strip(), change, renames=renames)

    def answer_get_document(self, request: requests.GetDocument, _caller: Reporter) -> Document:
        self.found.append(str(request.path))
        return describe_document(self.catalog, request.path)

    def answer_correct_document(
        self, request: requests.CorrectDocument, _caller: Reporter
    ) -> Document:
        title, author = clean(request.title).strip(), clean(request.author).strip()
        self.catalog.correct_document(request.path, title, author, request.year)
        return describe_document(self.catalog, request.path)

    def answer_list_documents(
        self, request: requests.ListDocuments, _caller: Reporter
    ) -> DocumentList:
        return list_documents(self.catalog, request)

    def answer_read_passages(
        self, request: requests.ReadPassages, _caller: Reporter
    ) -> DocumentText:
        return read_passages(self.catalog, self.store, request)

    def answer_embed_texts(
        self, request: requests.EmbedTexts, caller: Reporter
    ) -> tuple[tuple[float, ...], ...]:
        def make_way() -> None:
            caller.token.check()
            self.gate.wait_for_queries()

        return embed_texts(self.catalog, self.models, request, make_way)

    def answer_estimate_reindex(
        self, request: models.EstimateReindex, _caller: Reporter
    ) -> ReindexCost:
        config = reindex.for_library(self.catalog, self.config)
        chosen = reindex.chosen(config, request.model, request.precision)
        return reindex.measure_cost(self.catalog, self.store, chosen)

    def answer_list_models(
        self, _request: models.ListModels, _caller: Reporter
    ) -> tuple[models.ModelInfo, ...]:
        return tuple(list_models(self.config.models))

    def answer_get_model(self, request: models.GetModel, caller: Reporter) -> models.ModelInfo:
        return obtain_model(request.model, self.config, reporter=caller)

    def answer_remove_model(self, request: models.RemoveModel, _caller: Reporter) -> int:
        model, library = request.model, str(self.config.library)
        if any(space.record["model"] == model for space in self.catalog.spaces.all()):
            raise WorldError("model_in_use", model=model, reason="library_model", library=library)
        return remove_model(model, self.config)

    def answer_compare_models(
        self, request: models.CompareModels, caller: Reporter
    ) -> models.ModelComparison:
        return reindex.compare_models(self.searcher, request, caller)

    def _use(self, config: EngineConfig) -> None:
        self.config = config
        self.models.configure_models(config)


def _changed_collection(request: requests.SetCollection, before: str) -> str:
    if request.was not in (None, before):
        raise WorldError("busy", reason="collection_changed")
    if request.removes:
        return without_filters_of(before, request.filters)
    return f"{before} {request.filters}".strip() if request.adds else request.filters


def _as_the_library(config: EngineConfig, catalog: Catalog) -> EngineConfig:
    try:
        return reindex.for_library(catalog, config)
    except WorldError:  # the configured model is not on this machine
        return config
