"""Compiles a model: calibrates the 8-bit graph on text, and verifies the result.

Calibration runs the float32 graph over a few pages of public-domain text to find the range of every
activation with a fixed scale. It must not know where models are stored.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import InternalError, WorldError
from indexer.compiler.adapter import ADAPTED, POSITIONS, WORDS, own_names, weights_of
from indexer.compiler.encoder_graph import write_encoder
from indexer.compiler.foreign import adopt
from indexer.compiler.linear import FloatLinear, PaddedLinear, RecordingLinear
from indexer.compiler.packed import NIBBLES, SCALES, integers, readable
from indexer.compiler.quantize import IntegerLinear, Range
from indexer.compiler.sequences import (
    calibration_sequences,
    long_sequences,
    sequences_of,
)
from indexer.compiler.tensors import (
    PROJECTION,
    HalfMatrices,
    open_projection,
    open_tensors,
)
from indexer.config import Precision
from indexer.embed.architecture import Family
from indexer.embed.batches import in_batches
from indexer.embed.devices import CPU
from indexer.embed.encoder import STATES, Encoder
from indexer.embed.models import (
    GIVEN_FP16,
    GIVEN_GRAPH,
    GIVEN_INT8,
    TOKENIZER,
    WEIGHTS,
    Pooling,
    Side,
)
from indexer.embed.pooling import unit
from indexer.embed.tokens import TextTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.embed.architecture import Architecture
    from indexer.embed.models import ModelRecord

    Weights = Callable[[str], NDArray[np.float32]]

log = logging.getLogger(__name__)

# Below this cosine with float32, on any calibration text, a graph in 16 or 8 bits is refused, and
# below this correlation the scores of a cross-encoder in 8 bits.
CLOSE_HALF = 0.999
USABLE = 0.9
USABLE_SCORES = 0.985
_CALIBRATION_TOKENS = 1024  # of a run; all its activations are in memory
# Factor on the observed ranges, so that slightly larger values are not clipped.
_MARGIN = 1.05


@dataclass(frozen=True, slots=True)
class Sample:
    """The calibration texts and what the float32 graph computed from them.

    Attributes:
        ids: Token ids of each text, or pair of texts.
        vectors: Their normalised vectors, ``(texts, dimension)``, or scores, ``(texts, 1)``.
        ranges: Of each activation with a fixed scale, by the name of its product.
    """

    ids: list[NDArray[np.int32]]
    vectors: NDArray[np.float32]
    ranges: Mapping[str, Range]


def compile_model(
    model: ModelRecord, precision: Precision, side: Side, source: Path, folder: Path,
    *, padded: bool = False,
) -> None:  # fmt: skip
    """Write a model's graph into a folder, and verify it.

    Args:
        model: The model.
        precision: Of the graph's weights.
        side: Which of two encoders.
        source: The folder of its verified files.
        folder: Destination.
        padded: Whether the graph is for accelerators (``PaddedLinear``); in float16 it always is.

    Raises:
        InternalError: If the vector of the record's probe is wrong.
        ValueError: If the weights do not match the record.
        KeyError: If a tensor is missing.
    """
    if model.architecture.family is Family.ONNX:
        _adopt_given(model, precision, source, folder, padded=padded)
        return
    record, weights = model.encoder_of(side), encoder_weights(model, source, side)
    if precision is not Precision.FP32:
        _compile_coarse(record, precision, weights, source, folder)
        return
    shape = record.architecture.fused if padded else record.architecture
    linear = PaddedLinear() if padded else _float_linear(shape, source, side, folder)
    graph = write_encoder(shape, weights, linear, folder)
    _check_probe(record, Encoder(graph, CPU), TextTokenizer(source / TOKENIZER))


def _float_linear(shape: Architecture, source: Path, side: Side, folder: Path) -> FloatLinear:
    """Products with the matrices of the file of weights, if it has them in half precision."""
    stored = HalfMatrices(source / WEIGHTS)
    if stored:
        shutil.copyfile(source / WEIGHTS, folder / WEIGHTS)
    return FloatLinear(_packed_words(source, side), stored.find, grouped=shape.wide)


def _adopt_given(
    record: ModelRecord, precision: Precision, source: Path, folder: Path, *, padded: bool
) -> None:
    """Take over the graph of a precision, or the float32 graph where there is no other."""
    tokenizer = TextTokenizer(source / TOKENIZER)
    coarse = source / {Precision.INT8: GIVEN_INT8, Precision.FP16: GIVEN_FP16}.get(precision, "")
    chosen = coarse if coarse.is_file() else source / GIVEN_GRAPH
    sums = padded or precision is Precision.FP16
    made = Encoder(adopt(chosen, folder, sums=sums), CPU)
    if chosen.name == GIVEN_GRAPH:
        _check_probe(record, made, tokenizer)
        return
    ids = calibration_sequences(record, tokenizer)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        exact = Encoder(adopt(source / GIVEN_GRAPH, Path(scratch)), CPU)
        wanted = vectors_of(exact, ids, record.pooling)
    cosine = closeness(vectors_of(made, ids, record.pooling), wanted)
    _check_usable(record, precision, cosine)


def _compile_coarse(
    record: ModelRecord, precision: Precision, weights: Weights, source: Path, folder: Path
) -> None:
    """Write the graph in 16 or 8 bits, and compare it with float32."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        seen = _observe(record, weights, source, Path(scratch))
    shape = record.architecture
    linear: FloatLinear = IntegerLinear(seen.ranges)
    least = USABLE_SCORES if shape.scores else USABLE
    if precision is Precision.FP16:
        shape, linear, least = shape.fused, PaddedLinear(half=True), CLOSE_HALF
    graph = write_encoder(shape, weights, linear, folder)
    cosine = closeness(vectors_of(Encoder(graph, CPU), seen.ids, record.pooling), seen.vectors)
    log.info("%s in %s: lowest cosine %.4f", record.id, precision, cosine)
    _check_usable(record, precision, cosine, least)


def _check_usable(
    record: ModelRecord, precision: Precision, cosine: float, least: float = USABLE
) -> None:
    if not cosine >= least:
        raise WorldError(
            "model_coarse", model=record.id, precision=str(precision), cosine=f"{cosine:.3f}"
        )


def closeness(found: NDArray[np.float32], wanted: NDArray[np.float32]) -> float:
    """The lowest cosine of vectors; of a cross-encoder's scores their correlation."""
    if wanted.shape[1] == 1:
        with np.errstate(invalid="ignore"):  # all alike: NaN, which is not close
            return float(np.corrcoef(found[:, 0], wanted[:, 0])[0, 1])
    return float((found * wanted).sum(axis=1).min())


def _observe(record: ModelRecord, weights: Weights, source: Path, folder: Path) -> Sample:
    linear = RecordingLinear()
    model = write_encoder(record.architecture, weights, linear, folder, linear.activations)
    encoder = Encoder(model, CPU)
    tokenizer = TextTokenizer(source / TOKENIZER)
    _check_probe(record, encoder, tokenizer)
    ids = calibration_sequences(record, tokenizer)
    vectors = np.zeros((len(ids), record.dimension), np.float32)
    names = list(linear.activations)
    low: dict[str, NDArray[np.float32]] = {}
    high: dict[str, NDArray[np.float32]] = {}
    outputs = [STATES, *(linear.activations[name] for name in names)]
    for sequences, (states, *activations) in _runs(encoder, ids, outputs):
        own = [ids[index] for index in sequences]
        vectors[sequences] = _pooled(states, own, record.pooling)
        for name, values in zip(names, activations, strict=True):
            rows = np.concatenate(
                [row[: len(ids[i])] for i, row in zip(sequences, values, strict=True)]
            )
            low[name] = np.minimum(low.get(name, np.inf), rows.min(axis=0))
            high[name] = np.maximum(high.get(name, -np.inf), rows.max(axis=0))
    # A file with two encoders comes from our own recipe, which compares them.
    long = [] if record.adapted else long_sequences(record, tokenizer)
    if long:
        ids += long
        vectors = np.concatenate([_scaled(vectors), vectors_of(encoder, long, record.pooling)])
    ranges = {name: Range(low[name] * _MARGIN, high[name] * _MARGIN) for name in names}
    return Sample(ids, _scaled(vectors), ranges)


def _check_probe(record: ModelRecord, encoder: Encoder, tokenizer: TextTokenizer) -> None:
    if record.probe is None or record.architecture.stretch != 1:
        return
    (vector,) = vectors_of(encoder, sequences_of(record, tokenizer, [record.probe.text]))
    error = np.abs(vector[: len(record.probe.values)] - record.probe.values).max()
    if not error <= record.probe.tolerance:
        raise InternalError("internal", reason=f"{record.id} was compiled wrongly ({error})")


def encoder_weights(model: ModelRecord, source: Path, side: Side) -> Weights:
    """A function that reads the tensors of one encoder of a model by name, float32."""
    names, read = readable(*open_tensors(source / WEIGHTS))
    weights = weights_of(names, read, side)
    if model.adapted == (len(own_names(names)) == len(names)):
        raise ValueError(f"the record and the file of {model.id} differ in the number of encoders")
    shape, window = model.architecture, model.encoder_of(side).window
    if shape.family is Family.BERT and len(weights(POSITIONS)) < window + shape.first_position:
        raise ValueError(f"{model.id} has fewer positions than the window of its {side}")
    if not shape.projected:
        return weights
    projection = open_projection(source, (shape.projected, shape.hidden))
    return lambda name: projection if name == PROJECTION else weights(name)


def _packed_words(source: Path, side: Side) -> tuple[NDArray[np.int8], NDArray[np.float16]] | None:
    """The word embeddings in 4 bits; None if the file or the adapter has them otherwise."""
    names, read = open_tensors(source / WEIGHTS)
    adapted = side is Side.PASSAGES and any(name.startswith(ADAPTED + WORDS) for name in names)
    if WORDS + NIBBLES not in names or adapted:
        return None
    scales = read(WORDS + SCALES)
    return integers(read(WORDS + NIBBLES), scales), scales


def vectors_of(
    encoder: Encoder, ids: Sequence[NDArray[np.int32]], pooling: Pooling = Pooling.MEAN
) -> NDArray[np.float32]:
    """The normalised vector of each sequence, ``(sequences, dimension)``, or its score."""
    found: dict[int, NDArray[np.float32]] = {}
    for sequences, (states,) in _runs(encoder, ids, [STATES]):
        pooled = _pooled(states, [ids[index] for index in sequences], pooling)
        found.update(zip(sequences, pooled, strict=True))
    return _scaled(np.stack([found[index] for index in range(len(ids))]))


def _scaled(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors of length 1; scores, which are of one number, as they are."""
    return unit(vectors) if vectors.shape[1] > 1 else vectors


def _runs(
    encoder: Encoder, ids: Sequence[NDArray[np.int32]], outputs: list[str]
) -> Iterator[tuple[list[int], list[NDArray[np.float32]]]]:
    for batch in in_batches(ids, lambda: _CALIBRATION_TOKENS, padded=encoder.padded):
        yield list(batch.sequences), encoder.outputs(batch, outputs)


def _pooled(
    states: NDArray[np.float32], ids: Sequence[NDArray[np.int32]], pooling: Pooling
) -> NDArray[np.float32]:
    rows = {Pooling.MEAN: slice(None), Pooling.CLS: slice(1), Pooling.LAST: slice(-1, None)}
    return np.stack([
        row[: len(own)][rows[pooling]].mean(axis=0) for row, own in zip(states, ids, strict=True)
    ])  # fmt: skip
