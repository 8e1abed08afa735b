"""Writes the ONNX graph of an encoder from its weights.

Owns the order of the operators of BERT, and of JinaBERT (Guenther et al., 2023) and NomicBERT
(Nussbaum et al., 2024), which differ from it in positions and feed-forward layers; the others are
in ``modernbert_graph`` and ``decoder_graph``. Matrix products are those of a ``FloatLinear`` or its
subclass, attention is in ``attention``. It must not know sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.adapter import POSITIONS, TYPES, WORDS
from indexer.compiler.attention import Attention
from indexer.compiler.decoder_graph import add_decoder
from indexer.compiler.graph import MICROSOFT, Graph
from indexer.compiler.linear import SILU, Build
from indexer.compiler.modernbert_graph import add_modernbert
from indexer.compiler.tensors import HEAD, PROJECTION, bert_head
from indexer.embed.architecture import Family
from indexer.embed.compiled import DATA, GRAPH
from indexer.embed.encoder import (
    ANCHORS,
    BLOCK,
    ENDS,
    IDS,
    LENGTHS,
    REACH,
    STARTS,
    STATES,
    SUMS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.compiler.linear import FloatLinear, Weights
    from indexer.embed.architecture import Architecture

    Floats = NDArray[np.float32]


def write_encoder(
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    folder: Path,
    extra: Mapping[str, str] | None = None,
) -> Path:
    """Write the encoder into a folder, as ``GRAPH`` and ``DATA``.

    Args:
        shape: The architecture.
        weights: Returns a tensor by its name in the safetensors file, [out, in].
        linear: Adds the matrix products, and says for what the graph is.
        folder: Destination; it must exist.
        extra: Names of further outputs besides the states; ``linear`` fills it.

    Returns:
        The path of the graph.

    Raises:
        KeyError: If a tensor is missing.
        OSError: If the folder cannot be written.
    """
    with (folder / DATA).open("wb") as data:
        graph = Graph(data, half=linear.half)
        build = Build(graph, shape, weights, linear)
        x, attention = _ADD.get(shape.family, _add_post_norm)(build)
        if shape.projected:
            x = graph.node("MatMul", [x, graph.constant("projection", weights(PROJECTION).T)])
        if shape.scores:
            x = _score(build, x)
        graph.node("Cast", [x], STATES, to=1)
        outputs: dict[str, Sequence[str | int]] = {STATES: ["batch", "rows", shape.width]}
        inputs = {IDS: ["batch", "sequence"], **attention.inputs}
        if _masked(linear, attention) or shape.unattended:
            inputs[LENGTHS] = ["batch"]
        if linear.padded and not shape.scores:
            inputs |= {name: ["batch", "segments"] for name in (STARTS, ENDS)}
            outputs[_sum(graph)] = "batch", "segments", shape.width
    outputs |= dict.fromkeys((extra or {}).values(), ("batch", "sequence", "width"))
    facts = {BLOCK: shape.block, REACH: shape.reach, ANCHORS: shape.anchors}
    path = folder / GRAPH
    path.write_bytes(graph.finish(inputs, outputs, facts))
    return path


def _masked(linear: FloatLinear, attention: Attention) -> bool:
    """Whether the graph takes the lengths of its sequences."""
    return linear.padded or (linear.masked and attention.masked)


def _sum(graph: Graph) -> str:
    """Sum the states of each segment, so that an accelerator returns no states of tokens."""
    last = graph.constant("axis.last", np.array([-1], np.int64))
    zero, one = (graph.constant(f"scalar.{n}", np.int64(n)) for n in (0, 1))
    length = graph.node("Squeeze", [graph.node("Shape", [IDS], start=1, end=2)])
    rows = graph.node("Cast", [graph.node("Range", [zero, length, one])], to=6)
    start, end = (graph.node("Unsqueeze", [name, last]) for name in (STARTS, ENDS))
    inside = [graph.node("GreaterOrEqual", [rows, start]), graph.node("Less", [rows, end])]
    share = graph.node("Cast", [graph.node("And", inside)], to=1)
    return graph.node("MatMul", [share, STATES], SUMS)


def _add_post_norm(build: Build) -> tuple[str, Attention]:
    shape, linear = build.shape, build.linear
    base = shape.rotary_bases[0] if shape.rotary_bases else 0.0
    sloped = shape.family is Family.JINABERT
    attention = Attention(build.graph, shape, linear, rotary_base=base, sloped=sloped)
    x = _embeddings(build, masked=_masked(linear, attention))
    add_layer = _nomic_layer if shape.family is Family.NOMICBERT else _layer
    for layer in shape.kept_layers:
        x = add_layer(build, attention, layer, x)
    return x, attention


def _score(build: Build, x: str) -> str:
    """The answer of a cross-encoder, from the state of the first token: ``[batch, 1, 1]``."""
    graph = build.graph

    def product(x: str, name: str) -> str:
        return graph.node("MatMul", [x, graph.constant(name, build.matrix(name))])

    def dense(x: str, name: str) -> str:
        return graph.node("Add", [product(x, name), graph.constant(f"{name}.b", build.shift(name))])

    zero, one = (graph.constant(f"number.{n}", np.array([n], np.int64)) for n in (0, 1))
    first = graph.node("Slice", [x, zero, one, one])
    if build.shape.family is Family.MODERNBERT:
        inner, norm, last = HEAD
        active = graph.node("Gelu", [product(first, inner)], domain=MICROSOFT)
        return dense(build.normalised(active, norm), last)
    inner, last = bert_head(build.shape)
    return dense(graph.node("Tanh", [dense(first, inner)]), last)


_ADD = {
    Family.MODERNBERT: add_modernbert, Family.QWEN: add_decoder, Family.GEMMA: add_decoder,
}  # fmt: skip


def _embeddings(build: Build, *, masked: bool) -> str:
    graph, shape, table = build.graph, build.shape, build.weights(TYPES)
    words = build.linear.lookup(graph, "words", build.weights(WORDS))
    # All tokens but those of the second text of a pair are of type 0, so its embedding is added to
    # the position embeddings beforehand.
    if shape.family is not Family.BERT:
        norm = "emb_ln" if shape.family is Family.NOMICBERT else "embeddings.LayerNorm"
        return _normalised(build, words, graph.constant("types", table[0]), norm)
    positions = build.weights(POSITIONS)[shape.first_position :] + table[0]
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", [IDS], start=1, end=2)
    here = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    if shape.typed:
        steps = graph.constant("types", table[:2] - table[0])
        step = graph.node("Gather", [steps, _second(graph, masked=masked)])
        here = graph.node("Add", [here, step])
    return _normalised(build, words, here, "embeddings.LayerNorm")


def _second(graph: Graph, *, masked: bool) -> str:
    """1 for each token of the second text of a pair, else 0, ``[batch, sequence]``.

    It begins after the first separator, the token that also ends the sequence.
    """
    one = graph.constant("number.1", np.array([1], np.int64))
    if masked:
        last = graph.node("Sub", [graph.node("Cast", [LENGTHS], to=7), one])
        end = graph.node("GatherElements", [IDS, graph.node("Unsqueeze", [last, one])], axis=1)
    else:
        end = graph.node("Gather", [IDS, graph.constant("end", np.array([-1], np.int64))], axis=1)
    separators = graph.node("Cast", [graph.node("Equal", [IDS, end])], to=6)
    axis = graph.constant("axis.1", np.int64(1))
    before = graph.node("CumSum", [separators, axis], exclusive=1)
    return graph.node("Min", [before, graph.constant("number.1.int32", np.int32(1))])


def _layer(build: Build, attention: Attention, layer: int, x: str) -> str:
    graph, linear, stem = build.graph, build.linear, f"encoder.layer.{layer}."

    def dense(*names: str) -> tuple[Floats, Floats]:
        whole = [stem + name for name in names]
        return build.matrix(*whole), np.concatenate([build.shift(name) for name in whole])

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", *dense("attention.output.dense"))
        x = _normalised(build, mixed, x, f"{stem}attention.output.LayerNorm")
        if build.shape.family is Family.JINABERT:
            both = build.matrix(f"{stem}mlp.gated_layers")
            inner = linear.gate(graph, x, f"{layer}.gate", both)
            matrix, shift = dense("mlp.wo")
            outer = linear.narrow(graph, inner, f"{layer}.narrow", matrix, None)
            outer = graph.node("Add", [outer, graph.constant(f"{layer}.narrow.bias", shift)])
            return _normalised(build, outer, x, f"{stem}mlp.layernorm")
        inner = linear.widen(graph, x, f"{layer}.widen", *dense("intermediate.dense"))
        outer = linear.narrow(graph, inner, f"{layer}.narrow", *dense("output.dense"))
        return _normalised(build, outer, x, f"{stem}output.LayerNorm")

    parts = dense(*(f"attention.self.{part}" for part in ("query", "key", "value")))
    return linear.attention(graph, x, f"{layer}.attention", parts, attention, rest)


def _nomic_layer(build: Build, attention: Attention, layer: int, x: str) -> str:
    graph, linear, stem = build.graph, build.linear, f"encoder.layers.{layer}."

    def matrix(*names: str) -> Floats:
        return build.matrix(*(stem + name for name in names))

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", matrix("attn.out_proj"), None)
        x = _normalised(build, mixed, x, f"{stem}norm1")
        both = matrix("mlp.fc12", "mlp.fc11")  # the second is not activated
        inner = linear.gate(graph, x, f"{layer}.gate", both, SILU)
        outer = linear.narrow(graph, inner, f"{layer}.narrow", matrix("mlp.fc2"), None)
        return _normalised(build, outer, x, f"{stem}norm2")

    dense = matrix("attn.Wqkv"), None
    return linear.attention(graph, x, f"{layer}.attention", dense, attention, rest)


def _normalised(build: Build, new: str, old: str, name: str) -> str:
    # The fused SkipLayerNormalization takes several times as long on the CPU.
    return build.normalised(build.graph.node("Add", [new, old]), name, shifted=True)
