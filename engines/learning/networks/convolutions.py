"""Networks with convolutions, compiled: for programs without ONNX Runtime (`dlgo/webassembly`).

The kernels run the steps of `graph_steps.py`. Where there is ONNX Runtime, it is used: one position
takes it about as long, and one of many less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.encoders import Encoder, encode
from dlgo.jit import inline_kernel, kernel
from dlgo.simd import WIDTH, load, multiply_add, store
from engines.learning.networks import graph_steps as st
from engines.learning.networks.card import Card
from engines.learning.networks.dense import actions_by_player, scores_of, value_and_priors
from engines.learning.networks.graph_steps import Network, read_network
from engines.search.evaluators import value_of

__all__ = ["answer_many", "evaluator_of", "read_network"]


class ConvolutionEvaluator(NamedTuple):
    """A network with convolutions as a compiled evaluator of a search."""

    encoder: Any  # an `Encoder.kernel`
    planes: np.ndarray  # float32[rows, cols, planes], scratch
    actions: np.ndarray  # int64[2, num_actions], where the policy has them, by the player to move
    network: Network  # its heads are scores of actions and value, or one of these


def evaluator_of(
    card: Card, content: bytes, heads: Sequence[str], encoder: Encoder
) -> ConvolutionEvaluator:
    """A network as an evaluator with these heads, for an encoder without history."""
    return ConvolutionEvaluator(
        encoder.kernel, np.zeros(encoder.shape, np.float32), actions_by_player(encoder),
        read_network(card, content, heads))


@kernel
def run_network(network, planes):
    """Compute the heads for float32[inputs], the planes."""
    for step in network.table:
        if step[st.KIND] == st.CONVOLVE:
            _convolve(network, step)
        elif step[st.KIND] == st.ADD:
            _add(network, step)
        elif step[st.KIND] == st.DENSE:
            _multiply(network, step)
        elif step[st.KIND] == st.PAD:
            _pad(network, step, planes)
        elif step[st.KIND] == st.FLATTEN:
            _flatten_board(network, step)
        else:
            _pool_cells(network, step)


@kernel
def _convolve(network, step):
    values, weights, cells = network.values, network.weights, network.cells
    size, channels, outputs = step[st.SIZE], step[st.CHANNELS], step[st.OUTPUTS]
    pitch, width = _pitch(step), step[st.COLS] + 2 * network.margin[0]
    advance = step[st.ADVANCE]
    for group in range(0, len(cells), st.CELLS_AT_ONCE):
        # The last group begins earlier, and computes some cells again.
        first = min(group, len(cells) - st.CELLS_AT_ONCE)
        begin = step[st.SOURCE] - size // 2 * (width + 1) * pitch
        begin_a, begin_b = begin + cells[first] * pitch, begin + cells[first + 1] * pitch
        begin_c, begin_d = begin + cells[first + 2] * pitch, begin + cells[first + 3] * pitch
        target, place = step[st.TARGET], step[st.WEIGHTS]
        for block in range(0, outputs, WIDTH):
            sums_a = load(weights, step[st.BIAS] + block)
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
        for i in range(first, first + st.CELLS_AT_ONCE):
            _activate(values, target + cells[i] * outputs, outputs, step[st.ACTIVATION])


@inline_kernel
def _activate(values, begin, n, activation):
    """Functions are those of float64: of float32, each platform has its own."""
    out = values[begin : begin + n]
    if activation == st.RELU:
        for i in range(n):
            out[i] = max(out[i], np.float32(0.0))
    elif activation == st.SIGMOID:
        for i in range(n):
            out[i] = 1.0 / (1.0 + math.exp(-np.float64(out[i])))
    elif activation == st.TANH:
        for i in range(n):
            out[i] = math.tanh(np.float64(out[i]))


@inline_kernel
def _pitch(step):
    """How far one cell of the source is from the next."""
    return -(-step[st.CHANNELS] // WIDTH) * WIDTH


@kernel
def _multiply(network, step):
    values, weights, outputs = network.values, network.weights, step[st.OUTPUTS]
    inputs = values[step[st.SOURCE] : step[st.SOURCE] + step[st.CHANNELS]]
    target, place = step[st.TARGET], step[st.WEIGHTS]
    for j in range(0, outputs, WIDTH):
        store(values, target + j, load(weights, step[st.BIAS] + j))
    for i in range(len(inputs)):
        # Half of the units are switched off.
        if inputs[i] != 0.0:
            for j in range(0, outputs, WIDTH):
                sums = load(values, target + j)
                sums = multiply_add(sums, inputs[i], load(weights, place + i * outputs + j))
                store(values, target + j, sums)
    _activate(values, target, outputs, step[st.ACTIVATION])


@kernel
def _add(network, step):
    """Boards with their margins, which stay zero."""
    margins = 2 * network.margin[0]
    n = (step[st.ROWS] + margins) * (step[st.COLS] + margins) * step[st.OUTPUTS]
    values = network.values
    one = values[step[st.SOURCE] : step[st.SOURCE] + n]
    other = values[step[st.OTHER] : step[st.OTHER] + n]
    out = values[step[st.TARGET] : step[st.TARGET] + n]
    for i in range(n):
        out[i] = one[i] + other[i]
    _activate(values, step[st.TARGET], n, step[st.ACTIVATION])


@kernel
def _pad(network, step, planes):
    margin, channels, place = network.margin[0], step[st.CHANNELS], 0
    for row in range(step[st.ROWS]):
        for col in range(step[st.COLS]):
            target = step[st.TARGET] + _cell(row, col, step[st.COLS], margin) * step[st.OUTPUTS]
            for i in range(channels):
                network.values[target + i] = planes[place]
                place += 1


@inline_kernel
def _cell(row, col, cols, margin):
    """The number of a cell on a board with its margin."""
    return (row + margin) * (cols + 2 * margin) + col + margin


@kernel
def _flatten_board(network, step):
    margin, channels, place = network.margin[0], step[st.CHANNELS], step[st.TARGET]
    for row in range(step[st.ROWS]):
        for col in range(step[st.COLS]):
            source = step[st.SOURCE] + _cell(row, col, step[st.COLS], margin) * _pitch(step)
            for i in range(channels):
                network.values[place] = network.values[source + i]
                place += 1


@kernel
def _pool_cells(network, step):
    values, margin = network.values, network.margin[0]
    row_size, col_size = step[st.SIZE], step[st.OTHER]
    rows, cols, n = step[st.ROWS] // row_size, step[st.COLS] // col_size, row_size * col_size
    for row in range(rows):
        for col in range(cols):
            target = step[st.TARGET] + _cell(row, col, cols, margin) * step[st.OUTPUTS]
            for i in range(step[st.CHANNELS]):
                largest, total = np.float32(-np.inf), np.float32(0.0)
                for k in range(n):
                    cell = _cell(row * row_size + k // col_size, col * col_size + k % col_size,
                                 step[st.COLS], margin)
                    value = values[step[st.SOURCE] + cell * _pitch(step) + i]
                    largest = max(largest, value)
                    total += value
                values[target + i] = largest if step[st.KIND] == st.LARGEST else total / n


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
