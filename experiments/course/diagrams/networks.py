"""Pictures of networks: a dense layer in both directions, convolution, a residual block."""

from __future__ import annotations

from itertools import product

import numpy as np

from engines.learning.from_scratch import Dense, ReLU
from engines.learning.from_scratch.layers import Floats
from experiments.course.diagrams.kit import SMALL, Box, Diagram, number

# Two planes of a position, and two filters: a 3x3 slice for each plane.
PLANES = np.array([
    [[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]],
    [[0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0]],
])
FILTERS = np.array([
    [[[0, 0, 0], [0, 1, 0], [0, 0, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]],  # under attack
    [[[0, 1, 0], [1, -1, 1], [0, 1, 0]], [[0, 0, 0], [0, -1, 0], [0, 0, 0]]],  # next to friends
])


def dense(inputs: Floats, weights: Floats, delta: Floats) -> tuple[Floats, Floats, Floats]:
    """The output of a dense layer without biases, and the gradients of weights and inputs."""
    layer = _layer(weights)
    outputs = layer.forward(inputs)
    by_inputs = layer.backward(delta)
    return outputs, layer.gradients[0], by_inputs


def dense_network() -> Diagram:
    """The example of the page: x W forward; X^T delta and delta W^T backward."""
    x, delta = np.array([[1.0, 2.0]]), np.array([[0.5, -1]])
    weights = np.array([[3.0, 0], [1, -1]])
    y, by_weights, by_x = dense(x, weights, delta)
    diagram = Diagram(
        "A dense layer with two inputs and two outputs. Forward: each output is a weighted sum of "
        "the inputs. Backward: each weight's gradient is its input times the delta of its output.",
        800)
    for left, title, ins, edges, outs, colour in (
        (20, "forward", x, weights, y, "blue"), (820, "backward", by_x, by_weights, delta, "red"),
    ):
        forward = colour == "blue"
        diagram.text((left + 380, 50), title, 44, bold=True)
        names = ("x", "y") if forward else ("dL/dx", "δ")
        places = [[(left + 130 + 500 * column, 210 + 300 * i) for i in range(2)]
                  for column in range(2)]
        for i, j in product(range(2), range(2)):
            (x1, y1), (x2, y2) = places[0][i], places[1][j]
            length = np.hypot(x2 - x1, y2 - y1)
            cut = 64 * (x2 - x1) / length, 64 * (y2 - y1) / length
            ends = (x1 + cut[0], y1 + cut[1]), (x2 - cut[0], y2 - cut[1])
            diagram.arrow(*(ends if forward else ends[::-1]), colour=colour)
            third = x1 + 0.3 * (x2 - x1), y1 + 0.3 * (y2 - y1)
            diagram.label(third, number(edges[i, j]), 34)
        for values, name, column in ((ins[0], names[0], 0), (outs[0], names[1], 1)):
            for i, value in enumerate(values):
                place = places[column][i]
                diagram.circle(place, 62, colour, number(value), size=40, bold=True)
                diagram.text((place[0], place[1] + (-92 if i == 0 else 92)), f"{name}_{i + 1}", 36)
    diagram.line([(800, 30), (800, 770)], "grey", 2)
    diagram.text((400, 710), f"y_1 = {_products(x[0], weights[:, 0])} = {number(y[0, 0])}", 36)
    diagram.text((1200, 710), f"gradient of w_{{22}}:  x_2 δ_2 = {number(x[0, 1])} · "
                 f"{_signed(delta[0, 1])} = {number(by_weights[1, 1])}\n"
                 f"dL/dx_2 = {_products(delta[0], weights[1])} = {number(by_x[0, 1])}", 34)
    return diagram


def convolution() -> Diagram:
    """Two planes, two filters, two output planes: one output number is the sum of all products."""
    padded = np.pad(PLANES, ((0, 0), (1, 1), (1, 1)))
    outputs = np.array([[[(padded[:, r:r + 3, c:c + 3] * weights).sum() for c in range(5)]
                         for r in range(5)] for weights in FILTERS])
    row, col = 2, 2  # of the number that is computed
    diagram = Diagram(
        "A convolution of two input planes with two filters. Each filter has a slice for each "
        "plane. One number of an output plane is the sum of the products in both windows.")
    cell, tops = 52, (110, 460)
    diagram.text((170, 40), "2 input planes", 36, bold=True)
    diagram.text((765, 40), "2 filters", 36, bold=True)
    diagram.text((1370, 40), "2 output planes", 36, bold=True)
    for i, (top, name) in enumerate(zip(tops, ("own stones", "opponent's"), strict=True)):
        plane = diagram.grid(40, top, PLANES[i].tolist(), cell)
        diagram.text((plane.at(0.5, 0)[0], top - 26), name, SMALL, "grey")
        window = Box(plane.x + (col - 1) * cell, top + (row - 1) * cell, 3 * cell, 3 * cell)
        diagram.rect(window, "red", fill=False, thick=8)
        slices = [diagram.grid(x, top + 52, FILTERS[i, j].tolist(), cell)
                  for j, x in enumerate((560, 815))]
        diagram.text((765, top + 130), "+", 44, "grey", bold=True)
        for part, word in zip(slices, ("own", "opponent's"), strict=True):
            diagram.text((part.at(0.5, 0)[0], part.y - 26), word, SMALL, "grey")
        answer = diagram.grid(1240, top, outputs[i].tolist(), cell)
        diagram.text((answer.at(0.5, 0)[0], top - 26), f"filter {i + 1}", SMALL, "grey")
        diagram.rect(Box(answer.x + col * cell, top + row * cell, cell, cell), "red", fill=False,
                     thick=8)
        diagram.arrow((slices[1].right[0] + 20, slices[1].right[1]), (1222, slices[1].right[1]),
                      colour="red")
        diagram.line([plane.right, (430, plane.right[1])], "red")
        diagram.arrow((430, top + 130), (542, top + 130), colour="red")
    diagram.line([(430, tops[0] + 130), (430, tops[1] + 130)], "red")
    own, others = (
        " + ".join(f"{number(w)}·{number(v)}" for w, v in zip(weights.flat, plane.flat, strict=True)
                   if w and v)
        for weights, plane in zip(FILTERS[0], padded[:, row:row + 3, col:col + 3], strict=True))
    total = f"{own} (own) + {others} (opponent's) = {number(outputs[0, row, col])}"
    diagram.text((800, 800), f"filter 1 in the framed windows:\n{total}", 36)
    return diagram


def residual_block() -> Diagram:
    """y = x + F(x): the input goes around two layers and is added to their output."""
    x = np.array([[2.0, -1.0]])
    first, second = np.array([[1.0, 0], [1, 2]]), np.array([[0.5, -1], [1, 1]])
    hidden = ReLU().forward(_layer(first).forward(x))
    change = _layer(second).forward(hidden)
    diagram = Diagram(
        "A residual block: the input x goes through two layers, which compute F(x), and around "
        "them. The output is the sum x + F(x), so the layers learn only the change.", 700)
    columns = []
    for left, name, values in ((90, "x", x), (560, "", hidden), (960, "F(x)", change),
                               (1410, "x + F(x)", x + change)):
        box = diagram.grid(left, 320, values.T.tolist(), 96, 44)
        if name:
            diagram.text((box.at(0.5, 0)[0], 555), name, 40, bold=True)
        columns.append(box)
    layer = diagram.box(290, 346, 190, 140, "layer,\nReLU", "purple", size=36)
    other = diagram.box(710, 346, 190, 140, "layer", "purple", size=36)
    plus = diagram.circle((1250, 416), 56, "green", "+", size=64, bold=True)
    stops = [columns[0], layer, columns[1], other, columns[2], plus, columns[3]]
    for stop, following in zip(stops, stops[1:], strict=False):
        diagram.arrow(stop.right, following.left, thick=6)
    start = columns[0].top
    diagram.arrow(start, (start[0], 150), (1250, 150), plus.top, colour="green", thick=8)
    diagram.text((680, 105), "x, unchanged", 40, "green", bold=True)
    diagram.text((800, 640), "The layers learn only the change F(x).", 40)
    return diagram


def _layer(weights: Floats) -> Dense:
    """A dense layer with these weights and no biases."""
    layer = Dense(weights.shape[0], weights.shape[1], np.random.default_rng(0))
    layer.weights[...] = weights
    return layer


def _signed(value: float) -> str:
    return f"({number(value)})" if value < 0 else number(value)


def _products(left: Floats, right: Floats) -> str:
    return " + ".join(f"{_signed(a)}·{_signed(b)}" for a, b in zip(left, right, strict=True))
