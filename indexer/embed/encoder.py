"""Runs a compiled graph: batches of token ids in, token states out.

Owns the ONNX Runtime session, which is untyped, and the names of inputs and outputs. It must not
know passages, pooling or where the graph came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.batches import Batch
from indexer.embed.blocks import group, plan_blocks
from indexer.embed.devices import load_runtime, open_on

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# Inputs and outputs of a graph: token ids, int32 [batch, sequence]; lengths without padding, int32
# [batch], if the graph supports padding; token states, float32 [batch, sequence, hidden].
IDS, LENGTHS, STATES = "input_ids", "lengths", "states"
# Inputs of a graph with block attention: the rows of ``embed.blocks.Groups``, int32.
QUERIES, KEYS, PLACES = "block_queries", "block_keys", "block_places"
# Metadata of a graph: the arguments of ``plan_blocks``.
BLOCK, REACH, ANCHORS = "block", "reach", "anchors"
# The activations of a layer for this many tokens fit the processor's cache.
_GROUP_TOKENS = 128


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
        facts = self._session.get_modelmeta().custom_metadata_map
        self._attention = [int(facts.get(fact, 0)) for fact in (BLOCK, REACH, ANCHORS)]

    def states(self, batch: Batch) -> NDArray[np.float32]:
        """Token states, ``(sequences, longest, dimension)``; rows of padding are undefined."""
        return self.outputs(batch, [STATES])[0]

    def outputs(self, batch: Batch, names: list[str]) -> list[NDArray[np.float32]]:
        """Some output tensors of the graph."""
        feed = {IDS: batch.ids}
        if self.padded:
            feed[LENGTHS] = batch.lengths
        if self._attention[0]:
            feed |= self._rows(*batch.ids.shape)
        outputs: list[NDArray[np.float32]] = self._session.run(names, feed)
        return outputs

    def _rows(self, sequences: int, length: int) -> dict[str, NDArray[np.int32]]:
        """The rows of block attention for sequences of one length, as inputs of the graph."""
        groups = group(plan_blocks(length, *self._attention), sequences, _GROUP_TOKENS)
        rows = {QUERIES: groups.queries, KEYS: groups.keys, PLACES: groups.places}
        return {name: numbers.astype(np.int32) for name, numbers in rows.items()}

    def test(self) -> None:
        """Run a small input.

        Raises:
            RuntimeError: If the output is not finite; a provider may raise anything else.
        """
        batch = Batch((0,), np.ones((1, 2), np.int32), np.array([2], np.int32))
        if not np.isfinite(self.states(batch)).all():
            raise RuntimeError("the test run returned values that are not finite")
