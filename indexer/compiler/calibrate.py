"""Compiling a model, with calibration: the ranges of its activations on real text.

Owns the runs over a few pages of public-domain text that find the range of every activation with a
fixed scale, and verifying a graph's results. It must not know where models are
kept.
"""

from __future__ import annotations

import logging
import tempfile
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.api.errors import InternalError
from indexer.compiler.adapter import CHANGED, POSITIONS, WORDS, own_names, weights_of
from indexer.compiler.encoder_graph import write_encoder
from indexer.compiler.packed import NIBBLES, SCALES, integers, readable
from indexer.compiler.quantize import (
    FULL_RANGE,
    SAFE_RANGE,
    FloatLinear,
    IntegerLinear,
    Range,
    RecordingLinear,
)
from indexer.config import Precision
from indexer.embed.batches import in_batches
from indexer.embed.devices import CPU
from indexer.embed.encoder import STATES, Encoder
from indexer.embed.models import TOKENIZER, WEIGHTS, Side
from indexer.embed.pooling import unit
from indexer.embed.tokens import TextTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.embed.models import ModelRecord

    Weights = Callable[[str], NDArray[np.float32]]

log = logging.getLogger(__name__)

# What an 8-bit graph must reach on every calibration text to be accepted at full range.
CLOSE = 0.985
_CALIBRATION_TOKENS = 1024  # a run keeps all its activations, so runs are small
# Values a little beyond those seen should not be cut off.
_MARGIN = 1.05


@dataclass(frozen=True, slots=True)
class Sample:
    """Token ids of the calibration texts, and their results in the float32 graph."""

    ids: list[NDArray[np.int32]]
    vectors: NDArray[np.float32]
    ranges: Mapping[str, Range]


def compile_model(
    model: ModelRecord, precision: Precision, side: Side, source: Path, folder: Path
) -> None:
    """Write a model's graph into a folder, and verify it.

    Args:
        model: Which model.
        precision: Of its weights.
        side: Which of its encoders, if it has two.
        source: The folder of its verified files.
        folder: Where to.

    Raises:
        InternalError: If the record's probe comes out wrong.
        ValueError: If the weights are not what the record says.
    """
    record, weights = model.reading(side), _weights(model, source, side)
    if precision is Precision.INT8:
        _compile_integer(record, weights, source, folder)
        return
    linear = FloatLinear(_packed_words(source, side))
    graph = write_encoder(record.architecture, weights, linear, folder)
    _prove(record, Encoder(graph, CPU), TextTokenizer(source / TOKENIZER))


def _compile_integer(record: ModelRecord, weights: Weights, source: Path, folder: Path) -> None:
    """Write the 8-bit graph, with coarser weights where the processor cannot add up full ones."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        sample = _observe(record, weights, source, Path(scratch))
    for levels in (FULL_RANGE, SAFE_RANGE):
        linear = IntegerLinear(sample.ranges, levels)
        graph = write_encoder(record.architecture, weights, linear, folder)
        vectors = _vectors(Encoder(graph, CPU), sample.ids)
        cosine = float((vectors * sample.vectors).sum(axis=1).min())
        log.info("%s in 8 bits, %d levels: lowest cosine %.4f", record.id, levels, cosine)
        if cosine >= CLOSE:
            break


def calibration_texts(record: ModelRecord) -> list[str]:
    """The calibration texts, one per line; in many languages for a multilingual model.

    With English alone the lowest cosine of ``lectern-e5-late`` with float32 was .991 over 96
    passages in other languages; with fourteen more it is .997.
    """
    names = ["calibration.txt"]
    if len(record.languages) > 1:
        names.append("calibration-languages.txt")
    files = (resources.files("resources").joinpath("models", name) for name in names)
    return [line for file in files for line in file.read_text("utf-8").splitlines()]


def _observe(record: ModelRecord, weights: Weights, source: Path, folder: Path) -> Sample:
    linear = RecordingLinear()
    model = write_encoder(record.architecture, weights, linear, folder, linear.activations)
    encoder = Encoder(model, CPU)
    tokenizer = TextTokenizer(source / TOKENIZER)
    _prove(record, encoder, tokenizer)
    ids = _sequences(record, tokenizer, calibration_texts(record))
    vectors = np.zeros((len(ids), record.dimension), np.float32)
    names = list(linear.activations)
    low: dict[str, NDArray[np.float32]] = {}
    high: dict[str, NDArray[np.float32]] = {}
    outputs = [STATES, *(linear.activations[name] for name in names)]
    for sequences, (states, *activations) in _runs(encoder, ids, outputs):
        vectors[sequences] = _pooled(states, [ids[index] for index in sequences])
        for name, values in zip(names, activations, strict=True):
            rows = np.concatenate(
                [row[: len(ids[i])] for i, row in zip(sequences, values, strict=True)]
            )
            low[name] = np.minimum(low.get(name, np.inf), rows.min(axis=0))
            high[name] = np.maximum(high.get(name, -np.inf), rows.max(axis=0))
    ranges = {name: Range(low[name] * _MARGIN, high[name] * _MARGIN) for name in names}
    return Sample(ids, unit(vectors), ranges)


def _prove(record: ModelRecord, encoder: Encoder, tokenizer: TextTokenizer) -> None:
    if record.probe is None:
        return
    (vector,) = _vectors(encoder, _sequences(record, tokenizer, [record.probe.text]))
    error = np.abs(vector[: len(record.probe.values)] - record.probe.values).max()
    if not error <= record.probe.tolerance:
        raise InternalError("internal", reason=f"{record.id} was compiled wrongly ({error})")


def _weights(model: ModelRecord, source: Path, side: Side) -> Weights:
    """The tensors of one encoder of a model, read as they are asked for."""
    from safetensors import safe_open

    tensors: Any = safe_open(source / WEIGHTS, "numpy")
    names, read = readable(tensors.keys(), tensors.get_tensor)
    weights = weights_of(names, read, side)
    if model.adapted == (len(own_names(names)) == len(names)):
        raise ValueError(f"how many encoders {model.id} has, its record and its file disagree on")
    if len(weights(POSITIONS)) < model.reading(side).window:
        raise ValueError(f"{model.id} has too few positions for what its {side} may take")
    return weights


def _packed_words(source: Path, side: Side) -> tuple[NDArray[np.int8], NDArray[np.float16]] | None:
    """The vectors of words, where the file has them in 4 bits and this side leaves them so."""
    from safetensors import safe_open

    tensors: Any = safe_open(source / WEIGHTS, "numpy")
    names = set(tensors.keys())
    changed = side is Side.PASSAGES and any(name.startswith(CHANGED + WORDS) for name in names)
    if WORDS + NIBBLES not in names or changed:
        return None
    scales = tensors.get_tensor(WORDS + SCALES)
    return integers(tensors.get_tensor(WORDS + NIBBLES), scales), scales


def _sequences(
    record: ModelRecord, tokens: TextTokenizer, texts: Sequence[str]
) -> list[NDArray[np.int32]]:
    room = record.window - len(tokens.lead) - len(tokens.tail)
    return [
        np.concatenate([tokens.lead, text.ids[:room], tokens.tail]) for text in tokens.encode(texts)
    ]


def _vectors(encoder: Encoder, ids: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
    """Mean of the states of each sequence, scaled to length 1: ``(sequences, dimension)``."""
    found: dict[int, NDArray[np.float32]] = {}
    for sequences, (states,) in _runs(encoder, ids, [STATES]):
        pooled = _pooled(states, [ids[index] for index in sequences])
        found.update(zip(sequences, pooled, strict=True))
    return unit(np.stack([found[index] for index in range(len(ids))]))


def _runs(
    encoder: Encoder, ids: Sequence[NDArray[np.int32]], outputs: list[str]
) -> Iterator[tuple[list[int], list[NDArray[np.float32]]]]:
    for batch in in_batches(ids, lambda: _CALIBRATION_TOKENS, padded=encoder.padded):
        yield list(batch.sequences), encoder.outputs(batch, outputs)


def _pooled(states: NDArray[np.float32], ids: Sequence[NDArray[np.int32]]) -> NDArray[np.float32]:
    return np.stack([row[: len(own)].mean(axis=0) for row, own in zip(states, ids, strict=True)])
