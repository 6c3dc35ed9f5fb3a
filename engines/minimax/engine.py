"""The alpha-beta engine: the compiled search of `deepening.py` behind the Engine contract."""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.errors import SpecError
from dlgo.rng import make_rng
from dlgo.specs import Option
from engines.base import TABLES, Budget, Cost, Decision, Engine, Kernels
from engines.clock import Clock
from engines.minimax import evaluation, stack
from engines.minimax.deepening import deepen, principal_variation, start
from engines.minimax.table import clear, new_table
from engines.own_functions import EVALUATION, OwnFunction

# Nodes before the clock is read for the first time.
_FIRST_NODES = 100
# Of `stack.info`, what programs that are not Python read or set.
_CONTROLS = ("NODES", "NODE_LIMIT", "AGE", "TECHNIQUES", "SOLVE", "COUNT", "DEEPEST", "MOVE",
             "SCORE", "DEPTH", "SOLVED")


class AlphaBetaEngine(Engine):
    """Depth-limited minimax with alpha-beta cuts, deepened one ply at a time."""

    name = "alphabeta"
    summary = "minimax with alpha-beta cuts, iterative deepening and a transposition table"
    options = (
        EVALUATION,
        Option("solve", False, "search once to the end of the game, for win, draw or loss only"),
        Option("tt", 20, "size of the transposition table: 2**tt entries of 16 bytes", low=4,
               high=28),
        TABLES,
        *(Option(name, True, text) for name, text in stack.TECHNIQUE_HELP.items()),
    )
    budgets = ("depth", "nodes", "cpu", "wall")
    default_budget = Budget(depth=4)

    def _set_up(self) -> None:
        self._table = new_table(self.settings["tt"], self.game.num_actions)
        self._deepest = min(self.budget.depth or stack.MAX_PLY, stack.MAX_PLY)
        plies = self._deepest + stack.QUIET_PLIES + 1
        self._stack = stack.new_stack(plies, self.game.num_actions)
        on = [self.settings[name] for name in stack.TECHNIQUE_HELP]
        self._stack.info[stack.TECHNIQUES] = sum(1 << i for i, is_on in enumerate(on) if is_on)
        self._stack.info[stack.SOLVE] = self.settings["solve"]
        self._evaluation = self._load_evaluation()

    def _load_evaluation(self) -> Any:
        """The evaluation of positions, for `evaluation.score_of`."""
        self._own = OwnFunction.load(self.settings["evaluation"])
        return evaluation.evaluation_of(self._own)

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)
        clear(self._table)
        self._stack.history[:] = 0
        self._stack.info[stack.AGE] = 0

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        clock = Clock(budget, budget.nodes, _FIRST_NODES, always=True)
        info, plies, solve = self._stack.info, len(self._stack.counts), self.settings["solve"]
        asks = isinstance(self._evaluation, evaluation.AskedEvaluation)
        states = kernels.make_batch(self.game.scratch_state(state.kernel_state, plies), plies + 1)
        kernels.copy_into(kernels.row(states, 0), state.kernel_state)
        info[stack.ASK] = stack.WANTED if asks else 0
        info[stack.DEEPEST] = min(budget.depth or self._deepest, self._deepest)
        start(states, self._stack, self._rng)
        if info[stack.COUNT] == 1 and (budget.cpu or budget.wall) and not solve:
            info[stack.DEEPEST] = min(info[stack.DEEPEST], 2)  # nothing to choose
        complete = False
        while not (complete or (info[stack.NODES] and clock.is_over(int(info[stack.NODES])))):
            info[stack.NODE_LIMIT] = clock.next_stop(int(info[stack.NODES]))
            complete = deepen(states, self._table, self._stack, self._evaluation)
            if info[stack.ASK] == stack.WAITING and self._own is not None:
                leaf = GameState.copy_of(self.game, kernels.row(states, int(info[stack.PLY])))
                info[stack.ANSWER] = evaluation.score_of_value(self._own.value(leaf))
                info[stack.ASK] = stack.ANSWERED
        n = principal_variation(states, self._table, self._stack)
        line = tuple(map(self.game.move_of, self._stack.line[:n]))
        score, solved = int(info[stack.SCORE]), info[stack.SOLVED]
        proven = solved and not self.game.history_matters
        exact = proven and not solve and abs(score) >= stack.PROVEN
        return Decision(
            move=line[0],
            value=_as_value(score),
            pv=line,
            proven=int(np.sign(score)) if proven else None,
            plies_to_end=stack.WIN - abs(score) if exact else None,
            depth=int(info[stack.DEPTH]),
            cost=Cost(nodes=int(info[stack.NODES])),
        )

    def kernels(self, state: GameState) -> Kernels:
        if isinstance(self._evaluation, evaluation.AskedEvaluation):
            raise SpecError(f"engine {self.name}: evaluation={self.settings['evaluation']} needs "
                            "Python; compile the function with @kernel")
        if self.settings["tables"]:
            raise SpecError(f"engine {self.name}: tables={self.settings['tables']} needs Python")
        states = kernels.make_batch(state.kernel_state, len(self._stack.counts) + 1)
        search = states, self._table, self._stack
        return Kernels("alphabeta", {
            "start": (start, (states, self._stack, self._rng)),
            "deepen": (deepen, (*search, self._evaluation)),
            "principal_variation": (principal_variation, search),
        }, {
            "info": {name: getattr(stack, name) for name in _CONTROLS},
            "techniques": [*stack.TECHNIQUE_HELP],
            "options": ["solve", *stack.TECHNIQUE_HELP],
            "deepest": self._deepest,
            "proven": stack.PROVEN,
            "scale": evaluation.ESTIMATE_SCALE,
            "proves": not self.game.history_matters,
        })


def _as_value(score: int) -> float:
    """A score as an expected result: proven scores become +-1, estimates lie between."""
    if abs(score) >= stack.PROVEN:
        return float(np.sign(score))
    return float(np.tanh(score / evaluation.ESTIMATE_SCALE))
