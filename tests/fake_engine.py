"""A small engine that keeps words in memory and a file: real lock, real interface, no model.

It stands in for the engine wherever the service, the client and the command line are tested.
Files that begin with WAIT keep ``index`` busy until it is cancelled, those with STUCK whatever
happens; a query with WAIT in it does the same to ``search``; a query with CRASH in it raises what
no engine should.
"""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.errors import Cancelled, WorldError
from indexer.lock import LibraryLock
from indexer.progress import CancelToken, Progress, Step
from indexer.types import FileRow, FileState, Hit, SearchResult, Summary, Why

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from indexer.config import EngineConfig

SENTENCE = re.compile(r"[^.!?]+[.!?]?\s*")
WAIT_S = 60.0


class FakeEngine:
    """An ``EngineApi`` over plain text files, found by the words they share with the query."""

    def __init__(self, config: EngineConfig, lock: LibraryLock) -> None:
        self.config = config
        self.lock = lock
        self.writing = threading.Lock()
        self.waiting = threading.Event()  # set once a job waits to be cancelled
        self.closed = False
        self.store = config.library / "fake.json"
        known = json.loads(self.store.read_text()) if self.store.exists() else {}
        self.roots: list[str] = known.get("roots", [])
        self.texts: dict[str, str] = known.get("texts", {})

    @classmethod
    def open(cls, config: EngineConfig) -> FakeEngine:
        return cls(config, LibraryLock.acquire(config.library, "the fake engine"))

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Callable[[Progress], None],
        token: CancelToken,
        rescan: bool = False,
    ) -> Summary:
        assert self.writing.acquire(blocking=False), "two jobs write at the same time"
        try:
            return self._index(paths, report, token)
        finally:
            self.writing.release()

    def _index(
        self, paths: Sequence[Path], report: Callable[[Progress], None], token: CancelToken
    ) -> Summary:
        for path in paths:
            if not path.exists():
                raise WorldError("path_missing", path=str(path))
            if str(path) not in self.roots:
                self.roots.append(str(path))
        found = [file for root in self.roots for file in _files(Path(root))]
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
        self.texts[str(file)] = text

    def _save(self) -> None:
        self.store.write_text(json.dumps({"roots": self.roots, "texts": self.texts}))

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        token: CancelToken | None = None,
        explain: bool = False,
        full_text: bool,
    ) -> SearchResult:
        began = time.perf_counter()
        if "WAIT" in text:
            self.waiting.set()
            (token or CancelToken()).wait(WAIT_S)
        if "CRASH" in text:
            raise ZeroDivisionError
        if '"' in text and text.count('"') % 2:
            raise WorldError("bad_query", reason="a quote is not closed")
        words = {word.lower() for word in re.findall(r"\w+", text)}
        hits = sorted(
            (hit for path in self.texts for hit in self._hits(path, words)),
            key=lambda hit: (-hit.score, hit.path, hit.start),
        )
        if explain:
            hits = [replace(hit, explain={"words": hit.score}) for hit in hits]
        notes = ("No good match; closest passages below.",) if hits and hits[0].score < 1 else ()
        seconds = time.perf_counter() - began
        return SearchResult(tuple(hits[:limit]), notes, seconds, 0.5, {"text": text})

    def _hits(self, path: str, words: set[str]) -> Iterator[Hit]:
        text = self.texts[path]
        root = next(root for root in self.roots if path.startswith(root))
        start = 0
        for page, part in enumerate(text.split("\f"), 1):
            sentences = list(SENTENCE.finditer(part))
            scores = [len(words & set(re.findall(r"\w+", s[0].lower()))) for s in sentences]
            if any(scores):
                best = sentences[scores.index(max(scores))]
                yield Hit(
                    path, root, Path(path).name, Path(path).stem, page, page, start,
                    start + len(part), float(sum(scores)), part, ("One", "Two"), Why.WORDS,
                    best.span(),
                )  # fmt: skip
            start += len(part) + 1

    def status(self) -> dict[str, Any]:
        return {
            "library": str(self.config.library),
            "bytes": 123456,
            "free_bytes": 10**12,
            "roots": [{"path": root, "files": 1, "offline": False} for root in self.roots],
            "files": self._states(),
            "documents": len(self.texts),
            "passages": len(self.texts),
            "model": self.config.model,
            "precision": str(self.config.precision),
            "space": "fake",
            "understood": 0.5,
            "device": "CPU",
            "device_reason": "the fake engine knows no other",
            "languages": [{"language": "de", "documents": 1, "advice": "A German model would."}],
            "running": None,
        }

    def _states(self) -> dict[str, int]:
        states = [row.state for row in self._rows()]
        return {str(state): states.count(state) for state in dict.fromkeys(states)}

    def _rows(self) -> Iterator[FileRow]:
        for path, text in sorted(self.texts.items()):
            state = FileState.INDEXED if text else FileState.EMPTY
            code = "" if text else "empty"
            yield FileRow(path, self.roots[0], Path(path).name, len(text), 0, state, code)

    def files(self, state: str | None, root: str | None, offset: int, limit: int) -> list[FileRow]:
        rows = [row for row in self._rows() if state in {None, str(row.state)}]
        return rows[offset : offset + limit]

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        gone = [text for text in self.texts if any(_inside(text, path) for path in paths)]
        if not gone:
            raise WorldError("not_a_root", path=str(paths[0]))
        for path in gone:
            del self.texts[path]
        self.roots = [root for root in self.roots if Path(root) not in paths]
        self._save()
        return {"files": len(gone), "documents": len(gone), "passages": len(gone)}

    def doctor(self) -> list[dict[str, Any]]:
        return [{"name": "model", "ok": True, "value": "fake", "advice": ""}]

    def close(self) -> None:
        self.closed = True
        self.lock.release()


def _files(root: Path) -> list[Path]:
    return (
        [root] if root.is_file() else sorted(path for path in root.rglob("*") if not path.is_dir())
    )


def _inside(path: str, folder: Path) -> bool:
    return Path(path) == folder or folder in Path(path).parents
