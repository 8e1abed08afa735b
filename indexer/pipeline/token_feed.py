"""Makes the token vectors of passages that lack them, once everything else is searchable.

Files that are queued meanwhile come first. A late-interaction model has a space of its own beside
the searched one, with neither profiles of documents nor names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import TYPE_CHECKING

from indexer.api.progress import Progress, Step
from indexer.embed.batches import EmbedInput
from indexer.pipeline.embedding import EmbeddingWorker, Unit
from indexer.pipeline.events import Embedded, EmbeddingFailed, PendingPassage
from indexer.pipeline.vectors import DOCS_AHEAD, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.progress import Reporter
    from indexer.pipeline.events import Event
    from indexer.pipeline.parts import Parts
    from indexer.store.values import StoredPassage

# Seconds between looks at whether the person has cancelled.
TICK_S = 0.2


def fill(parts: Parts, reporter: Reporter) -> bool:
    """Embed what is pending in ``parts.space``; interrupted, it goes on with what is missing.

    Returns:
        Whether nothing is left; False if it gave way to files.

    Raises:
        Cancelled: If the token was cancelled. What was finished is written.
        WorldError: If the model is missing, or the disk is full.
    """
    spaces, space = parts.catalog.spaces, parts.space.id
    suspects = spaces.suspects(space)  # each alone, so that a crash is counted against it
    others = [doc for doc, _ in spaces.pending(space, -1) if doc not in suspects]
    groups = [[doc] for doc in suspects]
    groups += [others[at : at + DOCS_AHEAD] for at in range(0, len(others), DOCS_AHEAD)]
    if not groups:
        return True
    feed = _Feed(parts, reporter, len(suspects) + len(others))
    try:
        return all(feed.embed(group) for group in groups)
    finally:
        feed.worker.stop()
        feed.worker.join()


@dataclass(slots=True)
class _Feed:
    """The documents that are being embedded: how many passages are left."""

    parts: Parts
    reporter: Reporter
    total: int
    worker: EmbeddingWorker = field(init=False)
    _events: Queue[Event] = field(default_factory=Queue)
    _left: dict[int, int] = field(default_factory=dict)
    _finished: int = 0
    _waiting: int = 0

    def __post_init__(self) -> None:
        parts = self.parts
        self._waiting = parts.catalog.queue.waiting()
        self.worker = EmbeddingWorker(parts.open_embedder, self._events, parts.gate, parts.throttle)

    def embed(self, docs: Sequence[int]) -> bool:
        """Embed some documents; whether it did not have to give way."""
        catalog, store, space = self.parts.catalog, self.parts.store, self.parts.space
        rows = catalog.docs.get(docs)
        with catalog.write():
            for doc in rows:
                catalog.spaces.begin(doc, space.id)
        done = {doc: set(store.ordinals_with_vectors(space.key, doc).tolist()) for doc in rows}
        self._left = {doc: row.passages - len(done[doc]) for doc, row in rows.items()}
        self._finish()
        held: list[StoredPassage] = []
        for passage in store.iter_passages([*self._left]):
            if passage.ordinal not in done[passage.doc]:
                held.append(passage)
            if len(held) == self.parts.batches.unit:
                self._write(held)
                held = []
                if catalog.queue.waiting() > self._waiting:
                    return False
        if held:
            self._write(held)
        return catalog.queue.waiting() <= self._waiting

    def _write(self, passages: Sequence[StoredPassage]) -> None:
        """Embed passages and store their vectors."""
        self._pause()
        made = self._embedded(passages)
        self.parts.check_space()
        self.parts.store.add_vectors(self.parts.space.key, join(made), searched=False)
        for passage in passages:
            self._left[passage.doc] -= 1
        self._finish()
        self.parts.store.maintain()

    def _embedded(self, passages: Sequence[StoredPassage]) -> list[Embedded]:
        inputs = [EmbedInput("", (), one.view, one.view_starts) for one in passages]
        pending = [PendingPassage(one.doc, one.ordinal) for one in passages]
        self.worker.submit_unit(Unit(inputs, pending, [1] * len(inputs)))
        made: list[Embedded] = []
        while sum(len(one.pending) for one in made) < len(passages):
            self._report()
            try:
                event = self._events.get(timeout=TICK_S)
            except Empty:
                continue
            if isinstance(event, EmbeddingFailed):
                raise event.failure
            if isinstance(event, Embedded):
                made.append(event)
        return made

    def _finish(self) -> None:
        """Mark the documents all of whose vectors are stored."""
        catalog, space = self.parts.catalog, self.parts.space.id
        whole = [doc for doc, left in self._left.items() if left <= 0]
        counts = self.parts.store.passage_counts(whole)
        with catalog.write():
            for doc in whole:
                del self._left[doc]
                catalog.spaces.finish(doc, space, counts.get(doc, 0))
        self._finished += len(whole)

    def _pause(self) -> None:
        while self.parts.throttle.paused:
            self._report(self.parts.throttle.reason)
            self.parts.throttle.wait_for_change(TICK_S)

    def _report(self, note: str = "") -> None:
        progress = Progress(
            Step.INDEX, files_done=self._finished, files_total=self.total, note=note
        )
        self.reporter.report(progress, force=bool(note))
