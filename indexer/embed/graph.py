"""The encoder as an ONNX graph, written node by node from its weights.

Owns the order of the operators. How a matrix product is carried out (float or integer) is a
``Linear`` passed in. It must not know files, caches or sessions. Input ``input_ids`` is int32
``[batch, sequence]``; ``lengths``, in a graph that allows padding, is int32 ``[batch]`` (tokens
that are not padding); the output ``states`` is float32 ``[batch, sequence, hidden]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from indexer.embed.models import Architecture

    Floats = NDArray[np.float32]
    Weights = Mapping[str, Floats]

MICROSOFT = "com.microsoft"
OPSET = 19
IR_VERSION = 10
IDS, LENGTHS, STATES = "input_ids", "lengths", "states"


class Graph:
    """Nodes and constants in the making."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def constant(self, name: str, value: Any) -> str:
        """Add a constant unless one of that name is there; returns the name."""
        from onnx import numpy_helper

        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, operator: str, inputs: list[str], output: str = "", **attributes: Any) -> str:
        """Add a node with one output; returns the output's name."""
        return self.nodes_out(operator, inputs, [output or self._fresh(operator)], **attributes)[0]

    def nodes_out(
        self, operator: str, inputs: list[str], outputs: list[str], **attributes: Any
    ) -> list[str]:
        """Add a node with several outputs, named by the caller."""
        from onnx import helper

        domain = attributes.pop("domain", "")
        name = self._fresh("node")
        self.nodes.append(
            helper.make_node(operator, inputs, outputs, name=name, domain=domain, **attributes)
        )
        return outputs

    def _fresh(self, stem: str) -> str:
        return f"{stem}.{len(self.nodes)}"


class Linear(Protocol):
    """Writes the products of a layer into a graph. Weights are [in, out]."""

    @property
    def masked(self) -> bool:
        """Whether attention looks at ``lengths``; if not, nothing in a batch may be padded."""
        ...

    def attention(
        self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats, heads: int
    ) -> str:
        """Project to query, key and value with one ``weight`` [hidden, 3 hidden], and attend."""
        ...

    def mix(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """The product after attention."""
        ...

    def widen(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """The product into the wide layer, and the exact GELU of it."""
        ...

    def narrow(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """The product out of the wide layer."""
        ...

    def lookup(self, graph: Graph, name: str, table: Floats) -> str:
        """The rows of ``table`` [vocabulary, hidden] that the ids name."""
        ...


def build_encoder(
    shape: Architecture, weights: Weights, linear: Linear, extra: Mapping[str, str] | None = None
) -> bytes:
    """Write the encoder.

    Args:
        shape: Layers, heads and the like.
        weights: Tensors by their names in the safetensors file, each [out, in].
        linear: How products are carried out.
        extra: Filled by ``linear``: further tensors to put out, beside the states.

    Returns:
        A serialized ONNX model.

    Raises:
        KeyError: If a tensor is missing.
    """
    graph = Graph()
    x = _embeddings(graph, shape, weights, linear)
    for layer in range(shape.layers):
        x = _layer(graph, shape, weights, linear, layer, x)
    graph.node("Identity", [x], STATES)
    inputs = {IDS: ["batch", "sequence"], **({LENGTHS: ["batch"]} if linear.masked else {})}
    outputs = [STATES, *dict.fromkeys((extra or {}).values())]
    return _serialize(graph, inputs, dict.fromkeys(outputs, shape.hidden))


def _embeddings(graph: Graph, shape: Architecture, weights: Weights, linear: Linear) -> str:
    # Every token is of type 0, so that row is part of each position.
    positions = (
        weights["embeddings.position_embeddings.weight"]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    words = linear.lookup(graph, "words", weights["embeddings.word_embeddings.weight"])
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", [IDS], start=1, end=2)
    here = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    return _normalised(graph, shape, weights, words, here, "embeddings.LayerNorm")


def _layer(
    graph: Graph, shape: Architecture, weights: Weights, linear: Linear, layer: int, x: str
) -> str:
    stem = f"encoder.layer.{layer}."

    def dense(name: str) -> tuple[Floats, Floats]:
        return weights[f"{stem}{name}.weight"].T, weights[f"{stem}{name}.bias"]

    parts = [dense(f"attention.self.{part}") for part in ("query", "key", "value")]
    weight = np.concatenate([part[0] for part in parts], axis=1)
    bias = np.concatenate([part[1] for part in parts])
    context = linear.attention(graph, x, f"{layer}.attention", weight, bias, shape.heads)
    mixed = linear.mix(graph, context, f"{layer}.mix", *dense("attention.output.dense"))
    x = _normalised(graph, shape, weights, mixed, x, f"{stem}attention.output.LayerNorm")
    inner = linear.widen(graph, x, f"{layer}.widen", *dense("intermediate.dense"))
    outer = linear.narrow(graph, inner, f"{layer}.narrow", *dense("output.dense"))
    return _normalised(graph, shape, weights, outer, x, f"{stem}output.LayerNorm")


def _normalised(
    graph: Graph, shape: Architecture, weights: Weights, new: str, old: str, name: str
) -> str:
    # Not the fused SkipLayerNormalization: on the CPU it takes several times as long as the two.
    total = graph.node("Add", [new, old])
    scale = graph.constant(f"{name}.scale", weights[f"{name}.weight"])
    shift = graph.constant(f"{name}.shift", weights[f"{name}.bias"])
    return graph.node(
        "LayerNormalization", [total, scale, shift], axis=-1, epsilon=shape.norm_epsilon
    )


def _serialize(graph: Graph, inputs: dict[str, list[str]], outputs: dict[str, int]) -> bytes:
    from onnx import TensorProto, helper

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [
                helper.make_tensor_value_info(name, TensorProto.INT32, axes)
                for name, axes in inputs.items()
            ],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "sequence", width])
                for name, width in outputs.items()
            ],
            list(graph.constants.values()),
        ),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)],
        ir_version=IR_VERSION,
        producer_name="lectern",
    )
    return bytes(model.SerializeToString())
