"""A small engine that keeps words in memory and a file: real lock, real interface, no model.

It stands in for the engine wherever the service, the client, the command line and the window are
tested. What a file begins with decides what becomes of it: WAIT keeps ``index`` busy until it is
cancelled, STUCK whatever happens; ``LOCKED secret`` needs that password; ``BROKEN`` cannot be
read, ``CRASHED`` stopped the engine twice, until the file says otherwise and ``retry`` asks. A
query with WAIT in it keeps ``search`` busy; one with CRASH in it raises what no engine should;
one with POOR in it finds nothing good, one with VAGUE perhaps.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from indexer.api.answers import (
    Check,
    Problem,
    ReindexCost,
    RepairOutcome,
    Verification,
    WatchedRoot,
    WatchState,
)
from indexer.api.errors import Cancelled, WorldError
from indexer.api.models import Discard, EstimateReindex, Reindex, RemoveModel, RollBack
from indexer.api.phrases import Note
from indexer.api.private_files import LibraryLock
from indexer.api.progress import CancelToken, Progress, Step, ignore_progress
from indexer.api.requests import (
    Calibrate,
    Compare,
    Diagnose,
    EstimateIndex,
    Explain,
    GetActivity,
    GetDocument,
    GetStatus,
    Index,
    ListFiles,
    ListFolders,
    Remove,
    Repair,
    Retry,
    Search,
    SearchByWords,
    SetCollection,
    SetPace,
    SetPatterns,
    Unlock,
    Verify,
    Watch,
)
from indexer.api.status import (
    Activity,
    LanguageStatus,
    ModelChoice,
    RootStatus,
    Running,
    Speed,
    Status,
)
from indexer.api.types import FileState, SearchResult, Summary
from indexer.embed.installed import remove_model
from indexer.query.grammar import without_filters_of
from tests.answers import EMPTY, IDLE
from tests.fake_library import FakeLibrary, files_under, inside
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.contract import Request
    from indexer.config import EngineConfig

A = TypeVar("A")


class FakeEngine(FakeLibrary):
    """An ``EngineApi`` over plain text files, found by the words they share with the query.

    ``activity_now`` may be changed by a test: it overrides what ``activity`` says.
    """

    def __init__(self, config: EngineConfig, lock: LibraryLock) -> None:
        self.store = config.library / "fake.json"
        known = json.loads(self.store.read_text()) if self.store.exists() else {}
        super().__init__(known)
        self.config = config
        self.lock = lock
        self.writing = threading.Lock()
        self.closed = False
        self.watching = False
        self.progress: Progress | None = None
        self.typed = 0
        self.models: list[str] = []
        self.damage: list[Problem] = []
        self.checks = (Check("model", ok=True, value="fake", advice=""),)
        self.activity_now: dict[str, Any] = {}
        self.changes = 0
        self.rests = 0
        self.collections: dict[str, str] = {}
        speed, self.paused = known.get("pace", ["normal", False])
        self.speed = Speed(speed)

    @classmethod
    def open(cls, config: EngineConfig) -> FakeEngine:
        return cls(config, LibraryLock.acquire(config.library, "the fake engine"))

    def call(
        self,
        request: Request[A],
        *,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> A:
        if type(request) not in _ANSWERS:
            raise WorldError("busy", reason="in_use")
        give = _ANSWERS[type(request)]
        answer: A = give(self, request, token or CancelToken(), report or ignore_progress)
        return answer

    # -- what whoever serves may ask for ----------------------------------------------------

    def read_with(self, read: Callable[[CancelToken, Any], None]) -> None:
        """It watches nothing."""

    def stop_watching(self) -> None:
        self.watching = False

    def look_ahead(self, paths: Sequence[Path], patterns: Sequence[str] | None) -> None:
        """It reads everything in its turn."""

    def overdue(self) -> bool:
        return False

    def has_pages_to_recognise(self) -> bool:
        return False

    def release_memory(self) -> bool:
        self.rests += 1
        return True

    def change_waits(self) -> bool:
        return False

    def calibration_waits(self) -> bool:
        return False

    def calibrate(self, token: CancelToken) -> None:
        """It has nothing to measure."""

    def recognise(
        self, report: Callable[[Progress], None], token: CancelToken, busy: Callable[[], bool]
    ) -> int:
        return 0

    # -- indexing ---------------------------------------------------------------------------

    def _index(
        self, request: Index, token: CancelToken, report: Callable[[Progress], None]
    ) -> Summary:
        assert self.writing.acquire(blocking=False), "two jobs write at the same time"

        def note(progress: Progress) -> None:
            self.progress = progress
            report(progress)

        try:
            return self._run(request, token, note)
        finally:
            self.progress = None
            self.writing.release()

    def _run(
        self, request: Index, token: CancelToken, report: Callable[[Progress], None]
    ) -> Summary:
        for path in request.paths:
            if not path.exists():
                raise WorldError("path_missing", path=str(path))
            if str(path) not in self.roots:
                self.roots.append(str(path))
            if request.patterns is not None:
                self.rules[str(path)] = list(request.patterns)
        found = [file for root in self.roots for file in files_under(Path(root))]
        cancelled = False
        for done, file in enumerate(found):
            report(Progress(Step.INDEX, done, len(found), done, 2 * done, 0, 10 * done, 2.0, 3.0))
            try:
                self._read(file, token)
            except Cancelled:
                cancelled = True
                break
        self._save()
        report(Progress(Step.INDEX, len(found), len(found), seconds=1.0))
        return Summary(self.states(), len(found), len(self.texts), 1, 2, 3, 0.5, cancelled)

    def _read(self, file: Path, token: CancelToken) -> None:
        text = file.read_bytes().decode("utf-8", "replace")
        if text.startswith("WAIT"):
            self.waiting.set()
            token.wait(WAIT_S)
        if text.startswith("STUCK"):
            threading.Event().wait(WAIT_S)
        token.check()
        self.texts = {**self.texts, str(file): text}
        self.queued.discard(str(file))

    def _save(self) -> None:
        known = {
            "roots": self.roots,
            "texts": self.texts,
            "rules": self.rules,
            "pace": [self.speed, self.paused],
        }
        self.store.write_text(json.dumps(known))

    def _retry(self, request: Retry) -> int:
        failed = {row.path for row in self.rows() if row.code or row.state is FileState.FAILED}
        paths = request.paths
        chosen = {path for path in failed if not paths or any(inside(path, p) for p in paths)}
        self.queued |= chosen
        return len(chosen)

    def _unlock(self, request: Unlock) -> int:
        path = str(request.path)
        if path not in self.texts:
            raise WorldError("not_a_root", path=path)
        self.passwords[path] = request.password
        self.queued.add(path)
        return 1

    def _patterns(self, request: SetPatterns) -> tuple[str, ...]:
        root = str(request.root)
        if root not in self.roots:
            raise WorldError("not_a_root", path=root)
        if request.patterns is not None:
            self.rules[root] = list(request.patterns)
            self._save()
        return tuple(self.rules.get(root, ()))

    def _watch(self, request: Watch) -> WatchState:
        self.watching = self.watching if request.on is None else request.on
        return WatchState(
            on=self.watching,
            roots=tuple(WatchedRoot(root, "events", "") for root in self.roots)
            if self.watching
            else (),
            folders=len(self.roots),
            quiet=True,
            problem=None,
        )

    def _activity(self) -> Activity:
        progress = self.progress
        activity = replace(
            IDLE,
            running=None if progress is None else Running("index", progress),
            pages_per_second=progress.pages / progress.seconds
            if progress and progress.seconds
            else 0.0,
            changes=self.changes,
            speed=self.speed,
            paused=self.paused,
            reason="paused" if self.paused else "",
            embedded_share=0.5,
            pending=len(self.queued),
            set_aside=sum(row.code == "crashed_engine" for row in self.rows()),
        )
        return replace(activity, **self.activity_now)

    def _pace(self, request: SetPace) -> Activity:
        self.speed = request.speed or self.speed
        self.paused = self.paused if request.paused is None else request.paused
        self.typed += bool(request.typing)
        self._save()
        return self._activity()

    # -- upkeep -----------------------------------------------------------------------------

    def _reindex_cost(self, request: EstimateReindex) -> ReindexCost:
        count = len(self.texts)
        return ReindexCost(
            request.model or "tiny", request.precision or "fp32", "tiny/1", count, 10 * count,
            2000 * count, 90.0, measured=True, bytes=1_000_000, outdated=0,
        )  # fmt: skip

    def _reindex(
        self, request: Reindex, token: CancelToken, report: Callable[[Progress], None]
    ) -> Summary:
        if request.model == "unknown":
            raise WorldError("unknown_model", model=request.model)
        chosen = f"{request.model or 'tiny'}, {request.precision or 'fp32'}"
        self.models = [*self.models, chosen]
        return self._index(Index(), token, report)

    def _roll_back(self) -> ModelChoice:
        if not self.models:
            raise WorldError("nothing_to_roll_back")
        self.models = self.models[:-1]
        return ModelChoice("tiny", "fp32")

    def _verify(self, token: CancelToken, report: Callable[[Progress], None]) -> Verification:
        token.check()
        report(Progress(Step.MAINTAIN))
        count = len(self.texts)
        return Verification(tuple(self.damage), count, 10 * count, 123456, 0.5)

    def _repair(self, token: CancelToken, report: Callable[[Progress], None]) -> RepairOutcome:
        token.check()
        report(Progress(Step.MAINTAIN))
        found, self.damage = self.damage, []
        return RepairOutcome(tuple(found), (), len(found))

    def _discard(self) -> int:
        freed, self.models = 1_000_000 * len(self.models), []
        return freed

    def _status(self) -> Status:
        activity = self._activity()
        return replace(
            EMPTY,
            library=str(self.config.library),
            bytes=123456,
            roots=tuple(map(self._root, self.roots)),
            files=self.states(),
            documents=len(self.texts),
            pages=len(self.texts),
            passages=len(self.texts),
            model=self.config.model,
            precision=str(self.config.precision),
            space="fake",
            embedded_share=0.5,
            languages=(LanguageStatus("de", 1, Note("language_uncovered")),),
            running=activity.running,
            speed=activity.speed,
            paused=activity.paused,
            reason=activity.reason,
            pending=activity.pending,
            set_aside=activity.set_aside,
            collections=self.collections,
        )

    def _root(self, root: str) -> RootStatus:
        rows = [row for row in self.rows() if row.root == root]
        return RootStatus(
            path=root,
            files=len(rows),
            states=self.states(root),
            bytes=sum(row.size for row in rows),
            patterns=tuple(self.rules.get(root, ())),
            offline=not Path(root).exists(),
        )

    def _set_collection(self, request: SetCollection) -> dict[str, str]:
        others = {name: text for name, text in self.collections.items() if name != request.name}
        before = self.collections.get(request.name, "")
        if request.was not in (None, before):
            raise WorldError("busy", reason="collection_changed")
        filters = f"{before} {request.filters}".strip() if request.adds else request.filters
        if request.removes:
            filters = without_filters_of(before, request.filters)
        self.collections = others | ({request.name: filters} if filters else {})
        return self.collections

    def _remove(self, request: Remove) -> int:
        gone = [text for text in self.texts if any(inside(text, path) for path in request.paths)]
        if not gone:
            raise WorldError("not_a_root", path=str(request.paths[0]))
        self.texts = {path: text for path, text in self.texts.items() if path not in gone}
        self.roots = [root for root in self.roots if Path(root) not in request.paths]
        self._save()
        return len(gone)

    def close(self) -> None:
        self.closed = True
        self.lock.release()


_ANSWERS: dict[type[Request[Any]], Callable[[FakeEngine, Any, CancelToken, Any], Any]] = {
    Index: lambda engine, request, token, report: engine._index(request, token, report),
    Reindex: lambda engine, request, token, report: engine._reindex(request, token, report),
    Verify: lambda engine, _request, token, report: engine._verify(token, report),
    Repair: lambda engine, _request, token, report: engine._repair(token, report),
    Search: lambda engine, request, token, _report: engine.find(request, token),
    SearchByWords: lambda *_: SearchResult(()),
    Calibrate: lambda engine, _request, token, _report: engine.calibrate(token),
    EstimateIndex: lambda engine, request, token, _report: engine.estimated(request, token),
    Compare: lambda engine, request, token, _report: engine.compared(request, token),
    ListFiles: lambda engine, request, *_: engine.listed(request),
    ListFolders: lambda engine, request, *_: engine.folders(request),
    GetDocument: lambda engine, request, *_: engine.described(request.path),
    Explain: lambda engine, request, *_: engine.explained(request),
    Retry: lambda engine, request, *_: engine._retry(request),
    Unlock: lambda engine, request, *_: engine._unlock(request),
    SetPatterns: lambda engine, request, *_: engine._patterns(request),
    Watch: lambda engine, request, *_: engine._watch(request),
    GetActivity: lambda engine, *_: engine._activity(),
    SetCollection: lambda engine, request, *_: engine._set_collection(request),
    SetPace: lambda engine, request, *_: engine._pace(request),
    GetStatus: lambda engine, *_: engine._status(),
    Remove: lambda engine, request, *_: engine._remove(request),
    RemoveModel: lambda engine, request, *_: remove_model(request.model, engine.config),
    EstimateReindex: lambda engine, request, *_: engine._reindex_cost(request),
    RollBack: lambda engine, *_: engine._roll_back(),
    Discard: lambda engine, *_: engine._discard(),
    Diagnose: lambda engine, *_: engine.checks,
}
