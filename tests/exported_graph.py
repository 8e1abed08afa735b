"""An ONNX graph as exporters of models write it, of a tiny model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tests.tiny_model import tiny_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

HIDDEN = 32
WORDS = len(tiny_vocabulary())
TABLE = np.random.default_rng(3).standard_normal((WORDS, HIDDEN)).astype(np.float32)
INPUTS = ("input_ids", "attention_mask")


def write_graph(
    path: Path,
    *,
    inputs: tuple[str, ...] = INPUTS,
    output: str = "last_hidden_state",
    masked: bool = True,
    domain: str = "",
    location: str = "",
    table: np.ndarray[Any, Any] = TABLE,
    positions: int = 1 << 14,
) -> None:
    """Each token's vector and the mean of the real ones, as exporters name inputs and outputs.

    It reads up to ``positions`` tokens.
    """
    node, kept = helper.make_node, "input_ids"
    nodes = [
        node("Gather", ["words", kept], ["own"]),
        node("Shape", [kept], ["shape"], start=1),
        node("Squeeze", ["shape"], ["length"]),
        node("Range", ["zero", "length", "one"], ["places"]),
        node("Gather", ["positions", "places"], ["place"]),
        node("Add", ["own", "place"], ["x"]),
        node("Equal", [kept, kept], ["every"]),
        node("Cast", ["attention_mask" if masked else "every"], ["mask"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["mask", "last"], ["column"]),
        node("Mul", ["x", "column"], ["real"]),
        node("ReduceSum", ["real", "second"], ["sum"], keepdims=1),
        node("ReduceSum", ["column", "second"], ["count"], keepdims=1),
        node("Div", ["sum", "count"], ["mean"]),
        node("Add", ["x", "mean"], [output], domain=domain),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "exported", [value(name, TensorProto.INT64, ["b", "s"]) for name in inputs],
        [value(output, TensorProto.FLOAT, ["b", "s", table.shape[1]])],
        [numpy_helper.from_array(table, "words"), numpy_helper.from_array(np.array([-1]), "last"),
         numpy_helper.from_array(np.array([1]), "second"),
         numpy_helper.from_array(np.array(0), "zero"), numpy_helper.from_array(np.array(1), "one"),
         numpy_helper.from_array(places(positions), "positions")],
    )  # fmt: skip
    opsets = [helper.make_opsetid(each, 18) for each in {"", domain}]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(
        model, path, save_as_external_data=bool(location), location=location or None,
        size_threshold=1024,
    )  # fmt: skip


def places(count: int) -> np.ndarray[Any, Any]:
    """What each position adds to the vector of its token, ``(count, HIDDEN)``."""
    angles = np.arange(count)[:, None] * np.linspace(0.1, 1, HIDDEN)
    return (0.3 * np.sin(angles)).astype(np.float32)
