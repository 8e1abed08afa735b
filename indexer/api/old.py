"""The methods and replies from before ``call``, until every caller is converted. Then this goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.api.answers import Speed
from indexer.api.codec import decode, encode
from indexer.api.progress import CancelToken, Progress
from indexer.api.requests import (
    Compare,
    Diagnose,
    Discard,
    EstimateIndex,
    EstimateReindex,
    Explain,
    FindSentences,
    GetActivity,
    GetDocument,
    GetStatus,
    Index,
    ListFiles,
    Order,
    Reindex,
    Remove,
    Repair,
    Request,
    Retry,
    RollBack,
    Search,
    SetPace,
    SetPatterns,
    Shutdown,
    Unlock,
    Verify,
    Watch,
)
from indexer.api.types import FileRow, FileState, SearchResult, Summary

A = TypeVar("A")
Report = Callable[[Progress], None]

# Kind of request: what it is now, and the key its answer had.
KINDS: dict[str, tuple[type[Request[Any]], str]] = {
    "search": (Search, "result"),
    "index": (Index, "summary"),
    "remove": (Remove, "removed"),
    "status": (GetStatus, "status"),
    "files": (ListFiles, ""),
    "doctor": (Diagnose, "checks"),
    "estimate": (EstimateIndex, "estimate"),
    "retry": (Retry, "queued"),
    "unlock": (Unlock, "queued"),
    "patterns": (SetPatterns, "patterns"),
    "watch": (Watch, "watch"),
    "activity": (GetActivity, "activity"),
    "pace": (SetPace, "activity"),
    "document": (GetDocument, "document"),
    "passage_spans": (FindSentences, "sentences"),
    "explain": (Explain, "explanation"),
    "compare": (Compare, "comparison"),
    "reindex": (Reindex, "summary"),
    "reindex_cost": (EstimateReindex, "cost"),
    "roll_back": (RollBack, "rolled_back"),
    "discard": (Discard, "discarded"),
    "verify": (Verify, "verified"),
    "repair": (Repair, "repaired"),
    "shutdown": (Shutdown, "nothing"),
}


def request_of(kind: str, fields: Mapping[str, Any]) -> Request[Any]:
    """The request that a kind and its fields stood for."""
    given = {k: v for k, v in encode(fields).items() if not (kind == "files" and v == "")}
    request: Request[Any] = decode(KINDS[kind][0], given)
    return request


def reply_of(request: Request[A], answer: A) -> dict[str, Any]:
    """The reply that the answer to a request stood in."""
    key = next(key for kind, key in KINDS.values() if kind is type(request))
    return {key: encode(answer)} if key else dict(encode(answer))


class OldCalls:
    """What can be asked, as methods."""

    if TYPE_CHECKING:

        def call(
            self, request: Request[A], *, token: CancelToken | None = None,
            report: Callable[[Progress], None] | None = None,
        ) -> A: ...  # fmt: skip
        def close(self) -> None: ...

    def index(
        self,
        paths: Sequence[Path],
        *,
        report: Report,
        token: CancelToken,
        rescan: bool = False,
        scan: bool = True,
        patterns: Sequence[str] | None = None,
        kept: bool = False,
    ) -> Summary:
        request = Index(tuple(paths), rescan, scan, _tuple(patterns), kept)
        return self.call(request, token=token, report=report)

    def estimate(
        self, paths: Sequence[Path], *, token: CancelToken, patterns: Sequence[str] | None = None
    ) -> dict[str, Any]:
        return _dict(self.call(EstimateIndex(tuple(paths), _tuple(patterns)), token=token))

    def retry(self, paths: Sequence[Path]) -> int:
        return self.call(Retry(tuple(paths)))

    def unlock(self, path: Path, password: str) -> int:
        return self.call(Unlock(path, password))

    def patterns(self, root: Path, patterns: Sequence[str] | None) -> list[str]:
        kept: tuple[str, ...] = self.call(SetPatterns(root, _tuple(patterns)))
        return list(kept)

    def watch(self, *, on: bool | None) -> dict[str, Any]:
        return _dict(self.call(Watch(on)))

    def activity(self) -> dict[str, Any]:
        return _dict(self.call(GetActivity()))

    def pace(
        self, *, speed: str | None = None, paused: bool | None = None, typing: bool | None = None
    ) -> dict[str, Any]:
        return _dict(self.call(SetPace(Speed(speed) if speed else None, paused, typing)))

    def document(self, path: Path) -> dict[str, Any]:
        return _dict(self.call(GetDocument(path)))

    def passage_spans(self, path: Path, start: int, end: int) -> list[tuple[int, int]]:
        found: tuple[tuple[int, int], ...] = self.call(FindSentences(path, start, end))
        return list(found)

    def search(
        self,
        text: str,
        *,
        limit: int = 10,
        token: CancelToken | None = None,
        explain: bool = False,
        full_text: bool,
    ) -> SearchResult:
        return self.call(Search(text, limit, explain, full_text), token=token)

    def explain(self, text: str, path: Path, start: int) -> dict[str, Any]:
        found = self.call(Explain(text, path, start))
        return {} if found is None else _dict(found)

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> dict[str, Any]:
        return _dict(self.call(Compare(first, second, limit), token=token))

    def status(self) -> dict[str, Any]:
        return _dict(self.call(GetStatus()))

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
        request = _listing(state, root, text, offset=offset, limit=limit, order=Order(order))
        return list(self.call(request).files)

    def total(self, state: str | None, root: str | None, *, text: str = "") -> int:
        return self.call(_listing(state, root, text, limit=1)).total

    def reindex_cost(self, model: str | None, precision: str | None) -> dict[str, Any]:
        return _dict(self.call(EstimateReindex(model, precision)))

    def reindex(
        self, model: str | None, precision: str | None, *, report: Report, token: CancelToken
    ) -> Summary:
        return self.call(Reindex(model, precision), token=token, report=report)

    def roll_back(self) -> dict[str, Any]:
        return _dict(self.call(RollBack()))

    def discard(self) -> dict[str, Any]:
        return {"bytes": self.call(Discard())}

    def verify(self, *, report: Report, token: CancelToken) -> dict[str, Any]:
        return _dict(self.call(Verify(), token=token, report=report))

    def repair(self, *, report: Report, token: CancelToken) -> dict[str, Any]:
        return _dict(self.call(Repair(), token=token, report=report))

    def remove(self, paths: Sequence[Path]) -> dict[str, Any]:
        return _dict(self.call(Remove(tuple(paths))))

    def doctor(self) -> list[dict[str, Any]]:
        return [_dict(one) for one in self.call(Diagnose())]


def _listing(state: str | None, root: str | None, text: str, **more: Any) -> ListFiles:
    return ListFiles(
        FileState(state) if state else None, Path(root) if root else None, text=text, **more
    )


def _dict(answer: Any) -> dict[str, Any]:
    return dict(encode(answer))


def _tuple(patterns: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if patterns is None else tuple(patterns)
