"""The thread that embeds passages in batches, and gives way to queries.

It takes passages with keys, returns their vectors, and handles passages on which the model fails.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from indexer import faults
from indexer.embed.batches import Embedder, EmbedInput, PassageVectors
from indexer.pipeline.events import Embedded, EmbeddingFailed, Event
from indexer.store.values import VectorRows

if TYPE_CHECKING:
    from indexer.throttle.throttle import QueryGate, Throttle

log = logging.getLogger(__name__)

CORES = os.cpu_count() or 1
# Below the priority of queries and extraction, so that passages are soon searchable by words.
NICENESS = 15
# The number of units queued for the model, so that it never waits for the indexing thread.
UNITS_AHEAD = 3

# A waiting thread checks at this interval, in seconds, whether the run stops.
WAIT_S = 0.1
# After this many failures in a row the model is at fault, not the passages.
GIVE_UP = 8


class Unit(Struct, frozen=True):
    """Passages that are passed to the model together.

    ``keys`` has the key of each input, None for an input that is only context for its neighbours.
    ``runs`` are the numbers of consecutive inputs that a late-chunking model reads together.
    """

    inputs: Sequence[EmbedInput]
    keys: Sequence[int | None]
    runs: Sequence[int]

    @property
    def wanted(self) -> int:
        """The number of vectors that the unit yields."""
        return sum(key is not None for key in self.keys)


class EmbeddingWorker:
    """One thread that turns units of passages into ``Embedded`` events, in order.

    ``open_embedder`` is called once, on this thread and before the first unit: loading a model
    takes seconds and must not block the indexing thread.
    """

    def __init__(
        self,
        open_embedder: Callable[[], Embedder],
        events: Queue[Event],
        gate: QueryGate,
        throttle: Throttle,
    ) -> None:
        self._open = open_embedder
        self._events = events
        self._gate = gate
        self._throttle = throttle
        self.busy_s = 0.0  # time spent in the model
        self._worked = time.process_time()
        self._units: Queue[Unit] = Queue(UNITS_AHEAD)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="embedding", daemon=True)
        self._thread.start()

    @property
    def starved(self) -> bool:
        """Whether no unit is queued."""
        return self._units.empty()

    @property
    def full(self) -> bool:
        return self._units.full()

    def submit_unit(self, unit: Unit) -> None:
        """Queue a unit; check ``full`` first."""
        self._units.put_nowait(unit)

    def stop(self) -> None:
        """End after the current batch; the other passages stay pending."""
        self._stopping.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        _lower_priority()
        try:
            embedder: Embedder | None = None
            while not self._stopping.is_set():
                try:
                    unit = self._units.get(timeout=WAIT_S)
                except Empty:
                    continue
                embedder = embedder or self._open()
                self._embed(embedder, unit)
        except BaseException as error:  # a Rust panic is not an Exception
            log.exception("embedding failed")
            failure = error if isinstance(error, Exception) else RuntimeError(str(error))
            self._put(EmbeddingFailed(failure))

    def _embed(self, embedder: Embedder, unit: Unit) -> None:
        done: set[int] = set()
        try:
            self._encode(embedder, unit, done)
        except Exception:
            log.exception("the model fails on %d passages together", len(unit.inputs))
            left = [
                (index, unit.inputs[index])
                for index, key in enumerate(unit.keys)
                if key is not None and index not in done
            ]
            if not left:
                raise
            for index, vectors in one_by_one(embedder, left):
                if (key := unit.keys[index]) is not None:
                    self._put(pack([(key, vectors)]))
                if self._stopping.is_set():
                    return

    def _encode(self, embedder: Embedder, unit: Unit, done: set[int]) -> None:
        """Embed a unit and put its events; add finished inputs to ``done``."""
        for one in unit.inputs:
            faults.reached("passage-embedding", one.view)
        began = time.monotonic()
        for batch in embedder.encode_batches(unit.inputs, runs=unit.runs, budget=self._budget):
            faults.reached("batch-embedded")
            self.busy_s += time.monotonic() - began
            made = [
                (key, vectors) for index, vectors in batch if (key := unit.keys[index]) is not None
            ]
            # A batch may finish no passage, since a long passage has several windows.
            if made:
                self._put(pack(made))
                done.update(index for index, _ in batch)
            if self._stopping.is_set():
                return
            began = time.monotonic()

    def _budget(self) -> int:
        """Pause for the throttle and for queries; return the token budget of the next batch.

        The model computes several batches at a time, ahead of the caller. So the pause is measured
        in processor time and comes before a batch begins.
        """
        worked = (time.process_time() - self._worked) / CORES
        self._throttle.pause_after(worked, self._stopping.is_set)
        self._worked = time.process_time()
        self._gate.wait_for_queries()
        return self._gate.batch_tokens()

    def _put(self, event: Event) -> None:
        offer(self._events, event, self._stopping)


def _lower_priority() -> None:
    """Lower this thread's priority, on systems where threads have priorities.

    The model's threads inherit the priority of this thread, which starts them.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def pack(made: Sequence[tuple[int, PassageVectors]]) -> Embedded:
    """Pack the vectors of a batch into one event's arrays."""
    rows = VectorRows(
        keys=np.array([key for key, _ in made], np.int64),
        vectors=np.stack([vectors.vector for _, vectors in made]),
        sentences=np.concatenate([vectors.sentences for _, vectors in made]),
        offsets=np.cumsum([0, *(len(vectors.sentences) for _, vectors in made)], dtype=np.int64),
    )
    return Embedded(rows, sum(vectors.tokens for _, vectors in made))


def one_by_one(
    embedder: Embedder, inputs: Sequence[tuple[int, EmbedInput]]
) -> Iterator[tuple[int, PassageVectors]]:
    """Embed passages one at a time, without their neighbours.

    Yields:
        The number and the vectors of each passage. If the model fails on a passage, it gets a
        neutral vector and is found only by its words.

    Raises the exception of the model if it fails on the first ``GIVE_UP`` passages or on all.
    """
    failed: list[tuple[int, EmbedInput]] = []
    dimension = 0
    for number, one in inputs:
        try:
            batches = list(embedder.encode_batches([one], runs=[1]))
        except Exception:
            failed.append((number, one))
            if not dimension and len(failed) in {GIVE_UP, len(inputs)}:
                raise
            log.warning("the model fails on a passage of %d characters", len(one.view))
            continue
        for batch in batches:
            for _, vectors in batch:
                dimension = len(vectors.vector)
                yield number, vectors
    for number, one in failed:
        yield number, _neutral(dimension, len(one.view_starts))


def _neutral(dimension: int, sentences: int) -> PassageVectors:
    """Return constant vectors of length 1, which favour no text."""
    vector = np.full(dimension, dimension**-0.5, np.float32)
    return PassageVectors(vector, np.tile(vector, (sentences, 1)), 0)


def offer(events: Queue[Event], event: Event, stopping: threading.Event) -> bool:
    """Put an event, waiting while the queue is full; return False if the run stops."""
    while not stopping.is_set():
        try:
            events.put(event, timeout=WAIT_S)
        except Full:
            continue
        else:
            return True
    return False
