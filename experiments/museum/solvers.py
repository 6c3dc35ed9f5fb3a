"""Properties of functions that solve a position: minimax, alpha-beta, proofs."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Iterator

import numpy as np

from experiments.museum.models import fault_of_solver
from experiments.museum.subject import Findings, Subject, numbers
from experiments.museum.tree_game import (
    TREES,
    Node,
    Script,
    best,
    mirrored,
    random_graph,
    random_tree,
    tree_game,
)

# Trees of each kind for each player, and of those with transpositions, which seldom matter; the
# depth at which a search with bounds must look at fewer leaves.
_TREES, _GRAPHS, _CUTTING = 20, 100, 3


def _trees(name: str, number: int) -> Iterator[tuple[int, str]]:
    """The trees of a row of a property, with the player to move."""
    row, rng = TREES["random"][name][number], np.random.default_rng(48)
    for mover in (0, 1):
        if isinstance(row[0], str):
            yield mover, mirrored(row[0]) if mover else row[0]
            continue
        results, double, plies, depth = row
        if name == "transpositions":
            yield from ((mover, random_graph(rng, plies, mover, results)) for _ in range(_GRAPHS))
        else:
            yield from ((mover, random_tree(rng, plies, mover, results=results, double=double,
                                            early=0.0 if depth else 0.1)) for _ in range(_TREES))


def values(subject: Subject, part: str, name: str) -> Findings:
    """The values of random trees are those of minimax, and a search to a depth has cut-offs."""
    answers: list[tuple[list[Node], int, float]] = []
    mistakes: dict[tuple[int, int], list[tuple[int, str, float, float]]] = {}
    for number, (*_, depth) in enumerate(TREES["random"][name]):
        if depth and not _takes_depth(subject):
            break
        evaluations, leaves = 0, 0
        for mover, tree in _trees(name, number):
            game = tree_game(tree)
            script, start = Script(game), game.start()
            answer = subject.call("solve", start, *((depth, script) if depth else ()))
            value = float(numbers(f"the value of {tree}", answer))
            answers.append((game.nodes, depth, value))
            right = (1 - 2 * mover) * best(game.nodes, depth or 999)
            if abs(value - right) > 1e-6:
                mistakes.setdefault((depth, mover), []).append((len(tree), tree, value, right))
            evaluations += len(script.calls)
            leaves += game.count_sequences(start.kernel_state, depth) if depth == _CUTTING else 0
        if evaluations >= leaves > 0 and _prunes(subject):
            yield "cut-offs", (f"{depth} plies deep, it looks at all {leaves} leaves: right for "
                               "minimax, wrong for alpha-beta")
    fault = fault_of_solver(answers) if mistakes and len(answers) >= _TREES else None
    for (depth, mover), wrong in mistakes.items():
        _, tree, value, right = min(wrong)
        horizon = f", {depth} plies deep," if depth else ""
        text = (f"{len(wrong)} trees are wrong; {tree}{horizon} is {value:+.2f} and should be "
                f"{right:+.2f} for the player to move")
        if fault:
            yield f"={fault[0]}", f"it answers as if {fault[1]}: {text}"
        yield f"{depth or 'all'} plies, {('black', 'white')[mover]}", text


def _takes_depth(subject: Subject) -> bool:
    try:
        return len(inspect.signature(subject.functions["solve"]).parameters) > 2
    except (TypeError, ValueError):
        return True


def _prunes(subject: Subject) -> bool:
    """Whether it speaks of cut-offs; a plain minimax has none."""
    with contextlib.suppress(OSError, TypeError):
        module = inspect.getmodule(subject.functions["solve"])
        return bool(re.search("alpha|beta|cut|prun", inspect.getsource(module or subject.module)))
    return True


PROPERTIES = {name: functools.partial(values, name=name) for name in TREES["random"]}
