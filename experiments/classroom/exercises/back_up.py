"""Backing up values with the right sign (chapter 14).

A search has followed a path from the root to a leaf. A network gives the value of the leaf FOR THE
PLAYER TO MOVE AT THE LEAF: from 1 (they win) to -1. Each node of the path has a number of visits
and a sum of values FOR THE PLAYER TO MOVE AT THAT NODE.

The players need not take turns: in draughts, a chain of captures is several moves of one player.
"""

from __future__ import annotations


def back_up(
    players: list[int], visits: list[int], totals: list[float], value: float
) -> tuple[list[int], list[float]]:
    """The visits and sums of all nodes of the path, after the value has been added.

    Args:
        players: who is to move at each node, 1 or -1; the root first, the leaf last.
        visits, totals: before; the lists that are given must not change.
        value: of the leaf, as the player to move there sees it.
    """
    ### BEGIN SOLUTION
    more = [value if who == players[-1] else -value for who in players]
    return [n + 1 for n in visits], [total + v for total, v in zip(totals, more, strict=True)]
    ### END SOLUTION


def mean_for_parent(
    parent_player: int, player: int, visits: int, total: float, unvisited: float
) -> float:
    """The mean value of a node as the player to move at its PARENT sees it.

    Args:
        player: who is to move at the node itself; `total` is as they see it.
        unvisited: the answer for a node without visits.
    """
    ### BEGIN SOLUTION
    if visits == 0:
        return unvisited
    mean = total / visits
    return mean if player == parent_player else -mean
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import agrees

_random = random.Random(5)
CHECKS = [
    agrees("The leaf's value is for the player to move there", back_up,
           [([player], [0], [0.0], 0.5) for player in (1, -1)],
           "The path has only one node, the leaf."),
    agrees("Every node of the path gets one more visit", back_up,
           [([1, -1, 1, -1], [9, 5, 2, 0], [0.0] * 4, 0.25)],
           "Visits of 9, 5, 2 and 0 become 10, 6, 3 and 1.", part=0),
    agrees("What is good for one player is bad for the other", back_up,
           [(players, list(range(len(players), 0, -1)), [0.5] * len(players), value)
            for players in ([1, -1], [-1, 1], [1, -1, 1], [1, -1, 1, -1])
            for value in (1.0, -0.5)],
           "Who is to move at each node? Who at the leaf?", points=3),
    agrees("The same player may move several times in a row", back_up,
           [([_random.choice((1, -1)) for _ in range(6)], [6, 5, 4, 3, 2, 1],
             [0.0, 1.0, -1.0, 0.5, 0.0, 0.0], 0.5) for _ in range(8)],
           "Do not count plies: compare players.", points=3),
    agrees("The mean is for the player to move at the parent", mean_for_parent,
           [(1, -1, 4, 2.0, 0.0), (1, 1, 4, 2.0, 0.0), (-1, 1, 5, -4.0, 0.0),
            (1, -1, 0, 0.0, -0.2), (-1, -1, 0, 0.0, 0.3)],
           "A node without visits has no mean. Otherwise check whose value it is.", points=2),
]
PLANTED = {
    "the leaf's view for all": ("value if who == players[-1] else -value", "value"),
    "the wrong sign": ("value if who == players[-1] else -value",
                              "-value if who == players[-1] else value"),
    "turns alternate": ("[value if who == players[-1] else -value for who in players]",
                        "[value * (-1) ** (len(players) - 1 - i) for i in range(len(players))]"),
    "the first player's view": ("value if who == players[-1] else -value", "value * who"),
    "the leaf is not visited": ("[n + 1 for n in visits]", "[n + 1 for n in visits[:-1]] + [0]"),
    "the child's view of the mean": ("return mean if player == parent_player else -mean",
                                     "return mean"),
}
### END HIDDEN TESTS
