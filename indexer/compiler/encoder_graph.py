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
from indexer.compiler.linear import SILU
from indexer.compiler.modernbert_graph import add_modernbert
from indexer.compiler.tensors import BERT_HEAD, HEAD, PROJECTION
from indexer.embed.compiled import DATA, GRAPH
from indexer.embed.encoder import ANCHORS, BLOCK, IDS, LENGTHS, REACH, STATES
from indexer.embed.models import Family

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.compiler.linear import FloatLinear
    from indexer.embed.models import Architecture

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]


def write_encoder(
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    folder: Path,
    extra: Mapping[str, str] | None = None,
    *,
    half: bool = False,
) -> Path:
    """Write the encoder into a folder, as ``GRAPH`` and ``DATA``.

    Args:
        shape: The architecture.
        weights: Returns a tensor by its name in the safetensors file, [out, in].
        linear: Adds the matrix products.
        folder: Destination; it must exist.
        extra: Names of further outputs besides the states; ``linear`` fills it.
        half: Whether it computes in float16, as accelerators like it; the states are float32.

    Returns:
        The path of the graph.

    Raises:
        KeyError: If a tensor is missing.
        OSError: If the folder cannot be written.
    """
    with (folder / DATA).open("wb") as data:
        graph = Graph(data, half=half)
        x, attention = _ADD.get(shape.family, _add_post_norm)(graph, shape, weights, linear)
        if shape.projected:
            x = graph.node("MatMul", [x, graph.constant("projection", weights(PROJECTION).T)])
        if shape.scores:
            x = _score(graph, shape, weights, x)
        graph.node("Cast", [x], STATES, to=1)
    masked = linear.masked and attention.masked
    lengths = {LENGTHS: ["batch"]} if masked else {}
    inputs = {IDS: ["batch", "sequence"], **lengths, **attention.inputs}
    outputs = [STATES, *dict.fromkeys((extra or {}).values())]
    facts = {BLOCK: shape.block, REACH: shape.reach, ANCHORS: shape.anchors}
    path = folder / GRAPH
    path.write_bytes(graph.finish(inputs, outputs, shape.width, facts))
    return path


def _add_post_norm(
    graph: Graph, shape: Architecture, weights: Weights, linear: FloatLinear
) -> tuple[str, Attention]:
    base = shape.rotary_bases[0] if shape.rotary_bases else 0.0
    sloped = shape.family is Family.JINABERT
    attention = Attention(graph, shape, grouped=linear.grouped, rotary_base=base, sloped=sloped)
    x = _embeddings(graph, shape, weights, linear)
    layer_of = _nomic_layer if shape.family is Family.NOMICBERT else _layer
    for layer in shape.kept_layers:
        x = layer_of(graph, shape, weights, linear, attention, layer, x)
    return x, attention


def _score(graph: Graph, shape: Architecture, weights: Weights, x: str) -> str:
    """The answer of a cross-encoder, from the state of the first token: ``[batch, 1, 1]``."""

    def dense(x: str, name: str) -> str:
        product = graph.node("MatMul", [x, graph.constant(name, weights(f"{name}.weight").T)])
        if shape.family is Family.MODERNBERT and name == HEAD[0]:
            return product
        return graph.node("Add", [product, graph.constant(f"{name}.bias", weights(f"{name}.bias"))])

    zero, one = (graph.constant(f"number.{n}", np.array([n], np.int64)) for n in (0, 1))
    first = graph.node("Slice", [x, zero, one, one])
    if shape.family is Family.MODERNBERT:
        active = graph.node("Gelu", [dense(first, HEAD[0])], domain=MICROSOFT)
        scale = graph.constant(HEAD[1], weights(f"{HEAD[1]}.weight"))
        normal = graph.node(
            "LayerNormalization", [active, scale], axis=-1, epsilon=shape.norm_epsilon
        )
        return dense(normal, HEAD[2])
    return dense(graph.node("Tanh", [dense(first, BERT_HEAD[0])]), BERT_HEAD[1])


_ADD = {
    Family.MODERNBERT: add_modernbert, Family.QWEN: add_decoder, Family.GEMMA: add_decoder,
}  # fmt: skip


def _embeddings(graph: Graph, shape: Architecture, weights: Weights, linear: FloatLinear) -> str:
    # All tokens are of type 0, so its embedding is added to the position embeddings beforehand.
    types, words = weights(TYPES)[0], linear.lookup(graph, "words", weights(WORDS))
    if shape.family is not Family.BERT:
        norm = "emb_ln" if shape.family is Family.NOMICBERT else "embeddings.LayerNorm"
        return _normalised(graph, shape, weights, words, graph.constant("types", types), norm)
    positions = weights(POSITIONS)[shape.first_position :] + types
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", [IDS], start=1, end=2)
    here = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    return _normalised(graph, shape, weights, words, here, "embeddings.LayerNorm")


def _layer(
    graph: Graph,
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    attention: Attention,
    layer: int,
    x: str,
) -> str:
    stem = f"encoder.layer.{layer}."

    def dense(name: str) -> tuple[Floats, Floats]:
        return weights(f"{stem}{name}.weight").T, weights(f"{stem}{name}.bias")

    parts = [dense(f"attention.self.{part}") for part in ("query", "key", "value")]
    weight = np.concatenate([part[0] for part in parts], axis=1)
    bias = np.concatenate([part[1] for part in parts])

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", *dense("attention.output.dense"))
        x = _normalised(graph, shape, weights, mixed, x, f"{stem}attention.output.LayerNorm")
        if shape.family is Family.JINABERT:
            both = weights(f"{stem}mlp.gated_layers.weight").T
            inner = linear.gate(graph, x, f"{layer}.gate", both)
            matrix, shift = dense("mlp.wo")
            outer = linear.narrow(graph, inner, f"{layer}.narrow", matrix, None)
            outer = graph.node("Add", [outer, graph.constant(f"{layer}.narrow.bias", shift)])
            return _normalised(graph, shape, weights, outer, x, f"{stem}mlp.layernorm")
        inner = linear.widen(graph, x, f"{layer}.widen", *dense("intermediate.dense"))
        outer = linear.narrow(graph, inner, f"{layer}.narrow", *dense("output.dense"))
        return _normalised(graph, shape, weights, outer, x, f"{stem}output.LayerNorm")

    return linear.attention(graph, x, f"{layer}.attention", (weight, bias), attention, rest)


def _nomic_layer(
    graph: Graph,
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    attention: Attention,
    layer: int,
    x: str,
) -> str:
    stem = f"encoder.layers.{layer}."

    def matrix(*names: str) -> Floats:
        return np.concatenate([weights(f"{stem}{name}.weight").T for name in names], axis=1)

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", matrix("attn.out_proj"), None)
        x = _normalised(graph, shape, weights, mixed, x, f"{stem}norm1")
        both = matrix("mlp.fc12", "mlp.fc11")  # the second is not activated
        inner = linear.gate(graph, x, f"{layer}.gate", both, SILU)
        outer = linear.narrow(graph, inner, f"{layer}.narrow", matrix("mlp.fc2"), None)
        return _normalised(graph, shape, weights, outer, x, f"{stem}norm2")

    dense = matrix("attn.Wqkv"), None
    return linear.attention(graph, x, f"{layer}.attention", dense, attention, rest)


def _normalised(
    graph: Graph, shape: Architecture, weights: Weights, new: str, old: str, name: str
) -> str:
    # The fused SkipLayerNormalization takes several times as long on the CPU.
    total = graph.node("Add", [new, old])
    scale = graph.constant(f"{name}.scale", weights(f"{name}.weight"))
    shift = graph.constant(f"{name}.shift", weights(f"{name}.bias"))
    return graph.node(
        "LayerNormalization", [total, scale, shift], axis=-1, epsilon=shape.norm_epsilon
    )
