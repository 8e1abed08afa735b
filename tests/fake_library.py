"""What the fake engine keeps, and what it answers about it: texts found by the words they hold.

Owns files, their states and the search. What a file begins with decides its state: see
``tests.fake_engine``, which reads, watches and works.
"""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.progress import CancelToken
from indexer.api.types import FileRow, FileState, Hit, SearchResult, Why

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SENTENCE = re.compile(r"[^.!?]+[.!?]?\s*")
WAIT_S = 60.0
_KEYS: dict[str, Callable[[FileRow], Any]] = {
    "path": lambda row: row.path,
    "state": lambda row: (row.state, row.path),
    "size": lambda row: (-row.size, row.path),
    "modified": lambda row: (-row.mtime_ns, row.path),
}


class FakeLibrary:
    """Plain text files, found by the words they share with the query."""

    def __init__(self, known: dict[str, Any]) -> None:
        self.waiting = threading.Event()  # set once a job waits to be cancelled
        self.passwords: dict[str, str] = {}
        self.queued: set[str] = set()
        self.roots: list[str] = known.get("roots", [])
        self.texts: dict[str, str] = known.get("texts", {})
        self.rules: dict[str, list[str]] = known.get("rules", {})

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
        poor = "POOR" in text or bool(hits and hits[0].score < 1)
        seconds = time.perf_counter() - began
        return SearchResult(tuple(hits[:limit]), (), seconds, 0.5, {"text": text}, good=not poor)

    def _hits(self, path: str, words: set[str]) -> Iterator[Hit]:
        text = self.texts[path]
        if self._state(path)[0] is not FileState.INDEXED:
            return
        root = next(root for root in self.roots if path.startswith(root))
        start = 0
        for page, part in enumerate(text.split("\f"), 1):
            sentences = list(SENTENCE.finditer(part))
            scores = [len(words & set(re.findall(r"\w+", s[0].lower()))) for s in sentences]
            if any(scores):
                order = sorted(range(len(scores)), key=lambda at: -scores[at])
                marks = tuple(sentences[at].span() for at in order if scores[at])[:3]
                yield Hit(
                    path, root, Path(path).name, Path(path).stem, page, page, start,
                    start + len(part), float(sum(scores)), part, ("One", "Two"), Why.WORDS,
                    marks[0], marks=marks, author="Ada", format=format_of(Path(path)),
                    modified_ns=modified(path),
                )  # fmt: skip
            start += len(part) + 1

    def _states(self, root: str = "") -> dict[str, int]:
        states = [row.state for row in self._rows() if root in {"", row.root}]
        return {str(state): states.count(state) for state in dict.fromkeys(states)}

    def _rows(self) -> Iterator[FileRow]:
        for path, text in sorted(self.texts.items()):
            root = next((root for root in self.roots if path.startswith(root)), "")
            state, code = self._state(path)
            pages = text.count("\f") + 1
            yield FileRow(
                path, root, Path(path).name, len(text), modified(path), state, code, pages=pages
            )

    def _state(self, path: str) -> tuple[FileState, str]:
        text = self.texts[path]
        if path in self.queued:
            return FileState.QUEUED, ""
        if not text:
            return FileState.EMPTY, "empty"
        if text.startswith("BROKEN"):
            return FileState.UNREADABLE, "unreadable"
        if text.startswith("CRASHED"):
            return FileState.FAILED, "crashed_engine"
        if text.startswith("LOCKED"):
            given = self.passwords.get(path)
            if given != text.split()[1].rstrip("."):
                code = "needs_password" if given is None else "wrong_password"
                return FileState.NEEDS_PASSWORD, code
        return FileState.INDEXED, ""

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
        rows = sorted(self._chosen(state, root, text), key=_KEYS[order])
        return rows[offset : offset + limit]

    def total(self, state: str | None, root: str | None, *, text: str = "") -> int:
        return len(self._chosen(state, root, text))

    def _chosen(self, state: str | None, root: str | None, text: str) -> list[FileRow]:
        return [
            row
            for row in self._rows()
            if state in {None, str(row.state)}
            and root in {None, row.root}
            and all(word in row.path.lower() for word in text.lower().split())
        ]

    def document(self, path: Path) -> dict[str, Any]:
        rows = [row for row in self._rows() if row.path == str(path)]
        if not rows:
            raise WorldError("not_a_root", path=str(path))
        (row,) = rows
        return {
            "path": row.path,
            "root": row.root,
            "file": row.file,
            "title": Path(row.file).stem,
            "author": "Ada",
            "created": "2024-03-01",
            "language": "en",
            "pages": row.pages,
            "format": format_of(path),
            "size": row.size,
            "mtime_ns": row.mtime_ns,
            "state": str(row.state),
            "code": row.code,
            "bad_pages": list(row.bad_pages),
        }

    def passage_spans(self, path: Path, start: int, end: int) -> list[tuple[int, int]]:
        if str(path) not in self.texts:
            raise WorldError("not_a_root", path=str(path))
        spans: list[tuple[int, int]] = []
        at = 0
        for part in self.texts[str(path)].split("\f"):
            if at < end and at + len(part) > start:
                spans += [(at + s.start(), at + s.end()) for s in SENTENCE.finditer(part)]
            at += len(part) + 1
        return spans

    def explain(self, text: str, path: Path, start: int) -> dict[str, Any]:
        whole = self.texts.get(str(path))
        if whole is None:
            raise WorldError("not_a_root", path=str(path))
        part = whole[start:].partition("\f")[0]
        asked = {word.lower() for word in re.findall(r"\w+", text)}
        found = [word for word in re.finditer(r"\w+", part) if word[0].lower() in asked]
        return {
            "cosine": 0.5,
            "recall": 0.5,
            "words": [[*word.span(), 0.5 / len(found)] for word in found],
            "rest": 0.0 if found else 0.5,
            "query": [[word, 0.5 / len(asked)] for word in sorted(asked)],
            "marks": [[*word.span()] for word in found],
            "same": [[*word.span()] for word in found],
            "pairs": [[word[0].lower(), word[0], 0.9] for word in found],
        }

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> dict[str, Any]:
        token.check()
        one, other = self._statements(first), self._statements(second)
        return {
            "border": 0.5,
            "first": self._side(first, one, other, limit),
            "second": self._side(second, other, one, limit),
            "changed": [],
            "changes": 0,
            "seconds": 0.1,
        }

    def _statements(self, path: str) -> list[dict[str, Any]]:
        if path not in self.texts:
            raise WorldError("not_a_root", path=path)
        return [
            {
                "page": page, "page_last": page, "start": found.start(), "end": found.end(),
                "heading_path": ["One", "Two"], "text": found[0].strip(),
            }
            for page, part in enumerate(self.texts[path].split("\f"), 1)
            for found in SENTENCE.finditer(part)
        ]  # fmt: skip

    def _side(
        self, path: str, mine: list[dict[str, Any]], theirs: list[dict[str, Any]], limit: int
    ) -> dict[str, Any]:
        there = {one["text"] for one in theirs}
        near = theirs[0] if theirs else None
        only = [{**one, "near": near, "cosine": 0.3} for one in mine if one["text"] not in there]
        return {
            "path": path, "file": Path(path).name, "title": Path(path).stem, "format": "text",
            "pages": 1, "statements": len(mine), "alone": len(only), "only": only[: limit or None],
        }  # fmt: skip

    def estimate(
        self,
        paths: Sequence[Path],
        *,
        token: CancelToken,
        patterns: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        formats: dict[str, dict[str, int]] = {}
        known = left_out = 0
        for file in (file for path in paths for file in files_under(path)):
            token.check()
            if file.name in (patterns or ()):
                left_out += 1
                continue
            if str(file) in self.texts:
                known += 1
                continue
            one = formats.setdefault(format_of(file), {"files": 0, "bytes": 0})
            one["files"] += 1
            one["bytes"] += file.stat().st_size
        files = sum(one["files"] for one in formats.values())
        return {
            "files": files,
            "bytes": sum(one["bytes"] for one in formats.values()),
            "formats": formats,
            "left_out": {"excluded": left_out + 1} if files else {},
            "known": known,
            "pages": 2 * files,
            "seconds_words": 0.5 * files,
            "seconds_meaning": 4.0 * files,
            "measured": False,
        }


def files_under(root: Path) -> list[Path]:
    return (
        [root] if root.is_file() else sorted(path for path in root.rglob("*") if not path.is_dir())
    )


def inside(path: str, folder: Path) -> bool:
    return Path(path) == folder or folder in Path(path).parents


def format_of(path: Path) -> str:
    return {".md": "markdown", ".txt": "text"}.get(path.suffix, path.suffix.lstrip("."))


def modified(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0
