"""What the fake engine keeps, and what it answers about it: texts found by the words they hold.

Owns files, their states and the search. What a file begins with decides its state: see
``tests.fake_engine``, which reads, watches and works.
"""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs
from msgspec.structs import replace

from indexer.api.answers import (
    Comparison,
    ComparisonSide,
    Document,
    Estimate,
    FileList,
    FolderCount,
    FormatEstimate,
    LoneStatement,
    Statement,
)
from indexer.api.errors import WorldError
from indexer.api.types import (
    Explanation,
    FileRow,
    FileState,
    Hit,
    HitExplanation,
    Match,
    SearchResult,
    Why,
)
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indexer.api.progress import CancelToken
    from indexer.api.requests import (
        Compare,
        EstimateIndex,
        Explain,
        ListFiles,
        ListFolders,
        Search,
    )

SENTENCE = re.compile(r"[^.!?]+[.!?]?\s*")
_KEYS: dict[str, Callable[[FileRow], Any]] = {
    "path": lambda row: row.path,
    "name": lambda row: (Path(row.path).name.lower(), row.path),
    "state": lambda row: (row.state, row.path),
    "size": lambda row: (-row.size, row.path),
    "modified": lambda row: (-row.mtime_ns, row.path),
    "read": lambda row: (-row.mtime_ns, row.path),
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

    def find(self, request: Search, token: CancelToken) -> SearchResult:
        began, text = time.perf_counter(), request.text
        if "WAIT" in text:
            self.waiting.set()
            token.wait(WAIT_S)
        if "CRASH" in text:
            raise ZeroDivisionError
        if '"' in text and text.count('"') % 2:
            raise WorldError("bad_query", reason="a quote is not closed")
        words = {word.lower() for word in re.findall(r"\w+", text)}
        hits = sorted(
            (hit for path in self.texts for hit in self._hits(path, words)),
            key=lambda hit: (-hit.score, hit.path, hit.start),
        )
        if request.explain:
            why = HitExplanation(score={"words": 1.0})
            hits = [
                replace(hit, explain=structs.replace(why, score={"words": hit.score}))
                for hit in hits
            ]
        poor = "POOR" in text or bool(hits and hits[0].score < 1)
        match = Match.PERHAPS if "VAGUE" in text else Match.GOOD
        match = Match.NONE if poor else Match.CLOSEST if "ALIKE" in text else match
        seconds = time.perf_counter() - began
        return SearchResult(tuple(hits[: request.limit]), (), seconds, 0.5, match)

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

    def states(self, root: str = "") -> dict[str, int]:
        states = [row.state for row in self.rows() if root in {"", row.root}]
        return {str(state): states.count(state) for state in dict.fromkeys(states)}

    def rows(self) -> Iterator[FileRow]:
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

    def listed(self, request: ListFiles) -> FileList:
        chosen = [
            row
            for row in self.rows()
            if request.state in {None, row.state}
            and (request.root is None or Path(row.path).is_relative_to(request.root))
            and all(word in row.path.lower() for word in request.text.lower().split())
        ]
        rows = sorted(chosen, key=_KEYS[request.order])
        return FileList(tuple(rows[request.offset : request.offset + request.limit]), len(chosen))

    def folders(self, request: ListFolders) -> tuple[FolderCount, ...]:
        below = [
            Path(row.path).relative_to(request.folder).parts[:-1]
            for row in self.rows()
            if Path(row.path).is_relative_to(request.folder)
        ]
        return tuple(
            FolderCount(
                str(request.folder / name),
                sum(parts[:1] == (name,) for parts in below),
                any(parts[:1] == (name,) and len(parts) > 1 for parts in below),
            )
            for name in sorted({parts[0] for parts in below if parts})
        )

    def described(self, path: Path) -> Document:
        row = next((row for row in self.rows() if row.path == str(path)), None)
        if row is None:
            raise WorldError("not_a_root", path=str(path))
        return Document(
            path=row.path, root=row.root, file=row.file, title=Path(row.file).stem, author="Ada",
            created="2024-03-01", language="en", pages=row.pages, format=format_of(path),
            size=row.size, mtime_ns=row.mtime_ns, state=row.state, code=row.code,
            bad_pages=row.bad_pages,
        )  # fmt: skip

    def explained(self, request: Explain) -> Explanation:
        part = self._text(str(request.path))[request.start :].partition("\f")[0]
        asked = {word.lower() for word in re.findall(r"\w+", request.text)}
        found = [word for word in re.finditer(r"\w+", part) if word[0].lower() in asked]
        return Explanation(
            cosine=0.5,
            recall=0.5,
            words=tuple((*word.span(), 0.5 / len(found)) for word in found),
            rest=0.0 if found else 0.5,
            query=tuple((word, 0.5 / len(asked)) for word in sorted(asked)),
            marks=tuple(word.span() for word in found),
            same=tuple(word.span() for word in found),
            pairs=tuple((word[0].lower(), word[0], 0.9) for word in found),
        )

    def compared(self, request: Compare, token: CancelToken) -> Comparison:
        token.check()
        first, second = request.first, request.second
        one, other = self._statements(first), self._statements(second)
        return Comparison(
            first=self._side(first, one, other, request.limit),
            second=self._side(second, other, one, request.limit),
            changes=0,
            changed=(),
            border=0.5,
            seconds=0.1,
        )

    def _text(self, path: str) -> str:
        if path not in self.texts:
            raise WorldError("not_a_root", path=path)
        return self.texts[path]

    def _statements(self, path: str) -> list[Statement]:
        return [
            Statement(page, page, found.start(), found.end(), ("One", "Two"), found[0].strip())
            for page, part in enumerate(self._text(path).split("\f"), 1)
            for found in SENTENCE.finditer(part)
        ]

    def _side(
        self, path: str, mine: list[Statement], theirs: list[Statement], limit: int
    ) -> ComparisonSide:
        there = {one.text for one in theirs}
        near = theirs[0] if theirs else None
        only = [LoneStatement.beside(one, near, 0.3) for one in mine if one.text not in there]
        return ComparisonSide(
            path, Path(path).name, Path(path).stem, "text", 1, len(mine), len(only),
            tuple(only[: limit or None]),
        )  # fmt: skip

    def estimated(self, request: EstimateIndex, token: CancelToken) -> Estimate:
        formats: dict[str, FormatEstimate] = {}
        known = left_out = 0
        leaving: dict[str, int] = {}
        for file in (file for path in request.paths for file in files_under(path)):
            token.check()
            if file.name in (request.patterns or ()):
                left_out += 1
                if str(file) in self.texts:
                    leaving[file.name] = 1
                continue
            if str(file) in self.texts:
                known += 1
                continue
            one = formats.get(format_of(file), FormatEstimate(0, 0))
            size = one.bytes + file.stat().st_size
            formats[format_of(file)] = FormatEstimate(one.files + 1, size)
        files = sum(one.files for one in formats.values())
        return Estimate(
            files=files,
            bytes=sum(one.bytes for one in formats.values()),
            formats=formats,
            left_out={"excluded": left_out + 1} if files else {},
            known=known,
            pages=2 * files,
            seconds_words=0.5 * files,
            seconds_meaning=4.0 * files,
            measured=False,
            leaving=leaving,
        )


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
