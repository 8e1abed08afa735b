"""Builds an ONNX graph: nodes, constants, inputs and outputs.

Owns how large constants are kept beside a graph. It must not know what a graph computes.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.compiled import DATA

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import BinaryIO

MICROSOFT = "com.microsoft"
OPSET = 19
IR_VERSION = 10
_INLINE_BYTES = 1024
_ALIGNMENT = 64


class Graph:
    """A graph that is being built.

    Args:
        data: Large constants are written here as they come, so that a model is never whole in
            memory; ONNX Runtime maps the file and reads what it uses.
    """

    def __init__(self, data: BinaryIO) -> None:
        from onnx import ModelProto

        self.model = ModelProto(ir_version=IR_VERSION, producer_name="lectern")
        self._data = data
        self._names: set[str] = set()
        self._nodes = self.model.graph.node  # where nodes go
        self._fresh_names = count()

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
        self._nodes.append(node)
        return outputs

    def each(self, numbers: list[str], body: Callable[[list[str]], str]) -> str:
        """Add nodes that are run for one part of some inputs after the other.

        What they read and make at a time stays in the processor's cache where all of it would not.

        Args:
            numbers: int32 tensors; a part is what lies at one place of their first axis.
            body: Adds the nodes, given the names of the parts; returns the name of what they make.

        Returns:
            The name of what all parts make, along a new first axis.
        """
        from onnx import GraphProto, TensorProto, helper

        around, part = self._nodes, GraphProto(name=self._fresh("part"))
        self._nodes = part.node
        names = [self._fresh(name) for name in numbers]
        made = body(names)
        self._nodes = around
        part.input.extend(helper.make_tensor_value_info(n, TensorProto.INT32, None) for n in names)
        part.output.append(helper.make_tensor_value_info(made, TensorProto.FLOAT, None))
        return self.node("Scan", numbers, body=part, num_scan_inputs=len(numbers))

    def finish(
        self,
        inputs: Mapping[str, list[str]],
        outputs: list[str],
        width: int,
        facts: Mapping[str, int],
    ) -> bytes:
        """Declare inputs (int32, by their axes) and outputs; return the model's bytes.

        ``facts`` are stored as metadata of the model.
        """
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
        helper.set_model_props(self.model, {name: str(value) for name, value in facts.items()})
        for domain, version in (("", OPSET), (MICROSOFT, 1)):
            self.model.opset_import.add(domain=domain, version=version)
        return bytes(self.model.SerializeToString())

    def _fresh(self, stem: str) -> str:
        return f"{stem}.{next(self._fresh_names)}"
