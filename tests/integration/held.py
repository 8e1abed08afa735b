"""An engine whose runs can be looked at in the middle."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from indexer.engine.engine import Engine
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    import threading

    from indexer.embed.base import Embedder
    from indexer.pipeline.parts import Parts


class HeldEngine(Engine):
    """Its runs embed nothing before they may; each test sets an event of its own."""

    may_embed: threading.Event

    def _parts(self, *, first: bool) -> Parts:
        parts = super()._parts(first=first)

        def open_embedder() -> Embedder:
            self.may_embed.wait(WAIT_S)
            return parts.open_embedder()

        return replace(parts, open_embedder=open_embedder)
