"""The encoder as an ONNX graph, written node by node from its weights.

Owns the order of the operators. How a matrix product is carried out (float or integer) is a
``Linear`` passed in. It must not know caches or sessions. Input ``input_ids`` is int32
``[batch, sequence]``; ``lengths``, in a graph that allows padding, is int32 ``[batch]`` (tokens
that are not padding); the output ``states`` is float32 ``[batch, sequence, hidden]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from indexer.embed.adapter import POSITIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from indexer.embed.models import Architecture

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]

MICROSOFT = "com.microsoft"
OPSET = 19
IR_VERSION = 10
GRAPH, DATA = "model.onnx", "model.bin"
_INLINE_BYTES = 1024
_ALIGNMENT = 64
IDS, LENGTHS, STATES = "input_ids", "lengths", "states"


class Graph:
    """Nodes and constants in the making.

    Args:
        data: Large constants are written here as they come, so that a model is never whole in
            memory; ONNX Runtime maps the file and reads what it uses.
    """

    def __init__(self, data: BinaryIO) -> None:
        from onnx import ModelProto

        self.model = ModelProto(ir_version=IR_VERSION, producer_name="lectern")
        self._data = data
        self._names: set[str] = set()

    def constant(self, name: str, value: Any) -> str:
        """Add a constant unless one of that name is there; returns the name."""
        from onnx import TensorProto, helper

        if name in self._names:
            return name
        self._names.add(name)
        array = np.array(value, order="C")
        tensor = self.model.graph.initializer.add(
            name=name, dims=array.shape, data_type=helper.np_dtype_to_tensor_dtype(array.dtype)
        )
        if array.nbytes < _INLINE_BYTES:
            tensor.raw_data = array.tobytes()
            return name
        self._data.write(bytes(-self._data.tell() % _ALIGNMENT))
        tensor.data_location = TensorProto.EXTERNAL
        place = {"location": DATA, "offset": self._data.tell(), "length": array.nbytes}
        for key, number in place.items():
            tensor.external_data.add(key=key, value=str(number))
        self._data.write(array.data)
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
        node = helper.make_node(operator, inputs, outputs, name=name, domain=domain, **attributes)
        self.model.graph.node.append(node)
        return outputs

    def finish(self, inputs: dict[str, list[str]], outputs: list[str], width: int) -> bytes:
        """Declare what goes in (int32, by its axes) and comes out; returns the model's bytes."""
        from onnx import TensorProto, helper

        graph = self.model.graph
        graph.name = "encoder"
        for name, axes in inputs.items():
            graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT32, axes))
        for name in outputs:
            value = helper.make_tensor_value_info(
                name, TensorProto.FLOAT, ["batch", "sequence", width]
            )
            graph.output.append(value)
        for domain, version in (("", OPSET), (MICROSOFT, 1)):
            self.model.opset_import.add(domain=domain, version=version)
        return bytes(self.model.SerializeToString())

    def _fresh(self, stem: str) -> str:
        return f"{stem}.{len(self.model.graph.node)}"


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


def write_encoder(
    shape: Architecture,
    weights: Weights,
    linear: Linear,
    folder: Path,
    extra: Mapping[str, str] | None = None,
) -> Path:
    """Write the encoder into a folder, as ``GRAPH`` and ``DATA``.

    Args:
        shape: Layers, heads and the like.
        weights: Gives a tensor by its name in the safetensors file, [out, in].
        linear: How products are carried out.
        folder: Where to; it must exist.
        extra: Filled by ``linear``: further tensors to put out, beside the states.

    Returns:
        The path of the graph.

    Raises:
        KeyError: If a tensor is missing.
        OSError: If the folder cannot be written.
    """
    with (folder / DATA).open("wb") as data:
        graph = Graph(data)
        x = _embeddings(graph, shape, weights, linear)
        for layer in range(shape.layers):
            x = _layer(graph, shape, weights, linear, layer, x)
        graph.node("Identity", [x], STATES)
    inputs = {IDS: ["batch", "sequence"], **({LENGTHS: ["batch"]} if linear.masked else {})}
    outputs = [STATES, *dict.fromkeys((extra or {}).values())]
    path = folder / GRAPH
    path.write_bytes(graph.finish(inputs, outputs, shape.hidden))
    return path


def _embeddings(graph: Graph, shape: Architecture, weights: Weights, linear: Linear) -> str:
    # Every token is of type 0, so that row is part of each position.
    positions = weights(POSITIONS) + weights("embeddings.token_type_embeddings.weight")[0]
    words = linear.lookup(graph, "words", weights("embeddings.word_embeddings.weight"))
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", [IDS], start=1, end=2)
    here = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    return _normalised(graph, shape, weights, words, here, "embeddings.LayerNorm")


def _layer(
    graph: Graph, shape: Architecture, weights: Weights, linear: Linear, layer: int, x: str
) -> str:
    stem = f"encoder.layer.{layer}."

    def dense(name: str) -> tuple[Floats, Floats]:
        return weights(f"{stem}{name}.weight").T, weights(f"{stem}{name}.bias")

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
    scale = graph.constant(f"{name}.scale", weights(f"{name}.weight"))
    shift = graph.constant(f"{name}.shift", weights(f"{name}.bias"))
    return graph.node(
        "LayerNormalization", [total, scale, shift], axis=-1, epsilon=shape.norm_epsilon
    )
