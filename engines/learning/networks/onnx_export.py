"""Writes a network of `architectures.py` as ONNX, from any backend of Keras.

Keras' own export needs TensorFlow and tf2onnx whatever the backend. Our networks have a dozen kinds
of layers, which ONNX has, too: each function here writes one. What differs is the order of axes.
Keras keeps the channels last, (n, rows, cols, channels), ONNX first; so a board is turned once at
the beginning, and again where it becomes a vector. The normalisation after a convolution is linear
once training has ended, and becomes part of its weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, checker, helper, numpy_helper

from engines.learning.networks.backend import keras

layers = keras.layers
# Old enough for every runtime that reads our models.
_OPSET, _IR = 15, 8
_ACTIVATIONS = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh"}
_TO_FIRST, _TO_LAST = (0, 3, 1, 2), (0, 2, 3, 1)


def to_onnx(model: Any) -> ModelProto:
    """The ONNX form of a Keras model in float32: planes[n, ...] in, an output for each head."""
    graph = _Graph(model)
    heads = []
    for name, output in model.output.items():
        graph.rename(graph.name(output), name)
        heads.append(_tensor(name, output))
    planes = _tensor("planes", model.input)
    onnx_graph = helper.make_graph(graph.nodes, model.name, [planes], heads, graph.weights)
    onnx = helper.make_model(
        onnx_graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR,
        producer_name="dlgo")
    checker.check_model(onnx, full_check=True)
    return onnx


def _tensor(name: str, tensor: Any) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *tensor.shape[1:]])


class _Graph:
    """The nodes and weights so far. A tensor of Keras has the name of its layer; one with four axes
    has its channels first here."""

    def __init__(self, model: Any) -> None:
        self._network = model.name
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []
        self._names: dict[int, str] = {}
        # Each convolution and its normalisation, by what stands between them.
        self.normalisations = {
            id(layer.input): layer for layer in model.layers
            if isinstance(layer, layers.BatchNormalization)
        }
        for layer in model.layers:
            write = next(write for kind, write in _WRITERS.items() if isinstance(layer, kind))
            self._names[id(layer.output)] = write(self, layer)

    def name(self, tensor: Any) -> str:
        """The name of a Keras tensor in the graph."""
        return self._names[id(tensor)]

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        name = f"{self._network}/{output}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name, **attributes))
        return output

    def rename(self, name: str, new: str) -> None:
        """Give a node's output a new name."""
        for node in self.nodes:
            for names in (node.input, node.output):
                names[:] = [new if old_name == name else old_name for old_name in names]

    def weight(self, name: str, value: Any) -> str:
        """Add weights, or a shape, and return their name."""
        array = np.asarray(value)
        array = array.astype(np.int64 if array.dtype.kind == "i" else np.float32)
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def activated(self, layer: Any, name: str) -> str:
        """Add a layer's activation after its sums; returns the name of its output."""
        kind = layer.activation.__name__
        return name if kind == "linear" else self.add(_ACTIVATIONS[kind], [name], f"{name}/{kind}")

    def channels_last(self, tensor: Any, name: str) -> str:
        """A tensor in the order of Keras."""
        source = self.name(tensor)
        if len(tensor.shape) != 4:
            return source
        return self.add("Transpose", [source], f"{name}/channels_last", perm=_TO_LAST)


def _input(graph: _Graph, layer: Any) -> str:
    if len(layer.output.shape) != 4:
        return str(layer.name)
    return graph.add("Transpose", [layer.name], f"{layer.name}/channels_first", perm=_TO_FIRST)


def _convolution(graph: _Graph, layer: Any) -> str:
    kernel, *bias = layer.get_weights()  # kernel: rows, cols, in, out
    offset = bias[0] if bias else np.zeros(kernel.shape[-1])
    if (norm := graph.normalisations.get(id(layer.output))) is not None:
        scale, shift, mean, variance = norm.get_weights()
        factor = scale / np.sqrt(variance.astype(np.float64) + norm.epsilon)
        kernel, offset = kernel * factor, (offset - mean) * factor + shift
    pads_before = [(size - 1) // 2 for size in kernel.shape[:2]]
    pads_after = [size - 1 - side for size, side in zip(kernel.shape[:2], pads_before, strict=True)]
    name = graph.add("Conv", [
        graph.name(layer.input), graph.weight(f"{layer.name}/kernel", kernel.transpose(3, 2, 0, 1)),
        graph.weight(f"{layer.name}/bias", offset),
    ], layer.name, pads=[*pads_before, *pads_after])
    return graph.activated(layer, name)


def _dense(graph: _Graph, layer: Any) -> str:
    kernel, bias = layer.get_weights()
    product = graph.add(
        "MatMul", [graph.name(layer.input), graph.weight(f"{layer.name}/kernel", kernel)],
        f"{layer.name}/product")
    bias = graph.weight(f"{layer.name}/bias", bias)
    return graph.activated(layer, graph.add("Add", [product, bias], f"{layer.name}/sum"))


def _flatten(graph: _Graph, layer: Any) -> str:
    return graph.add("Flatten", [graph.channels_last(layer.input, layer.name)], layer.name)


def _reshape(graph: _Graph, layer: Any) -> str:
    shape = graph.weight(f"{layer.name}/shape", [0, *layer.target_shape])
    return graph.add("Reshape", [graph.channels_last(layer.input, layer.name), shape], layer.name)


def _repeat(graph: _Graph, layer: Any) -> str:
    axis = graph.weight(f"{layer.name}/axis", [1])
    row = graph.add("Unsqueeze", [graph.name(layer.input), axis], f"{layer.name}/row")
    shape = graph.weight(f"{layer.name}/shape", [1, layer.n, 1])
    return graph.add("Expand", [row, shape], layer.name)


def _mean(graph: _Graph, layer: Any) -> str:
    mean = graph.add("GlobalAveragePool", [graph.name(layer.input)], f"{layer.name}/mean")
    return graph.add("Flatten", [mean], layer.name)


def _pool(kind: str) -> Callable[[_Graph, Any], str]:
    return lambda graph, layer: graph.add(
        kind, [graph.name(layer.input)], layer.name, kernel_shape=layer.pool_size,
        strides=layer.strides)


def _same(graph: _Graph, layer: Any) -> str:
    return graph.name(layer.input)


_WRITERS: dict[Any, Callable[[_Graph, Any], str]] = {
    layers.InputLayer: _input,
    layers.Conv2D: _convolution,
    layers.BatchNormalization: _same,  # part of its convolution
    layers.Dense: _dense,
    layers.EinsumDense: _dense,  # "nab,bh->nah": a product of matrices as well
    layers.Flatten: _flatten,
    layers.Reshape: _reshape,
    layers.RepeatVector: _repeat,
    layers.GlobalAveragePooling2D: _mean,
    layers.MaxPooling2D: _pool("MaxPool"),
    layers.AveragePooling2D: _pool("AveragePool"),
    layers.ReLU: lambda graph, layer: graph.add("Relu", [graph.name(layer.input)], layer.name),
    layers.Add: lambda graph, layer: graph.add("Add", [*map(graph.name, layer.input)], layer.name),
    layers.Dropout: _same,
}
