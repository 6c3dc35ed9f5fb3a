"""The turns of a game as the page lists them: who moved, at what cost, with what expectation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from dlgo import GameState, Move, Player
from dlgo.records.costs import MoveCost
from engines.base import Decision
from experiments.play.cell_moves import turn_text, turns_played
from experiments.review.comparison import black_share, share_of
from experiments.studio.position import position_view


@dataclass
class Record:
    """The cost and evaluation of a turn."""

    plies: int  # moves of the game after it
    player: int  # 0 for black
    text: str
    who: str = ""  # `human`, an engine, or "" for a move from a file
    wall: float | None = None  # seconds; None where unknown
    cpu: float | None = None
    count: int = 0  # simulations or nodes, and `counted` says which
    counted: str = ""
    black: float | None = None  # black's share of the point, as the player expects it
    proven: bool = False

    def spend(self, cost: Any, wall: float, cpu: float) -> None:
        """Add the cost of an engine's move: simulations or nodes, and seconds."""
        self.wall, self.cpu = (self.wall or 0) + wall, (self.cpu or 0) + cpu
        if cost.simulations or cost.nodes > 1:
            self.counted = "simulations" if cost.simulations else "nodes"
            self.count += cost.simulations or cost.nodes


def records_of(state: GameState) -> list[Record]:
    """The turns of a game, without their costs."""
    turns = turns_played(state)
    plies = accumulate(len(moves) for _, moves in turns)
    return [
        Record(after, player.index, turn_text(state.game, moves))
        for after, (player, moves) in zip(plies, turns, strict=True)
    ]


def play_turn(
    before: GameState, moves: Sequence[Move], who: str, decision: Decision | None = None
) -> tuple[GameState, dict[str, Any], Record]:
    """The position after a turn, its view, and the record; `decision` is that of an engine."""
    player, after = before.next_player, before.play(*moves)
    record = Record(len(after.moves()), player.index, turn_text(before.game, moves), who)
    if decision is not None:
        record.spend(decision.cost, decision.cost.wall_seconds, decision.cost.cpu_seconds)
        record.black, record.proven = black_share(decision, player), decision.proven is not None
    return after, position_view(after), record


def add_costs(records: Sequence[Record], costs: Sequence[MoveCost], names: tuple[str, str]) -> None:
    """Add the costs of moves to the turns that contain them; `names` are black's and white's."""
    for cost in costs:
        for record in records:
            if record.plies > cost.ply:
                record.who = names[cost.player]
                record.spend(cost, cost.wall, cost.cpu)
                record.black = share_of(cost.value, Player.from_index(cost.player))
                break
