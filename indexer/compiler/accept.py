"""Accepts the files of a model that a stranger wrote: they fit, and the graph computes the same.

Owns the checks of weights and tokenizer, and the comparison of the float32 graph with the reference
in numpy on real text. It must not know where the files come from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.adapter import TYPES, own_names
from indexer.compiler.calibrate import encoder_weights, vectors_of
from indexer.compiler.cosines import sample, scale_of
from indexer.compiler.encoder_graph import write_encoder
from indexer.compiler.foreign import adopt
from indexer.compiler.linear import FloatLinear
from indexer.compiler.reference import reference_states
from indexer.compiler.sequences import LENGTHS, calibration_texts, long_sequences, sequences_of
from indexer.compiler.tensors import count_parameters, open_shapes
from indexer.compiler.weight_shapes import expected_shapes
from indexer.embed.architecture import Family
from indexer.embed.batches import Batch
from indexer.embed.compiling import Accepted, CosineScale
from indexer.embed.devices import CPU
from indexer.embed.encoder import Encoder, largest_error
from indexer.embed.models import GIVEN_GRAPH, TOKENIZER, WEIGHTS, Probe, Side
from indexer.embed.pooling import unit
from indexer.embed.token_vectors import TokenLayout
from indexer.embed.tokens import TextTokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.architecture import Architecture
    from indexer.embed.models import ModelRecord

PROBE = "The library opens at nine in the morning."
_PROBED = 8  # values of its vector
_PADDING = 7  # tokens
# The longest window that a graph of others is tried with: attention of longer ones may be whole.
_WHOLE = 1024
# The largest error of a token's state, relative to its size. Equal graphs differ by about 1e-6.
_MOST_ERROR = 1e-3


def accept_model(record: ModelRecord, source: Path, folder: Path) -> Accepted:
    """Check and compile a model.

    Args:
        record: The model, with one encoder.
        source: The folder of its files.
        folder: For the graph.

    Returns:
        What is measured for its record.

    Raises:
        ValueError: With the reason why it is refused.
    """
    if record.architecture.family is Family.ONNX:
        return _accept_given(record, source, folder)
    tokenizer = _tokenizer(record.architecture, source)
    if record.architecture.pooled:
        shape = replace(record.architecture, one_type=not tokenizer.types_pairs)
        record = replace(record, architecture=shape)
    _check_shapes(record.architecture, source)
    TokenLayout(record, tokenizer)  # raises if it has no tokens that the record names
    weights = encoder_weights(record, source, Side.PASSAGES)
    encoder = Encoder(write_encoder(record.architecture, weights, FloatLinear(), folder), CPU)
    for ids in long_sequences(record, tokenizer, (2, 48, *LENGTHS)):
        _compare(
            encoder.states(Batch((0,), ids[None], np.array([len(ids)], np.int32)))[0],
            reference_states(record.architecture, weights, ids),
        )
    parameters = count_parameters(source / WEIGHTS)
    if record.architecture.scores:
        one_type = record.architecture.one_type
        return Accepted(None, CosineScale(0.0, 1.0, 0.0), one_type, parameters)
    (ids,) = sequences_of(record, tokenizer, [PROBE])
    probe = _probe(reference_states(record.architecture, weights, ids))
    cosines = _cosines(record, encoder, tokenizer)
    return Accepted(probe, cosines, parameters=parameters)


def _probe(states: NDArray[np.float32]) -> Probe:
    vector = unit(states.mean(axis=0))
    return Probe(PROBE, tuple(round(float(value), 6) for value in vector[:_PROBED]))


def _accept_given(record: ModelRecord, source: Path, folder: Path) -> Accepted:
    """Check a graph that others exported: padding must not change what it gives for a text.

    There is no reference for it, since its weights have no names.
    """
    tokenizer = _tokenizer(record.architecture, source)
    try:
        encoder = Encoder(adopt(source / GIVEN_GRAPH, folder), CPU)
    except RuntimeError as error:
        raise ValueError(f"its graph cannot be run ({str(error)[:200]})") from error
    longest = record.window if record.window <= _WHOLE else LENGTHS[0]
    for ids in long_sequences(record, tokenizer, (2, 48, longest - _PADDING)):
        padded = np.zeros((2, len(ids) + _PADDING), np.int32)
        padded[:, : len(ids)] = ids
        lengths = np.array([len(ids), len(ids) + _PADDING], np.int32)
        try:
            alone = encoder.states(Batch((0,), ids[None], lengths[:1]))[0]
            beside = encoder.states(Batch((0, 1), padded, lengths))[0, : len(ids)]
        except Exception as error:  # the runtime raises many kinds
            tokens, said = padded.shape[1], str(error)[:200]
            raise ValueError(f"its graph cannot read {tokens} tokens ({said})") from error
        if alone.shape != (len(ids), record.architecture.hidden):
            raise ValueError("its graph gives states of another size")
        _compare(beside, alone)
    (ids,) = sequences_of(record, tokenizer, [PROBE])
    states = encoder.states(Batch((0,), ids[None], np.array([len(ids)], np.int32)))[0]
    return Accepted(_probe(states), _cosines(record, encoder, tokenizer))


def _cosines(record: ModelRecord, encoder: Encoder, tokenizer: TextTokenizer) -> CosineScale:
    pairs = sample(calibration_texts(record))
    sides = zip(*pairs, strict=True)
    prefixes = record.query_prefix, record.document_prefix
    queries, passages = (
        vectors_of(encoder, sequences_of(record, tokenizer, [prefix + text for text in side]),
                record.pooling)
        for prefix, side in zip(prefixes, sides, strict=True)
    )  # fmt: skip
    return scale_of(queries, passages)


def _compare(states: NDArray[np.float32], wanted: NDArray[np.float32]) -> None:
    error = largest_error(states, wanted)
    if not error <= _MOST_ERROR:
        raise ValueError(
            f"at {len(states)} tokens its graph differs from the reference by {error:.2g}"
        )


def _tokenizer(shape: Architecture, source: Path) -> TextTokenizer:
    try:
        tokenizer = TextTokenizer(source / TOKENIZER)
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"{TOKENIZER} cannot be read ({str(error)[:200]})") from error
    if tokenizer.largest_id >= shape.vocabulary:
        raise ValueError(f"{TOKENIZER} has more tokens than there are vectors for")
    return tokenizer


def _check_shapes(shape: Architecture, source: Path) -> None:
    found = open_shapes(source / WEIGHTS)
    if len(own_names(found)) != len(found):
        raise ValueError(f"{WEIGHTS} holds two encoders")
    types = found.get(TYPES, ("", (0,)))[1]  # of which only the first is used, or two of a pair
    expected = expected_shapes(shape, max(1 + shape.typed, *types[:1]))
    for name, wanted in expected.items():
        kind, has = found.get(name, ("nothing", ()))
        if kind not in {"F32", "F16", "BF16"} or has != wanted:
            raise ValueError(f"{name} is {kind} {list(has)} and should be {list(wanted)} floats")
