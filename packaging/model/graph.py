"""Builds an ONNX graph: nodes, constants, inputs and outputs."""

from __future__ import annotations

import hashlib
from itertools import count
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto, helper

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

MICROSOFT = "com.microsoft"
OPSET = 19
IR_VERSION = 10
_INLINE_BYTES = 1024
_ALIGNMENT = 64
LARGEST_HALF = 65504.0


class DataFile:
    """A file of large constants, which graphs share; equal constants are in it once.

    Constants are written at once, so that a model is never whole in memory; ONNX Runtime maps the
    file.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._path = path
        self._file = path.open("wb")
        self._places: dict[bytes, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._file.close()

    def place_constant(self, array: np.ndarray[Any, Any]) -> int:
        """The offset in bytes of a constant, which is written unless the file has it."""
        digest = hashlib.sha256(array.data).digest()
        if digest not in self._places:
            if self._file.closed:
                self._file = self._path.open("ab")
            self._file.write(bytes(-self._file.tell() % _ALIGNMENT))
            self._places[digest] = self._file.tell()
            self._file.write(array.data)
        return self._places[digest]

    def release(self) -> None:
        """Let others read the file, until the next constant.

        On Windows ONNX Runtime opens no file that is open to be written.
        """
        self._file.close()


class Graph:
    """A graph under construction.

    Args:
        data: Of its large constants.
        half: Whether it computes in float16, in which float32 constants are stored then.
    """

    def __init__(self, data: DataFile, *, half: bool = False) -> None:
        self.half = half
        #: The other files that it refers to.
        self.files: set[str] = set()
        self.float = TensorProto.FLOAT16 if half else TensorProto.FLOAT
        self.model = ModelProto(ir_version=IR_VERSION, producer_name="lectern")
        self._data = data
        self._names: set[str] = set()
        self._nodes = self.model.graph.node  # of the graph, or of the body that ``each`` adds
        self._fresh_names = count()

    def constant(self, name: str, value: Any, *, exact: bool = False) -> str:
        """Add a constant unless the graph has one of that name; returns the name.

        ``exact``: it stays in float32 in a graph in float16.
        """
        if name in self._names:
            return name
        self._names.add(name)
        array = np.array(value, order="C")
        if self.half and not exact and array.dtype == np.float32:
            array = array.clip(-LARGEST_HALF, LARGEST_HALF).astype(np.float16)
        tensor = self.model.graph.initializer.add(
            name=name, dims=array.shape, data_type=helper.np_dtype_to_tensor_dtype(array.dtype)
        )
        if array.nbytes < _INLINE_BYTES:
            tensor.raw_data = array.tobytes()
            return name
        self._place(tensor, self._data.name, self._data.place_constant(array), array.nbytes)
        return name

    def refer(
        self, name: str, kind: Any, shape: tuple[int, ...], file: str, place: tuple[int, int]
    ) -> str:
        """Add a constant that another file beside the graph has; returns the name.

        Args:
            name: Of the constant.
            kind: Its type, as numpy names it.
            shape: Its shape.
            file: The name of the file.
            place: The offset and the size in bytes.
        """
        if name not in self._names:
            self._names.add(name)
            tensor = self.model.graph.initializer.add(
                name=name, dims=shape, data_type=helper.np_dtype_to_tensor_dtype(np.dtype(kind))
            )
            self._place(tensor, file, *place)
        return name

    def node(self, operator: str, inputs: list[str], output: str = "", **attributes: Any) -> str:
        """Add a node with one output; returns the output's name."""
        return self.nodes_out(operator, inputs, [output or self._fresh(operator)], **attributes)[0]

    def nodes_out(
        self, operator: str, inputs: list[str], outputs: list[str], **attributes: Any
    ) -> list[str]:
        """Add a node with several outputs, named by the caller."""
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

    def _place(self, tensor: TensorProto, file: str, offset: int, size: int) -> None:
        """Say where the values of a constant are, in bytes."""
        self.files.add(file)
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in {"location": file, "offset": offset, "length": size}.items():
            tensor.external_data.add(key=key, value=str(value))
