"""Re-ranking: a cross-encoder reads the question together with each of the leading passages."""

from __future__ import annotations

import logging
import os
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import LecternError
from indexer.embed.batches import closing_pool, in_batches, in_order
from indexer.embed.devices import CPU
from indexer.embed.encoder import Encoder
from indexer.embed.layout import pairs, shared_tokenizer
from indexer.embed.model_files import find_form, find_reranker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.api.progress import CancelToken
    from indexer.config import EngineConfig
    from indexer.embed.batches import Batch
    from indexer.embed.models import ModelRecord

    Sequences = list[NDArray[np.int32]]

log = logging.getLogger(__name__)

# Of all pairs of a query. On a slower machine fewer passages are read; with fewer than the least
# the order hardly changes.
BUDGET_S = 0.7
LEAST = 5
_MEASURED = 4  # sequences


class CrossEncoder:
    """An open cross-encoder, which measures its ``tokens_a_second`` when opened. Thread-safe."""

    def __init__(self, config: EngineConfig, record: ModelRecord) -> None:
        form = find_form(record, config.models, config.precision)
        self._window = record.window
        self._tokenizer = shared_tokenizer(form.tokenizer)
        self._encoder = Encoder(form.path, CPU)
        self._workers = config.threads or os.cpu_count() or 1
        sample = [np.zeros(min(256, self._window), np.int32)] * (_MEASURED * self._workers)
        self._scores(sample)  # the first run is slower
        started = time.perf_counter()
        self._scores(sample)
        elapsed = time.perf_counter() - started
        self.tokens_a_second = sum(map(len, sample)) / elapsed

    def score(self, question: str, passages: Sequence[str], seconds: float) -> NDArray[np.float32]:
        """How well the first passages answer a question, as many as fit the time, (n,)."""
        read = pairs(self._tokenizer, question, passages, self._window)
        fit = int(np.searchsorted(np.cumsum([*map(len, read)]), seconds * self.tokens_a_second))
        return self._scores(read[:fit]) if fit >= LEAST else np.empty(0, np.float32)

    def _scores(self, sequences: Sequences) -> NDArray[np.float32]:
        found = np.empty(len(sequences), np.float32)
        # One sequence a run, so that the threads share them evenly.
        batches = in_batches(sequences, lambda: 1, padded=self._encoder.padded)
        with closing_pool(self._workers) as pool:
            for index, score in in_order(pool, self._run, batches, self._workers):
                found[index] = score
        return found

    def _run(self, batch: Batch) -> tuple[int, float]:
        return batch.sequences[0], float(self._encoder.states(batch)[0, 0, 0])


@dataclass(slots=True)
class Reranker:
    """Orders passages by the chosen cross-encoder, opened at its first use. Thread-safe."""

    config: EngineConfig
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _opened: tuple[ModelRecord, CrossEncoder] | None = None
    _seen: tuple[tuple[int, str], ModelRecord | None] = (-1, ""), None

    def configure_reranker(self, config: EngineConfig) -> None:
        """Replace the configuration, and with it the chosen model."""
        self.config = config

    @property
    def record(self) -> ModelRecord | None:
        """The cross-encoder that orders hits, if any."""
        config, (known, found) = self.config, self._seen
        try:
            # The folder changes by importing and removing.
            now = config.models.stat().st_mtime_ns, config.reranker
        except OSError:
            return None
        if known != now:
            found = find_reranker(config.models, config.reranker)
            self._seen = now, found
        return found

    def order_passages(
        self, question: str, passages: Sequence[str], token: CancelToken, *, wait: bool
    ) -> tuple[int, ...]:
        """The indices of passages, best first; empty without a cross-encoder that is fast enough.

        Those that did not fit the time follow in their order. Unless the caller waits for it, a
        cross-encoder that is not open yet is opened in a thread, for later questions.

        Raises:
            Cancelled: If the token was cancelled meanwhile.
            WorldError: Those of ``find_form``.
        """
        record = self.record
        if record is None:
            return ()
        opened = self._opened
        if (opened is None or opened[0] != record) and not wait:
            if not self._opening.locked():
                threading.Thread(target=self._open_ahead, args=(record,), daemon=True).start()
            return ()
        model = self._open(record)
        token.check()
        scores = model.score(question, passages, BUDGET_S)
        best = np.argsort(-scores, kind="stable").tolist()
        return (*best, *range(len(best), len(passages))) if best else ()

    def _open_ahead(self, record: ModelRecord) -> None:
        try:
            self._open(record)
        except LecternError as error:
            log.warning("%s cannot be opened: %s", record.id, error)

    def _open(self, record: ModelRecord) -> CrossEncoder:
        with self._opening:
            if self._opened is None or self._opened[0] != record:
                self._opened = record, CrossEncoder(self.config, record)
            return self._opened[1]
