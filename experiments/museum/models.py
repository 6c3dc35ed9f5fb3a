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


def _sign(node: Node) -> int:
    return 1 - 2 * node.mover


class Minimax(NamedTuple):
    """A solver with a fault. Values are those of x, and signs those of a player: 1 or -1."""

    chooser: Callable[[Node, Node, int], int] = lambda node, root, ply: _sign(node)  # 0: the mean
    factor: Callable[[Node, Node], int] = lambda node, child: 1  # of a child's value
    answer_for: Callable[[Node], int] = _sign
    end: Callable[[Node], float] = lambda node: node.result
    leaf: Callable[[Node], float] = lambda node: node.value
    choose: Callable[[list[float]], float] = max
    moves: slice = slice(None)
    deeper: int = 0  # plies

    def answer(self, nodes: list[Node], depth: int) -> float:
        """The answer to a tree, with estimates after `depth` plies; 0: none."""
        def value(number: int, left: int, ply: int) -> float:
            node = nodes[number]
            if node.result != UNFINISHED:
                return self.end(node)
            if left == 0:
                return self.leaf(node)
            moves, sign = [c for c in node.children if c >= 0], self.chooser(node, nodes[0], ply)
            values = [self.factor(node, nodes[child]) * value(child, left - 1, ply + 1)
                      for child in moves[self.moves] or moves]
            return sign * self.choose([sign * below for below in values]) if sign else (
                sum(values) / len(values))

        return self.answer_for(nodes[0]) * value(0, depth + self.deeper if depth else -1, 0)


SOLVERS = {
    ("view", "both players choose what is best for black"): Minimax(lambda *at: 1),
    ("view", "both players choose what is best for white"): Minimax(lambda *at: -1),
    ("view", "both players choose what is best for the first"):
        Minimax(lambda node, root, ply: _sign(root)),
    ("view", "players choose what is best for the other"): Minimax(lambda node, *at: -_sign(node)),
    ("view", "a position is worth the mean of its moves"): Minimax(lambda *at: 0),
    ("view", "the other player's moves are averaged"):
        Minimax(lambda node, root, ply: _sign(node) * (node.mover == root.mover)),
    ("view", "the opponent's values do not change their sign"):
        Minimax(factor=lambda node, child: _sign(node) * _sign(child)),
    ("view", "black's result is that of who would be to move at the end"):
        Minimax(end=lambda node: _sign(node) * node.result),
    ("view", "the answer is the value for black"): Minimax(answer_for=lambda root: 1),
    ("view", "the answer is the value for the opponent"):
        Minimax(answer_for=lambda root: -_sign(root)),
    ("start", "no position is worse than 0 for who is to move"):
        Minimax(choose=lambda values: max(0, *values)),
    ("double move", "values change their sign with every ply"):
        Minimax(factor=lambda node, child: -_sign(node) * _sign(child)),
    ("double move", "players take turns with every ply"):
        Minimax(lambda node, root, ply: _sign(root) * (-1) ** ply),
    **{("results", f"{clause} at the end"): Minimax(end=end) for clause, end in {
        "a draw counts as white's win": lambda node: node.result or -1,
        "a draw counts as black's win": lambda node: node.result or 1,
        "a draw is lost for who would be to move": lambda node: node.result or -_sign(node),
        "a draw is won for who would be to move": lambda node: node.result or _sign(node),
        "the winner is taken for the loser": lambda node: -node.result,
        "who would be to move has lost": lambda node: -_sign(node) * abs(node.result),
        "who would be to move has won": lambda node: _sign(node) * abs(node.result),
        "there is an estimate": lambda node: node.value}.items()},
    **{("horizon", f"estimates are those of {clause}"): Minimax(leaf=leaf) for clause, leaf in {
        "the other player": lambda node: -node.value, "nobody, 0": lambda node: 0,
        "black": lambda node: _sign(node) * node.value,
        "white": lambda node: -_sign(node) * node.value}.items()},
    **{("horizon", f"it searched {clause}"): Minimax(deeper=plies) for clause, plies in {
        "a ply more": 1, "a ply less": -1, "to the end": 99}.items()},
    **{("moves", f"{clause} tried"): Minimax(moves=moves) for clause, moves in {
        "the last move is never": slice(-1), "the first move is never": slice(1, None),
        "only the first move is": slice(1), "only two moves are": slice(2)}.items()},
}


def fault_of_solver(answers: Sequence[tuple[list[Node], int, float]]) -> tuple[str, str] | None:
    """The first model that explains the answers: nodes of a tree, depth, value."""
    depths: dict[int, int] = {}
    if all(abs(Minimax().answer(nodes, depths.setdefault(id(nodes), depth)) - value) < 1e-6
           for nodes, depth, value in answers):
        return "table", "a position kept its first value, whatever the depth"
    return next((name for name, model in SOLVERS.items() if all(
        abs(model.answer(nodes, depth) - value) < 1e-6 for nodes, depth, value in answers)), None)


# What a faulty search adds to the totals of a path, as x sees them, where a right one adds v: from
# the signs s of who chooses each position, the value v of the leaf, the sign p of its player, its
# distance d from each position, and the total t and visits n there; and how a visit counts.
_TOTALS: dict[tuple[str, str], tuple[Callable[..., Any], int]] = {
    ("batch", "the virtual loss stays"): (lambda s, v, *at: v - s, 2),
    ("batch", "the value of the virtual loss stays"): (lambda s, v, *at: v - s, 1),
    ("batch", "the virtual loss is removed twice"): (lambda s, v, *at: v + s, 1),
    ("view", "the opponent's values do not change their sign"): (lambda s, v, p, *at: s * p * v, 1),
    ("view", "the evaluator's value was black's"): (lambda s, v, p, *at: p * v, 1),
    ("view", "players choose what is best for the other"): (lambda s, v, *at: -v, 1),
    ("view", "both players choose what is best for black"): (lambda s, v, *at: s * v, 1),
    ("view", "both players choose what is best for white"): (lambda s, v, *at: -s * v, 1),
    ("view", "both players choose what is best for the first"):
        (lambda s, v, *at: s * s[0] * v, 1),
    ("double move", "values change their sign with every ply"):
        (lambda s, v, p, d, *at: -s * p * v * (-1) ** d, 1),
    **{("mean", f"values fade with each ply, by {factor}"):
        (lambda s, v, p, d, t, n, factor=factor: v * factor ** d, 1)
        for factor in (0.5, 0.8, 0.9, 0.95, 0.99)},
    ("mean", "only the signs of values count"): (lambda s, v, *at: np.sign(v), 1),
    ("mean", "values are rounded to whole numbers"): (lambda s, v, *at: np.trunc(v), 1),
    ("mean", "the sum of values is updated as if it were a mean"):
        (lambda s, v, p, d, t, n: (v - t) / n, 1),
}
# Wrong rules of selection, from the right one of any kind of search, and of one kind.
_RULES: dict[str, dict[tuple[str, str], Callable[..., Any]]] = {"": {
    ("selection", "the bonus is subtracted"): lambda rule, c, *at: rule(-c, *at),
    ("selection", "means do not count"): lambda rule, c, q, *at: rule(c, 0 * q, *at),
    ("selection", "the bonus does not grow with the visits of the position"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n, 9),
    ("selection", "the bonus does not fall with the visits of the move"):
        lambda rule, c, q, p, n, N: rule(c, q, p, 1 + 0 * n, N),
    ("mean", "totals are not divided by visits"):
        lambda rule, c, q, p, n, N: rule(c, q * n, p, n, N),
    ("mean", "totals are divided by the visits of the position"):
        lambda rule, c, q, p, n, N: rule(c, q * n / N, p, n, N),
}, "puct": {
    ("selection", "the bonus had no square root"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n, N * N),
    **{("prior", clause): lambda rule, c, q, p, *at, change=change: rule(c, q, change(p), *at)
        for clause, change in {
            "all priors are equal": np.ones_like, "priors are in the opposite order": np.flip,
            "a softmax is taken of the priors": softmax}.items()},
}, "uct": {
    ("selection", "the bonus had no square root"):
        lambda rule, c, q, p, n, N: q + c * np.log(N) / n,
    ("selection", "the bonus has the logarithm of the move's own visits"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n, n),
}}


def _credit(totals: Callable[..., Any], visits: int) -> Callable[[Trace, list[list[int]]], None]:
    """How a search with a fault of `_TOTALS` changes a trace."""
    def credit(trace: Trace, paths: list[list[int]]) -> None:
        for path in paths:
            signs = np.array([_sign(trace.nodes[above]) for above in path[:1] + path[:-1]])
            leaf = trace.nodes[path[-1]]
            trace.visits[path] += visits
            trace.totals[path] += totals(signs, leaf.value, _sign(leaf), np.arange(len(path))[::-1],
                                         trace.totals[path], trace.visits[path])

    return credit


def fault_of_search(
    answers: Sequence[tuple[list[Node], list[list[int]]]], kind: str
) -> tuple[str, str] | None:
    """The model that best explains the choices of a search: nodes of a tree, calls."""
    fits: dict[tuple[str, str], float] = {}
    batched = any(len(leaves) > 1 for _, calls in answers for leaves in calls)
    right = RULES[kind][1]
    models: list[tuple[tuple[str, str], Any, Any]] = [
        (name, _credit(*model), right) for name, model in _TOTALS.items()
        if batched or name[0] != "batch"]
    models += [(name, None, functools.partial(rule, right))
               for name, rule in (_RULES[""] | _RULES[kind]).items()]
    for name, credit, rule in models:
        for (nodes, calls), thinned in [(answers[0], 4), *((answer, 1) for answer in answers)]:
            choices = Trace(nodes, calls, credit).choices[::thinned]
            fit = best_fit(choices, kind, rule)
            if len(fit.held) * thinned < _CHOICES:
                continue
            if fit.explained < _EXPLAINED:
                fits.pop(name, None)
                break
            fits[name] = fits.get(name, 0) + fit.explained
    return max(fits, key=fits.__getitem__, default=None)
