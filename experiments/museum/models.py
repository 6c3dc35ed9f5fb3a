"""Wrong models: what a program answers if it has a certain fault.

A property tells that answers are wrong; the model that explains them all tells why. A model is
named by the kind of its fault, and by a clause that follows "as if".
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from experiments.museum.traces import RULES, Trace, best_fit
from experiments.museum.tree_game import UNFINISHED, Node

# The share of the choices of a search that a model must explain, and the fewest choices.
_EXPLAINED, _CHOICES = 0.97, 20
# The share of the moves that a model of a player may leave open.
_OPEN = 0.85


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
        left = depth + self.deeper if depth else -1
        return self.answer_for(nodes[0]) * self._value(nodes, 0, left, 0)

    def scores(self, nodes: list[Node]) -> list[float]:
        """What the first moves are worth for a player with this fault; the highest is played."""
        sign = self.chooser(nodes[0], nodes[0], 0) or _sign(nodes[0])
        return [sign * value for value in self._values(nodes, 0, -1, 0)]

    def _value(self, nodes: list[Node], number: int, left: int, ply: int) -> float:
        node = nodes[number]
        if node.result != UNFINISHED:
            return self.end(node)
        if left == 0:
            return self.leaf(node)
        sign, values = self.chooser(node, nodes[0], ply), self._values(nodes, number, left, ply)
        return sign * self.choose([sign * below for below in values]) if sign else (
            sum(values) / len(values))

    def _values(self, nodes: list[Node], number: int, left: int, ply: int) -> list[float]:
        moves = [child for child in nodes[number].children if child >= 0]
        return [self.factor(nodes[number], nodes[child]) * self._value(
            nodes, child, left - 1, ply + 1) for child in moves[self.moves] or moves]


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


def _results(nodes: list[Node], number: int) -> list[int]:
    """The results of all lines of moves below a position."""
    node = nodes[number]
    return [node.result] if node.result != UNFINISHED else list(chain.from_iterable(
        _results(nodes, child) for child in node.children if child >= 0))


def _by_results(score: Any, nodes: list[Node]) -> list[Any]:
    return [score(_sign(nodes[0]) * np.array(_results(nodes, child)))
            for child in nodes[0].children]


# What a faulty player prefers: the scores of the first moves.
PLAYERS: dict[tuple[str, str], Callable[[list[Node]], list[Any]]] = {
    **{("view", f"it counted {clause}, whatever the opponent prefers"):
        functools.partial(_by_results, score) for clause, score in {
            "the share of lines that are won": lambda results: np.mean(results > 0),
            "the lines that are won": lambda results: np.sum(results > 0),
            "the share of lines that are not lost": lambda results: np.mean(results >= 0),
            "all lines": np.mean}.items()},
    ("horizon", "it looked at its own moves only"): lambda nodes: [
        _sign(nodes[0]) * nodes[child].result * (nodes[child].result != UNFINISHED)
        for child in nodes[0].children],
    ("choice", "the first move were the best"): lambda nodes: [-move for move in nodes[0].children],
    ("choice", "the last move were the best"): lambda nodes: [*range(len(nodes[0].children))],
    **{name: model.scores for name, model in SOLVERS.items()},
}


def fault_of_player(answers: Sequence[tuple[list[Node], int]]) -> tuple[str, str] | None:
    """The most definite model that explains the moves: nodes of a tree, the action. None if right
    play does."""
    def left_open(model: Callable[[list[Node]], list[Any]]) -> float:
        """The number of moves that the model may play; infinite if it does not explain them."""
        rows = [np.round(model(nodes), 6).tolist() for nodes, _ in answers]
        explained = all(row[action : action + 1] == [max(row)]
                        for row, (_, action) in zip(rows, answers, strict=True))
        return sum(row.count(max(row)) for row in rows) if explained else np.inf

    models = {name: left_open(model) for name, model in PLAYERS.items()}
    best = min(models, key=models.__getitem__)
    enough = _OPEN * sum(len(nodes[0].children) for nodes, _ in answers)
    return best if models[best] < enough and left_open(Minimax().scores) == np.inf else None


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
    ("view", "the last move's value has the other player's view"):
        (lambda s, v, p, d, *at: np.where(d == 0, -v, v), 1),
    ("view", "the value of a new position is right for the last move only"):
        (lambda s, v, p, d, *at: np.where(d == 0, v, -v), 1),
    ("double move", "players take turns with every ply"):
        (lambda s, v, p, d, *at: s * s[0] * (-1) ** (d[0] + d + 1) * v, 1),
    ("mean", "only the last move gets the value"): (lambda s, v, p, d, *at: v * (d == 0), 1),
    ("mean", "only the first move gets the value"):
        (lambda s, v, p, d, *at: v * (d == d[0] - 1), 1),
    ("mean", "the first value counts, not the mean"):
        (lambda s, v, p, d, t, n: np.where(n > 1, t / np.maximum(n - 1, 1), v), 1),
    ("mean", "the highest value counts, not the mean"): (lambda s, v, p, d, t, n: n * np.where(
        n > 1, s * np.maximum(s * t / np.maximum(n - 1, 1), s * v), v) - t, 1),
    ("mean", "the last value counts, not the mean"): (lambda s, v, p, d, t, n: v * n - t, 1),
    ("mean", "values below 0 count as 0 for who chooses"):
        (lambda s, v, *at: s * np.maximum(s * v, 0), 1),
    ("mean", "values below 0 count as 0"): (lambda s, v, p, *at: p * np.maximum(p * v, 0), 1),
    ("mean", "values are squared"): (lambda s, v, *at: v * abs(v), 1),
    **{("mean", f"values are rounded to steps of {step}"):
        (lambda s, v, *at, step=step: step * np.round(v / step), 1) for step in (0.5, 0.25, 0.1)},
    **{("mean", f"a value changes the mean by {step} of the difference, whatever the visits"):
        (lambda s, v, p, d, t, n, step=step: np.where(
            n > 1, n * step * v + (n * (1 - step) / np.maximum(n - 1, 1) - 1) * t, v), 1)
        for step in (0.1, 0.5)},
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
    ("selection", "the bonus has the visits of the move for those of the position"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n, n),
    ("mean", "totals are not divided by visits"):
        lambda rule, c, q, p, n, N: rule(c, q * n, p, n, N),
    ("mean", "totals are divided by the visits of the position"):
        lambda rule, c, q, p, n, N: rule(c, q * n / N, p, n, N),
}, "puct": {
    ("selection", "the bonus is divided by n, not 1 + n"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n - 1, N),
    ("selection", "the bonus is divided by the square of 1 + n"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n * (n + 2), N),
    ("selection", "the bonus has a logarithm for its square root"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n, np.log(N + 1) ** 2),
    ("selection", "the bonus had no square root"):
        lambda rule, c, q, p, n, N: rule(c, q, p, n, N * N),
    **{("prior", clause): lambda rule, c, q, p, *at, change=change: rule(c, q, change(p), *at)
        for clause, change in {
            "all priors are equal": np.ones_like, "priors are in the opposite order": np.flip,
            "a softmax is taken of the priors": softmax}.items()},
}, "uct": {
    ("selection", "the bonus had no square root"):
        lambda rule, c, q, p, n, N: q + c * np.log(N) / n,
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
    models += [((fault, f"{clause} where {role} chooses"), None,
                (number, functools.partial(rule, right), right))
               for number, role in enumerate(("white", "the opponent"))
               for (fault, clause), rule in _RULES[""].items()]
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
