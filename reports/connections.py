"""Who can be compared with whom: the graph of results behind the ratings.

Draw an arrow from i to j for every point that i took from j. Entrants joined by games in any
direction form a *group*; ratings of two groups have nothing to do with each other. Entrants that
can reach each other along arrows form a *part*. Between the parts of a group the arrows run one
way only, so the parts are ordered, and nothing in the results limits how far apart they are
(Ford, Amer. Math. Monthly 64 (1957) 28-33).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.davidson import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Bridge:
    """Two neighbouring parts of which one took every point.

    Attributes:
        above, below: numbers of the parts.
        pairs: (pairs, 2) the entrants that met, of the upper part and of the lower.
        shares: (pairs,) their share of the games between the parts; they add up to 1.
    """

    above: int
    below: int
    pairs: Ints
    shares: Floats


@dataclass(frozen=True)
class Connections:
    """Groups and parts of the entrants, who are numbered as in `names`.

    Attributes:
        names: the entrants.
        group: (entrants,) 0 for the largest group, then 1, ...
        part: (entrants,) number of the part; the numbers mean nothing.
        bridges: between neighbouring parts; empty where all ratings are finite by themselves.
    """

    names: Sequence[str]
    group: Ints
    part: Ints
    bridges: tuple[Bridge, ...]

    @classmethod
    def of(cls, names: Sequence[str], first: Ints, second: Ints, result: Floats) -> Connections:
        """Find them in a list of games (entrants by number, result as `first` sees it)."""
        from scipy.sparse.csgraph import connected_components

        size = len(names)
        points = np.zeros((size, size))  # [i, j]: what i took from j
        np.add.at(points, (first, second), result)
        np.add.at(points, (second, first), 1 - result)
        np.fill_diagonal(points, 0)  # a game against oneself links nothing
        _, group = connected_components(points > 0, directed=True, connection="weak")
        _, part = connected_components(points > 0, directed=True, connection="strong")
        by_size = np.argsort(-np.bincount(group), kind="stable")
        group = np.argsort(by_size)[group]
        return cls(names, group, part, _bridges(points, part))

    def shifts(self, parameters: int) -> Floats:
        """Orthonormal columns, one a group: adding to all its strengths changes nothing."""
        columns = np.zeros((parameters, self.group.max() + 1))
        columns[np.arange(len(self.group)), self.group] = 1
        return columns / np.sqrt(columns.sum(axis=0))

    def core(self) -> NDArray[np.bool_]:
        """Who lies in the one largest part of a group; nobody, where two are largest."""
        inside = np.zeros(len(self.names), bool)
        for group in range(self.group.max() + 1):
            members = self.group == group
            sizes = np.bincount(self.part[members])
            if (sizes == sizes.max()).sum() == 1:
                inside |= self.part == sizes.argmax()
        return inside

    def mean_weights(self) -> Floats:
        """(entrants, entrants): times the strengths, this is the zero of each one's group.

        Zero is the mean of the group's core: a random bot that lost every game must not make
        the zero of all others as uncertain as itself. Without a core it is the mean of all.
        """
        same_group = self.group[:, None] == self.group[None, :]
        core = same_group & self.core()
        counted = np.where(core.any(axis=1, keepdims=True), core, same_group)
        return counted / counted.sum(axis=1, keepdims=True)

    def notes(self) -> list[str]:
        """What is missing in each entrant's rating; empty inside the core."""
        notes = [""] * len(self.names)
        for i in np.flatnonzero(~self.core()):
            part = self.part[i]
            above = [bridge.above for bridge in self.bridges if bridge.below == part]
            below = [bridge.below for bridge in self.bridges if bridge.above == part]
            friends = self._listing([part], without=i)
            if not friends and not above:
                notes[i] = "won every game: the rating is a lower bound set by the prior"
            elif not friends and not below:
                notes[i] = "lost every game: the rating is an upper bound set by the prior"
            else:
                facts = [f"never took a point from {self._listing(above)}"] if above else []
                facts += [f"never lost a point to {self._listing(below)}"] if below else []
                company = f"with {friends}, " if friends else ""
                notes[i] = f"{company}{' and '.join(facts)}: the gap is set by the prior"
        return notes

    def group_note(self, entrant: int) -> str:
        """A warning if there is more than one group."""
        groups = self.group.max() + 1
        if groups == 1:
            return ""
        return (
            f"group {self.group[entrant] + 1} of {groups}, which never met: "
            "compare ratings within a group only"
        )

    def group_remark(self) -> str:
        """The groups by name if there is more than one."""
        if self.group.max() == 0:
            return ""
        groups = [
            ", ".join(name for name, g in zip(self.names, self.group, strict=True) if g == group)
            for group in range(self.group.max() + 1)
        ]
        listed = "; ".join(f"group {number}: {who}" for number, who in enumerate(groups, 1))
        return (
            f"No game links these groups, and each has its own zero ({listed}). "
            "Ratings of different groups cannot be compared."
        )

    def _listing(self, parts: Sequence[int], without: int = -1) -> str:
        members = [i for i in np.flatnonzero(np.isin(self.part, parts)) if i != without]
        return listing([self.names[i] for i in members])


def listing(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c and 4 more`."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _bridges(points: Floats, part: Ints) -> tuple[Bridge, ...]:
    """One bridge for each step down: parts that met, with no third part between them."""
    parts = part.max() + 1
    member = np.eye(parts, dtype=int)[part]  # [entrant, part]
    beats = member.T @ (points > 0) @ member > 0
    np.fill_diagonal(beats, False)
    below = beats.copy()  # its transitive closure
    for middle in range(parts):
        below |= below[:, [middle]] & below[[middle], :]
    between = beats.astype(int) @ below > 0
    bridges = []
    for upper, lower in np.argwhere(beats & ~between):
        crossing = points * np.outer(part == upper, part == lower)
        pairs = np.argwhere(crossing > 0)
        games = crossing[tuple(pairs.T)]
        bridges.append(Bridge(int(upper), int(lower), pairs, games / games.sum()))
    return tuple(bridges)
