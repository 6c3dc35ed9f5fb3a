"""The `Decision` of a textbook search, from its tree of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.base import Cost, Decision


def decision_of(root: Any, favourite: Callable[[Any], Any], cost: Cost) -> Decision:
    """The decision of a finished search.

    Args:
        root: a node with children, as in `textbook.py`.
        favourite: returns the child of a node with the best move.
        cost: of the search.
    """
    line = [favourite(root)]
    while line[-1].children and (node := favourite(line[-1])).visits:
        line.append(node)
    visited = [child for child in root.children if child.visits]
    visits = {child.move: child.visits for child in visited}
    value = root.mean(root.mover)
    return Decision(
        move=line[0].move,
        value=value,
        policy={move: count / sum(visits.values()) for move, count in visits.items()},
        pv=tuple(node.move for node in line),
        values={child.move: child.mean(root.mover) for child in visited},
        proven=None if root.proven is None else int(value),
        cost=cost,
        visits=visits,
        priors={child.move: child.prior for child in root.children if child.prior},
    )
