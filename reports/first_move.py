"""Whether games can tell the advantage of moving first from strength.

In a list that names the winner of each game first, "first mover" and "winner" are one thing: the
term for the first move explains all results, and nothing is left for the strengths. Where each pair
had one first mover only, the term can also explain a cycle.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reports.davidson import Floats, Observations
from reports.rating_table import RatingTable

_LEVEL = 0.05  # of the test whether both entrants of a pair moved first equally often
_ONE_SIDED = 0.9  # share of the decided games that the entrants named first (or second) won
_LEAST = 6  # decided games: five may end alike by chance (6%)
_TOLD_APART = 0.25  # below this share, the first-move term makes intervals twice as wide or more
_REMEDY = "--no-first-move leaves the first-move advantage out."


def share_told_apart(played: Observations) -> float:
    """Share of the games' information on the first move that strengths cannot imitate: 0 if some
    strengths give every first mover the same advantage, 1 if everyone moves first equally often."""
    from scipy.sparse.linalg import lsqr

    weight = np.sqrt(played.wins + played.draws + played.losses)
    strengths = played.design[:, : played.entrants].multiply(weight[:, None]).tocsr()
    return float((lsqr(strengths, weight, atol=1e-12, btol=1e-12)[3] / np.linalg.norm(weight)) ** 2)


def is_confounded(played: Observations) -> bool:
    """Whether the first-move term can hide a cycle: most of the games on it are of pairs with one
    first mover, or the list seems to name winners first."""
    ahead, behind = _orders(played)
    within = 4 * ahead * behind / (ahead + behind)
    return bool(within.sum() < 0.5 * (ahead + behind).sum()) or bool(_list_remark(played))


def with_doubts(table: RatingTable) -> RatingTable:
    """The table with a remark if its first-move advantage may be something else."""
    if table.first_move is None:
        return table
    remark = _list_remark(table.played)
    if not remark and share_told_apart(table.played) < _TOLD_APART:
        remark = ("Strength nearly determines who moved first, so the first-move advantage makes "
                  f"the intervals wide; {_REMEDY}")
    return replace(table, remarks=(*table.remarks, remark)) if remark else table


def _list_remark(played: Observations) -> str:
    """A sentence if the list seems to name the winner, or the loser, first; else ""."""
    from scipy.special import chdtrc

    ahead, behind = _orders(played)
    won, lost = played.wins.sum(), played.losses.sum()
    decided, most = won + lost, max(won, lost)
    if decided < _LEAST or most < _ONE_SIDED * decided or (ahead == behind).all():
        return ""
    uneven = chdtrc(len(ahead), ((ahead - behind) ** 2 / (ahead + behind)).sum())
    if uneven >= _LEVEL and most < decided:
        return ""
    result, role = ("won", "winner") if won > lost else ("lost", "loser")
    return (f"The entrant named first {result} {most:,.0f} of {decided:,.0f} decided games. If the "
            f"list names the {role} first, these ratings are wrong; {_REMEDY}")


def _orders(played: Observations) -> tuple[Floats, Floats]:
    """(pairs,) number of games of each pair that one entrant began, and that the other began."""
    games = np.zeros((played.entrants, played.entrants))
    np.add.at(games, (played.first, played.second), played.wins + played.draws + played.losses)
    ahead, behind = np.triu(games, 1), np.triu(games.T, 1)
    met = ahead + behind > 0
    return ahead[met], behind[met]
