"""Gumbel AlphaZero's search for small budgets (Danihelka et al. 2022).

With 16 simulations PUCT may never try a good move. Here the likeliest moves of the network are
candidates (`considered` of them), and sequential halving distributes the simulations: first
all candidates get equally many, then the better half, then the better half of these. Candidates
are compared, and the move to play is chosen among those with most visits, by

    log prior + sigma(q),     sigma(q) = (50 + most visits of a move) q,     q the share of wins

Below the root, visits follow softmax(log prior + sigma(q)) as closely as counts can. Moves
without visits count as `mixed_value`.

In self-play a random Gumbel variable is added to each log prior of the root, so that the
candidates are a random sample. The compiled form does so, too: `engines/search/gumbel.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from dlgo.api import GameState, Player
from dlgo.specs import Option
from engines.alphazero.textbook import TextbookPUCT
from engines.base import Budget, Decision
from engines.learning.networks.leaf_evaluator import softmax
from engines.mcts.textbook import Node
from engines.watching.events import Halved, Selected

VISIT_OFFSET = 50  # of the paper, for Go and chess
LOST = -1e9


class TextbookGumbel(TextbookPUCT):
    """Sequential halving at the root, an improved policy below it."""

    name = "textbook-gumbel"
    summary = "Gumbel AlphaZero's search in plain Python, to read and to watch"
    options = (
        *(option for option in TextbookPUCT.options if option.name in ("model", "runtime")),
        Option("considered", 16, "moves that are tried at the root", low=1, high=1000),
    )
    budgets, default_budget = ("sims",), Budget(sims=32)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        self._planned = (budget.sims or 1) - 1  # the first simulation only asks about the root
        self._plan = self._sequential_halving()
        return super()._decide(state, budget)

    def _sequential_halving(self) -> Iterator[Node]:
        """The children of the root to visit, one after the other."""
        moves = self.root.children
        candidates = min(len(moves), self.settings["considered"], self._planned)
        phases, visits = max(1, math.ceil(math.log2(candidates))), 0
        while True:
            each = max(1, self._planned // (phases * candidates))
            if self.listener:
                best = sorted(moves, key=self._rank(visits), reverse=True)[:candidates]
                self.listener(Halved(tuple(child.number for child in best), each))
            for so_far in range(visits, visits + each):
                for _ in range(candidates):
                    yield max(moves, key=self._rank(so_far))
            visits += each
            candidates = max(2, candidates // 2)

    def _rank(self, visits: int) -> Callable[[Node], tuple[bool, float]]:
        """A sort key: moves with this number of visits come first, then the best score."""
        scores = dict(zip(self.root.children, self._scores(self.root), strict=True))
        return lambda child: (child.visits == visits and scores[child] > LOST, scores[child])

    def _select(self, node: Node) -> Node:
        while node.children and not node.untried and node.proven is None:
            best = next(self._plan) if node is self.root else self._furthest_behind(node)
            if self.listener:
                self.listener(Selected(node.number, best.number, tuple(self._scores(node))))
            node = best
        return node

    def _furthest_behind(self, node: Node) -> Node:
        """The child whose share of the visits is furthest below its share of the policy."""
        policy = softmax(np.array(self._scores(node)))
        total = 1 + sum(child.visits for child in node.children)
        gaps = [part - child.visits / total
                for part, child in zip(policy, node.children, strict=True)]
        return node.children[int(np.argmax(gaps))]

    def _scores(self, node: Node) -> list[float]:
        """log prior + sigma(q) of each child; LOST where it is proven to lose."""
        most = max(child.visits for child in node.children)
        unknown = mixed_value(node)
        scores = []
        for child in node.children:
            is_estimated = child.visits or child.proven is not None
            wins = (1 + child.mean(node.mover)) / 2 if is_estimated else unknown
            is_lost = child.proven is not None and wins == 0
            score = math.log(max(child.prior, 1e-30)) + (VISIT_OFFSET + most) * wins
            scores.append(LOST if is_lost else score)
        return scores

    def _favourite(self, node: Node) -> Node:
        """A proven win, else the best score among the most visited; proven losses come last."""
        scores = dict(zip(node.children, self._scores(node), strict=True))
        return max(node.children, key=lambda child: (
            0 if child.proven is None else child.mean(node.mover), child.visits, scores[child]
        ))


def mixed_value(node: Node) -> float:
    """The value of a move that was never tried: a share of wins for the player at `node`.

    The network's own value of the position, and the mean of the moves that were tried, weighted by
    their priors; the more visits, the more of the latter (appendix D of the paper).
    """
    sign = 1 if node.mover is Player.black else -1
    visited = [child for child in node.children if child.visits]
    # The part without children is the network's value of the node.
    value = (1 + sign * (node.total - sum(child.total for child in visited))) / 2
    if not visited:
        return value
    visits, prior = sum(child.visits for child in visited), sum(child.prior for child in visited)
    mean = sum(child.prior * (1 + child.mean(node.mover)) / 2 for child in visited) / prior
    return (value + visits * mean) / (1 + visits)
