"""Requests to the engine that are cancelled once nobody waits for their answers.

A widget has ``Questions``: one request in each slot, cancelled when the widget is deleted. Anything
else has a ``LatestRequest`` for each kind of request.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject
from shiboken6 import isValid

from ui.ports import Context, EnginePort, Notice, ignore
from ui.widgets import timer
from ui.words import failures

if TYPE_CHECKING:
    from indexer.api.contract import Request
    from indexer.api.errors import LecternError
    from indexer.api.progress import Progress


A = TypeVar("A")


class Questions(QObject):
    """Sends requests for ``parent``; is deleted with it, and then cancels those in flight."""

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._latest: dict[str, LatestRequest] = {}  # by their slots
        parent.destroyed.connect(partial(_cancel_each, self._latest))

    def ask_engine(
        self,
        request: Request[A],
        done: Callable[[A], None],
        *,
        failed: Callable[[LecternError], None] | None = None,
        progress: Callable[[Progress], None] | None = None,
        slot: str = "",
    ) -> None:
        """Send a request, and cancel the one in the same slot.

        Args:
            failed: Called with the failure; by default a notice shows it.
            progress: Called with the reports of a long request.
            slot: The name of the slot; by default each kind of request has one.
        """
        slot = slot or request.wire_name
        latest = self._latest.setdefault(slot, LatestRequest(self._context.link))
        latest.replace_request(request, done, failed or self.report, progress)

    def send_lasting(
        self,
        request: Request[A],
        done: Callable[[A], None],
        *,
        failed: Callable[[LecternError], None] | None = None,
    ) -> None:
        """Send a request that goes on if the widget is deleted; only its answer is dropped then."""
        refused = partial(self._deliver, failed or self.report)
        self._context.link.send_request(request, done=partial(self._deliver, done), failed=refused)

    def is_waiting(self, slot: str) -> bool:
        return slot in self._latest and self._latest[slot].is_waiting

    def cancel(self, slot: str) -> None:
        if slot in self._latest:
            self._latest[slot].cancel()

    def cancel_all(self) -> None:
        _cancel_each(self._latest)

    def report(self, error: LecternError) -> None:
        """Show an error as a notice."""
        self._context.notices.post(Notice(failures.failure(error)))

    def _deliver(self, done: Callable[[A], None], answer: A) -> None:
        if isValid(self):
            done(answer)


def _cancel_each(latest: dict[str, LatestRequest], _gone: object = None) -> None:
    for each in latest.values():
        each.cancel()


class LatestRequest:
    """Holds the request under way; once it is replaced or cancelled, no callback comes."""

    def __init__(self, link: EnginePort) -> None:
        self._link = link
        self._number: int | None = None

    @property
    def is_waiting(self) -> bool:
        return self._number is not None

    def replace_request(
        self,
        request: Request[A],
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] = ignore,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        """Cancel the request under way, and send another."""
        self.cancel()
        self._number = self._link.send_request(
            request,
            done=partial(self._deliver, done),
            failed=partial(self._deliver, failed),
            progress=progress,
        )

    def cancel(self) -> None:
        if self._number is not None:
            self._link.cancel(self._number)
            self._number = None

    def _deliver(self, callback: Callable[[A], None], answer: A) -> None:
        self._number = None
        callback(answer)


# Milliseconds after which a refused request is sent again.
_AGAIN_MS = 500


class PatientRequest(LatestRequest):
    """A search that is sent again if a search of the person replaces it in the engine."""

    def __init__(self, link: EnginePort, parent: QObject) -> None:
        super().__init__(link)
        self._send: Callable[[], None] = ignore
        self._again = timer(parent, _AGAIN_MS, self._send_again)

    def replace_request(
        self,
        request: Request[A],
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] = ignore,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        def refused(error: LecternError) -> None:
            if error.code == "busy":
                self._again.start()
            else:
                failed(error)

        self._send = partial(super().replace_request, request, done, refused, progress)
        self._send()

    def _send_again(self) -> None:
        self._send()

    def cancel(self) -> None:
        self._again.stop()
        super().cancel()
