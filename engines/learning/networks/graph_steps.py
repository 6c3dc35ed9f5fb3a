"""The steps of a network with convolutions, from its `network.onnx`.

Boards have channels last and a margin of empty cells, so that a convolution meets zeros beyond the
edge. Channels are a multiple of `WIDTH`; those behind the last one are empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dlgo.errors import ModelError
from dlgo.extras import require_extra
from dlgo.simd import WIDTH
from engines.learning.networks.card import Card

PAD, CONVOLVE, ADD, LARGEST, MEAN, FLATTEN, DENSE = range(7)
# Columns of `Network.table`. SOURCE, OTHER and TARGET are places in `values`, WEIGHTS and BIAS in
# `weights`; a pool has SIZE rows, OTHER columns. ROWS, COLS and CHANNELS are those of the source,
# or 1, 1 and its length; OUTPUTS are the target's channels or length, a multiple of WIDTH. ADVANCE
# is WIDTH: were it a constant, LLVM would unroll the loop of a convolution until it had more sums
# than there are registers.
(KIND, SOURCE, OTHER, TARGET, ROWS, COLS, CHANNELS, OUTPUTS, SIZE, WEIGHTS, BIAS,
 ACTIVATION, ADVANCE) = range(13)
LINEAR, RELU, SIGMOID, TANH = range(4)
_ACTIVATIONS = {"Relu": RELU, "Sigmoid": SIGMOID, "Tanh": TANH}
# The cells that a convolution computes at once.
CELLS_AT_ONCE = 4


class Network(NamedTuple):
    """The steps that compute the heads, and their arrays."""

    table: np.ndarray  # int64[steps, 13], of each step the columns above
    weights: np.ndarray  # float32; of convolutions [outputs / 8, rows, cols, inputs, 8]
    values: np.ndarray  # float32, scratch: boards with their margins, and vectors
    cells: np.ndarray  # int64[cells], their numbers on a board with its margin
    margin: np.ndarray  # int64[1], lines of empty cells on each side
    heads: np.ndarray  # int64[heads, 2], of each head its place in `values` and its length


def read_network(card: Card, content: bytes, heads: Sequence[str]) -> Network:
    """The network in a `network.onnx`, with these of its heads only.

    Raises ModelError for a network with parts that have no compiled form, DlgoError if the package
    that reads the file is not installed.
    """
    require_extra("web", "a compiled network with convolutions", "onnx")
    import onnx

    graph = onnx.load_model_from_string(content).graph
    reader = _Reader(card, {
        array.name: onnx.numpy_helper.to_array(array) for array in graph.initializer})
    planes = reader.add(PAD, [], card.shape)
    reader.tensors[graph.input[0].name] = planes._replace(channels_last=True)
    needed = set(heads)
    for node in reversed(graph.node):
        if needed & set(node.output):
            needed.update(node.input[:1] if node.op_type == "Reshape" else node.input)
    for node in graph.node:
        if needed & set(node.output):
            if node.op_type not in _READERS:
                raise reader.refused(node)
            reader.tensors[node.output[0]] = _READERS[node.op_type](reader, node)
    return reader.network(heads)


class _Tensor(NamedTuple):
    """A tensor of a graph: its step, and its shape, of a board rows, columns and channels."""

    step: list[int]
    shape: tuple[int, ...]
    channels_last: bool = False  # in the graph, too


class _Reader:
    """Steps from the nodes of a graph of ONNX that has the layers of `architectures.py`."""

    def __init__(self, card: Card, arrays: dict[str, np.ndarray]) -> None:
        self._card, self.arrays = card, arrays
        self._margin = max((array.shape[-1] // 2 for array in arrays.values() if array.ndim == 4),
                           default=0)
        self.tensors: dict[str, _Tensor] = {}
        self._table: list[list[int]] = []
        self._weights: list[np.ndarray] = []
        self._length = 0

    def write(self, array: np.ndarray) -> int:
        """Add weights, and return where they begin."""
        self._weights.append(array.astype(np.float32).ravel())
        return sum(map(len, self._weights[:-1]))

    def add(
        self, kind: int, sources: list[_Tensor], shape: tuple[int, ...], size: int = 0,
        weights: int = 0, bias: int = 0,
    ) -> _Tensor:
        """Add a step; returns its output."""
        source = sources[0].shape if sources else shape
        places = [tensor.step[TARGET] for tensor in sources]
        step = [kind, *(*places, 0, 0)[:2], self._length, *(1, 1, *source)[-3:],
                _rounded(shape[-1]), size, weights, bias, LINEAR, WIDTH]
        self._table.append(step)
        self._length += _rounded(shape[-1]) * math.prod(
            lines + 2 * self._margin for lines in shape[:-1])
        return _Tensor(step, shape)

    def refused(self, node: Any) -> ModelError:
        return ModelError(f"model {self._card.name} has a layer {node.op_type} that has no "
                          "compiled form; choose another model")

    def network(self, heads: Sequence[str]) -> Network:
        """The network of all steps."""
        rows, cols, _ = self._card.shape
        width = cols + 2 * self._margin
        cells = [(row + self._margin) * width + col + self._margin
                 for row in range(rows) for col in range(cols)]
        cells += cells[-1:] * (CELLS_AT_ONCE - len(cells))
        answers = [self.tensors[head] for head in heads]
        return Network(
            np.array(self._table, np.int64), np.concatenate(self._weights),
            np.zeros(self._length, np.float32), np.array(cells), np.array([self._margin]),
            np.array([(answer.step[TARGET], math.prod(answer.shape)) for answer in answers]))


def _rounded(channels: int) -> int:
    return -(-channels // WIDTH) * WIDTH


def _padded(array: np.ndarray) -> np.ndarray:
    """With zeros behind the last outputs, its last axis."""
    more = _rounded(array.shape[-1]) - array.shape[-1]
    return np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, more)])


def _integers(node: Any, name: str, default: list[int]) -> list[int]:
    """An attribute of a node."""
    return next((list(item.ints) for item in node.attribute if item.name == name), default)


def _transposition(reader: _Reader, node: Any) -> _Tensor:
    return reader.tensors[node.input[0]]._replace(
        channels_last=_integers(node, "perm", []) == [0, 2, 3, 1])


def _convolution(reader: _Reader, node: Any) -> _Tensor:
    source, weights = reader.tensors[node.input[0]], reader.arrays[node.input[1]]
    outputs, inputs, size, _ = weights.shape
    if set(_integers(node, "pads", [0])) != {size // 2}:
        raise reader.refused(node)
    bias = reader.arrays[node.input[2]] if len(node.input) > 2 else np.zeros(outputs)
    blocks = _padded(weights.transpose(2, 3, 1, 0)).reshape(size, size, inputs, -1, WIDTH)
    return reader.add(CONVOLVE, [source], (*source.shape[:2], outputs), size,
                      reader.write(blocks.transpose(3, 0, 1, 2, 4)), reader.write(_padded(bias)))


def _product(reader: _Reader, node: Any) -> _Tensor:
    weights = _padded(reader.arrays[node.input[1]])
    return reader.add(DENSE, [reader.tensors[node.input[0]]],
                      reader.arrays[node.input[1]].shape[1:], 0, reader.write(weights),
                      reader.write(np.zeros(weights.shape[1])))


def _sum(reader: _Reader, node: Any) -> _Tensor:
    sources = [reader.tensors[name] for name in node.input if name in reader.tensors]
    biases = [reader.arrays[name] for name in node.input if name in reader.arrays]
    if not biases:
        return reader.add(ADD, sources, sources[0].shape)
    sources[0].step[BIAS] = reader.write(_padded(biases[0]))
    return sources[0]


def _flatten(reader: _Reader, node: Any) -> _Tensor:
    source = reader.tensors[node.input[0]]
    *board, channels = source.shape
    if not board:
        return source
    if min(math.prod(board), channels) > 1 and not source.channels_last:
        raise reader.refused(node)
    return reader.add(FLATTEN, [source], (math.prod(source.shape),))


def _pool(reader: _Reader, node: Any) -> _Tensor:
    source = reader.tensors[node.input[0]]
    rows, cols, channels = source.shape
    row_size, col_size = _integers(node, "kernel_shape", [rows, cols])
    pool = reader.add(LARGEST if node.op_type == "MaxPool" else MEAN, [source],
                      (rows // row_size, cols // col_size, channels), row_size)
    pool.step[OTHER] = col_size
    return pool


def _activation(reader: _Reader, node: Any) -> _Tensor:
    """Part of the step before it, whose sums nothing else needs."""
    source = reader.tensors[node.input[0]]
    source.step[ACTIVATION] = _ACTIVATIONS[node.op_type]
    return source


_READERS: dict[str, Callable[[_Reader, Any], _Tensor]] = {
    "Transpose": _transposition,
    "Conv": _convolution,
    "MatMul": _product,
    "Add": _sum,
    "Flatten": _flatten,
    "Reshape": _flatten,
    "MaxPool": _pool,
    "AveragePool": _pool,
    "GlobalAveragePool": _pool,
    **dict.fromkeys(_ACTIVATIONS, _activation),
}
