"""Builds an ONNX graph: nodes, constants, inputs and outputs.

Owns the file of large constants beside the graph. It must not know what a graph computes.
"""

from __future__ import annotations

import math
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.compiled import DATA
from indexer.embed.models import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import BinaryIO

    from onnx import TensorProto

MICROSOFT = "com.microsoft"
OPSET = 19
IR_VERSION = 10
_INLINE_BYTES = 1024
_ALIGNMENT = 64
LARGEST_HALF = 65504.0


class Graph:
    """A graph under construction.

    Args:
        data: Large constants are written here at once, so that a model is never whole in memory.
            ONNX Runtime maps this file.
        half: Whether it computes in float16, in which float32 constants are stored then.
    """

    def __init__(self, data: BinaryIO, *, half: bool = False) -> None:
        from onnx import ModelProto, TensorProto

        self._half = half
        self.float = TensorProto.FLOAT16 if half else TensorProto.FLOAT
        self.model = ModelProto(ir_version=IR_VERSION, producer_name="lectern")
        self._data = data
        self._names: set[str] = set()
        self._nodes = self.model.graph.node  # of the graph, or of the body that ``each`` adds
        self._fresh_names = count()

    def constant(self, name: str, value: Any) -> str:
        """Add a constant unless the graph has one of that name; returns the name."""
        from onnx import helper

        if name in self._names:
            return name
        self._names.add(name)
        array = np.array(value, order="C")
        if self._half and array.dtype == np.float32:
            array = array.clip(-LARGEST_HALF, LARGEST_HALF).astype(np.float16)
        tensor = self.model.graph.initializer.add(
            name=name, dims=array.shape, data_type=helper.np_dtype_to_tensor_dtype(array.dtype)
        )
        if array.nbytes < _INLINE_BYTES:
            tensor.raw_data = array.tobytes()
            return name
        self._data.write(bytes(-self._data.tell() % _ALIGNMENT))
        _place(tensor, DATA, self._data.tell(), array.nbytes)
        self._data.write(array.data)
        return name

    def half(self, name: str, shape: tuple[int, ...], offset: int) -> str:
        """Add a matrix that ``WEIGHTS``, beside the graph, has in half precision."""
        from onnx import TensorProto

        tensor = self.model.graph.initializer.add(
            name=name, dims=shape, data_type=TensorProto.FLOAT16
        )
        _place(tensor, WEIGHTS, offset, 2 * math.prod(shape))
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
        self._nodes.append(node)
        return outputs

    def each(self, numbers: list[str], body: Callable[[list[str]], str]) -> str:
        """Add a loop over the first axis of some inputs, so that a step fits the processor's cache.

        Args:
            numbers: Names of int32 tensors.
            body: Adds the nodes of a step, given the names of its slices; returns their output.

        Returns:
            The name of the outputs of all steps, stacked along a new first axis.
        """
        from onnx import GraphProto, TensorProto, helper

        around, part = self._nodes, GraphProto(name=self._fresh("part"))
        self._nodes = part.node
        names = [self._fresh(name) for name in numbers]
        made = body(names)
        self._nodes = around
        part.input.extend(helper.make_tensor_value_info(n, TensorProto.INT32, None) for n in names)
        part.output.append(helper.make_tensor_value_info(made, self.float, None))
        return self.node("Scan", numbers, body=part, num_scan_inputs=len(numbers))

    def finish(
        self,
        inputs: Mapping[str, Sequence[str]],
        outputs: Mapping[str, Sequence[str | int]],
        facts: Mapping[str, int],
    ) -> bytes:
        """Declare inputs and outputs, and return the serialised model.

        Args:
            inputs: int32 inputs, with the names of their axes.
            outputs: float32 outputs, with the names or sizes of their axes.
            facts: Metadata of the model.
        """
        from onnx import TensorProto, helper

        graph = self.model.graph
        graph.name = "encoder"
        for name, axes in inputs.items():
            graph.input.append(helper.make_tensor_value_info(name, TensorProto.INT32, axes))
        for name, sizes in outputs.items():
            graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes))
        helper.set_model_props(self.model, {name: str(value) for name, value in facts.items()})
        for domain, version in (("", OPSET), (MICROSOFT, 1)):
            self.model.opset_import.add(domain=domain, version=version)
        return bytes(self.model.SerializeToString())

    def _fresh(self, stem: str) -> str:
        return f"{stem}.{next(self._fresh_names)}"


def _place(tensor: TensorProto, file: str, offset: int, size: int) -> None:
    """Say where the values of a constant are, in bytes."""
    from onnx import TensorProto

    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": file, "offset": offset, "length": size}.items():
        tensor.external_data.add(key=key, value=str(value))
