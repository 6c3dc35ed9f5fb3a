"""Moves that lost value: an absolute measure beside the rating, where results of moves are exact.

A move loses value if it turns a win into a draw or a loss, or a draw into a loss. The games are
those of the rating, so stronger engines meet harder positions; to ask engines about the same
positions, see `experiments/measures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dlgo.errors import DlgoError
from dlgo.games import get_game
from dlgo.records.game_record import GameRecord
from engines.solver.outcomes import is_mistake
from experiments.measures.solved import exact_outcomes
from reports.intervals import proportion_interval

# Games that are looked at; a position early in Connect Four takes up to a second.
_GAMES = 30
_PHASES = ("first third of the game", "middle third", "last third")


class Phase(NamedTuple):
    """The moves of the engine in a third of its games, by plies."""

    name: str
    moves: int  # in positions where not all moves have the same result
    lost: int  # of these, moves that lost value

    def __str__(self) -> str:
        if not self.moves:
            return f"{self.name}: no move could lose value"
        low, high = proportion_interval(self.lost, self.moves)
        return (f"{self.name}: {self.lost / self.moves:.1%} of {self.moves} moves lost value "
                f"({low:.1%} to {high:.1%})")


def phases(records: Sequence[GameRecord], engine: str) -> list[Phase]:
    """How often the moves of `engine` lost value; [] in games whose results are not known.
    Positions without known results are left out, and those in which no move loses value."""
    game = get_game(records[0].game)
    try:
        solve = exact_outcomes(game)
    except DlgoError:
        return []
    moves, lost = [0] * len(_PHASES), [0] * len(_PHASES)
    for record in records[:: max(1, -(-len(records) // _GAMES))]:
        states = list(record.positions())
        actions = states[-1].actions()
        opening, player = len(record.opening.split()), int(record.second == engine)
        plies = [ply for ply in range(opening, len(actions))
                 if states[ply].next_player.index == player]
        answers = solve([actions[:ply] for ply in plies])
        for ply, outcomes in zip(plies, answers, strict=True):
            if len(set(outcomes.values())) > 1:
                phase = len(_PHASES) * ply // len(actions)
                moves[phase] += 1
                lost[phase] += is_mistake(outcomes, actions[ply])
    return [Phase(*row) for row in zip(_PHASES, moves, lost, strict=True)]
