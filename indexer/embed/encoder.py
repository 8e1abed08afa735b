"""Runs a graph with ONNX Runtime, which computes token states from batches of token ids.

Our own graphs have the inputs and outputs that are named here. Graphs that others exported have
those of transformers, such as an attention mask and types of tokens.

With block attention the cost of a token does not depend on the length of the window. The first
tokens of a window are its anchors (global tokens) and contain the title. They attend to all tokens,
and all tokens attend to them. The other tokens are split into blocks, which attend to the anchors,
to themselves and to some tokens on either side (Beltagy et al., "Longformer", 2020; Zaheer et al.,
"Big Bird", 2020). The rows are inputs of the graph, and the same in training.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from indexer.embed.batches import in_batches
from indexer.embed.devices import MOST_ERROR, WrongNumbersError, load_runtime, open_on

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.arrays import Float32s, Int32s, Int64s, Mask
    from indexer.embed.batches import Batch


class Blocks(Struct, frozen=True):
    """The attention pattern of a sequence: which tokens attend to which.

    Attributes:
        anchors: The number of global tokens at the start.
        queries: The rows of each block, ``(blocks, tokens)``. The last block ends where the
            sequence does, so it may overlap the one before.
        keys: The rows that each block attends to, ``(blocks, seen)``.
        places: For each row after the anchors, its index in the flattened ``queries``.
    """

    anchors: int
    queries: Int64s
    keys: Int64s
    places: Int64s


def plan_blocks(length: int, block: int, reach: int, anchors: int) -> Blocks:
    """Split a sequence into the fewest blocks of equal size.

    All blocks attend to the same number of tokens, even at the ends of the sequence. In a short
    sequence each token attends to all.

    Args:
        length: Tokens of the sequence, at least 2.
        block: The most tokens of a block.
        reach: Tokens seen on either side of a full block; a smaller one sees as many in total.
        anchors: The global tokens at the start; a shorter sequence has fewer.
    """
    anchors = min(anchors, length - 1)
    body = length - anchors
    seen = min(block + 2 * reach, body)
    block = -(-body // -(-body // block))
    begins = np.minimum(np.arange(0, body, block), body - block)
    first_seen = np.clip(begins - (seen - block) // 2, 0, body - seen)
    rows = np.arange(body)
    own = rows // block
    keys = anchors + first_seen[:, None] + np.arange(seen)
    return Blocks(
        anchors,
        queries=anchors + begins[:, None] + np.arange(block),
        keys=np.concatenate([np.broadcast_to(np.arange(anchors), (len(keys), anchors)), keys], 1),
        places=own * block + rows - begins[own],
    )


class Groups(Struct, frozen=True):
    """The blocks of a batch of sequences in groups; rows are indices into the flattened batch.

    Attributes:
        queries: The rows of each block, ``(groups, blocks, tokens)``. The last block may be
            repeated so that all groups have one size.
        keys: The rows that each block attends to, ``(groups, blocks, seen)``.
        seen: The number of these rows that a block attends to, ``(groups, blocks)``; the rest is
            padding for shorter sequences.
        places: The index of each token in the concatenation of the anchors of all sequences and
            the flattened ``queries``, ``(sequences, length)``; 0 for padding.
    """

    queries: Int64s
    keys: Int64s
    seen: Int64s
    places: Int64s


def group(plans: Sequence[Blocks], tokens: int) -> Groups:
    """Group the blocks of padded sequences so that a group has about ``tokens`` tokens."""
    anchors = max(plan.anchors for plan in plans)
    length = max(plan.anchors + len(plan.places) for plan in plans)
    block = max(plan.queries.shape[1] for plan in plans)
    widest = max(plan.keys.shape[1] for plan in plans)
    places = np.zeros((len(plans), length), np.int64)
    queries, keys, seen = [], [], []
    before = len(plans) * anchors
    for number, plan in enumerate(plans):
        own = plan.queries.shape[1]
        queries.append(_widened(plan.queries, block) + number * length)
        keys.append(_widened(plan.keys, widest) + number * length)
        seen.append(np.full(len(plan.keys), plan.keys.shape[1]))
        places[number, : plan.anchors] = number * anchors + np.arange(plan.anchors)
        body = before + plan.places // own * block + plan.places % own
        places[number, plan.anchors : plan.anchors + len(body)] = body
        before += len(plan.queries) * block
    count = sum(map(len, queries))
    size = _group_size(count, max(1, tokens // block))
    last = -(-count // size) * size
    whole = np.minimum(np.arange(last), count - 1).reshape(-1, size)
    own, others, most = (np.concatenate(part)[whole] for part in (queries, keys, seen))
    return Groups(own, others, most, places)


def _widened(rows: Int64s, width: int) -> Int64s:
    """Pad each row by repeating its last number."""
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), "edge")


def _group_size(blocks: int, wanted: int) -> int:
    """The number of blocks in a group: near ``wanted``, with few repetitions."""
    most = wanted + wanted // 2
    if blocks <= most:
        return blocks
    sizes = range(max(1, wanted - wanted // 4), most + 1)
    return min(sizes, key=lambda size: (-blocks % size, abs(size - wanted)))


# Inputs and outputs of a graph: token ids, int32 [batch, sequence]; lengths without padding, int32
# [batch], if the graph masks padding; token states, float32 [batch, sequence, hidden].
IDS, LENGTHS, STATES = "input_ids", "lengths", "states"
# Inputs of a graph with block attention: the rows of ``Groups``, int32.
QUERIES, KEYS, PLACES = "block_queries", "block_keys", "block_places"
# The number of keys of each block, int32, if the graph supports padding.
SEEN = "block_seen"
# A graph that sums states has the start and the end (exclusive) of each segment as inputs, int32
# [batch, segments], and their sums as output, float32 [batch, segments, dimension].
STARTS, ENDS, SUMS = "segment_starts", "segment_ends", "segment_sums"
# Inputs of graphs that others exported, and names of the output; the first that exists is used.
MASK, TYPES = "attention_mask", "token_type_ids"
_OUTPUTS = (STATES, "last_hidden_state", "token_embeddings")
# Metadata of a graph: the arguments of ``plan_blocks``.
BLOCK, REACH, ANCHORS = "block", "reach", "anchors"
# The activations of a layer for this many tokens fit the processor's cache.
_GROUP_TOKENS = 128
# The lengths of the test run. Short sequences are padded, or two of equal length share a batch.
_TEST_LENGTHS = (2, 9, 40, 40, 150, 400)
_TEST_TOKENS = 1024
# Multiples of this number, used as token ids, are spread over the vocabulary.
_PRIME = 7919


class Encoder:
    """Runs one graph on one execution provider. Thread-safe; runs may overlap.

    Args:
        model: An ONNX file.
        provider: A key of ``devices.PROVIDERS``.

    Raises ``no_runtime`` if there is no ONNX Runtime.
    """

    def __init__(self, model: Path, provider: str) -> None:
        self._session: Any = open_on(load_runtime(), model, provider)
        self._takes = {
            value.name: np.int64 if "int64" in value.type else np.int32
            for value in self._session.get_inputs()
        }
        names = [value.name for value in self._session.get_outputs()]
        self._gives = next((name for name in _OUTPUTS if name in names), names[0])
        self.sums_states = STARTS in self._takes
        facts = self._session.get_modelmeta().custom_metadata_map
        self._attention = [int(facts.get(fact, 0)) for fact in (BLOCK, REACH, ANCHORS)]
        masked = not {LENGTHS, MASK}.isdisjoint(self._takes)
        self.padded = masked and (SEEN in self._takes or not self._attention[0])

    def states(self, batch: Batch) -> Float32s:
        """Compute token states, ``(sequences, longest, dimension)``.

        Rows of padding are present too, but no token attends to them.
        """
        (states,) = self.outputs(batch, [self._gives])
        return states if states.ndim == 3 else states.reshape(len(batch.ids), 1, -1)

    def sums(self, batch: Batch, segments: Sequence[Int64s]) -> Float32s:
        """Compute sums of states, ``(sequences, most segments, dimension)``, if ``sums_states``.

        A segment is the start and the end, exclusive, of a range of rows.
        """
        rows = np.zeros((2, len(segments), max(map(len, segments))), np.int32)
        for number, own in enumerate(segments):
            rows[:, number, : len(own)] = own.T
        return self.outputs(batch, [SUMS], rows)[0]

    def outputs(
        self, batch: Batch, names: list[str], segments: Int32s | None = None
    ) -> list[Float32s]:
        """Compute outputs of the graph; ``segments`` are starts and ends, (2, sequences, n)."""
        feed: dict[str, NDArray[Any]] = {IDS: batch.ids.astype(self._takes[IDS], copy=False)}
        if LENGTHS in self._takes:
            feed[LENGTHS] = batch.lengths
        real = np.arange(batch.ids.shape[1]) < batch.lengths[:, None]
        if MASK in self._takes:
            feed[MASK] = real.astype(self._takes[MASK])
        if TYPES in self._takes:
            feed[TYPES] = _types(batch, real).astype(self._takes[TYPES])
        if self._attention[0]:
            feed |= self._rows(batch)
        if self.sums_states:
            none = np.zeros((2, len(batch.ids), 1), np.int32)
            feed[STARTS], feed[ENDS] = none if segments is None else segments
        outputs: list[Float32s] = self._session.run(names, feed)
        return outputs

    def _rows(self, batch: Batch) -> dict[str, Int32s]:
        """The rows of block attention for a batch, as inputs of the graph.

        Without ``SEEN`` there is no padding: rows after a length attend to rows before it.
        """
        lengths = batch.lengths.tolist()
        plans = {length: plan_blocks(length, *self._attention) for length in set(lengths)}
        groups = group([plans[length] for length in lengths], _GROUP_TOKENS)
        if SEEN not in self._takes and lengths[0] < batch.ids.shape[1]:
            every = np.arange(batch.ids.shape[1])[None, None]
            groups = Groups(every, every[..., : lengths[0]], every[:, :, 0], every[0])
        rows = {
            QUERIES: groups.queries, KEYS: groups.keys, PLACES: groups.places, SEEN: groups.seen,
        }  # fmt: skip
        return {
            name: numbers.astype(np.int32) for name, numbers in rows.items() if name in self._takes
        }

    def test(self, vocabulary: int, window: int, reference: Encoder | None = None) -> None:
        """Run a small batch; with a reference, the encoder on the CPU, compare a few batches.

        Token ids are below ``vocabulary``, and no sequence is longer than ``window``. Raises
        ``WrongNumbersError`` if a state differs from the reference's, ``RuntimeError`` if an output
        is not finite. Providers may raise any other exception.
        """
        lengths = _TEST_LENGTHS if reference else _TEST_LENGTHS[:1]
        sequences = varied_sequences(lengths, vocabulary, window)
        for batch in in_batches(sequences, lambda: _TEST_TOKENS, padded=self.padded):
            found = _tested(self, batch)
            if not np.isfinite(found).all():
                raise RuntimeError("the test run returned values that are not finite")
            if reference is not None:
                error = largest_error(found, _tested(reference, batch))
                if not error <= MOST_ERROR:
                    raise WrongNumbersError(error)


def _types(batch: Batch, real: Mask) -> Mask:
    """Whether each token belongs to the second text of a pair, as in BERT's token types.

    The second text begins after the first separator, the token that also ends the sequence.
    """
    ends = batch.ids[np.arange(len(batch.ids)), batch.lengths - 1]
    separators = (batch.ids == ends[:, None]) & real
    before = np.cumsum(separators, axis=1) - separators
    types: Mask = (before > 0) & real
    return types


def _tested(encoder: Encoder, batch: Batch) -> Float32s:
    """The states of all tokens of a batch, and with ``sums_states`` the sums of half sequences."""
    found = encoder.states(batch)[np.arange(batch.ids.shape[1]) < batch.lengths[:, None]]
    if not encoder.sums_states:
        return found
    halves = [np.array([[0, size // 2], [size // 2, size]]) for size in batch.lengths]
    return np.concatenate([found, *encoder.sums(batch, halves)])


def largest_error(states: Float32s, wanted: Float32s) -> float:
    """The largest distance of states from wanted states, (n, dim) each, relative to the wanted."""
    sizes = np.maximum(np.linalg.norm(wanted, axis=1), np.finfo(np.float32).tiny)
    return float((np.linalg.norm(states - wanted, axis=1) / sizes).max())


def varied_sequences(lengths: Sequence[int], vocabulary: int, window: int) -> list[Int32s]:
    """Make sequences of these lengths, or of the window, from many different, fixed token ids."""
    ids = np.arange(1, 1 + sum(lengths)) * _PRIME % vocabulary
    parts = np.split(ids.astype(np.int32), np.cumsum(lengths[:-1]))
    return [part[:window] for part in parts]
