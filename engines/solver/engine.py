"""The solver as an engine: perfect play.

It searches Connect Four to the end of the game, and looks up draughts with few pieces in tables.
"""

from __future__ import annotations

import numpy as np

from dlgo.api import GameState, Move
from dlgo.errors import DlgoError, SpecError
from dlgo.games import with_tablebase
from dlgo.games.draughts.state import Draughts
from dlgo.specs import Option
from engines.base import TABLES, Budget, Cost, Decision, Engine, Kernels
from engines.solver import search
from engines.solver.solver import Solver, Unsolved

# The default number of pieces of draughts' tables.
_USUAL_TABLES = 4


class SolverEngine(Engine):
    """Wins as soon as possible, and loses as late as possible."""

    name = "solver"
    summary = "perfect play: Connect Four by search, draughts with up to five pieces by tables"
    options = (
        Option("tt", 22, "size of Connect Four's table: 2**tt entries of 8 bytes", low=4, high=28),
        Option("book", True, "use the opening book of Connect Four"),
        Option("vary", False, "choose at random among the best moves, in Connect Four"),
        TABLES,
    )

    def _set_up(self) -> None:
        if self.game.name not in ("connect4", "draughts"):
            raise SpecError(
                f"engine solver plays connect4 and draughts only, not {self.game}; use alphabeta "
                "instead"
            )
        if self.game.name == "draughts":
            if not self.settings["tables"]:
                self.game = with_tablebase(self.game, _USUAL_TABLES)
            return
        left_out = 0 if self.settings["book"] else search.BOOK
        self.solver = Solver(self.settings["tt"], search.ALL_FEATURES & ~left_out)

    def new_game(self, seed: int) -> None:
        """Empty the table, so that the cost of a game does not depend on the game before."""
        if self.game.name == "connect4":
            self.solver.forget()
            self._rng = np.random.default_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        if self.game.name == "draughts":  # positions in the tables are played before this
            raise DlgoError(
                "engine solver plays draughts positions with up to "
                f"{self.settings['tables'] or _USUAL_TABLES} pieces, and this position has more; "
                "use alphabeta instead"
            )
        self.solver.nodes = 0
        try:
            score = self.solver.score(state)
            if self.settings["vary"]:
                scores = self.solver.move_scores(state)
                line = [int(self._rng.choice([c for c in scores if scores[c] == score]))]
            else:
                line = self.solver.best_line(state, score)
        except Unsolved:  # stopped from outside: any move, nothing proven
            cost = Cost(nodes=self.solver.nodes)
            central = min(state.legal_actions().tolist(), key=lambda column: abs(column - 3))
            return Decision(self.game.move_of(central), cost=cost)
        result = int(np.sign(score))
        return Decision(
            Move.play(line[0]), float(result), pv=tuple(map(Move.play, line)), proven=result,
            depth=None if self.settings["vary"] else len(line), cost=Cost(nodes=self.solver.nodes),
        )

    def kernels(self, state: GameState) -> Kernels:
        if self.game.name == "draughts":
            raise SpecError("engine solver: the endgame tables of draughts need Python")
        if self.settings["vary"]:
            raise SpecError("engine solver: vary=yes needs Python")
        return Kernels("solver", self.solver.kernels(state), {
            "info": {"NODES": search.NODES, "LIMIT": search.LIMIT, "RESUME": search.RESUME},
            "unfinished": search.UNFINISHED, "options": [],
        })

    def warm_up(self) -> None:
        """Compile and load on a game that is nearly over, and open the book."""
        if self.game.name == "draughts":
            self.select_move(Draughts.from_fen("B:WK18,K23:BK14"))
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
