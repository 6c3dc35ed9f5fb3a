"""Selection rules: which child of a node to visit next.

UCB1 applied to trees (UCT; Kocsis and Szepesvari 2006; chapter 4.5.2 of the book):

    score = w + c * sqrt(log N / n)

with w the share of the child's n visits that the chooser won (draws count half) and N the
visits of the parent. Children never visited come first.
"""

from __future__ import annotations

import math

from dlgo.jit import inline_kernel
from engines.treesearch.tree import UNPROVEN


@inline_kernel
def select_uct(tree, node, c):
    """The child of `node` with the best UCT score for the player who moves there.

    A child proven lost for that player is not visited again while there is another.
    """
    sign = 1.0 - 2.0 * tree.mover[node]
    log_visits = math.log(tree.visits[node])
    first = tree.first_child[node]
    best = first
    best_score = -1e9
    for child in range(first, first + tree.n_children[node]):
        visits = tree.visits[child]
        if visits == 0:
            return child
        result = tree.proven[child]
        if result == UNPROVEN:
            # (1 + value) / 2: from the scale -1..1 of the tree to the share of wins.
            wins = 0.5 + 0.5 * sign * tree.value_sum[child] / visits
            score = wins + c * math.sqrt(log_visits / visits)
        else:
            score = sign * result * 100.0  # +-100 or 0: a proven draw needs no exploration
            if result == 0:
                score = 0.5
        if score > best_score:
            best, best_score = child, score
    return best
