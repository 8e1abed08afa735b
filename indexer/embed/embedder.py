"""The embedder that runs a compiled model through ONNX Runtime.

Owns the session and its concurrent runs. ``layout`` makes the input sequences, ``batches`` pools
the token states; it must not know files, queues or the store.
"""

from __future__ import annotations

import math
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from indexer.embed.batches import Pooler, in_batches
from indexer.embed.compiled import BUILDER_VERSION
from indexer.embed.devices import AUTO, CPU, choose
from indexer.embed.encoder import Encoder
from indexer.embed.layout import Layout
from indexer.embed.models import TOKENIZER, Side
from indexer.embed.token_states import TokenStates, collect
from indexer.embed.tokens import shared_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from indexer.config import Precision
    from indexer.embed.base import EmbedInput, PassageVectors
    from indexer.embed.batches import Batch, TokenSequence
    from indexer.embed.compiled import CompiledModel
    from indexer.embed.devices import ProviderInUse
    from indexer.embed.models import ModelRecord

# Versions of the layout of a sequence; another layout gives another space.
LATE, ALONE = "late-3", "alone-1"
# On the CPU the data of small runs stays in its cache; on other devices starting a run costs time.
_TOKENS_A_RUN = {CPU: 512}
_TOKENS_A_RUN_ELSEWHERE = 16_384

A = TypeVar("A")
B = TypeVar("B")


def space_of(record: ModelRecord, precision: Precision) -> str:
    """Name the space a model's vectors are in; known before the model is loaded."""
    mode = LATE if record.late else ALONE
    edition = f"/{record.edition}" if record.edition else ""
    return f"{record.id}/{precision}-{BUILDER_VERSION}/{mode}{edition}"


class OnnxEmbedder:
    """One model, one session: queries and passages into vectors of one space. Thread-safe.

    Of a model with different encoders for queries and passages it has the one that was
    compiled, and raises ``ValueError`` for inputs of the other one.

    Args:
        compiled: The verified files of the model.
        workers: Runs of the model side by side, each on one thread.
        provider: A key of ``devices.PROVIDERS``, or ``devices.AUTO``.

    Raises:
        WorldError: ``no_runtime``, or ``bad_setting`` for an unknown provider.
    """

    def __init__(self, compiled: CompiledModel, workers: int, provider: str = AUTO) -> None:
        self.record: ModelRecord = compiled.record
        self.precision: Precision = compiled.precision
        self.side: Side = compiled.side
        self._reading = compiled.record.reading(compiled.side)
        digest = compiled.record.file(TOKENIZER).sha256
        self._layout = Layout(self._reading, shared_tokenizer(compiled.tokenizer, digest))

        def proven(name: str) -> Encoder:
            encoder = Encoder(compiled.graph, name)
            encoder.prove()
            return encoder

        opened: tuple[Encoder, ProviderInUse] = choose(provider, proven)
        self._encoder, self.provider = opened
        self._workers = workers

    @property
    def space(self) -> str:
        """A name of everything that the vectors depend on; those of equal spaces are comparable."""
        return space_of(self.record, self.precision)

    @property
    def token_budget(self) -> int:
        """The most tokens of a run."""
        return _TOKENS_A_RUN.get(self.provider.name, _TOKENS_A_RUN_ELSEWHERE)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a query: float32, shape ``(dimension,)``, of length 1."""
        self._check(Side.QUERIES)
        sequences = self._layout.text(self.record.query_prefix + text)
        pooler = Pooler(self._reading, [1], sequences)
        done = [
            pair
            for batch in self._batches([sequence.ids for sequence in sequences], None)
            for pair in self._pool(self._run(batch), sequences, pooler)
        ]
        ((_, vectors),) = done
        return vectors.vector

    def encode_passages(self, passages: Sequence[EmbedInput]) -> list[PassageVectors]:
        """The vectors of passages, in their order. Passages of any length are read completely.

        For a late-chunking model the passages must be those of one document, in order.
        """
        found = dict(pair for done in self.encode_batches(passages) for pair in done)
        return [found[index] for index in range(len(passages))]

    def encode_batches(
        self,
        passages: Sequence[EmbedInput],
        *,
        runs: Sequence[int] | None = None,
        budget: Callable[[], int] | None = None,
    ) -> Generator[list[tuple[int, PassageVectors]], None, None]:
        """The same, as they come: one list of (index, vectors) for each run of the model.

        Args:
            passages: What to embed.
            runs: For a late-chunking model: how many consecutive ones are of one document;
                all of them, if not given.
            budget: Called before each run for the limit of its tokens; a run never has more
                than the provider's own limit (a few hundred on the CPU, some 20 ms of work).
        """
        with closing_pool(self._workers) as pool:
            sequences = self._lay_out(passages, pool, runs)
            counts = [len(passage.view_starts) for passage in passages]
            pooler = Pooler(self._reading, counts, sequences)
            batches = self._batches([sequence.ids for sequence in sequences], budget)
            for run in in_order(pool, self._run, batches, self._workers):
                yield self._pool(run, sequences, pooler)

    def query_states(self, text: str) -> TokenStates:
        """The tokens whose mean is the direction of ``encode_query(text)``."""
        self._check(Side.QUERIES)
        sequences = self._layout.text(self.record.query_prefix + text)
        starts = self._layout.starts(text, self.record.query_prefix)
        return self._token_states(sequences, 0, starts)

    def passage_states(self, passages: Sequence[EmbedInput], wanted: int) -> TokenStates:
        """The tokens whose mean is the direction of the vector of one of some passages.

        Args:
            passages: As for ``encode_passages``; a late-chunking model reads it among the others.
            wanted: Its index.
        """
        self._check(Side.PASSAGES)
        bodies = self._layout.tokenize(passages)
        sequences = self._layout.sequences(passages, bodies)
        return self._token_states(sequences, wanted, bodies[wanted].starts)

    def _token_states(
        self, sequences: Sequence[TokenSequence], wanted: int, starts: NDArray[np.int32]
    ) -> TokenStates:
        holding = [one for one in sequences if any(p.passage == wanted for p in one.pieces)]
        states: dict[int, NDArray[np.float32]] = {}
        for batch in self._batches([sequence.ids for sequence in holding], None):
            _, found = self._run(batch)
            for row, index in enumerate(batch.sequences):
                states[index] = found[row, : batch.lengths[row]]
        read = ((sequence, states[index]) for index, sequence in enumerate(holding))
        return collect(self._reading, read, wanted, starts)

    def sequences(self, passages: Sequence[EmbedInput]) -> list[NDArray[np.int32]]:
        """The token ids the model would read for passages, for ``bare_throughput``."""
        with closing_pool(self._workers) as pool:
            return [sequence.ids for sequence in self._lay_out(passages, pool)]

    def bare_throughput(self, sequences: Sequence[NDArray[np.int32]]) -> float:
        """Tokens a second through the session alone, batched and run as passages are."""
        batches = list(self._batches(sequences, None))
        started = time.perf_counter()
        with closing_pool(self._workers) as pool:
            for _ in in_order(pool, self._run, iter(batches), self._workers):
                pass
        return sum(len(ids) for ids in sequences) / (time.perf_counter() - started)

    def _check(self, side: Side) -> None:
        if self.record.adapted and side is not self.side:
            raise ValueError(f"{self.record.id} was opened for {self.side}, not for {side}")

    def _lay_out(
        self,
        passages: Sequence[EmbedInput],
        pool: ThreadPoolExecutor,
        runs: Sequence[int] | None = None,
    ) -> list[TokenSequence]:
        self._check(Side.PASSAGES)
        share = max(1, math.ceil(len(passages) / self._workers))
        parts = [passages[start : start + share] for start in range(0, len(passages), share)]
        bodies = [body for part in pool.map(self._layout.tokenize, parts) for body in part]
        return self._layout.sequences(passages, bodies, runs)

    def _batches(
        self, ids: Sequence[NDArray[np.int32]], budget: Callable[[], int] | None
    ) -> Iterator[Batch]:
        most = self.token_budget
        return in_batches(
            ids, lambda: min(most, budget()) if budget else most, padded=self._encoder.padded
        )

    def _run(self, batch: Batch) -> tuple[Batch, NDArray[np.float32]]:
        return batch, self._encoder.states(batch)

    @staticmethod
    def _pool(
        run: tuple[Batch, NDArray[np.float32]], sequences: Sequence[TokenSequence], pooler: Pooler
    ) -> list[tuple[int, PassageVectors]]:
        batch, states = run
        return [
            pair
            for row, index in enumerate(batch.sequences)
            for pair in pooler.add(sequences[index], states[row, : batch.lengths[row]])
        ]


@contextmanager
def closing_pool(workers: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads that cancels queued work at exit and waits for running work."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="embed")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def in_order(
    pool: ThreadPoolExecutor, work: Callable[[A], B], items: Iterator[A], ahead: int
) -> Iterator[B]:
    """Do the work for each item; the results come in the items' order.

    Args:
        pool: Where the work is done.
        work: Called on a thread of the pool.
        items: Taken from the caller's thread as room appears.
        ahead: How many items may wait beside the ones being worked on.
    """
    waiting: deque[Future[B]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > 2 * ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
