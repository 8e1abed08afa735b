"""The source of events on this system.

Owns the choice. It must not know how a source works.
"""

from __future__ import annotations

import logging
import platform
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from indexer.watching.hints import Hints

log = logging.getLogger(__name__)


class Source(Protocol):
    """Delivers events of folders; ``exhausted`` says that the system watches no more."""

    exhausted: bool

    @property
    def folders(self) -> int: ...

    def enter(self, path: bytes, *, whole: bool = True) -> bool: ...

    def holds(self, path: bytes) -> bool: ...

    def leave(self, path: bytes) -> None: ...

    def close(self) -> None: ...


def open_source(hints: Hints) -> Source | None:
    """Open the source of this system; None if it gives no more."""
    try:
        if platform.system() == "Linux":
            from indexer.watching.inotify import InotifySource

            return InotifySource(hints)
        from indexer.watching.observer import ObserverSource

        return ObserverSource(hints)
    except OSError:
        log.warning("the system gives no more watches", exc_info=True)
        return None
