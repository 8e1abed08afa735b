from __future__ import annotations

from queue import Queue
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.batches import EmbedInput
from indexer.pipeline.embedding import UNITS_AHEAD, EmbeddingWorker, Unit, pack
from indexer.pipeline.events import Embedded, EmbeddingFailed, Event
from indexer.store.values import key_of, keys_of
from indexer.throttle.throttle import FULL_BATCH, SMALL_BATCH, QueryGate, Throttle
from tests.unit.pipeline.conftest import WordCountEmbedder, vectors_of
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pytest

    from indexer.embed.batches import PassageVectors


def unit_of(doc: int, *views: str) -> Unit:
    return Unit(
        [EmbedInput("", (), view, tuple(range(n + 1))) for n, view in enumerate(views)],
        [key_of(doc, ordinal) for ordinal in range(len(views))],
        [1] * len(views),
    )


def test_events_are_in_order_and_none_is_empty(
    worker: EmbeddingWorker, events: Queue[Event]
) -> None:
    worker.submit_unit(unit_of(1, "a", "bb", "ccc"))
    worker.submit_unit(unit_of(2, "dddd"))
    told = []
    for _ in range(3):
        event = events.get(timeout=WAIT_S)
        assert isinstance(event, Embedded)
        told += event.rows.keys.tolist()
    assert told == [key_of(1, 0), key_of(1, 1), key_of(1, 2), key_of(2, 0)]


def test_context_passages_yield_no_vectors(worker: EmbeddingWorker, events: Queue[Event]) -> None:
    inputs = [EmbedInput("", (), view, (0,)) for view in ("before", "wanted", "done")]
    unit = Unit(inputs, [None, key_of(1, 4), None], [3])
    assert unit.wanted == 1
    worker.submit_unit(unit)
    event = events.get(timeout=WAIT_S)
    assert isinstance(event, Embedded)
    assert event.rows.keys.tolist() == [key_of(1, 4)]


def test_sentence_vectors_are_concatenated() -> None:
    unit = unit_of(1, "a", "bb", "ccc")
    made = zip(unit.keys, unit.inputs, strict=True)
    event = pack([(key, vectors_of(one)) for key, one in made if key is not None])
    packed = event.rows
    assert packed.offsets.tolist() == [0, 1, 3, 6]
    assert packed.vectors.shape == (3, 32)
    assert packed.sentences.shape == (6, 32)
    np.testing.assert_array_equal(packed.sentences[1], packed.vectors[1])
    assert event.tokens == 6


class Brittle(WordCountEmbedder):
    """An embedder that fails on one text, or on all."""

    def __init__(self, *poison: str) -> None:
        super().__init__()
        self.poison = poison

    def encode_batches(
        self,
        passages: Sequence[EmbedInput],
        *,
        runs: Sequence[int] | None = None,
        budget: Callable[[], int] | None = None,
    ) -> Iterator[list[tuple[int, PassageVectors]]]:
        for batch in super().encode_batches(passages, runs=runs, budget=budget):
            for index, _ in batch:
                if not self.poison or passages[index].view in self.poison:
                    raise ValueError(passages[index].view)
            yield batch


def test_a_failing_passage_does_not_affect_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    events: Queue[Event] = Queue(99)
    worker = EmbeddingWorker(lambda: Brittle("bad"), events, QueryGate(), Throttle())
    try:
        worker.submit_unit(unit_of(1, "a", "bb", "ccc", "bad", "e"))
        worker.submit_unit(unit_of(2, "f"))
        told: dict[int, np.ndarray[Any, Any]] = {}
        while len(told) < 6:
            event = events.get(timeout=WAIT_S)
            assert isinstance(event, Embedded)
            told.update(zip(event.rows.keys.tolist(), event.rows.vectors, strict=True))
    finally:
        worker.stop()
        worker.join()
    assert events.empty()
    assert sorted(told) == [*keys_of(1, 5).tolist(), key_of(2, 0)]
    lengths = [float(np.linalg.norm(vector)) for vector in told.values()]
    np.testing.assert_allclose(lengths, 1.0, atol=1e-5)
    assert "fails on a passage of 3 characters" in caplog.text


def test_a_model_that_fails_on_everything_raises(caplog: pytest.LogCaptureFixture) -> None:
    events: Queue[Event] = Queue(99)
    worker = EmbeddingWorker(Brittle, events, QueryGate(), Throttle())
    worker.submit_unit(unit_of(1, *"abcdefghijkl"))
    failed = events.get(timeout=WAIT_S)
    worker.join()
    assert isinstance(failed, EmbeddingFailed)
    assert "embedding failed" in caplog.text


def test_the_model_is_opened_for_the_first_unit_only(events: Queue[Event]) -> None:
    opened = []

    def open_embedder() -> WordCountEmbedder:
        opened.append(True)
        return WordCountEmbedder()

    worker = EmbeddingWorker(open_embedder, events, QueryGate(), Throttle())
    try:
        assert worker.starved
        assert not opened
        for doc in (1, 2):
            worker.submit_unit(unit_of(doc, "text"))
            assert isinstance(events.get(timeout=WAIT_S), Embedded)
        assert opened == [True]
    finally:
        worker.stop()
        worker.join()


def test_a_model_that_fails_is_an_event(events: Queue[Event]) -> None:
    def open_embedder() -> WordCountEmbedder:
        raise ValueError("no such model")

    worker = EmbeddingWorker(open_embedder, events, QueryGate(), Throttle())
    worker.submit_unit(unit_of(1, "text"))
    failed = events.get(timeout=WAIT_S)
    worker.join()
    assert isinstance(failed, EmbeddingFailed)
    assert str(failed.failure) == "no such model"


def test_the_worker_queues_few_units_and_stops_within_one() -> None:
    events: Queue[Event] = Queue(1)  # full after the first batch, so that the worker must wait
    worker = EmbeddingWorker(lambda: WordCountEmbedder(1), events, QueryGate(), Throttle())
    worker.submit_unit(unit_of(0, *"abc"))
    assert isinstance(events.get(timeout=WAIT_S), Embedded)
    for doc in range(1, UNITS_AHEAD + 1):
        worker.submit_unit(unit_of(doc, *"abc"))
    assert worker.full
    worker.stop()
    worker.join()


def test_batches_shrink_beside_queries(events: Queue[Event]) -> None:
    gate = QueryGate()
    embedder = WordCountEmbedder()
    worker = EmbeddingWorker(lambda: embedder, events, gate, Throttle())
    try:
        with gate.query():
            worker.submit_unit(unit_of(1, "text"))
            events.get(timeout=WAIT_S)
        worker.submit_unit(unit_of(1, "text"))
        events.get(timeout=WAIT_S)
    finally:
        worker.stop()
        worker.join()
    assert embedder.budgets == [SMALL_BATCH, FULL_BATCH]
