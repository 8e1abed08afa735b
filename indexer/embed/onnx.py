"""The embedder that runs a compiled model through ONNX Runtime.

Owns the session and the runs of it. What a passage looks like to the model is ``layout``'s, what
becomes of token states ``batches``'; it must not know files, queues or the store.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.base import TOKEN_BUDGET
from indexer.embed.batches import Pooler, in_batches
from indexer.embed.build import BUILDER_VERSION, ensure_compiled
from indexer.embed.devices import AUTO, SessionOptions, load_runtime, open_session
from indexer.embed.graph import IDS, LENGTHS, STATES
from indexer.embed.layout import Layout
from indexer.embed.tokens import TextTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.config import Precision
    from indexer.embed.base import EmbedInput, PassageVectors
    from indexer.embed.batches import Batch, TokenSequence
    from indexer.embed.build import CompiledModel
    from indexer.embed.devices import ProviderInUse
    from indexer.embed.models import ModelRecord

LAYOUT_VERSION = 1


def _whole_budget() -> int:
    return TOKEN_BUDGET


def space_of(record: ModelRecord, precision: Precision) -> str:
    """Name the space a model's vectors are in; it can be told before the model is loaded."""
    mode = "late" if record.late else "alone"
    return f"{record.id}/{precision}-{BUILDER_VERSION}/{mode}-{LAYOUT_VERSION}"


class OnnxEmbedder:
    """One model, one session. Implements ``base.Embedder``.

    Args:
        compiled: The verified files of the model.
        options: Threads and memory of the session.
        provider: A key of ``devices.PROVIDERS``, or ``devices.AUTO``.

    Raises:
        WorldError: ``no_runtime``, or ``bad_setting`` for an unknown provider.
    """

    def __init__(
        self, compiled: CompiledModel, options: SessionOptions, provider: str = AUTO
    ) -> None:
        self.record: ModelRecord = compiled.record
        self.precision: Precision = compiled.precision
        self._layout = Layout(compiled.record, TextTokenizer(compiled.tokenizer))
        opened: tuple[Any, ProviderInUse] = open_session(compiled.graph, options, provider, _prove)
        self._session, self.provider = opened

    @property
    def space(self) -> str:
        return space_of(self.record, self.precision)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        sequences = self._layout.text(self.record.query_prefix + text)
        pooler = Pooler(self.record, [1], sequences)
        ((_, vectors),) = self._encode(sequences, pooler, _whole_budget)
        return vectors.vector

    def encode_passages(
        self, passages: Sequence[EmbedInput], *, budget: Callable[[], int] = _whole_budget
    ) -> list[PassageVectors]:
        found = dict(pair for done in self.encode_batches(passages, budget=budget) for pair in done)
        return [found[index] for index in range(len(passages))]

    def encode_batches(
        self, passages: Sequence[EmbedInput], *, budget: Callable[[], int] = _whole_budget
    ) -> Iterator[list[tuple[int, PassageVectors]]]:
        sequences = self._layout.sequences(passages)
        pooler = Pooler(self.record, [len(passage.view_starts) for passage in passages], sequences)
        for batch in in_batches([sequence.ids for sequence in sequences], budget):
            yield self._pool(batch, sequences, pooler)

    def sequences(self, passages: Sequence[EmbedInput]) -> list[NDArray[np.int32]]:
        """The token ids the model would read for passages, for ``bare_throughput``."""
        return [sequence.ids for sequence in self._layout.sequences(passages)]

    def bare_throughput(self, sequences: Sequence[NDArray[np.int32]]) -> float:
        """Tokens a second through the session alone, batched as passages are."""
        batches = list(in_batches(sequences, _whole_budget))
        started = time.perf_counter()
        for batch in batches:
            self._states(batch)
        return sum(len(ids) for ids in sequences) / (time.perf_counter() - started)

    def _encode(
        self, sequences: Sequence[TokenSequence], pooler: Pooler, budget: Callable[[], int]
    ) -> list[tuple[int, PassageVectors]]:
        return [
            pair
            for batch in in_batches([sequence.ids for sequence in sequences], budget)
            for pair in self._pool(batch, sequences, pooler)
        ]

    def _pool(
        self, batch: Batch, sequences: Sequence[TokenSequence], pooler: Pooler
    ) -> list[tuple[int, PassageVectors]]:
        states = self._states(batch)
        return [
            pair
            for row, index in enumerate(batch.sequences)
            for pair in pooler.add(sequences[index], states[row, : batch.lengths[row]])
        ]

    def _states(self, batch: Batch) -> NDArray[np.float32]:
        feed = {IDS: batch.ids, LENGTHS: batch.lengths}
        states: NDArray[np.float32] = self._session.run([STATES], feed)[0]
        return states


@dataclass(frozen=True, slots=True)
class EmbedderFactory:
    """Opens embedders of one model: find or fetch the weights, compile, open a session.

    Attributes:
        record: Which model.
        models: The folder compiled models lie in.
        places: Folders that may hold the model's package.
        download: Whether the network may be asked.
        provider: A key of ``devices.PROVIDERS``, or ``devices.AUTO``.
        note: Told, in a sentence, what takes long.
    """

    record: ModelRecord
    models: Path
    places: tuple[Path, ...] = ()
    download: bool = True
    provider: str = AUTO
    note: Callable[[str], None] = lambda _text: None

    def open(self, precision: Precision, options: SessionOptions) -> OnnxEmbedder:
        """Open an embedder with a session of its own.

        Raises:
            WorldError: ``no_runtime``, ``model_missing``, ``library_unwritable`` or
                ``bad_setting``, each with its reason.
        """
        load_runtime()  # before a download that would be of no use
        compiled = ensure_compiled(
            self.record,
            self.models,
            precision,
            places=self.places,
            download=self.download,
            note=self.note,
        )
        return OnnxEmbedder(compiled, options, self.provider)


def open_embedder(
    record: ModelRecord,
    models: Path,
    precision: Precision,
    *,
    threads: int = 0,
    provider: str = AUTO,
    places: Iterable[Path] = (),
    download: bool = True,
) -> OnnxEmbedder:
    """Open an embedder in one call; see ``EmbedderFactory``."""
    factory = EmbedderFactory(record, models, tuple(places), download, provider)
    return factory.open(precision, SessionOptions(threads=threads))


def _prove(session: Any) -> None:
    """Run something small; raises if the provider cannot."""
    feed = {IDS: np.ones((1, 2), np.int32), LENGTHS: np.array([2], np.int32)}
    states = session.run([STATES], feed)[0]
    if not np.isfinite(states).all():
        raise RuntimeError("the test run gave values that are no numbers")
