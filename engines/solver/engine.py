"""The solver as an engine: it plays Connect Four perfectly, and says what it has proved."""

from __future__ import annotations

import math

from dlgo.api import GameState, Move
from dlgo.errors import SpecError
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine
from engines.solver.solver import Solver, Unsolved


class SolverEngine(Engine):
    """Wins as soon as it can, and loses as late as possible."""

    name = "solver"
    summary = "exact Connect Four: searches to the end of the game, plays perfectly"
    options = (
        Option("tt", 22, "the transposition table has 2**tt entries of 8 bytes", low=4, high=28),
    )

    def _set_up(self) -> None:
        if self.game.name != "connect4":
            raise SpecError(
                f"engine solver plays connect4 only, not {self.game}; take alphabeta instead"
            )
        self.solver = Solver(self.settings["tt"])

    def new_game(self, seed: int) -> None:
        """Empty the table, so that what a game costs does not depend on the one before."""
        self.solver.forget()

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        self.solver.nodes = 0
        try:
            score = self.solver.score(state)
            line = self.solver.best_line(state, score)
        except Unsolved:  # somebody who watches has had enough: any move, and no claim
            cost = Cost(nodes=self.solver.nodes)
            return Decision(min(state.legal_moves(), key=_from_centre), cost=cost)
        result = int(math.copysign(1, score)) if score else 0
        return Decision(
            move=Move.play(line[0]),
            value=float(result),
            pv=tuple(Move.play(column) for column in line),
            proven=result,
            depth=len(line),
            cost=Cost(nodes=self.solver.nodes),
        )

    def warm_up(self) -> None:
        """Compile and load on a game that is nearly over: an empty board takes half a minute."""
        for columns in ("2252576253462244111563365343671", "4455"):
            state = GameState.new_game(self.game)
            for column in columns:
                state = state.apply_move(self.game.parse_move(state, column))
            self.select_move(state)
            for _ in self.solver.analyse([columns], all_moves=False):
                pass
        self.new_game(0)


def _from_centre(move: Move) -> int:
    return abs(move.place - 4)
