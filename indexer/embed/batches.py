"""Inputs and outputs of a model, batches of token sequences, and pooling of token states.

Token states are summed for each sentence and passage, and the sums are normalised. Batches run
concurrently, and their results are in order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from msgspec import Struct, field

from indexer.api.types import HEADING_SEPARATOR
from indexer.embed.models import ModelRecord, Pooling, PoolScope

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Int32s, Int64s


class EmbedInput(Struct, frozen=True):
    """One passage to embed; ``title`` and ``heading_path`` become a prefix of ``view``.

    Sentence ``i`` is ``view[view_starts[i]:view_starts[i + 1]]``; ``view_starts`` begins with 0
    and ascends, and may be empty for an empty view.
    """

    title: str
    heading_path: tuple[str, ...]
    view: str
    view_starts: tuple[int, ...]


class PassageVectors(Struct, frozen=True):
    """The vectors of one passage and of its sentences, float32, each of length 1.

    Their shapes are (dimension,) and (sentences, dimension). ``tokens`` is the number of tokens
    that the model read for the passage, including prefix and special tokens. Tokens that several
    passages share are counted for one of them.
    """

    vector: Float32s
    sentences: Float32s
    tokens: int


class Embedder(Protocol):
    """The methods of an embedder that indexing needs. Thread-safe."""

    def encode_batches(
        self,
        passages: Sequence[EmbedInput],
        *,
        runs: Sequence[int] | None = None,
        budget: Callable[[], int] | None = None,
    ) -> Iterator[list[tuple[int, PassageVectors]]]:
        """See ``indexer.embed.embedder.OnnxEmbedder``."""
        ...


def passage_prefix(title: str, heading_path: Sequence[str]) -> str:
    """The prefix of a passage: ``"title. heading path: "``, or ``""``.

    >>> passage_prefix("Annual report", ("Risks",))
    'Annual report. Risks: '
    >>> passage_prefix("Annual report", ())
    'Annual report: '
    """
    headings = HEADING_SEPARATOR.join(part for part in map(_one_line, heading_path) if part)
    parts = [part for part in (_one_line(title), headings) if part]
    return ". ".join(parts) + ": " if parts else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


_SMALLEST_NORM = 1e-12


def segment_sums(states: Float32s, bounds: Int64s) -> Float32s:
    """Sum token states, (tokens, dimension), between consecutive bounds, (segments + 1,).

    Bounds are ascending row numbers. The sums are (segments, dimension), 0 for empty segments.
    """
    starts, ends = bounds[:-1], bounds[1:]
    sums = np.zeros((len(starts), states.shape[1]), np.float32)
    full = np.flatnonzero(ends > starts)
    if len(full):
        # reduceat sums up to the next start. Non-empty segments are adjacent, and the rows end
        # where the last one does.
        np.add.reduceat(states[: ends[full[-1]]], starts[full], axis=0, out=sums[: len(full)])
        if len(full) < len(starts):
            sums[full] = sums[: len(full)].copy()
            sums[np.flatnonzero(ends <= starts)] = 0
    return sums


def unit_vectors(vectors: Float32s) -> Float32s:
    """Scale vectors to length 1 along the last axis; zeros stay zeros."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Float32s = (vectors / np.maximum(norms, _SMALLEST_NORM)).astype(np.float32)
    return scaled


A = TypeVar("A")
B = TypeVar("B")


@contextmanager
def closing_pool(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a thread pool; at the end cancel queued work and wait for running work."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="embed")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def in_order(
    pool: ThreadPoolExecutor, work: Callable[[A], B], items: Iterator[A], ahead: int
) -> Iterator[B]:
    """Yield the results of ``work`` for items, in their order.

    Unlike ``Executor.map`` it takes an item only shortly before the work on it, in the caller's
    thread. At most twice ``ahead`` items are submitted and not yet yielded.
    """
    waiting: deque[Future[B]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > 2 * ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class PassageRows(Struct, frozen=True):
    """The rows of a sequence that belong to one passage.

    ``bounds``, ``(sentences + 1,)``, are the first row of each sentence and the end of the last. A
    sentence without rows in this sequence has equal bounds.
    """

    passage: int
    bounds: Int64s

    @property
    def rows(self) -> int:
        return int(self.bounds[-1] - self.bounds[0])


class TokenSequence(Struct, frozen=True):
    """One input sequence of the model, and the passages in it."""

    ids: Int32s
    pieces: tuple[PassageRows, ...]


_NONE = np.empty((0, 0), np.float32)


def pooled_rows(record: ModelRecord, piece: PassageRows, length: int) -> slice:
    """The rows of a sequence of ``length`` tokens whose mean is the vector of a passage in it."""
    match record.pooling:
        case Pooling.CLS:
            return slice(0, 1)
        case Pooling.LAST:
            return slice(length - 1, length)
    # A passage without tokens gets the mean of its prefix.
    if not piece.rows or (record.pool_scope is PoolScope.SEQUENCE and not record.late):
        return slice(0, length)
    return slice(int(piece.bounds[0]), int(piece.bounds[-1]))


def segments(record: ModelRecord, sequence: TokenSequence) -> Int64s:
    """The ranges of rows whose sums ``Pooler.add_sums`` needs, ``(segments, 2)``.

    For each passage these are its sentences, only with mean pooling, and the passage itself.
    """
    found = []
    for piece in sequence.pieces:
        if record.pooling is Pooling.MEAN:
            found.append(np.stack([piece.bounds[:-1], piece.bounds[1:]], axis=1))
        rows = pooled_rows(record, piece, len(sequence.ids))
        found.append(np.array([[rows.start, rows.stop]]))
    return np.concatenate(found)


class _PassageSums(Struct):
    """The running sums of a passage until all its sequences are added."""

    sentences: Float32s
    whole: Float32s
    missing: int
    tokens: int = 0

    def vectors(self) -> PassageVectors:
        vector = unit_vectors(self.whole)
        sentences = unit_vectors(self.sentences)
        # A sentence without a token (only control characters), and all sentences without mean
        # pooling, get the vector of the passage.
        sentences[~self.sentences.any(axis=1)] = vector
        return PassageVectors(vector, sentences, self.tokens)


class Pooler(Struct):
    """Pools token states to the vectors of passages.

    ``sentences`` counts the sentences of each passage; ``sequences`` are all sequences to add.
    """

    record: ModelRecord
    sentences: Sequence[int]
    sequences: Sequence[TokenSequence]
    _open: dict[int, _PassageSums] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dimension = self.record.dimension
        for sequence in self.sequences:
            for piece in sequence.pieces:
                if piece.passage in self._open:
                    self._open[piece.passage].missing += 1
                else:
                    sums = np.zeros((self.sentences[piece.passage], dimension), np.float32)
                    self._open[piece.passage] = _PassageSums(
                        sums, np.zeros(dimension, np.float32), 1
                    )

    def pool_sequence(
        self, sequence: TokenSequence, states: Float32s
    ) -> Iterator[tuple[int, PassageVectors]]:
        """Add the states of a sequence, (len(ids), dim); yield the passages that it completes."""
        length, mean = len(sequence.ids), self.record.pooling is Pooling.MEAN
        summed = [
            (
                segment_sums(states, piece.bounds) if mean else _NONE,
                states[pooled_rows(self.record, piece, length)].sum(axis=0),
            )
            for piece in sequence.pieces
        ]
        return self._add(sequence, summed)

    def add_sums(
        self, sequence: TokenSequence, sums: Float32s
    ) -> Iterator[tuple[int, PassageVectors]]:
        """As ``pool_sequence``, with the sums of the sequence's ``segments``, (segments, dim)."""
        mean, summed, taken = self.record.pooling is Pooling.MEAN, [], 0
        for piece in sequence.pieces:
            own = sums[taken : taken + (len(piece.bounds) - 1) * mean]
            taken += len(own) + 1
            summed.append((own if mean else _NONE, sums[taken - 1]))
        return self._add(sequence, summed)

    def _add(
        self,
        sequence: TokenSequence,
        summed: Sequence[tuple[Float32s, Float32s]],
    ) -> Iterator[tuple[int, PassageVectors]]:
        """Add the sums of each piece: of its sentences, if any, and of its passage."""
        shared = len(sequence.ids) - sum(piece.rows for piece in sequence.pieces)
        for piece, (sentences, whole) in zip(sequence.pieces, summed, strict=True):
            pooled = self._open[piece.passage]
            if len(sentences):
                pooled.sentences += sentences
            pooled.whole += whole
            pooled.tokens += piece.rows + shared
            shared = 0  # only the first piece counts them
            pooled.missing -= 1
            if not pooled.missing:
                yield piece.passage, self._open.pop(piece.passage).vectors()


class Batch(Struct, frozen=True):
    """The indices and token ids of some sequences, padded to one length for a run of the model.

    ``ids`` is int32, (sequences, longest), and ``lengths`` int32, (sequences,).
    """

    sequences: tuple[int, ...]
    ids: Int32s
    lengths: Int32s

    def part(self, rows: slice) -> Batch:
        """A batch of some of these sequences with the same padding."""
        return Batch(self.sequences[rows], self.ids[rows], self.lengths[rows])


def in_batches(
    sequences: Sequence[Int32s], budget: Callable[[], int], *, padded: bool
) -> Iterator[Batch]:
    """Sort sequences of token ids by length, longest first, and pack them within a budget.

    The longest come first so that ONNX Runtime's arena grows once. A sequence longer than the
    budget is a batch alone. ``budget`` is called before each batch and returns the limit of
    ``len(sequences) * longest``. Different lengths share a batch only if ``padded``.
    """
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]), reverse=True)
    position = 0
    while position < len(order):
        longest = len(sequences[order[position]])
        chosen = order[position : position + max(1, budget() // longest)]
        if not padded:
            chosen = [index for index in chosen if len(sequences[index]) == longest]
        ids = np.zeros((len(chosen), longest), np.int32)
        for row, index in enumerate(chosen):
            ids[row, : len(sequences[index])] = sequences[index]
        lengths = np.array([len(sequences[index]) for index in chosen], np.int32)
        yield Batch(tuple(chosen), ids, lengths)
        position += len(chosen)
