"""An engine whose runs can be looked at in the middle."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.engine.engine import Engine
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from indexer.embed.batches import Embedder
    from indexer.pipeline.parts import Parts


class HeldEngine(Engine):
    """Its runs embed nothing, and come to the end of no book, before they may.

    Each test sets events of its own.
    """

    may_embed: threading.Event
    may_end: threading.Event
    at_a_book = threading.Event()

    def _parts(self, *, first: bool) -> Parts:
        parts = super()._parts(first=first)

        def open_embedder() -> Embedder:
            self.may_embed.wait(WAIT_S)
            return parts.open_embedder()

        def password_of(path: bytes) -> str | None:  # asked before a file is read
            if path.endswith(b"book.txt"):
                self.at_a_book.set()
                self.may_end.wait(WAIT_S)
            return parts.password_of(path)

        return replace(parts, open_embedder=open_embedder, password_of=password_of)
