"""Takes over an ONNX graph that others exported, if it gives the states of tokens.

Owns what such a graph may contain, and its change of inputs and outputs into ours; its weights stay
as they are. It must not know which model it is, nor whether its numbers are right (``accept``).
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from indexer.embed.compiled import DATA, GRAPH
from indexer.embed.encoder import ENDS, IDS, LENGTHS, STARTS, STATES, SUMS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MASK, TYPES = "attention_mask", "token_type_ids"
_OUTPUTS = ("last_hidden_state", "token_embeddings")
_DOMAINS = frozenset({"", "ai.onnx", "com.microsoft"})
_OLDEST = 13  # opset, from which on axes are inputs
_GIVEN = "given_"


def adopt(source: Path, folder: Path, *, sums: bool = False) -> Path:
    """Write a graph with our inputs and outputs into a folder.

    Args:
        source: A graph with token ids, and possibly a mask and types, as inputs; the file of its
            weights, if it has one, lies beside it.
        folder: For the graph and its weights.
        sums: Whether it sums the states of segments, for an accelerator.

    Raises:
        ValueError: With the reason why it is refused.
    """
    import onnx

    try:
        model = onnx.load(source, load_external_data=False)
    except Exception as error:  # what is raised for a damaged file depends on protobuf's build
        raise ValueError(f"{source.name} cannot be read") from error
    _check(model)
    _place_weights(model, source, folder)
    graph = model.graph
    given = {value.name: value.type.tensor_type.elem_type for value in _inputs(graph)}
    states = next(name for name in _OUTPUTS if name in {value.name for value in graph.output})
    _rename(graph, {name: _GIVEN + name for name in given})
    own = list(_preparation(given))
    rest = [*graph.node, _node("Cast", [states], STATES, to=onnx.TensorProto.FLOAT)]
    if sums:
        rest += _summation()
    del graph.node[:], graph.input[:], graph.output[:], model.metadata_props[:]
    graph.node.extend([*own, *rest])
    describe = onnx.helper.make_tensor_value_info
    graph.input.append(describe(IDS, onnx.TensorProto.INT32, ["batch", "sequence"]))
    graph.input.append(describe(LENGTHS, onnx.TensorProto.INT32, ["batch"]))
    graph.output.append(describe(STATES, onnx.TensorProto.FLOAT, ["batch", "sequence", None]))
    if sums:
        for name in (STARTS, ENDS):
            graph.input.append(describe(name, onnx.TensorProto.INT32, ["batch", "segments"]))
        graph.output.append(describe(SUMS, onnx.TensorProto.FLOAT, ["batch", "segments", None]))
    (folder / GRAPH).write_bytes(model.SerializeToString())
    return folder / GRAPH


def _check(model: Any) -> None:
    """Refuse what could do more than compute, and what has other inputs or outputs."""
    opsets = {each.domain: each.version for each in model.opset_import}
    if set(opsets) - _DOMAINS or model.functions:
        raise ValueError("its graph has operators of its own")
    if max(opsets.get("", 0), opsets.get("ai.onnx", 0)) < _OLDEST:
        raise ValueError(f"its graph is older than opset {_OLDEST}")
    names = {value.name for value in _inputs(model.graph)}
    if IDS not in names or names - {IDS, MASK, TYPES}:
        raise ValueError(f"its graph takes {', '.join(sorted(names))[:200]}")
    if not {value.name for value in model.graph.output} & set(_OUTPUTS):
        raise ValueError("its graph gives no states of tokens")


def _inputs(graph: Any) -> list[Any]:
    """The inputs that are no weights."""
    weights = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in weights]


def _place_weights(model: Any, source: Path, folder: Path) -> None:
    """Copy the file of the weights, and have the graph name the copy."""
    from onnx import TensorProto

    places = [
        entry
        for tensor in _tensors(model.graph)
        if tensor.data_location == TensorProto.EXTERNAL
        for entry in tensor.external_data
        if entry.key == "location"
    ]
    names = {entry.value for entry in places}
    if names - {f"{source.name}_data"}:  # any other could be a file of the person
        raise ValueError("its weights lie elsewhere")
    if not names:
        (folder / DATA).touch()
        return
    try:
        shutil.copyfile(source.with_name(f"{source.name}_data"), folder / DATA)
    except FileNotFoundError as error:
        raise ValueError("the file of its weights is missing") from error
    for entry in places:
        entry.value = DATA


def _tensors(graph: Any) -> Iterator[Any]:
    """Every tensor of a graph and of the graphs inside it."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            yield attribute.t
            yield from attribute.tensors
            for inner in (attribute.g, *attribute.graphs):
                if inner.node or inner.initializer:
                    yield from _tensors(inner)


def _rename(graph: Any, names: dict[str, str]) -> None:
    for node in graph.node:
        for number, name in enumerate(node.input):
            node.input[number] = names.get(name, name)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                if inner.node:
                    _rename(inner, names)


def _preparation(given: dict[str, int]) -> Iterator[Any]:
    """The nodes that make the inputs of the graph from ours."""
    from onnx import TensorProto

    yield _node("Cast", [IDS], _GIVEN + IDS, to=given[IDS])
    yield _node("Shape", [IDS], "own_shape")
    yield from (_constant("own_0", [0], []), _constant("own_1", [1], []))
    yield from (_constant("own_first", [0], [1]), _constant("own_second", [1], [1]))
    yield _node("Gather", ["own_shape", "own_1"], "own_length")
    yield _node("Range", ["own_0", "own_length", "own_1"], "own_places")
    if MASK in given:
        yield _node("Unsqueeze", ["own_places", "own_first"], "own_row")
        yield _node("Cast", [LENGTHS], "own_lengths", to=TensorProto.INT64)
        yield _node("Unsqueeze", ["own_lengths", "own_second"], "own_column")
        yield _node("Less", ["own_row", "own_column"], "own_real")
        yield _node("Cast", ["own_real"], _GIVEN + MASK, to=given[MASK])
    if TYPES in given:
        yield _node("ConstantOfShape", ["own_shape"], "own_types")  # zeros
        yield _node("Cast", ["own_types"], _GIVEN + TYPES, to=given[TYPES])


def _summation() -> Iterator[Any]:
    """The nodes that sum the states of each segment."""
    from onnx import TensorProto

    yield _constant("own_third", [2], [1])
    for name in (STARTS, ENDS):
        yield _node("Cast", [name], f"own_{name}", to=TensorProto.INT64)
        yield _node("Unsqueeze", [f"own_{name}", "own_third"], f"own_{name}_column")
    yield _node("GreaterOrEqual", ["own_places", f"own_{STARTS}_column"], "own_begun")
    yield _node("Less", ["own_places", f"own_{ENDS}_column"], "own_going")
    yield _node("And", ["own_begun", "own_going"], "own_inside")
    yield _node("Cast", ["own_inside"], "own_share", to=TensorProto.FLOAT)
    yield _node("MatMul", ["own_share", STATES], SUMS)


def _constant(name: str, value: list[int], shape: list[int]) -> Any:
    from onnx import TensorProto, helper

    tensor = helper.make_tensor(name, TensorProto.INT64, shape, value)
    return _node("Constant", [], name, value=tensor)


def _node(operator: str, inputs: list[str], output: str, **attributes: Any) -> Any:
    from onnx import helper

    return helper.make_node(operator, inputs, [output], name=f"own_{output}", **attributes)
