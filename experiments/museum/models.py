"""Wrong models: what a program answers if it has a certain fault.

A property tells that answers are wrong; the model that explains them all tells why. A model is
named by the kind of its fault, and by a clause that follows "as if".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from experiments.museum.tree_game import UNFINISHED, Node

_Values = Callable[[Node], float]


def _sign(node: Node) -> int:
    return 1 - 2 * node.mover


class Minimax(NamedTuple):
    """A solver with a fault. Values are those of x, and signs those of a player: 1 or -1."""

    end: _Values = lambda node: node.result
    leaf: _Values = lambda node: node.value
    chooser: Callable[[Node, int, Node], int] = lambda node, ply, root: _sign(node)
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
            return sign * self.choose([
                sign * self.factor(node, nodes[child]) * value(child, left - 1, ply + 1)
                for child in moves[self.moves] or moves])

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
    ("view", "a position is worth the mean of its moves"):
        Minimax(choose=lambda values: sum(values) / len(values)),
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
    return next((name for name, model in SOLVERS.items() if all(
        abs(model.answer(nodes, depth) - value) < 1e-6 for nodes, depth, value in answers)), None)
