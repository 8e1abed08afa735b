"""Orders hits by the token vectors of an installed late-interaction model: MaxSim.

As with a cross-encoder, its order of the passages that the ranking put first replaces theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np

from indexer.api.errors import WorldError
from indexer.embed.devices import CPU
from indexer.embed.factory import OpenedLater, open_embedder
from indexer.embed.model_files import find_record
from indexer.embed.models import Side
from indexer.embed.token_vectors import max_sim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.progress import CancelToken
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.config import EngineConfig
    from indexer.embed.models import ModelRecord
    from indexer.embed.token_vectors import TokenEmbedder
    from indexer.store.store import Store


@dataclass(slots=True)
class TokenRanking:
    """Orders passages of one library. Thread-safe."""

    config: EngineConfig
    catalog: Catalog
    store: Store
    _model: OpenedLater[TokenEmbedder] = field(init=False)

    def __post_init__(self) -> None:
        self._model = OpenedLater(self._opened)

    @property
    def space(self) -> Space | None:
        """Where the token vectors are; None without a late-interaction model."""
        return self.catalog.spaces.of_tokens()

    def order_passages(
        self, question: str, keys: Sequence[int], token: CancelToken, *, wait: bool
    ) -> tuple[int, ...]:
        """The indices of passages, best first; those without token vectors follow in their order.

        Args:
            question: Without filters.
            keys: Of the passages, best first.
            token: Checked after opening.
            wait: Whether the model may be opened first; else the answer is empty until it is open.

        Returns:
            Empty if there is nothing to go by.

        Raises:
            Cancelled: If the token was cancelled meanwhile.
            WorldError: Those of ``open_embedder``.
        """
        space = self.space
        if space is None or not len(keys):
            return ()
        try:
            record = find_record(str(space.record["model"]), self.config.models)
        except WorldError:  # it was removed; the next run deletes its vectors
            return ()
        model = self._model.get(record, wait=wait)
        if model is None:
            return ()
        token.check()
        vectors, offsets = self.store.sentence_vectors_of(space.key, np.array(keys, np.int64))
        if not len(vectors):
            return ()
        scores = max_sim(model.encode_tokens(question), vectors, offsets)
        return tuple(np.argsort(-scores, kind="stable").tolist())

    def _opened(self, record: ModelRecord) -> TokenEmbedder:
        embedder = open_embedder(
            record, self.config.models, self.config.query_precision, Side.QUERIES,
            threads=self.config.threads, provider=CPU,
        )  # fmt: skip
        return cast("TokenEmbedder", embedder)
