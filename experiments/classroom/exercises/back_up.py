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
        visits, totals: before.
        value: of the leaf, as the player to move there sees it.

    >>> back_up([1], [0], [0.0], 0.5)
    ([1], [0.5])
    >>> back_up([1, -1], [3, 0], [1.0, 0.0], 0.5)
    ([4, 1], [0.5, 0.5])
    >>> back_up([1, 1, -1], [3, 2, 0], [0.0, 0.0, 0.0], -1.0)
    ([4, 3, 1], [1.0, 1.0, -1.0])
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

    >>> mean_for_parent(1, -1, 4, 2.0, 0.0)
    -0.5
    >>> mean_for_parent(1, 1, 4, 2.0, 0.0)
    0.5
    >>> mean_for_parent(1, -1, 0, 0.0, 0.25)
    0.25
    """
    ### BEGIN SOLUTION
    if visits == 0:
        return unvisited
    mean = total / visits
    return mean if player == parent_player else -mean
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import itertools
import random

from experiments.classroom.checks import agrees

_random = random.Random(5)


def _path(length: int):
    """Players, visits, totals and a value."""
    return ([_random.choice((1, -1)) for _ in range(length)],
            [(length - n) * 3 for n in range(length)],
            [_random.uniform(-2, 2) for _ in range(length)], _random.uniform(-1, 1))


CHECKS = [
    agrees("The leaf's value is for the player to move there", back_up,
           [([player], [0], [0.0], value) for player in (1, -1) for value in (0.5, -0.25, 0.0)],
           "The path has only one node, the leaf."),
    agrees("Every node of the path gets one more visit", back_up,
           [([1, -1, 1, -1], [9, 5, 2, 0], [0.0] * 4, 0.25), _path(50),
            ([1, 1], [1_000_000, 7], [0.0] * 2, 0.0), ([1, -1, -1], [4, 4, 4], [0.0] * 3, 0.0)],
           "Visits of 9, 5, 2 and 0 become 10, 6, 3 and 1.", part=0),
    agrees("What is good for one player is bad for the other", back_up,
           [(players, list(range(len(players), 0, -1)), [0.5] * len(players), value)
            for players in ([1, -1], [-1, 1], [1, -1, 1], [1, -1, 1, -1])
            for value in (1.0, -0.5, 0.0)],
           "Who is to move at each node? Who at the leaf?", points=3),
    agrees("The same player may move several times in a row", back_up,
           [*(_path(6) for _ in range(8)), _path(50),
            *(([*players], [9, 4, 0], [0.5, -1.5, 0.0], value)
              for players in itertools.product((1, -1), repeat=3) for value in (0.75, -0.5)),
            # Of equal players, sums or visits.
            *(([1, -1, -1], visits, totals, 0.75) for visits in ([9, 4, 0], [7, 5, 0])
              for totals in ([0.5, -1.5, 0.0], [-2.0, 1.0, 0.0])),
            ([-1, -1], [400, 200], [70.5, -69.5], 0.5)],
           "Do not count plies: compare players.", points=3),
    agrees("The mean is for the player to move at the parent", mean_for_parent,
           [(parent, player, *node) for parent in (1, -1) for player in (1, -1)
            for node in ((4, 2.0, 0.0), (5, 2.0, 0.0), (5, -4.0, 0.0), (1, 1.0, 0.0),
                         (0, 0.0, -0.23456), (0, 0.0, 0.3), (3, 0.0, 0.5), (400, 399.0, 0.1),
                         (30000, -4.5, 0.0))],
           "A node without visits has no mean. Otherwise check whose value it is.", points=2),
]
PLANTED = {
    "the leaf's view for all": ("value if who == players[-1] else -value", "value"),
    "the wrong sign": ("value if who == players[-1] else -value",
                       "-value if who == players[-1] else value"),
    "turns alternate": ("[value if who == players[-1] else -value for who in players]",
                        "[value * (-1) ** (len(players) - 1 - i) for i in range(len(players))]"),
    "the first player's view": ("value if who == players[-1] else -value", "value * who"),
    "the root's view": ("value if who == players[-1] else -value",
                        "value if who == players[0] else -value"),
    "the leaf is not visited": ("[n + 1 for n in visits]", "[n + 1 for n in visits[:-1]] + [0]"),
    "at most 30 nodes": ("[n + 1 for n in visits]",
                         "[n + (i < 30) for i, n in enumerate(visits)]"),
    "visits of 16 bits": ("[n + 1 for n in visits]", "[(n + 1) % 2**16 for n in visits]"),
    "a mean, not a sum": ("[total + v for total, v in", "[total + (v - total) / 2 for total, v in"),
    "limited sums": ("[total + v for total, v in",
                     "[max(-50.0, min(50.0, total + v)) for total, v in"),
    "rounded": ("mean = total / visits", "mean = round(total / visits, 2)"),
    "the child's view of the mean": ("return mean if player == parent_player else -mean",
                                     "return mean"),
    "no value is no visit": ("if visits == 0:", "if total == 0:"),
    "no visits, no answer": ("return unvisited", "return 0.0"),
    "no visits, the sign of the parent": ("return unvisited", "return parent_player * unvisited"),
    "no visits, the first player as child": (
        "return unvisited",
        "return unvisited * (1 if player == -1 else parent_player)"),
    "whole means": ("mean = total / visits",
                    "mean = total // visits if visits > 1000 else total / visits"),
    "the sign of the second node": (
        "value if who == players[-1] else -value for who in players]",
        "value if who == players[-1] else -value for who in players]\n"
        "    if len(players) > 2 and players[0] != players[1]:\n        more[0] = -more[1]\n"
        "    elif len(players) > 2:\n        more[0] = -more[-1]"),
    "the second player's leaf": (
        "value if who == players[-1] else -value for who in players]",
        "value if who == max(players[-2:]) else -value for who in players]"),
    "lists are changed": (
        "    return [n + 1 for n in visits]",
        "    visits[:] = [n + 1 for n in visits]\n    return visits"),
    "the caller's totals are changed": (
        "    return [n + 1 for n in visits], [total + v for total, v in zip(totals, more, "
        "strict=True)]",
        "    for i, v in enumerate(more):\n        totals[i] += v\n"
        "    return [n + 1 for n in visits], totals"),
}
EQUIVALENT = {
    "strict=False": "Both lists have the same length.",
    "visits <= 0": "Visits are not negative.",
    "zip(more, totals": "A sum is the same in any order.", "[v + total": "The same.",
    "parent_player == player": "The same.",
    "mean_for_parent: parent_player and player are swapped": "Only whether they differ counts.",
}
### END HIDDEN TESTS
