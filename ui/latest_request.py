"""One request at a time: a new one replaces the one under way. It must not know what is asked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ui.ports import ignore

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.contract import Request
    from indexer.api.errors import LecternError
    from ui.ports import EnginePort

A = TypeVar("A")


class LatestRequest:
    """The request under way, if any; once replaced or cancelled it calls nothing back."""

    def __init__(self, link: EnginePort) -> None:
        self._link = link
        self._number: int | None = None

    @property
    def is_waiting(self) -> bool:
        return self._number is not None

    def ask(
        self,
        request: Request[A],
        done: Callable[[A], None],
        failed: Callable[[LecternError], None] = ignore,
    ) -> None:
        """Cancel the request under way, and send another."""
        self.cancel()
        self._number = self._link.ask(
            request, done=partial(self._deliver, done), failed=partial(self._deliver, failed)
        )

    def cancel(self) -> None:
        if self._number is not None:
            self._link.cancel(self._number)
            self._number = None

    def _deliver(self, callback: Callable[[A], None], answer: A) -> None:
        self._number = None
        callback(answer)
