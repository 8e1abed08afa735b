"""The passwords of protected documents, in memory for as long as the engine runs.

Owns them and forgets them with the process: nothing here is written, logged or shown. It must not
know where the person keeps them.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.catalog.roots import normal

if TYPE_CHECKING:
    import os


@dataclass(slots=True)
class Passwords:
    """Passwords by path. Thread-safe."""

    _known: dict[bytes, str] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def set(self, path: str | bytes | os.PathLike[str], password: str) -> None:
        with self._lock:
            self._known[normal(path)] = password

    def find(self, path: str | bytes | os.PathLike[str]) -> str | None:
        with self._lock:
            return self._known.get(normal(path))
