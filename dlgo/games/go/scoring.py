"""Counting a finished game: area and territory, with dead stones removed.

The rules (`kernel.py`) count every stone on the board as alive, which is exact after all dead
stones have been captured. People stop earlier and agree on the dead stones; this agreement is an
argument here, and `likely_dead` proposes one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Player, Point
from dlgo.errors import SpecError
from dlgo.games.go import board
from dlgo.games.go.board import GoState
from dlgo.games.go.state import Go
from dlgo.jit import kernel as compiled
from dlgo.rng import make_rng

RULES = ("area", "territory")


@dataclass(frozen=True)
class Score:
    """A count."""

    rules: str  # "area" or "territory"
    black: int
    white: int  # without komi
    komi: float  # added to White
    owner: dict[Point, Player | None]  # the owner of each point of the board

    @property
    def margin(self) -> float:
        """Black's lead over White, komi included."""
        return self.black - self.white - self.komi


def score(state: GameState, dead: Collection[Point] = (), rules: str = "area") -> Score:
    """Count the position.

    Area (AGA, Chinese): own living stones and the empty points they surround. Territory
    (Japanese): surrounded empty points and prisoners, the dead stones among them. Eyes in
    seki, which Japanese rules do not count, are counted here: the players have to correct such
    points.

    Args:
        dead: points of stones that both players regard as dead; the rest of their chains is dead,
            too. Raises SpecError for a point without a stone.
        rules: "area" or "territory".
    """
    if rules not in RULES:
        raise SpecError(f"rules {rules!r} are not one of {', '.join(RULES)}")
    game = Go.of(state.game)
    position = state.kernel_state
    stones = game.stones(state)
    removed: set[Point] = set()
    for point in dead:
        if point not in stones:
            raise SpecError(f"there is no stone at {tuple(point)} that could be dead")
        removed |= _region(point, stones, stones[point])
    prisoners = {
        Player.black: int(position.info[board.CAPTURED_BY_BLACK]),
        Player.white: int(position.info[board.CAPTURED_BY_WHITE]),
    }
    for point in removed:
        prisoners[stones.pop(point).other] += 1

    owner: dict[Point, Player | None] = dict(stones)
    surrounded = {Player.black: 0, Player.white: 0}
    for point in (Point(r, c) for r in range(1, game.size + 1) for c in range(1, game.size + 1)):
        if point in owner:
            continue
        region = _region(point, stones, None, game.size)
        around = {
            stones[near] for inner in region for near in inner.neighbors() if near in stones
        }
        holder = around.pop() if len(around) == 1 else None
        owner.update(dict.fromkeys(region, holder))
        if holder is not None:
            surrounded[holder] += len(region)
    points = {
        player: surrounded[player] + (
            sum(1 for colour in stones.values() if colour is player) if rules == "area"
            else prisoners[player]
        )
        for player in Player
    }
    return Score(rules, points[Player.black], points[Player.white], game.komi, owner)


def _region(
    start: Point, stones: dict[Point, Player], colour: Player | None, size: int = 0
) -> set[Point]:
    """All points connected to `start` that hold `colour` (None: are empty, on the board)."""
    region, frontier = {start}, [start]
    while frontier:
        for near in frontier.pop().neighbors():
            if near in region or stones.get(near) is not colour:
                continue
            if colour is None and not (1 <= near.row <= size and 1 <= near.col <= size):
                continue
            region.add(near)
            frontier.append(near)
    return region


def ownership(state: GameState, games: int = 500, seed: int = 1) -> np.ndarray:
    """The owner of each point at the end of random games: float64[size, size], +1 Black, -1 White.

    Row 0 is the bottom row. A game that two passes have ended is played on.
    """
    if state.is_over() and state.previous_state is not None:
        state = state.previous_state  # before the last pass the game can go on
    game = Go.of(state.game)
    work = game.scratch_state(state.kernel_state)
    shape = (game.size, game.size)
    out, totals = np.zeros(shape, np.int8), np.zeros(shape, np.int64)
    sum_ownership(state.kernel_state, work, make_rng(seed), games, out, totals)
    return totals / games


def likely_dead(state: GameState, games: int = 500, seed: int = 1, sure: float = 0.6) -> set[Point]:
    """Stones whose points mostly belong to the opponent in the end: a proposal, no proof.

    Based on random games: a stone counts as dead from a mean ownership of `sure` on.
    """
    mean = ownership(state, games, seed)
    sign = {Player.black: 1, Player.white: -1}
    return {
        point for point, player in state.game.stones(state).items()
        if sign[player] * mean[point.row - 1, point.col - 1] < -sure
    }


def dead_chains(state: GameState) -> set[Point]:
    """The stones of all chains in which `likely_dead` finds one: those that `score` removes."""
    owner = score(state, likely_dead(state)).owner
    return {
        point for point, player in state.game.stones(state).items() if player is not owner[point]
    }


@compiled
def sum_ownership(
    state: GoState, work: GoState, rng: np.ndarray, games: int, out: np.ndarray, totals: np.ndarray,
) -> None:
    """Add up `kernels.ownership` at the ends of random games, in any game that has it.

    Args:
        work, out: scratch; `out` is int8[rows, cols].
        totals: int64[rows, cols], +1 for each game in which player 0 owns the cell, -1 if
            player 1 does.
    """
    for _ in range(games):
        kernels.copy_into(work, state)
        kernels.rollout(work, rng)
        kernels.ownership(work, out)
        for row in range(out.shape[0]):
            for col in range(out.shape[1]):
                totals[row, col] += out[row, col]
