"""Networks with convolutions, compiled: for programs without ONNX Runtime (`dlgo/webassembly`).

The steps of a network come from its `network.onnx`. Boards have channels last and a margin of empty
cells, so that a convolution meets zeros beyond the edge. Channels are a multiple of `WIDTH`; those
behind the last one are empty.

Where there is ONNX Runtime, it is used: one position takes it about as long, and one of many less.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.encoders import Encoder, encode
from dlgo.errors import ModelError
from dlgo.extras import require_extra
from dlgo.jit import inline_kernel, kernel
from dlgo.simd import WIDTH, load, multiply_add, store
from engines.learning.networks.card import Card
from engines.learning.networks.dense import actions_by_player, scores_of, value_and_priors
from engines.search.evaluators import value_of

_PAD, _CONVOLVE, _ADD, _LARGEST, _MEAN, _FLATTEN, _DENSE = range(7)
# Columns of `Network.table`. SOURCE, OTHER and TARGET are places in `values`, WEIGHTS and BIAS in
# `weights`; a pool has SIZE rows, OTHER columns. ROWS, COLS and CHANNELS are those of the source,
# or 1, 1 and its length; OUTPUTS are the target's channels or length, a multiple of WIDTH. ADVANCE
# is WIDTH: were it a constant, LLVM would unroll the loop of a convolution until it had more sums
# than there are registers.
(_KIND, _SOURCE, _OTHER, _TARGET, _ROWS, _COLS, _CHANNELS, _OUTPUTS, _SIZE, _WEIGHTS, _BIAS,
 _ACTIVATION, _ADVANCE) = range(13)
_LINEAR, _RELU, _SIGMOID, _TANH = range(4)
_ACTIVATIONS = {"Relu": _RELU, "Sigmoid": _SIGMOID, "Tanh": _TANH}
# The cells that a convolution computes at once.
_CELLS = 4


class Network(NamedTuple):
    """The steps that compute the heads, and their arrays."""

    table: np.ndarray  # int64[steps, 13], of each step the columns above
    weights: np.ndarray  # float32; of convolutions [outputs / 8, rows, cols, inputs, 8]
    values: np.ndarray  # float32, scratch: boards with their margins, and vectors
    cells: np.ndarray  # int64[cells], their numbers on a board with its margin
    margin: np.ndarray  # int64[1], lines of empty cells on each side
    heads: np.ndarray  # int64[heads, 2], of each head its place in `values` and its length


class ConvolutionEvaluator(NamedTuple):
    """A network with convolutions as a compiled evaluator of a search."""

    encoder: Any  # an `Encoder.kernel`
    planes: np.ndarray  # float32[rows, cols, planes], scratch
    actions: np.ndarray  # int64[2, num_actions], where the policy has them, by the player to move
    network: Network  # its heads are scores of actions and value, or one of these


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
    planes = reader.add(_PAD, [], card.shape)
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


def evaluator_of(
    card: Card, content: bytes, heads: Sequence[str], encoder: Encoder
) -> ConvolutionEvaluator:
    """A network as an evaluator with these heads, for an encoder without history."""
    return ConvolutionEvaluator(
        encoder.kernel, np.zeros(encoder.shape, np.float32), actions_by_player(encoder),
        read_network(card, content, heads))


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
        places = [tensor.step[_TARGET] for tensor in sources]
        step = [kind, *(*places, 0, 0)[:2], self._length, *(1, 1, *source)[-3:],
                _rounded(shape[-1]), size, weights, bias, _LINEAR, WIDTH]
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
        cells += cells[-1:] * (_CELLS - len(cells))
        answers = [self.tensors[head] for head in heads]
        return Network(
            np.array(self._table, np.int64), np.concatenate(self._weights),
            np.zeros(self._length, np.float32), np.array(cells), np.array([self._margin]),
            np.array([(answer.step[_TARGET], math.prod(answer.shape)) for answer in answers]))


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
    return reader.add(_CONVOLVE, [source], (*source.shape[:2], outputs), size,
                      reader.write(blocks.transpose(3, 0, 1, 2, 4)), reader.write(_padded(bias)))


def _product(reader: _Reader, node: Any) -> _Tensor:
    weights = _padded(reader.arrays[node.input[1]])
    return reader.add(_DENSE, [reader.tensors[node.input[0]]],
                      reader.arrays[node.input[1]].shape[1:], 0, reader.write(weights),
                      reader.write(np.zeros(weights.shape[1])))


def _sum(reader: _Reader, node: Any) -> _Tensor:
    sources = [reader.tensors[name] for name in node.input if name in reader.tensors]
    biases = [reader.arrays[name] for name in node.input if name in reader.arrays]
    if not biases:
        return reader.add(_ADD, sources, sources[0].shape)
    sources[0].step[_BIAS] = reader.write(_padded(biases[0]))
    return sources[0]


def _flatten(reader: _Reader, node: Any) -> _Tensor:
    source = reader.tensors[node.input[0]]
    *board, channels = source.shape
    if not board:
        return source
    if min(math.prod(board), channels) > 1 and not source.channels_last:
        raise reader.refused(node)
    return reader.add(_FLATTEN, [source], (math.prod(source.shape),))


def _pool(reader: _Reader, node: Any) -> _Tensor:
    source = reader.tensors[node.input[0]]
    rows, cols, channels = source.shape
    row_size, col_size = _integers(node, "kernel_shape", [rows, cols])
    pool = reader.add(_LARGEST if node.op_type == "MaxPool" else _MEAN, [source],
                      (rows // row_size, cols // col_size, channels), row_size)
    pool.step[_OTHER] = col_size
    return pool


def _activation(reader: _Reader, node: Any) -> _Tensor:
    """Part of the step before it, whose sums nothing else needs."""
    source = reader.tensors[node.input[0]]
    source.step[_ACTIVATION] = _ACTIVATIONS[node.op_type]
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


@kernel
def run_network(network, planes):
    """Compute the heads for float32[inputs], the planes."""
    for step in network.table:
        if step[_KIND] == _CONVOLVE:
            _convolve(network, step)
        elif step[_KIND] == _ADD:
            _add(network, step)
        elif step[_KIND] == _DENSE:
            _multiply(network, step)
        elif step[_KIND] == _PAD:
            _pad(network, step, planes)
        elif step[_KIND] == _FLATTEN:
            _flatten_board(network, step)
        else:
            _pool_cells(network, step)


@kernel
def _convolve(network, step):
    values, weights, cells = network.values, network.weights, network.cells
    size, channels, outputs = step[_SIZE], step[_CHANNELS], step[_OUTPUTS]
    pitch, width = _pitch(step), step[_COLS] + 2 * network.margin[0]
    advance = step[_ADVANCE]
    for group in range(0, len(cells), _CELLS):
        # The last group begins earlier, and computes some cells again.
        first = min(group, len(cells) - _CELLS)
        begin = step[_SOURCE] - size // 2 * (width + 1) * pitch
        begin_a, begin_b = begin + cells[first] * pitch, begin + cells[first + 1] * pitch
        begin_c, begin_d = begin + cells[first + 2] * pitch, begin + cells[first + 3] * pitch
        target, place = step[_TARGET], step[_WEIGHTS]
        for block in range(0, outputs, WIDTH):
            sums_a = load(weights, step[_BIAS] + block)
            sums_b, sums_c, sums_d = sums_a, sums_a, sums_a
            for row in range(size):
                for col in range(size):
                    shift = (row * width + col) * pitch
                    inputs_a = values[begin_a + shift : begin_a + shift + channels]
                    inputs_b = values[begin_b + shift : begin_b + shift + channels]
                    inputs_c = values[begin_c + shift : begin_c + shift + channels]
                    inputs_d = values[begin_d + shift : begin_d + shift + channels]
                    i, end = 0, place + channels * advance
                    while place != end:
                        vector = load(weights, place)
                        sums_a = multiply_add(sums_a, inputs_a[i], vector)
                        sums_b = multiply_add(sums_b, inputs_b[i], vector)
                        sums_c = multiply_add(sums_c, inputs_c[i], vector)
                        sums_d = multiply_add(sums_d, inputs_d[i], vector)
                        place += advance
                        i += 1
            store(values, target + cells[first] * outputs + block, sums_a)
            store(values, target + cells[first + 1] * outputs + block, sums_b)
            store(values, target + cells[first + 2] * outputs + block, sums_c)
            store(values, target + cells[first + 3] * outputs + block, sums_d)
        for i in range(first, first + _CELLS):
            _activate(values, target + cells[i] * outputs, outputs, step[_ACTIVATION])


@inline_kernel
def _activate(values, begin, n, activation):
    """Functions are those of float64: of float32, each platform has its own."""
    out = values[begin : begin + n]
    if activation == _RELU:
        for i in range(n):
            out[i] = max(out[i], np.float32(0.0))
    elif activation == _SIGMOID:
        for i in range(n):
            out[i] = 1.0 / (1.0 + math.exp(-np.float64(out[i])))
    elif activation == _TANH:
        for i in range(n):
            out[i] = math.tanh(np.float64(out[i]))


@inline_kernel
def _pitch(step):
    """How far one cell of the source is from the next."""
    return -(-step[_CHANNELS] // WIDTH) * WIDTH


@kernel
def _multiply(network, step):
    values, weights, outputs = network.values, network.weights, step[_OUTPUTS]
    inputs = values[step[_SOURCE] : step[_SOURCE] + step[_CHANNELS]]
    target, place = step[_TARGET], step[_WEIGHTS]
    for j in range(0, outputs, WIDTH):
        store(values, target + j, load(weights, step[_BIAS] + j))
    for i in range(len(inputs)):
        # Half of the units are switched off.
        if inputs[i] != 0.0:
            for j in range(0, outputs, WIDTH):
                sums = load(values, target + j)
                sums = multiply_add(sums, inputs[i], load(weights, place + i * outputs + j))
                store(values, target + j, sums)
    _activate(values, target, outputs, step[_ACTIVATION])


@kernel
def _add(network, step):
    """Boards with their margins, which stay zero."""
    margins = 2 * network.margin[0]
    n = (step[_ROWS] + margins) * (step[_COLS] + margins) * step[_OUTPUTS]
    values = network.values
    one, other = values[step[_SOURCE] : step[_SOURCE] + n], values[step[_OTHER] : step[_OTHER] + n]
    out = values[step[_TARGET] : step[_TARGET] + n]
    for i in range(n):
        out[i] = one[i] + other[i]
    _activate(values, step[_TARGET], n, step[_ACTIVATION])


@kernel
def _pad(network, step, planes):
    margin, channels, place = network.margin[0], step[_CHANNELS], 0
    for row in range(step[_ROWS]):
        for col in range(step[_COLS]):
            target = step[_TARGET] + _cell(row, col, step[_COLS], margin) * step[_OUTPUTS]
            for i in range(channels):
                network.values[target + i] = planes[place]
                place += 1


@inline_kernel
def _cell(row, col, cols, margin):
    """The number of a cell on a board with its margin."""
    return (row + margin) * (cols + 2 * margin) + col + margin


@kernel
def _flatten_board(network, step):
    margin, channels, place = network.margin[0], step[_CHANNELS], step[_TARGET]
    for row in range(step[_ROWS]):
        for col in range(step[_COLS]):
            source = step[_SOURCE] + _cell(row, col, step[_COLS], margin) * _pitch(step)
            for i in range(channels):
                network.values[place] = network.values[source + i]
                place += 1


@kernel
def _pool_cells(network, step):
    values, margin = network.values, network.margin[0]
    row_size, col_size = step[_SIZE], step[_OTHER]
    rows, cols, n = step[_ROWS] // row_size, step[_COLS] // col_size, row_size * col_size
    for row in range(rows):
        for col in range(cols):
            target = step[_TARGET] + _cell(row, col, cols, margin) * step[_OUTPUTS]
            for i in range(step[_CHANNELS]):
                largest, total = np.float32(-np.inf), np.float32(0.0)
                for k in range(n):
                    cell = _cell(row * row_size + k // col_size, col * col_size + k % col_size,
                                 step[_COLS], margin)
                    value = values[step[_SOURCE] + cell * _pitch(step) + i]
                    largest = max(largest, value)
                    total += value
                values[target + i] = largest if step[_KIND] == _LARGEST else total / n


@kernel
def answer_many(network, planes, answers):
    """The answers of all heads in turn about float32[n, inputs], into float32[n, outputs of all
    heads]."""
    for i in range(len(planes)):
        run_network(network, planes[i])
        place = 0
        for begin, length in network.heads:
            for j in range(length):
                answers[i, place] = network.values[begin + j]
                place += 1


@kernel
def _scores(evaluator, state, n, actions, scores):
    network, planes = evaluator.network, evaluator.planes
    encode(evaluator.encoder, kernels.alone(state), 1, planes)
    run_network(network, planes.reshape(planes.size))
    begin, turned = network.heads[0, 0], evaluator.actions[kernels.to_move(state)]
    for i in range(n):
        scores[i] = network.values[begin + turned[actions[i]]]
    return float(network.values[network.heads[len(network.heads) - 1, 0]])


scores_of.register(ConvolutionEvaluator, _scores)
value_of.register(ConvolutionEvaluator, value_and_priors)
