"""Go for users: points `A1` to `T19` without I, `pass`, scores."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dlgo import kernels, symmetry
from dlgo.api import GameSpec, GameState, Move, Player, Point, point_text
from dlgo.errors import SpecError
from dlgo.games.go import board, features, kernel
from dlgo.specs import Option

# simple: the position before the last move; positional: any earlier position; situational:
# any earlier position with the same player to move.
_REPETITION = {
    "situational": board.SITUATIONAL,
    "positional": board.POSITIONAL,
    "simple": board.SIMPLE_KO,
}

# The history grows in steps of this number of positions, so that most states have equal shapes.
_HISTORY_STEP = 64


class Go(GameSpec):
    """Go with area scoring and situational superko (chapter 2.2 and 3.2 of the book)."""

    name = "go"
    title = "Go"
    options = (
        Option("size", 9, "lines of the board", low=2, high=board.MAX_SIZE, always=True),
        Option("komi", 7.5, "points for White, because Black moves first", low=-1000, high=1000),
        Option("handicap", 0, "black stones on the star points; White then moves first",
               low=0, high=9),
        Option("ko", "situational", "earlier positions that a play must not recreate",
               choices=tuple(_REPETITION)),
    )
    opening_plies = 4
    uniform_rollouts = False  # own eyes are not filled
    pieces_on_points = True
    symmetry_names = symmetry.SQUARE
    extra_planes = (
        "the point that the simple ko rule forbids",
        "1 everywhere if the last move was a pass",
    )

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.size: int = self.settings["size"]
        self.komi: float = self.settings["komi"]
        if 2 * self.komi != int(2 * self.komi):
            raise SpecError(f"game go: komi={self.komi} is neither whole nor half")
        self.history_matters = self.settings["ko"] != "simple"
        self.num_actions = self.size**2 + 1
        self.pass_action = self.size**2
        self.board_rows = self.board_cols = self.size
        self.handicap_points = handicap_points(self.size, self.settings["handicap"])

    @property
    def feature_slots(self) -> tuple[tuple[str, int], ...]:
        return features.SLOTS

    def _blank(self, history: int) -> board.GoState:
        repetition = _REPETITION[self.settings["ko"]]
        return board.new_state(self.size, int(2 * self.komi), history, repetition)

    def new_kernel_state(self) -> board.GoState:
        state = self._blank(_HISTORY_STEP)
        kernel.reset(state)
        if self.handicap_points:
            self._set_up(state, self.handicap_points, (), Player.white)
        return state

    def position(
        self, black: Iterable[Point] = (), white: Iterable[Point] = (),
        next_player: Player = Player.black,
    ) -> GameState:
        """A game that starts from the given stones: free handicap, a problem, a diagram.

        Raises SpecError if a point is off the board or given twice, or if a chain has no liberty.
        """
        state = self._blank(_HISTORY_STEP)
        kernel.reset(state)
        self._set_up(state, black, white, next_player)
        return GameState(self, state)

    def _set_up(
        self, state: board.GoState, black: Iterable[Point], white: Iterable[Point],
        next_player: Player,
    ) -> None:
        for player, points in ((board.BLACK, black), (board.WHITE, white)):
            for point in points:
                action = self.action_of(Move.play(point))
                if action is None:
                    raise SpecError(f"the stone at {tuple(point)} is off the {self} board")
                index = kernel.point_of(self.size, action)
                if state.color[index] != board.EMPTY:
                    raise SpecError(f"two stones at {point_text(point)}")
                if not kernel.put_stone(state, index, player):
                    raise SpecError(f"the stone at {point_text(point)} leaves a chain no liberty")
        kernel.start_from(state, next_player.index)

    def scratch_state(self, like: board.GoState, room: int = 1) -> board.GoState:
        needed = int(like.info[board.N_HISTORY]) + room
        if needed > len(like.history):
            length = -(-needed // _HISTORY_STEP) * _HISTORY_STEP
            like = like._replace(history=np.resize(like.history, length))
        state: board.GoState = super().scratch_state(like)
        return state

    def same_position(self, first: board.GoState, second: board.GoState) -> bool:
        n = first.info[board.N_HISTORY]
        return (
            np.array_equal(first.info[: board.LAST], second.info[: board.LAST])
            and np.array_equal(first.color, second.color)
            and np.array_equal(np.sort(first.history[:n]), np.sort(second.history[:n]))
        )

    def why_illegal(self, state: GameState, move: Move) -> str:
        action = self.action_of(move)
        if action is None:
            return f"it is off the {self.size}x{self.size} board"
        position = state.kernel_state
        point = kernel.point_of(self.size, action)
        if position.color[point] != board.EMPTY:
            return "the point is occupied"
        if point == position.info[board.KO]:
            return "ko: it would recreate the position before the last move"
        if not board.is_playable(position, point, position.info[board.TURN]):
            return "self-capture: the stone would have no liberty"
        return "superko: it would recreate an earlier position with the same player to move"

    def margin(self, state: GameState) -> float:
        """Black's area minus White's area and komi; every stone on the board counts as alive."""
        return float(kernels.margin(state.kernel_state))

    def result_text(self, state: GameState) -> str:
        if not kernels.terminal(state.kernel_state):  # a resignation
            return super().result_text(state)
        margin, winner = self.margin(state), state.winner()
        if winner is None:
            return "draw: equal areas"
        return f"{winner.name} ({self.piece_symbol(winner.index)}) wins by {abs(margin):g}"


def handicap_points(size: int, stones: int) -> tuple[Point, ...]:
    """The star points on which 2 to 9 handicap stones are placed, in the traditional order.

    Raises SpecError if there are too few: none below 7x7, four on even boards and 7x7, else nine.
    """
    if stones == 0:
        return ()
    most = 0 if size < 7 else (4 if size % 2 == 0 or size == 7 else 9)
    if stones == 1 or stones > most:
        allowed = f"2 to {most} stones" if most else "no fixed handicap"
        raise SpecError(f"game go: handicap={stones} on {size}x{size}, which has {allowed}")
    low = 4 if size > 11 else 3
    high, middle = size + 1 - low, (size + 1) // 2
    corners = [Point(low, low), Point(high, high), Point(high, low), Point(low, high)]
    sides = [Point(middle, low), Point(middle, high), Point(low, middle), Point(high, middle)]
    if stones <= 4:
        return tuple(corners[:stones])
    # With an odd number, one stone is in the centre; stones on the sides come in pairs.
    centre = [Point(middle, middle)] if stones % 2 else []
    return tuple(corners + sides[: stones - 4 - len(centre)] + centre)
