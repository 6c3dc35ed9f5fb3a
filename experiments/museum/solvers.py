"""Properties of functions that solve a position: minimax, alpha-beta, proofs."""

from __future__ import annotations

import functools
import inspect

import numpy as np

from experiments.museum.subject import Findings, Subject, numbers
from experiments.museum.tree_game import TREES, Script, best, random_tree, tree_game

# Trees of each kind; the depth at which a search with bounds must look at fewer leaves.
_TREES, _CUTTING = 40, 3


def values(subject: Subject, part: str, name: str) -> Findings:
    """The values of random trees are those of minimax, and a search to a depth has cut-offs."""
    for results, double, plies, depth in TREES["random"][name]:
        if depth and not _takes_depth(subject):
            return
        rng, evaluations, leaves = np.random.default_rng(48), 0, 0
        for mover, player in enumerate(("black", "white")):
            wrong = []
            for _ in range(_TREES // 2):
                tree = random_tree(rng, plies, mover, results=results, double=double,
                                   early=0.0 if depth else 0.1)
                game = tree_game(tree)
                script, start = Script(game), game.start()
                answer = subject.call("solve", start, *((depth, script) if depth else ()))
                value = float(numbers(f"the value of {tree}", answer))
                right = (1 - 2 * mover) * best(game.nodes, depth or plies)
                if abs(value - right) > 1e-6:
                    wrong.append((len(tree), tree, value, right))
                evaluations += len(script.calls)
                leaves += game.count_sequences(start.kernel_state, depth)
            if wrong:
                _, tree, value, right = min(wrong)
                horizon = f", {depth} plies deep," if depth else ""
                yield f"{depth or 'all'} plies, {player}", (
                    f"{len(wrong)} of {_TREES // 2} trees are wrong; {tree}{horizon} is "
                    f"{value:+.2f} and should be {right:+.2f} for the player to move")
        if depth == _CUTTING and evaluations >= leaves:
            yield "cut-offs", (f"{depth} plies deep, it looks at all {leaves} leaves: right for "
                               "minimax, wrong for alpha-beta")


def _takes_depth(subject: Subject) -> bool:
    try:
        return len(inspect.signature(subject.functions["solve"]).parameters) > 2
    except (TypeError, ValueError):
        return True


PROPERTIES = {name: functools.partial(values, name=name) for name in TREES["random"]}
