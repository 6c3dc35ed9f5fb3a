"""Which stones are dead when both players have passed: what we say to what the others mark.

The game ends when both accept the same stones. Whoever marks last could win by a false mark, so
marks are accepted only if they cost us nothing; otherwise ours are sent in their place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from dlgo.api import GameState, Player, Point
from dlgo.errors import SpecError
from dlgo.games.go.scoring import dead_chains, score
from experiments.online.connection import Connection
from experiments.online.protocol import GameData, format_points

# How often we put our marks in the place of others.
_MOST_MARKS = 5


class Agreement:
    """The end of a game: the dead stones that are accepted.

    Args:
        settle: wall seconds for the other player to go on marking.
    """

    def __init__(
        self, connection: Connection, settle: float, say: Callable[[str], None]
    ) -> None:
        self._connection, self._settle, self._say = connection, settle, say
        self._answered: tuple[int, frozenset[Point]] | None = None
        self._marks = 0

    def is_open(self, data: GameData) -> bool:
        """Whether these marks have had no answer over this connection."""
        return self._answered != (self._connection.epoch, data.removed)

    def forget(self) -> None:
        """Play goes on: what was accepted holds no more."""
        self._answered = None

    async def answer(self, data: GameData, state: GameState, player: Player) -> None:
        """Accept the stones that are marked, or mark others; `player` is who we are."""
        epoch = self._connection.epoch
        await asyncio.sleep(self._settle)
        dead = await asyncio.to_thread(stones_to_accept, state, data.removed, player)
        if dead != data.removed and self._marks >= _MOST_MARKS:
            self._say("no agreement about dead stones; leaving it to the server")
            self._answered = epoch, data.removed
            return
        for removed, points in ((True, dead - data.removed), (False, data.removed - dead)):
            if points:
                self._connection.send("game/removed_stones/set", {
                    "game_id": data.id, "removed": removed,
                    "stones": format_points(points, data.size),
                })
        self._marks += dead != data.removed
        self._answered = epoch, dead
        self._connection.send("game/removed_stones/accept", {
            "game_id": data.id, "stones": format_points(dead, data.size),
            "strict_seki_mode": False,
        })


def stones_to_accept(
    state: GameState, marked: frozenset[Point], player: Player
) -> frozenset[Point]:
    """The dead stones that `player` accepts: those that are marked, or those that seem dead.

    Args:
        marked: by the server or the opponent. Marks on empty points, which mean that the point is
            nobody's, are accepted where they cost nothing.
    """
    ours = frozenset(dead_chains(state))
    if marked == ours:
        return ours
    theirs = _margin(state, marked, player)
    if theirs is None:
        return ours
    mine = _margin(state, ours, player)
    # Equal winners: then the difference is not worth a dispute.
    return marked if theirs >= mine or (theirs > 0) == (mine > 0) else ours


def _margin(state: GameState, dead: frozenset[Point], player: Player) -> float | None:
    """The player's lead with these stones off; None if they cannot be counted so."""
    game = state.game
    try:
        margin = score(state, dead & game.stones(state).keys()).margin
    except SpecError:
        return None
    sign = 1 if player is Player.black else -1
    return sign * margin
