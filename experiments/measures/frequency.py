"""How often positions occur in games: few of them very often, most of them once (Zipf's law)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dlgo import GameSpec, kernels
from engines.learning.data import GameData
from engines.learning.data.replay import start_state


def frequencies(game: GameSpec, games: Sequence[GameData]) -> list[dict[str, float]]:
    """A row for the most frequent position, for the next two, the next four, and so on.

    Returns:
        rank of the first of these positions; count, the mean number of times that they occur;
        phase, the mean moment in their games, from 0 (the start) to 1.
    """
    counts, moments = Counter[int](), Counter[int]()
    for data in games:
        state = start_state(game, data.start).kernel_state
        for ply, action in enumerate(data.actions.tolist()):
            key = int(kernels.key(state))
            counts[key] += 1
            moments[key] += ply / len(data.actions)
            kernels.play(state, action)
    ranked, rows = [key for key, _ in counts.most_common()], []
    for rank in (2**k for k in range(len(ranked).bit_length())):
        keys = ranked[rank - 1 : 2 * rank - 1]
        total = sum(counts[key] for key in keys)
        rows.append({"rank": rank, "count": total / len(keys),
                     "phase": sum(moments[key] for key in keys) / total})
    return rows
