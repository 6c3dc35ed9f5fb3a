"""From a game's data to a position of our rules, and which stones are dead at its end.

The server's word counts: it knows which moves were possible. Where its ko rule is more generous
than ours, the game is followed under the simple ko rule; after two passes and a dispute, play goes
on from the stones on the board.
"""

from __future__ import annotations

from dataclasses import dataclass

from dlgo.api import GameState, Move, Player, Point
from dlgo.errors import IllegalMoveError, SpecError
from dlgo.games.go.scoring import dead_chains, score
from dlgo.games.go.state import Go, handicap_points
from experiments.gtp import session
from experiments.online.protocol import GameData, ProtocolError

# The rules that count by area and forbid self-capture, as ours do, each with its ko rule.
RULES = {"chinese": "positional", "aga": "situational"}


class IllegalOnServer(ProtocolError):
    """The server has a move that our rules forbid."""


@dataclass(frozen=True)
class Position:
    """Where a game stands."""

    state: GameState  # by our rules; of a handicap that is being placed, only the stones count
    to_place: int = 0  # handicap stones that Black has still to place

    @property
    def player(self) -> Player:
        """Whose turn it is."""
        return Player.black if self.to_place else self.state.next_player


def follow(data: GameData) -> Position:
    """The position after all moves. Raises IllegalOnServer if our rules forbid a move, under the
    simple ko rule as well; ProtocolError if the stones at the start are impossible."""
    for ko in dict.fromkeys((RULES.get(data.rules, "situational"), "simple")):
        try:
            return _replay(data, ko)
        except IllegalMoveError as error:
            reason = str(error)
        except SpecError as error:
            raise ProtocolError(f"its stones are impossible: {error}") from None
    raise IllegalOnServer(f"the server played a move that our rules forbid: {reason}")


def after(position: Position, data: GameData, move: Move) -> Position:
    """The position a move later; `data` is the game with the move. Raises as `follow`."""
    try:
        if not position.to_place:
            return Position(in_play(position.state).apply_move(move))
    except IllegalMoveError:
        pass  # perhaps by our ko rule only
    return follow(data)


def in_play(state: GameState) -> GameState:
    """The position, from which play goes on even after two passes."""
    if not state.is_over():
        return state
    return state.game.position(*session.stones_of(state), state.next_player)


def handicap_stone(data: GameData, state: GameState) -> Move:
    """Where Black places the next handicap stone: star points first, then any free point."""
    points: tuple[Point, ...] = ()
    for stones in range(min(data.handicap, 9), 1, -1):
        try:
            points = handicap_points(data.size, stones)
            break
        except SpecError:
            continue  # the board has fewer
    free = [move for move in map(Move.play, points) if state.is_valid_move(move)]
    return (free or state.sensible_moves())[0]


def _replay(data: GameData, ko: str) -> Position:
    komi = session.nearest_komi(data.komi + data.compensation)
    black, moves, to_place = list(data.black_stones), data.moves, 0
    begins = Player.white if data.white_begins else Player.black
    if data.free_handicap and data.handicap > 1:
        stones, moves = moves[: data.handicap], moves[data.handicap :]
        if any(not move.is_play for move in stones):
            raise ProtocolError("a handicap stone is a pass")
        black += [move.point for move in stones]
        to_place = data.handicap - len(stones)
        begins = Player.black if to_place else Player.white
    state = session.position(
        Go(size=data.size, komi=komi, ko=ko), black, data.white_stones, begins)
    for number, move in enumerate(moves, len(data.moves) - len(moves) + 1):
        state = in_play(state)
        try:
            state = state.apply_move(move)
        except IllegalMoveError as error:
            player = state.next_player.name
            raise IllegalMoveError(f"move {number}, {player}: {error}") from None
    return Position(state, to_place)


def stones_to_accept(
    state: GameState, marked: frozenset[Point], player: Player
) -> frozenset[Point]:
    """The dead stones that `player` accepts: those that are marked, or those that seem dead.

    The player who marks last could win by a false mark, so marks are accepted only if they cost
    the player nothing. Marks on empty points mean that the point is nobody's.
    """
    ours = frozenset(dead_chains(state))
    theirs = _margin(state, marked, player)
    if marked == ours or theirs is None:
        return ours
    mine = _margin(state, ours, player)
    # Equal winners: then the difference is not worth a dispute.
    return marked if theirs >= mine or (theirs > 0) == (mine > 0) else ours


def _margin(state: GameState, dead: frozenset[Point], player: Player) -> float | None:
    """The player's lead with these stones off; None if they cannot be counted so."""
    try:
        margin = score(state, dead & state.game.stones(state).keys()).margin
    except SpecError:
        return None
    return margin if player is Player.black else -margin
