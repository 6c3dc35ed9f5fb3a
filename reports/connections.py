"""Who can be compared with whom: the graph of results behind the ratings.

Draw an arrow from i to j for every point that i took from j. Entrants joined by games in any
direction form a *group*; ratings of two groups have nothing to do with each other. Entrants that
can reach each other along arrows form a *part*. Between the parts of a group the arrows run one
way only, so the parts are ordered, and nothing in the results limits how far apart they are
(Ford, Amer. Math. Monthly 64 (1957) 28-33).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.davidson import Floats, Ints

_MOST_GROUPS = 20  # listed by name


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
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        size = len(names)
        winner, loser = np.concatenate([first, second]), np.concatenate([second, first])
        taken = np.concatenate([result, 1 - result])
        linked = (taken > 0) & (winner != loser)  # a game against oneself links nothing
        points = coo_matrix((taken[linked], (winner[linked], loser[linked])), (size, size)).tocsr()
        points.sum_duplicates()  # [i, j]: what i took from j
        _, group = connected_components(points, directed=True, connection="weak")
        _, part = connected_components(points, directed=True, connection="strong")
        by_size = np.argsort(-np.bincount(group), kind="stable")
        group = np.argsort(by_size)[group]
        return cls(names, group, part, _bridges(points.tocoo(), part))

    def leaders(self) -> Ints:
        """One entrant of each group, by number."""
        return np.unique(self.group, return_index=True)[1]

    def core(self) -> NDArray[np.bool_]:
        """Who lies in the one largest part of a group; nobody, where two are largest."""
        sizes = np.bincount(self.part)
        home = np.zeros(len(sizes), int)
        home[self.part] = self.group
        largest = np.zeros(self.group.max() + 1, int)
        np.maximum.at(largest, home, sizes)
        is_largest = sizes == largest[home]
        return is_largest[self.part] & (np.bincount(home, is_largest)[self.group] == 1)

    def mean_weights(self) -> Any:
        """(groups, entrants) sparse: times the strengths, this is the zero of each group.

        Zero is the mean of the group's core: a random bot that lost every game must not make
        the zero of all others as uncertain as itself. Without a core it is the mean of all.
        """
        from scipy.sparse import csr_matrix

        core = self.core()
        counted = np.where(np.bincount(self.group, core)[self.group] > 0, core, True)
        members = np.bincount(self.group, counted)[self.group]
        places = (self.group, np.arange(len(self.names)))
        return csr_matrix((counted / members, places), (self.group.max() + 1, len(self.names)))

    def notes(self) -> list[str]:
        """What is missing in each entrant's rating; empty inside the core."""
        notes = [""] * len(self.names)
        above, below = defaultdict(list), defaultdict(list)
        for bridge in self.bridges:
            above[bridge.below].append(bridge.above)
            below[bridge.above].append(bridge.below)
        members = defaultdict(list)
        for i, part in enumerate(self.part.tolist()):
            members[part].append(i)

        def names(parts: Sequence[int], without: int = -1) -> str:
            inside = sorted(i for part in parts for i in members[part] if i != without)
            return listing([self.names[i] for i in inside])

        for i in np.flatnonzero(~self.core()).tolist():
            part = int(self.part[i])
            friends = names([part], without=i)
            if not friends and not above[part]:
                notes[i] = "won every game: the rating is a lower bound set by the prior"
            elif not friends and not below[part]:
                notes[i] = "lost every game: the rating is an upper bound set by the prior"
            else:
                facts = [f"never took a point from {names(above[part])}"] if above[part] else []
                facts += [f"never lost a point to {names(below[part])}"] if below[part] else []
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
        """The groups by name if there is more than one; of many, the largest."""
        if self.group.max() == 0:
            return ""
        order = np.argsort(self.group, kind="stable")
        ends = np.cumsum(np.bincount(self.group))[:-1]
        groups = [
            f"group {number}: {', '.join(self.names[i] for i in members)}"
            for number, members in enumerate(np.split(order, ends), 1)
        ]
        rest = len(groups) - _MOST_GROUPS
        listed = "; ".join(groups[:_MOST_GROUPS]) + (f"; and {rest} more" if rest > 0 else "")
        return (
            f"No game links these groups, and each has its own zero ({listed}). "
            "Ratings of different groups cannot be compared."
        )


def listing(names: Sequence[str], most: int = 3) -> str:
    """`a, b, c and 4 more`."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _bridges(points: Any, part: Ints) -> tuple[Bridge, ...]:
    """One bridge for each step down: parts that met, with no third part between them.

    Args:
        points: sparse, in coordinates: what the row's entrant took from the column's.
        part: (entrants,) number of the part.
    """
    upper, lower = part[points.row], part[points.col]
    crossing = np.flatnonzero(upper != lower)
    # By parts, then by entrants.
    order = np.lexsort([points.col[crossing], points.row[crossing], lower[crossing],
                        upper[crossing]])
    crossing = crossing[order]
    steps: dict[tuple[int, int], list[int]] = {}
    for i in crossing.tolist():
        steps.setdefault((int(upper[i]), int(lower[i])), []).append(i)
    below = _reachable(steps, part.max() + 1)
    bridges = []
    for (above, under), games in steps.items():
        if not below[above] >> under & 1:
            shares = points.data[games]
            pairs = np.column_stack([points.row[games], points.col[games]]).astype(np.int64)
            bridges.append(Bridge(above, under, pairs, shares / shares.sum()))
    return tuple(bridges)


def _reachable(steps: Iterable[tuple[int, int]], parts: int) -> list[int]:
    """For each part, those that lie two or more steps below it: bit i of a number is part i."""
    lower: list[list[int]] = [[] for _ in range(parts)]
    above = [0] * parts  # steps down to a part that are not worked off yet
    for upper, under in steps:
        lower[upper].append(under)
        above[under] += 1
    order = [part for part in range(parts) if not above[part]]
    for part in order:  # from the top down; grows on the way
        for under in lower[part]:
            above[under] -= 1
            if not above[under]:
                order.append(under)
    direct = [sum(1 << under for under in lower[part]) for part in range(parts)]
    far = [0] * parts
    for part in reversed(order):
        for under in lower[part]:
            far[part] |= direct[under] | far[under]
    return far
