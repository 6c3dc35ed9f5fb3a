"""The solver as an engine: perfect play, with proof, where that can be had.

Connect Four is searched to the end of the game; draughts with few pieces is looked up in tables.
"""

from __future__ import annotations

import numpy as np

from dlgo.api import GameState, Move
from dlgo.errors import DlgoError, SpecError
from dlgo.specs import Option
from engines.base import TABLES, Budget, Cost, Decision, Engine
from engines.solver import search
from engines.solver.solver import Solver, Unsolved

# Pieces of draughts' tables where nobody asks for another number.
_USUAL_TABLES = 4


class SolverEngine(Engine):
    """Wins as soon as it can, and loses as late as possible."""

    name = "solver"
    summary = "perfect play: Connect Four by search, draughts with up to five pieces by tables"
    options = (
        Option("tt", 22, "Connect Four's table has 2**tt entries of 8 bytes", low=4, high=28),
        Option("book", True, "look up Connect Four positions with few stones"),
        Option("vary", False, "in Connect Four, choose at random among the moves that score best"),
        TABLES,
    )

    def _set_up(self) -> None:
        if self.game.name not in ("connect4", "draughts"):
            raise SpecError(
                f"engine solver plays connect4 and draughts only, not {self.game}; take alphabeta "
                "instead"
            )
        if self.game.name == "draughts":
            if not self.settings["tables"]:
                self.game = self.game.informed(_USUAL_TABLES)
            return
        left_out = 0 if self.settings["book"] else search.BOOK
        self.solver = Solver(self.settings["tt"], search.ALL_FEATURES & ~left_out)

    def new_game(self, seed: int) -> None:
        """Empty the table, so that what a game costs does not depend on the one before."""
        if self.game.name == "connect4":
            self.solver.forget()
            self._rng = np.random.default_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        if self.game.name == "draughts":  # what the tables have is played before this is asked
            raise DlgoError(
                "engine solver knows draughts with up to "
                f"{self.settings['tables'] or _USUAL_TABLES} pieces, and this position has more; "
                "take alphabeta instead"
            )
        self.solver.nodes = 0
        try:
            score = self.solver.score(state)
            if self.settings["vary"]:
                scores = self.solver.move_scores(state)
                line = [int(self._rng.choice([c for c in scores if scores[c] == score]))]
            else:
                line = self.solver.best_line(state, score)
        except Unsolved:  # somebody who watches has had enough: any move, and no claim
            cost = Cost(nodes=self.solver.nodes)
            central = min(state.legal_moves(), key=lambda move: abs(move.place - 4))
            return Decision(central, cost=cost)
        result = int(np.sign(score))
        return Decision(
            Move.play(line[0]), float(result), pv=tuple(map(Move.play, line)), proven=result,
            depth=None if self.settings["vary"] else len(line), cost=Cost(nodes=self.solver.nodes),
        )

    def warm_up(self) -> None:
        """Compile and load on a game that is nearly over, and open the book."""
        if self.game.name == "draughts":
            self.select_move(self.game.from_fen("B:WK18,K23:BK14"))
            return
        for columns in ("2252576253462244111563365343671", "4455"):
            state = GameState.new_game(self.game)
            for column in columns:
                state = state.apply_move(self.game.parse_move(state, column))
            self.select_move(state)
            for _ in self.solver.analyse([columns], all_moves=False):
                pass
        if self.settings["book"]:
            self.solver.open_book()
        self.new_game(0)
