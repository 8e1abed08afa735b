"""Runs a compiled graph: batches of token ids in, token states out.

Owns the ONNX Runtime session, which is untyped, and the names of inputs and outputs. It must not
know passages, pooling or where the graph came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.batches import in_batches
from indexer.embed.blocks import group, plan_blocks
from indexer.embed.devices import MOST_ERROR, WrongNumbersError, load_runtime, open_on

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.batches import Batch

# Inputs and outputs of a graph: token ids, int32 [batch, sequence]; lengths without padding, int32
# [batch], if the graph supports padding; token states, float32 [batch, sequence, hidden].
IDS, LENGTHS, STATES = "input_ids", "lengths", "states"
# Inputs of a graph with block attention: the rows of ``embed.blocks.Groups``, int32.
QUERIES, KEYS, PLACES = "block_queries", "block_keys", "block_places"
# Metadata of a graph: the arguments of ``plan_blocks``.
BLOCK, REACH, ANCHORS = "block", "reach", "anchors"
# The activations of a layer for this many tokens fit the processor's cache.
_GROUP_TOKENS = 128
# Of the test run: short sequences are padded to the longest, or two of a length share a batch.
_TEST_LENGTHS = (2, 9, 40, 40, 150, 400)
_TEST_TOKENS = 1024
_SEED = 1


class Encoder:
    """Runs one graph on one execution provider. Thread-safe; runs may overlap.

    Args:
        model: An ONNX file.
        provider: A key of ``devices.PROVIDERS``.
        session: The graph opened already, with the methods of ONNX Runtime's session.

    Raises:
        WorldError: ``no_runtime`` if there is no ONNX Runtime.
    """

    def __init__(self, model: Path, provider: str, session: Any = None) -> None:
        self._session: Any = session or open_on(load_runtime(), model, provider)
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

    def test(self, vocabulary: int, window: int, reference: Encoder | None = None) -> None:
        """Run a small batch; or a few, which are compared with another encoder of the same graph.

        Args:
            vocabulary: Token ids are below this.
            window: The longest sequence.
            reference: The encoder on the CPU.

        Raises:
            RuntimeError: If an output is not finite; a provider may raise anything else.
            WrongNumbersError: If a state is not as the reference has it.
        """
        random = np.random.default_rng(_SEED)
        sequences = [
            random.integers(0, vocabulary, min(length, window)).astype(np.int32)
            for length in (_TEST_LENGTHS if reference else _TEST_LENGTHS[:1])
        ]
        for batch in in_batches(sequences, lambda: _TEST_TOKENS, padded=self.padded):
            own = np.arange(batch.ids.shape[1]) < batch.lengths[:, None]
            states = self.states(batch)[own]
            if not np.isfinite(states).all():
                raise RuntimeError("the test run returned values that are not finite")
            if reference is not None:
                wanted = reference.states(batch)[own]
                error = largest_error(states, wanted)
                if not error <= MOST_ERROR:
                    raise WrongNumbersError(error)


def largest_error(states: NDArray[np.float32], wanted: NDArray[np.float32]) -> float:
    """The largest distance of states from the wanted ones, (n, dim) each, relative to these."""
    sizes = np.maximum(np.linalg.norm(wanted, axis=1), np.finfo(np.float32).tiny)
    return float((np.linalg.norm(states - wanted, axis=1) / sizes).max())
