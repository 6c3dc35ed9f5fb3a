"""What each turn of a game was and has cost, and how turns are made."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from typing import Any

from dlgo import DlgoError, GameState
from engines.base import Decision
from experiments.play.cell_moves import turns_played
from experiments.studio.errors import StudioError
from experiments.studio.position import black_share, find_turn, position_view, turn_text
from experiments.studio.specs import HUMAN


@dataclass
class Record:
    """What is known of a turn besides its moves.

    Attributes:
        plies: moves of the game after it.
        player: 0 for black.
        who: `human`, an engine's specification, or "" for a move from a file.
        wall, cpu: seconds; None where unknown.
        count: simulations or nodes, and `counted` says which.
        black: what the engine expects, black's share of the point.
        by: which engine expects it, where that is not `who`.
        proven: whether that is proved.
    """

    plies: int
    player: int
    text: str
    who: str = ""
    wall: float | None = None
    cpu: float | None = None
    count: int = 0
    counted: str = ""
    black: float | None = None
    proven: bool = False
    by: str = ""


def records_of(state: GameState) -> list[Record]:
    """The turns of a game that has been loaded."""
    turns = turns_played(state)
    plies = accumulate(len(moves) for _, moves in turns)
    return [
        Record(after, player.index, turn_text(state.game, moves))
        for after, (player, moves) in zip(plies, turns, strict=True)
    ]


def person_turn(
    state: GameState, text: str, wall: float
) -> tuple[GameState, dict[str, Any], Record]:
    """The state after a person's turn, which took `wall` seconds. Raises DlgoError if illegal."""
    moves = find_turn(state, text)
    after = reduce(GameState.apply_move, moves, state)
    return after, position_view(after), Record(
        len(after.moves()), state.next_player.index, turn_text(state.game, moves), HUMAN, wall=wall
    )


def engine_turn(
    state: GameState, decision: Decision, spec: str
) -> tuple[GameState, dict[str, Any], Record]:
    """The state after an engine's move. Raises DlgoError if the move is illegal."""
    mover, cost = state.next_player, decision.cost
    try:
        after = state.apply_move(decision.move)
    except (DlgoError, TypeError, ValueError) as error:
        raise StudioError(f"{spec}: {error}") from None
    counted = "simulations" if cost.simulations else "nodes" if cost.nodes > 1 else ""
    return after, position_view(after), Record(
        len(after.moves()), mover.index, state.game.move_text(decision.move), spec,
        wall=cost.wall_seconds, cpu=cost.cpu_seconds,
        count=cost.simulations or (cost.nodes if counted else 0), counted=counted,
        black=black_share(decision, mover), proven=decision.proven is not None,
    )
