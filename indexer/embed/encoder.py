"""A compiled graph that runs: batches of token ids in, token states out.

Owns the untyped session of ONNX Runtime behind a typed face. It must not know passages, pooling
or where the graph came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.batches import Batch
from indexer.embed.devices import load_runtime, open_on
from indexer.embed.graph import IDS, LENGTHS, STATES

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class Encoder:
    """Runs one graph on one execution provider. Thread-safe; runs may overlap.

    Args:
        model: An ONNX file.
        provider: A key of ``devices.PROVIDERS``.

    Raises:
        WorldError: ``no_runtime`` if there is no ONNX Runtime.
    """

    def __init__(self, model: Path, provider: str) -> None:
        self._session: Any = open_on(load_runtime(), model, provider)
        self.padded = LENGTHS in {value.name for value in self._session.get_inputs()}

    def states(self, batch: Batch) -> NDArray[np.float32]:
        """Token states, shape ``(sequences, longest, dimension)``; rows of padding mean nothing."""
        return self.outputs(batch, [STATES])[0]

    def outputs(self, batch: Batch, names: list[str]) -> list[NDArray[np.float32]]:
        """Tensors of the graph by name."""
        feed = {IDS: batch.ids, LENGTHS: batch.lengths} if self.padded else {IDS: batch.ids}
        outputs: list[NDArray[np.float32]] = self._session.run(names, feed)
        return outputs

    def prove(self) -> None:
        """Run something small; raises if the provider cannot."""
        batch = Batch((0,), np.ones((1, 2), np.int32), np.array([2], np.int32))
        if not np.isfinite(self.states(batch)).all():
            raise RuntimeError("the test run gave values that are no numbers")
