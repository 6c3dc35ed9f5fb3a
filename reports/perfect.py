"""Games from the empty board against the perfect player: who moves first and never errs, wins.

Connect Four is a win for the first player (Allis 1988). Against perfect play an engine that moves
first wins only without a single mistake, so its share of won games says how near it is to perfect
over whole games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

_GAME, _PLAYER = "connect4", "solver"


class PerfectResult(NamedTuple):
    """How an entrant did against the perfect player, moving first from the empty board.

    Attributes:
        won: games won at the board.
        games: games played.
        different: how many of these are not repetitions of another one.
    """

    won: int
    games: int
    different: int

    def __str__(self) -> str:
        return f"{self.won} of {self.games} ({self.different} different)"


def perfect_results(games: pd.DataFrame) -> dict[str, PerfectResult]:
    """Entrant -> result, for all who played such games; those that the player lost by a breakdown
    are left out.
    """
    specifications = games.attrs.get("specifications", {})

    def is_perfect(entrant: str) -> bool:
        text = specifications.get(entrant, entrant)
        return text.split(":")[0] == _PLAYER

    chosen = games[
        (games["game"] == _GAME) & (games["opening"] == "") & games["second"].map(is_perfect)
        & ~games["first"].map(is_perfect) & ~(games["failed"] & (games["result"] == 1))
    ]
    return {
        str(entrant): PerfectResult(
            int((part["result"] == 1).sum()), len(part), int(part["moves"].nunique())
        )
        for entrant, part in chosen.groupby("first")
    }
