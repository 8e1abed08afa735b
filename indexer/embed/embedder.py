"""The embedder of a model: it lays out text, runs the graph concurrently, and pools."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING
from unicodedata import category

import numpy as np
from msgspec import Struct

from indexer.api.lru_cache import SharedCache
from indexer.embed.batches import (
    Pooler,
    closing_pool,
    in_batches,
    in_order,
    pooled_rows,
    segments,
    unit_vectors,
)
from indexer.embed.devices import AUTO, CPU, choose, out_of_memory
from indexer.embed.encoder import Encoder, varied_sequences
from indexer.embed.layout import WindowLayout, shared_tokenizer
from indexer.embed.models import Side

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from numpy.typing import NDArray

    from indexer.api.types import Span
    from indexer.arrays import Float32s, Int32s, Int64s
    from indexer.config import Precision
    from indexer.embed.batches import Batch, EmbedInput, PassageVectors, TokenSequence
    from indexer.embed.model_files import ModelForm
    from indexer.embed.models import ModelRecord


class TokenStates(Struct, frozen=True):
    """The states of tokens, float32, (n, dimension), not normalised. A vector is their mean.

    ``starts`` is int32, (n,): the offset of each token in its text, in code points; -1 for prefix
    and special tokens.
    """

    states: Float32s
    starts: Int32s

    def inside(self, spans: Iterable[tuple[int, int]]) -> TokenStates:
        """The states of tokens that begin inside spans of the text; all states if none does."""
        kept = np.zeros(len(self.starts), bool)
        for start, end in spans:
            kept |= (self.starts >= start) & (self.starts < end)
        return TokenStates(self.states[kept], self.starts[kept]) if kept.any() else self

    def of_words(self, text: str) -> TokenStates:
        """The states of tokens that are not punctuation in ``text``; all states if all are."""
        starts = np.unique(np.append(self.starts, len(text)))
        ends = starts[np.searchsorted(starts, self.starts, side="right").clip(max=len(starts) - 1)]
        kept = np.array([
            start >= 0 and any(category(sign)[0] in "LMNS" for sign in text[start:end])
            for start, end in zip(self.starts.tolist(), ends.tolist(), strict=True)
        ])  # fmt: skip
        return TokenStates(self.states[kept], self.starts[kept]) if kept.any() else self


log = logging.getLogger(__name__)

# Small runs fit the CPU's cache. On other devices each start of a run costs time.
_TOKENS_A_RUN = {CPU: 512}
_TOKENS_A_RUN_ELSEWHERE = 16_384
# The number of cached vectors of queries. A query is often repeated with another filter or limit,
# or for other documents.
_QUERIES_KEPT = 256
# The number of cached token states of queries, from which vectors of their parts are made.
_STATES_KEPT = 4
# The lengths of sequences in a comparison of speed, similar to those of documents.
_LENGTHS = (512, 384, 256, 128, 128, 64, 64)
_ROUNDS = 4  # rounds of a comparison; the first one warms up


class OnnxEmbedder:
    """Encodes queries and passages with one session. Thread-safe.

    If ``form`` is one of two encoders, it raises ``ValueError`` for inputs of the other side.

    Args:
        form: The verified graph of the model.
        workers: The number of concurrent runs, each on one thread.
        provider: A key of ``devices.PROVIDERS``, or ``devices.AUTO``.

    Raises ``no_runtime``, or ``bad_setting`` for an unknown provider.
    """

    def __init__(self, form: ModelForm, workers: int, provider: str = AUTO) -> None:
        self.record: ModelRecord = form.record
        self.precision: Precision = form.precision
        self.side: Side = form.side
        self._encoder_record = form.record.encoder_of(form.side)
        self._layout = WindowLayout(self._encoder_record, shared_tokenizer(form.tokenizer))

        self._encoder, self.provider = choose(provider, partial(open_tested, form))
        self._workers = workers
        self._fitting = 0  # tokens for which the device has memory, 0 until it ran out
        self._encoded: SharedCache[tuple[str, str], Float32s] = SharedCache(_QUERIES_KEPT)
        self._states: SharedCache[str, TokenStates] = SharedCache(_STATES_KEPT)

    @property
    def token_budget(self) -> int:
        """The most tokens of a run; fewer after the device has run out of memory."""
        most = _TOKENS_A_RUN.get(self.provider.name, _TOKENS_A_RUN_ELSEWHERE)
        return min(most, self._fitting or most)

    def encode_query(self, text: str, part: str = "", places: Sequence[Span] = ()) -> Float32s:
        """The vector of a query, or of a part of it: float32, (dimension,), of length 1.

        Do not change the array. ``places`` are the spans of the part's words in the query. A
        late-chunking model reads the query once, and the vector of a part is the mean of its tokens
        there, as for a passage in its document; that ranks as well. Other models, and those with a
        prefix for queries, read the part alone: pooling inside with ``lectern-e5-late`` made 19 of
        240 questions without an answer in xquad-mono seem better answered, and 4 worse.
        """
        if part and (not self.record.late or self.record.query_prefix):
            text, part = part, ""

        def compute() -> Float32s:
            read = self._states.get(text, lambda: self.query_states(text))
            vector = unit_vectors((read.inside(places) if part else read).states.sum(axis=0))
            vector.setflags(write=False)
            return vector

        return self._encoded.get((text, part), compute)

    def encode_passages(self, passages: Sequence[EmbedInput]) -> list[PassageVectors]:
        """Return the vectors of passages of any length, in their order.

        For a late-chunking model they must be consecutive passages of one document.
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
        """Yield a list of (index, vectors) of passages for each run of the model.

        Args:
            passages: The passages to embed.
            runs: The numbers of consecutive passages of one document, for a late-chunking model; by
                default all are of one.
            budget: Called before each run, returns the limit of its tokens. ``token_budget`` is a
                limit too (on the CPU some 20 ms of work).
        """
        with closing_pool(self._workers) as pool:
            sequences = self._lay_out(passages, pool, runs)
            counts = [len(passage.view_starts) for passage in passages]
            pooler = Pooler(self._encoder_record, counts, sequences)
            batches = self._batches([sequence.ids for sequence in sequences], budget)
            sums = self._encoder.sums_states
            wanted = [segments(self._encoder_record, one) for one in sequences] if sums else None
            run = partial(self._run, wanted=wanted)
            add = pooler.add_sums if sums else pooler.pool_sequence
            for made in in_order(pool, run, batches, self._workers):
                yield [pair for index, found in made for pair in add(sequences[index], found)]

    def query_states(self, text: str) -> TokenStates:
        """The token states of a query; ``encode_query(text)`` is their normalised mean.

        For a late-chunking model with a prefix for queries these are only tokens of words. Its
        passages, too, are means without prefix and special tokens, and punctuation makes questions
        similar (card of ``lectern-e5-late``; without a prefix there is little difference).
        """
        self._check(Side.QUERIES)
        sequences, starts = self._layout.text(text, self.record.query_prefix)
        states = self._token_states(sequences, 0, starts)
        of_words = self.record.late and self.record.query_prefix
        return states.of_words(text) if of_words else states

    def passage_states(self, passages: Sequence[EmbedInput], wanted: int) -> TokenStates:
        """The token states of passage ``wanted``; its vector is their normalised mean.

        The other passages are its context; see ``encode_passages``.
        """
        self._check(Side.PASSAGES)
        bodies = self._layout.tokenize(passages)
        sequences = self._layout.sequences(passages, bodies)
        return self._token_states(sequences, wanted, bodies[wanted].starts)

    def _token_states(
        self, sequences: Sequence[TokenSequence], wanted: int, starts: Int32s
    ) -> TokenStates:
        """The token states of the passage ``wanted``, whose tokens start at ``starts``."""
        holding = [one for one in sequences if any(p.passage == wanted for p in one.pieces)]
        read: dict[int, Float32s] = {}
        for batch in self._batches([sequence.ids for sequence in holding], None):
            read.update(self._run(batch))
        states: list[Float32s] = []
        places: list[Int32s] = []
        taken = 0
        for number, sequence in enumerate(holding):
            found = read[number]
            for piece in sequence.pieces:
                if piece.passage != wanted:
                    continue
                first, last = int(piece.bounds[0]), int(piece.bounds[-1])
                own = np.full(len(found), -1, np.int32)
                own[first:last] = starts[taken : taken + piece.rows]
                taken += piece.rows
                rows = pooled_rows(self._encoder_record, piece, len(found))
                states.append(found[rows])
                places.append(own[rows])
        return TokenStates(np.concatenate(states), np.concatenate(places))

    def sequences(self, passages: Sequence[EmbedInput]) -> list[Int32s]:
        """The input ids of passages, for ``bare_throughput``."""
        with closing_pool(self._workers) as pool:
            return [sequence.ids for sequence in self._lay_out(passages, pool)]

    def bare_throughput(self, sequences: Sequence[Int32s]) -> float:
        """Measure the tokens per second of the session, without tokenizing and pooling."""
        batches = list(self._batches(sequences, None))
        started = time.perf_counter()
        with closing_pool(self._workers) as pool:
            for _ in in_order(pool, self._run, iter(batches), self._workers):
                pass
        return sum(len(ids) for ids in sequences) / (time.perf_counter() - started)

    def times_as_fast(self, other: OnnxEmbedder) -> float:
        """Measure the speed on all threads as a multiple of another embedder's."""
        own = self._encoder_record
        sequences = varied_sequences(_LENGTHS, own.vocabulary, own.window) * self._workers
        rates = [[one.bare_throughput(sequences) for one in (self, other)] for _ in range(_ROUNDS)]
        times: NDArray[np.float64] = np.divide(*np.array(rates[1:]).T)
        return float(np.median(times))

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

    def _batches(self, ids: Sequence[Int32s], budget: Callable[[], int] | None) -> Iterator[Batch]:
        def most() -> int:
            return min(self.token_budget, budget() if budget else self.token_budget)

        return in_batches(ids, most, padded=self._encoder.padded)

    def _run(
        self, batch: Batch, wanted: Sequence[Int64s] | None = None
    ) -> list[tuple[int, Float32s]]:
        """Run a batch, in halves if the device runs out of memory; later batches are as small.

        Returns the index of each sequence with its token states, (tokens, dimension), or with the
        sums of its ``wanted`` segments, (segments, dimension). Raises any exception if one sequence
        alone does not fit, or the device fails for another reason.
        """
        try:
            if wanted is None:
                found, sizes = self._encoder.states(batch), batch.lengths.tolist()
            else:
                own = [wanted[index] for index in batch.sequences]
                found, sizes = self._encoder.sums(batch, own), [len(each) for each in own]
        except Exception as error:
            if len(batch.sequences) == 1 or not out_of_memory(error):
                raise
        else:
            rows = zip(batch.sequences, found, sizes, strict=True)
            return [(index, each[:size]) for index, each, size in rows]
        self._fitting = min(self.token_budget, batch.ids.size // 2)
        log.warning("%s has memory for about %d tokens", self.provider.name, self._fitting)
        half = len(batch.sequences) // 2
        parts = (batch.part(rows) for rows in (slice(half), slice(half, None)))
        return [pair for part in parts for pair in self._run(part, wanted)]


def open_tested(form: ModelForm, provider: str) -> Encoder:
    """Open a graph on a provider and compare its numbers with the CPU's; see ``Encoder.test``."""
    record = form.record.encoder_of(form.side)
    encoder = Encoder(form.path, provider)
    reference = Encoder(form.path, CPU) if provider != CPU else None
    encoder.test(record.vocabulary, record.window, reference)
    return encoder
