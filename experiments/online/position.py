"""From a game's data to a position of our rules.

The server's word counts: it knows which moves were possible. Where its ko rule is more generous
than ours, the game is followed under the simple ko rule; after two passes and a dispute, play goes
on from the stones on the board.
"""

from __future__ import annotations

from dataclasses import dataclass

from dlgo.api import GameState, Move, Player, Point
from dlgo.errors import IllegalMoveError, SpecError
from dlgo.games.go.state import Go, handicap_points
from experiments.gtp.session import nearest_komi, stones_of
from experiments.online.protocol import GameData, ProtocolError

# The rules that count by area and forbid self-capture, as ours do, each with its ko rule.
RULES = {"chinese": "positional", "aga": "situational"}


class IllegalOnServer(ProtocolError):
    """The server has a move that our rules forbid."""


@dataclass(frozen=True)
class Position:
    """Where a game stands.

    Attributes:
        state: by our rules; of a handicap that is being placed, only the stones count.
        to_place: handicap stones that Black has still to place.
    """

    state: GameState
    to_place: int = 0

    @property
    def player(self) -> Player:
        """Whose turn it is."""
        return Player.black if self.to_place else self.state.next_player


def follow(data: GameData) -> Position:
    """The position after all moves.

    Raises:
        IllegalOnServer: if our rules forbid a move, under the simple ko rule as well.
        ProtocolError: if the stones at the start are impossible.
    """
    ko_rules = dict.fromkeys((RULES.get(data.rules, "situational"), "simple"))
    for ko in ko_rules:
        try:
            return _replay(data, ko)
        except IllegalMoveError as error:
            reason = str(error)
        except SpecError as error:
            raise ProtocolError(f"its stones are impossible: {error}") from None
    raise IllegalOnServer(f"the server has a move that our rules forbid: {reason}")


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
    return state.game.position(*stones_of(state), state.next_player)


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
    game = Go(size=data.size, komi=nearest_komi(data.komi + data.compensation), ko=ko)
    black, moves, to_place = list(data.black_stones), data.moves, 0
    begins = Player.white if data.white_begins else Player.black
    if data.free_handicap and data.handicap > 1:
        stones, moves = moves[: data.handicap], moves[data.handicap :]
        if any(not move.is_play for move in stones):
            raise ProtocolError("a handicap stone is a pass")
        black += [move.point for move in stones]
        to_place = data.handicap - len(stones)
        begins = Player.black if to_place else Player.white
    if black or data.white_stones or begins is Player.white:
        state = game.position(black, data.white_stones, begins)
    else:
        state = GameState.new_game(game)
    for number, move in enumerate(moves, len(data.moves) - len(moves) + 1):
        state = in_play(state)
        try:
            state = state.apply_move(move)
        except IllegalMoveError as error:
            player = state.next_player.name
            raise IllegalMoveError(f"move {number}, {player}: {error}") from None
    return Position(state, to_place)
