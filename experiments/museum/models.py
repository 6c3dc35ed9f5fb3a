"""Wrong models: what a program answers if it has a certain fault.

A property tells that answers are wrong; the model that explains them all tells why. A model is
named by the kind of its fault, and by a clause that follows "as if".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from experiments.museum.traces import RULES, Trace, best_fit
from experiments.museum.tree_game import UNFINISHED, Node

# The share of the choices of a search that a model must explain, and the fewest choices.
_EXPLAINED, _CHOICES = 0.97, 20
_Values = Callable[[Node], float]


def _sign(node: Node) -> int:
    return 1 - 2 * node.mover


class Minimax(NamedTuple):
    """A solver with a fault. Values are those of x, and signs those of a player: 1 or -1."""

    end: _Values = lambda node: node.result
    leaf: _Values = lambda node: node.value
    chooser: Callable[[Node, int, Node], int] = lambda node, ply, root: _sign(node)  # 0: the mean
    factor: Callable[[Node, Node], int] = lambda node, child: 1  # of a child's value
    choose: Callable[[list[float]], float] = max
    moves: slice = slice(None)
    answer_for: Callable[[Node], int] = _sign
    deeper: int = 0  # plies

    def answer(self, nodes: list[Node], depth: int) -> float:
        """The answer to a tree, with estimates after `depth` plies; 0: none."""
        def value(number: int, left: int, ply: int) -> float:
            node = nodes[number]
            if node.result != UNFINISHED:
                return self.end(node)
            if left == 0:
                return self.leaf(node)
            moves, sign = [c for c in node.children if c >= 0], self.chooser(node, ply, nodes[0])
            values = [self.factor(node, nodes[child]) * value(child, left - 1, ply + 1)
                      for child in moves[self.moves] or moves]
            return sign * self.choose([sign * below for below in values]) if sign else (
                sum(values) / len(values))

        return self.answer_for(nodes[0]) * value(0, depth + self.deeper if depth else -1, 0)


SOLVERS = {
    ("view", "both players choose what is best for black"): Minimax(chooser=lambda *at: 1),
    ("view", "both players choose what is best for white"): Minimax(chooser=lambda *at: -1),
    ("view", "both players choose what is best for the first"):
        Minimax(chooser=lambda node, ply, root: _sign(root)),
    ("view", "players choose what is best for the other"):
        Minimax(chooser=lambda node, ply, root: -_sign(node)),
    ("view", "the answer is the value for black"): Minimax(answer_for=lambda root: 1),
    ("view", "the answer is the value for the opponent"):
        Minimax(answer_for=lambda root: -_sign(root)),
    ("view", "the opponent's values do not change their sign"):
        Minimax(factor=lambda node, child: _sign(node) * _sign(child)),
    ("view", "a position is worth the mean of its moves"): Minimax(chooser=lambda *at: 0),
    ("view", "the other player's moves are averaged"): Minimax(
        chooser=lambda node, ply, root: _sign(node) * (node.mover == root.mover)),
    ("start", "no position is worse than 0 for who is to move"):
        Minimax(choose=lambda values: max(0, *values)),
    ("double move", "values change their sign with every ply"):
        Minimax(factor=lambda node, child: -_sign(node) * _sign(child)),
    ("double move", "players take turns with every ply"):
        Minimax(chooser=lambda node, ply, root: _sign(root) * (-1) ** ply),
    **{("results", f"{clause} at the end"): Minimax(end=end) for clause, end in {
        "a draw counts as white's win": lambda node: node.result or -1,
        "a draw counts as black's win": lambda node: node.result or 1,
        "a draw is lost for who would be to move": lambda node: node.result or -_sign(node),
        "a draw is won for who would be to move": lambda node: node.result or _sign(node),
        "the winner is taken for the loser": lambda node: -node.result,
        "black's result is taken for that of who would be to move":
            lambda node: _sign(node) * node.result,
        "who would be to move has always lost": lambda node: -_sign(node) * abs(node.result),
        "who would be to move has always won": lambda node: _sign(node) * abs(node.result),
        "there is an estimate": lambda node: node.value,
        "everything is a draw": lambda node: 0}.items()},
    **{("horizon", f"estimates are those of {clause}"): Minimax(leaf=leaf) for clause, leaf in {
        "the other player": lambda node: -node.value, "nobody, 0": lambda node: 0,
        "black": lambda node: _sign(node) * node.value,
        "white": lambda node: -_sign(node) * node.value}.items()},
    ("horizon", "it searched a ply more"): Minimax(deeper=1),
    ("horizon", "it searched a ply less"): Minimax(deeper=-1),
    ("horizon", "it searched to the end"): Minimax(deeper=99),
    ("moves", "the last move is never tried"): Minimax(moves=slice(-1)),
    ("moves", "the first move is never tried"): Minimax(moves=slice(1, None)),
    ("moves", "only the first move is tried"): Minimax(moves=slice(1)),
    ("moves", "only two moves are tried"): Minimax(moves=slice(2)),
}


def fault_of_solver(answers: Sequence[tuple[list[Node], int, float]]) -> tuple[str, str] | None:
    """The first model that explains the answers: nodes of a tree, depth, value."""
    depths: dict[int, int] = {}
    if all(abs(Minimax().answer(nodes, depths.setdefault(id(nodes), depth)) - value) < 1e-6
           for nodes, depth, value in answers):
        return "table", "a position kept its first value, whatever the depth"
    return next((name for name, model in SOLVERS.items() if all(
        abs(model.answer(nodes, depth) - value) < 1e-6 for nodes, depth, value in answers)), None)


def _credit(
    value: Callable[..., Any], leaf: Callable[[int, int], int] = lambda number, size: number,
    visits: int = 1,
) -> Callable[[Trace, list[list[int]]], None]:
    """How a faulty search changes visits and totals, as if a leaf of a batch had the answer about
    another one. Arguments of `value`, most of them arrays along a path: the sign of who chooses the
    position, the value of the leaf, the sign of its player, its distance, and the total and the
    visits of the position, this one included.
    """
    def credit(trace: Trace, paths: list[list[int]]) -> None:
        for number, path in enumerate(paths):
            node = trace.nodes[paths[leaf(number, len(paths))][-1]]
            chooser = np.array([_sign(trace.nodes[above]) for above in path[:1] + path[:-1]])
            trace.visits[path] += visits
            distance = np.arange(len(path))[::-1]
            trace.totals[path] += value(chooser, node.value, _sign(node), distance,
                                        trace.totals[path], trace.visits[path])

    return credit


_BATCHES = {
    ("batch", "the virtual loss stays"): _credit(lambda s, v, *_: v - s, visits=2),
    ("batch", "the value of the virtual loss stays"): _credit(lambda s, v, *_: v - s),
    ("batch", "the virtual loss is removed twice"): _credit(lambda s, v, *_: v + s),
    ("batch", "the answers of a batch are in the opposite order"):
        _credit(lambda s, v, *_: v, leaf=lambda number, size: size - 1 - number),
    ("batch", "all leaves of a batch get the first answer"):
        _credit(lambda s, v, *_: v, leaf=lambda number, size: 0),
}
_SEARCHES = {
    ("view", "the opponent's values do not change their sign"):
        _credit(lambda s, v, p, *_: s * p * v),
    ("double move", "values change their sign with every ply"):
        _credit(lambda s, v, p, d, *_: -s * p * v * (-1) ** d),
    ("view", "the evaluator's value was black's"): _credit(lambda s, v, p, *_: p * v),
    ("view", "players choose what is best for the other"): _credit(lambda s, v, *_: -v),
    ("view", "both players choose what is best for black"): _credit(lambda s, v, *_: s * v),
    ("view", "both players choose what is best for white"): _credit(lambda s, v, *_: -s * v),
    ("view", "both players choose what is best for the first"):
        _credit(lambda s, v, *_: s * s[0] * v),
    **{("mean", f"values fade with each ply, by {factor}"):
        _credit(lambda s, v, p, d, t, n, factor=factor: v * factor ** d)
        for factor in (0.5, 0.8, 0.9, 0.95, 0.99)},
    ("mean", "only the signs of values count"): _credit(lambda s, v, *_: np.sign(v)),
    ("mean", "values are rounded to whole numbers"): _credit(lambda s, v, *_: np.trunc(v)),
    ("mean", "the value of a new position is lost"): _credit(lambda s, v, p, d, *_: v * (d > 0)),
    ("mean", "the last value counts, not the mean"): _credit(lambda s, v, p, d, t, n: v * n - t),
    ("mean", "the highest value counts, not the mean"): _credit(
        lambda s, v, p, d, t, n: np.where(
            n > 1, s * np.maximum(s * t / np.maximum(n - 1, 1), s * v), v) * n - t),
    ("mean", "the sum of values is updated as if it were a mean"):
        _credit(lambda s, v, p, d, t, n: (v - t) / n),
    ("mean", "visits count twice"): _credit(lambda s, v, *_: v, visits=2),
}
_PUCT = {
    ("selection", "the bonus had no square root"): lambda c, q, p, n, N: q + c * p * N / (1 + n),
    ("selection", "the bonus does not grow with the visits of the position"):
        lambda c, q, p, n, N: q + c * p / (1 + n),
    ("selection", "the bonus does not fall with the visits of the move"):
        lambda c, q, p, n, N: q + c * p * np.sqrt(N),
    ("selection", "the bonus has a logarithm for its square root"):
        lambda c, q, p, n, N: q + c * p * np.log(N + 1) / (1 + n),
    ("selection", "the bonus has 1 + n below the square root"):
        lambda c, q, p, n, N: q + c * p * np.sqrt(N / (1 + n)),
    ("selection", "the bonus is subtracted"):
        lambda c, q, p, n, N: q - c * p * np.sqrt(N) / (1 + n),
    ("selection", "means do not count"): lambda c, q, p, n, N: c * p * np.sqrt(N) / (1 + n),
    ("mean", "totals are not divided by visits"):
        lambda c, q, p, n, N: q * n + c * p * np.sqrt(N) / (1 + n),
    ("mean", "totals are divided by the visits of the position"):
        lambda c, q, p, n, N: q * n / N + c * p * np.sqrt(N) / (1 + n),
    **{("prior", clause): functools.partial(
        lambda change, c, q, p, n, N: q + c * change(p) * np.sqrt(N) / (1 + n), change)
        for clause, change in {
            "all priors are equal": np.ones_like, "priors are in the opposite order": np.flip,
            "priors are those of the next moves": lambda p: np.roll(p, -1),
            "priors are those of the moves before": lambda p: np.roll(p, 1),
            "priors are sorted": np.sort, "priors are squared": np.square,
            "a softmax is taken of the priors": softmax}.items()},
}
_UCT = {
    ("selection", "the bonus had no square root"): lambda c, q, p, n, N: q + c * np.log(N) / n,
    ("selection", "the bonus has the visits for their logarithm"):
        lambda c, q, p, n, N: q + c * np.sqrt(N / n),
    ("selection", "the bonus has the logarithm of the move's own visits"):
        lambda c, q, p, n, N: q + c * np.sqrt(np.log(n) / n),
    ("selection", "the bonus does not fall with the visits of the move"):
        lambda c, q, p, n, N: q + c * np.sqrt(np.log(N)) + 0 * n,
    ("selection", "the bonus is subtracted"): lambda c, q, p, n, N: q - c * np.sqrt(np.log(N) / n),
    ("selection", "means do not count"): lambda c, q, p, n, N: c * np.sqrt(np.log(N) / n),
    ("mean", "totals are not divided by visits"):
        lambda c, q, p, n, N: q * n + c * np.sqrt(np.log(N) / n),
    ("mean", "totals are divided by the visits of the position"):
        lambda c, q, p, n, N: q * n / N + c * np.sqrt(np.log(N) / n),
}


def fault_of_search(
    answers: Sequence[tuple[list[Node], list[list[int]]]], kind: str
) -> tuple[str, str] | None:
    """The model that best explains the choices of a search: nodes of a tree, calls."""
    fits: dict[tuple[str, str], float] = {}
    batched = any(len(leaves) > 1 for _, calls in answers for leaves in calls)
    models: dict[tuple[str, str], tuple[Any, Any]] = {name: (credit, None) for name, credit in (
        {**_BATCHES, **_SEARCHES} if batched else _SEARCHES).items()}
    models |= {name: (None, rule) for name, rule in (_UCT if kind == "uct" else _PUCT).items()}
    for name, (credit, rule) in models.items():
        for (nodes, calls), thinned in [(answers[0], 4), *((answer, 1) for answer in answers)]:
            choices = Trace(nodes, calls, credit).choices[::thinned]
            fit = best_fit(choices, kind, rule or RULES[kind][1])
            if len(fit.held) * thinned < _CHOICES:
                continue
            if fit.explained < _EXPLAINED:
                fits.pop(name, None)
                break
            fits[name] = fits.get(name, 0) + fit.explained
    return max(fits, key=fits.__getitem__, default=None)
