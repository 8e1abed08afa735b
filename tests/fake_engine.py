"""A small engine that keeps words in memory and a file: real lock, real interface, no model.

It stands in for the engine wherever the service, the client, the command line and the window are
tested. What a file begins with decides what becomes of it: WAIT keeps ``index`` busy until it is
cancelled, STUCK whatever happens; ``LOCKED secret`` needs that password; ``BROKEN`` cannot be
read, ``CRASHED`` stopped the engine twice, until the file says otherwise and ``retry`` asks. A
query with WAIT in it keeps ``search`` busy; one with CRASH in it raises what no engine should;
one with POOR in it finds nothing good.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.errors import Cancelled, WorldError
from indexer.api.lock import LibraryLock
from indexer.api.progress import CancelToken, Progress, Step
from indexer.api.types import FileState, Summary
from tests.fake_library import WAIT_S, FakeLibrary, files_under, inside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.config import EngineConfig


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
        self.damage: list[dict[str, Any]] = []
        self.activity_now: dict[str, Any] = {}
        self.changes = 0
        self.speed, self.paused = known.get("pace", ["normal", False])

    @classmethod
    def open(cls, config: EngineConfig) -> FakeEngine:
        return cls(config, LibraryLock.acquire(config.library, "the fake engine"))

    # -- indexing ---------------------------------------------------------------------------

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
        assert self.writing.acquire(blocking=False), "two jobs write at the same time"
        try:
            return self._index(paths, self._noting(report), token, patterns)
        finally:
            self.progress = None
            self.writing.release()

    def _noting(self, report: Callable[[Progress], None]) -> Callable[[Progress], None]:
        def note(progress: Progress) -> None:
            self.progress = progress
            report(progress)

        return note

    def _index(
        self,
        paths: Sequence[Path],
        report: Callable[[Progress], None],
        token: CancelToken,
        patterns: Sequence[str] | None,
    ) -> Summary:
        for path in paths:
            if not path.exists():
                raise WorldError("path_missing", path=str(path))
            if str(path) not in self.roots:
                self.roots.append(str(path))
            if patterns is not None:
                self.rules[str(path)] = list(patterns)
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
        report(Progress(Step.DONE, len(found), len(found), seconds=1.0))
        return Summary(self._states(), len(found), len(self.texts), 1, 2, 3, 0.5, cancelled)

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

    def retry(self, paths: Sequence[Path]) -> int:
        failed = {row.path for row in self._rows() if row.code or row.state is FileState.FAILED}
        chosen = {path for path in failed if not paths or any(inside(path, p) for p in paths)}
        self.queued |= chosen
        return len(chosen)

    def unlock(self, path: Path, password: str) -> int:
        if str(path) not in self.texts:
            raise WorldError("not_a_root", path=str(path))
        self.passwords[str(path)] = password
        self.queued.add(str(path))
        return 1

    def patterns(self, root: Path, patterns: Sequence[str] | None) -> list[str]:
        if str(root) not in self.roots:
            raise WorldError("not_a_root", path=str(root))
        if patterns is not None:
            self.rules[str(root)] = list(patterns)
            self._save()
        return self.rules.get(str(root), [])

    def watch(self, *, on: bool | None) -> dict[str, Any]:
        self.watching = self.watching if on is None else on
        roots = [{"path": root, "how": "events", "why": ""} for root in self.roots]
        return {
            "on": self.watching,
            "roots": roots if self.watching else [],
            "folders": len(self.roots),
            "quiet": True,
            "problem": "",
        }

    def activity(self) -> dict[str, Any]:
        progress = self.progress
        rows = list(self._rows())
        return {
            "running": None if progress is None else _running(progress),
            "speed": self.speed,
            "paused": self.paused,
            "reason": "paused" if self.paused else "",
            "pages_per_second": progress.pages_per_second if progress else 0.0,
            "passages_per_second": progress.passages_per_second if progress else 0.0,
            "understood": 0.5,
            "pending": len(self.queued),
            "set_aside": sum(row.code == "crashed_engine" for row in rows),
            "changes": self.changes,
            "device": "CPU",
            "device_notes": [{"code": "device_only", "detail": {}}],
            **self.activity_now,
        }

    def pace(
        self, *, speed: str | None = None, paused: bool | None = None, typing: bool | None = None
    ) -> dict[str, Any]:
        self.speed = speed or self.speed
        self.paused = self.paused if paused is None else paused
        self.typed += bool(typing)
        self._save()
        return self.activity()

    # -- upkeep -----------------------------------------------------------------------------

    def reindex_cost(self, model: str | None, precision: str | None) -> dict[str, Any]:
        chosen = {"model": model or "tiny", "precision": precision or "fp32", "space": "tiny/1"}
        count = len(self.texts)
        return {
            **chosen, "documents": count, "passages": 10 * count, "tokens": 2000 * count,
            "seconds": 90.0, "measured": True, "bytes": 1_000_000, "outdated": 0,
        }  # fmt: skip

    def reindex(
        self,
        model: str | None,
        precision: str | None,
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
    ) -> Summary:
        if model == "unknown":
            raise WorldError("unknown_model", model=model)
        self.models = [*self.models, f"{model or 'tiny'}, {precision or 'fp32'}"]
        return self.index((), report=report, token=token)

    def roll_back(self) -> dict[str, Any]:
        if not self.models:
            raise WorldError("nothing_to_roll_back")
        self.models = self.models[:-1]
        return {"model": "tiny", "precision": "fp32"}

    def discard(self) -> dict[str, Any]:
        freed = 1_000_000 * len(self.models)
        self.models = []
        return {"bytes": freed}

    def verify(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        token.check()
        report(Progress(Step.MAINTAIN))
        return {
            "problems": self.damage, "documents": len(self.texts),
            "passages": 10 * len(self.texts), "bytes": 123456, "seconds": 0.5,
        }  # fmt: skip

    def repair(self, *, report: Callable[[Progress], None], token: CancelToken) -> dict[str, Any]:
        token.check()
        report(Progress(Step.MAINTAIN))
        found, self.damage = self.damage, []
        return {"problems": found, "left": [], "queued": len(found)}

    def status(self) -> dict[str, Any]:
        activity = self.activity()
        return {
            "library": str(self.config.library),
            "bytes": 123456,
            "free_bytes": 10**12,
            "roots": [self._root(root) for root in self.roots],
            "files": self._states(),
            "documents": len(self.texts),
            "passages": len(self.texts),
            "model": self.config.model,
            "precision": str(self.config.precision),
            "space": "fake",
            "understood": 0.5,
            "device": "CPU",
            "device_notes": [{"code": "device_only", "detail": {}}],
            "languages": [{"language": "de", "documents": 1, "advice": "A German model would."}],
            "running": activity["running"],
            **{key: activity[key] for key in ("speed", "paused", "reason", "pending", "set_aside")},
        }

    def _root(self, root: str) -> dict[str, Any]:
        rows = [row for row in self._rows() if row.root == root]
        return {
            "path": root,
            "files": len(rows),
            "states": self._states(root),
            "bytes": sum(row.size for row in rows),
            "patterns": self.rules.get(root, []),
            "offline": not Path(root).exists(),
        }

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        gone = [text for text in self.texts if any(inside(text, path) for path in paths)]
        if not gone:
            raise WorldError("not_a_root", path=str(paths[0]))
        self.texts = {path: text for path, text in self.texts.items() if path not in gone}
        self.roots = [root for root in self.roots if Path(root) not in paths]
        self._save()
        return {"files": len(gone), "documents": len(gone), "passages": len(gone)}

    def doctor(self) -> list[dict[str, Any]]:
        return [{"name": "model", "ok": True, "value": "fake", "advice": ""}]

    def close(self) -> None:
        self.closed = True
        self.lock.release()


def _running(progress: Progress) -> dict[str, Any]:
    return {"job": "index", "progress": {k: getattr(progress, k) for k in progress.__slots__}}
