"""Which entrants can be compared: the graph of results behind the ratings.

Draw an arrow from i to j for every point that i took from j. Entrants joined by games in any
direction form a *group*; ratings of two groups have nothing to do with each other. Entrants that
can reach each other along arrows form a *part*. Between the parts of a group the arrows run one
way only, so the parts are ordered, and nothing in the results limits how far apart they are
(Ford, Amer. Math. Monthly 64 (1957) 28-33).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dlgo.text import listing
from reports.davidson import Floats, Ints

_MOST_GROUPS = 20  # listed by name


class Bridge(NamedTuple):
    """Two neighbouring parts, by number, of which the upper one took every point."""

    above: int
    below: int
    pairs: Ints  # (pairs, 2) the entrants that met, of the upper part and of the lower
    shares: Floats  # (pairs,) of the games between the parts; they add up to 1


@dataclass(frozen=True)
class Connections:
    """Groups and parts of the entrants, who are numbered as in `names`."""

    names: Sequence[str]
    group: Ints  # (entrants,) 0 for the largest group, then 1, ...
    part: Ints  # (entrants,) number of the part; the numbers mean nothing
    bridges: list[Bridge]  # none where all ratings are finite by themselves

    @classmethod
    def of(cls, names: Sequence[str], first: Ints, second: Ints, result: Floats) -> Connections:
        """Find them in a list of games (entrants by number, result as `first` sees it)."""
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import connected_components

        size = len(names)
        winner, loser = np.concatenate([first, second]), np.concatenate([second, first])
        scores = np.concatenate([result, 1 - result])
        linked = (scores > 0) & (winner != loser)  # games against itself link nothing
        points = coo_matrix((scores[linked], (winner[linked], loser[linked])), (size, size)).tocsr()
        points.sum_duplicates()  # [i, j]: what i took from j
        _, group = connected_components(points, directed=True, connection="weak")
        _, part = connected_components(points, directed=True, connection="strong")
        by_size = np.argsort(-np.bincount(group), kind="stable")
        points = points.tocoo()
        bridges = _bridges(points.row, points.col, points.data, part)
        return cls(names, np.argsort(by_size)[group], part, bridges)

    def leaders(self) -> Ints:
        """One entrant of each group, by number."""
        return np.unique(self.group, return_index=True)[1]

    @cached_property
    def core(self) -> NDArray[np.bool_]:
        """The entrants in the largest part of a group; none if two parts are largest."""
        core = np.zeros(len(self.names), bool)
        for group in range(self.group.max() + 1):
            parts, sizes = np.unique(self.part[self.group == group], return_counts=True)
            largest = parts[sizes == sizes.max()]
            core |= (self.part == largest[0]) & (len(largest) == 1)
        return core

    def zero_of(self, group: int) -> Ints:
        """The entrants whose mean strength is the zero of their group, by number: its core, or all
        without one. A random bot that lost every game must not make all zeros as uncertain as
        itself."""
        members = self.group == group
        core = members & self.core
        return np.flatnonzero(core if core.any() else members)

    def notes(self) -> list[str]:
        """The missing games in each entrant's rating; empty inside the core."""
        above, below, members = defaultdict(list), defaultdict(list), defaultdict(list)
        for bridge in self.bridges:
            above[bridge.below].append(bridge.above)
            below[bridge.above].append(bridge.below)
        for i, part in enumerate(self.part.tolist()):
            members[part].append(i)

        def names(parts: Sequence[int]) -> str:
            return listing([self.names[i] for i in sorted(i for p in parts for i in members[p])])

        notes = [""] * len(self.names)
        for i in np.flatnonzero(~self.core).tolist():
            part = int(self.part[i])
            friends = [self.names[j] for j in members[part] if j != i]
            if not friends and not above[part]:
                notes[i] = "won every game: the rating is a lower bound set by the prior"
            elif not friends and not below[part]:
                notes[i] = "lost every game: the rating is an upper bound set by the prior"
            else:
                facts = [f"never took a point from {names(above[part])}"] if above[part] else []
                facts += [f"never lost a point to {names(below[part])}"] if below[part] else []
                company = f"with {listing(friends)}, " if friends else ""
                notes[i] = f"{company}{' and '.join(facts)}: the gap is set by the prior"
        groups = self.group.max() + 1
        if groups > 1:
            for i, group in enumerate(self.group):
                warning = (f"group {group + 1} of {groups}, which never met: compare ratings "
                           "within a group only")
                notes[i] = "; ".join(filter(None, (notes[i], warning)))
        return notes

    def group_remark(self) -> str:
        """The groups by name if there is more than one; of many, the largest."""
        count = self.group.max() + 1
        if count == 1:
            return ""
        groups = [
            f"group {group + 1}: "
            + ", ".join(self.names[i] for i in np.flatnonzero(self.group == group).tolist())
            for group in range(min(count, _MOST_GROUPS))
        ]
        if count > _MOST_GROUPS:
            groups.append(f"and {count - _MOST_GROUPS} more")
        return (f"No game links these groups, and each has its own zero ({'; '.join(groups)}). "
                "Ratings of different groups cannot be compared.")


def _bridges(winner: Ints, loser: Ints, points: Floats, part: Ints) -> list[Bridge]:
    """One bridge for each step down: parts that met, with no third part between them."""
    steps: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i in np.lexsort([loser, winner]).tolist():
        if part[winner[i]] != part[loser[i]]:
            steps[int(part[winner[i]]), int(part[loser[i]])].append(i)
    lower: dict[int, list[int]] = defaultdict(list)
    for above, below in steps:
        lower[above].append(below)
    # Sets of parts, a bit each: those that can be reached at all, and by two steps or more.
    reached: dict[int, int] = {}
    far: dict[int, int] = {}
    for upper in TopologicalSorter(lower).static_order():  # the lowest parts come first
        reached[upper] = far[upper] = 0
        for below in lower.get(upper, ()):
            reached[upper] |= reached[below] | 1 << below
            far[upper] |= reached[below]
    bridges = []
    for (above, below), games in sorted(steps.items()):
        if not far[above] >> below & 1:
            pairs = np.column_stack([winner[games], loser[games]]).astype(np.int64)
            bridges.append(Bridge(above, below, pairs, points[games] / points[games].sum()))
    return bridges
