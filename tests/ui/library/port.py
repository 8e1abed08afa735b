"""An engine of canned answers, for what a small real library lacks: a hundred thousand files,
offline drives, slow answers. It answers from the event loop, never from within ``send_request``."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QLabel

from app.settings import Settings
from indexer.api.answers import FileList
from indexer.api.errors import LecternError, WorldError
from indexer.api.types import FileRow, FileState
from tests.ui.notices import RecordedNotices
from ui.ports import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.api.contract import Request
    from indexer.api.progress import Progress
    from indexer.api.requests import ListFiles
    from ui.widgets import Facts


A = TypeVar("A")


class CannedLink(QObject):
    """An ``EnginePort`` whose ``answers`` give the answer to each kind of request."""

    connected = Signal()
    disconnected = Signal()
    changed = Signal(object)
    _posted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.is_connected = True
        self.answers: dict[type[Request[Any]], Callable[[Any], Any]] = {}
        self.asked: list[Request[Any]] = []
        self.held: list[Callable[[], None]] = []
        self.holding: set[type[Request[Any]]] = set()
        self.cancelled: list[int] = []
        self.waiting: set[int] = set()
        self._numbers = itertools.count(1)
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def send_request(
        self,
        request: Request[A],
        *,
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> int:
        number = next(self._numbers)
        self.asked.append(request)
        self.waiting.add(number)
        call = partial(self._answer, number, request, done, failed)
        if type(request) in self.holding:
            self.held.append(call)
        else:
            self._posted.emit(call)
        return number

    def cancel(self, number: int) -> None:
        self.waiting.discard(number)
        self.cancelled.append(number)

    def release(self) -> None:
        held, self.held = self.held, []
        for call in held:
            self._posted.emit(call)

    def kinds(self) -> list[type[Request[Any]]]:
        return [type(request) for request in self.asked]

    @Slot(object)
    def _run(self, call: Callable[[], None]) -> None:
        call()

    def _answer(
        self,
        number: int,
        request: Request[A],
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] | None,
    ) -> None:
        if number not in self.waiting:
            return
        self.waiting.discard(number)
        give = self.answers.get(type(request))
        answer = give(request) if give else WorldError("engine_gone")
        if isinstance(answer, LecternError):
            if failed is not None:
                failed(answer)
        else:
            done(answer)


Canned = tuple[Context, CannedLink, RecordedNotices]


def canned_context(folder: Path) -> Canned:
    link, said = CannedLink(), RecordedNotices()
    settings = Settings(folder / "settings.json")
    return Context(link, settings, said, folder, folder / "library"), link, said


def fact(facts: Facts, label: str) -> str:
    """The value beside a label; "" if it is not shown."""
    shown = [each.text() for each in facts.findChildren(QLabel) if each.isVisibleTo(facts)]
    return dict(zip(shown[::2], shown[1::2], strict=True)).get(label, "")


def make_row(number: int, state: FileState = FileState.INDEXED, **more: Any) -> FileRow:
    file = f"folder {number // 1000:03}/file {number:06}.pdf"
    return FileRow(f"/documents/{file}", "/documents", file, 1000 + number, 10**18, state, **more)


class ManyFiles:
    """Answers ``ListFiles`` with any number of files."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.states: dict[int, tuple[FileState, str]] = {}

    def row(self, number: int) -> FileRow:
        state, code = self.states.get(number, (FileState.INDEXED, ""))
        return make_row(number, state, code=code)

    def __call__(self, request: ListFiles) -> FileList:
        chosen: Sequence[int] = range(self.total)
        if request.state:
            chosen = [n for n in chosen if self.row(n).state is request.state]
        elif request.text:
            chosen = [n for n in chosen if request.text in self.row(n).path]
        some = chosen[request.offset : request.offset + request.limit]
        return FileList(tuple(map(self.row, some)), len(chosen))
