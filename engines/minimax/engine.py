"""The alpha-beta engine: iterative deepening over `search.py`, behind the Engine contract."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move
from dlgo.rng import make_rng, shuffle
from dlgo.specs import Option
from engines.base import TABLES, Budget, Cost, Decision, Engine
from engines.clock import Clock
from engines.minimax import evaluation, search, stack
from engines.minimax.table import AGES, clear, find, new_table
from engines.own_functions import EVALUATION, OwnFunction

# Half the width of the first aspiration window, in hundredths.
ASPIRATION_MARGIN = 30
# Nodes before the clock is read for the first time.
_FIRST_NODES = 100


class _Result(NamedTuple):
    score: int  # of the root
    solved: bool  # whether the score is final
    depth: int  # plies searched
    previous: int  # the score of the search one ply shallower


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
        on = [self.settings[name] for name in stack.TECHNIQUE_HELP]
        self._use = sum(1 << i for i, is_on in enumerate(on) if is_on)
        if not self._use & stack.CUTS:  # PVS and aspiration need cuts
            self._use &= ~(stack.PVS | stack.ASPIRATION)
        plies = min(self.budget.depth or stack.MAX_PLY, stack.MAX_PLY) + stack.QUIET_PLIES + 1
        self._stack = stack.new_stack(plies, self.game.num_actions)
        self._stack.info[stack.TECHNIQUES] = self._use
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
        info = self._stack.info
        info[stack.NODES] = 0
        info[stack.AGE] = (info[stack.AGE] + 1) % AGES
        self._stack.history[:] //= 8  # scores of the last move still help
        plies = len(self._stack.counts)
        deepest = min(budget.depth or stack.MAX_PLY, plies - stack.QUIET_PLIES - 1)
        states = kernels.make_batch(self.game.scratch_state(state.kernel_state, plies), plies)
        kernels.copy_into(kernels.row(states, 0), state.kernel_state)

        actions = np.empty(self.game.num_actions, np.int64)
        forced = deepest >= 2 and self._use & stack.FORCED
        list_actions = kernels.forced_actions if forced else kernels.search_actions
        actions = actions[: list_actions(state.kernel_state, actions)]
        solve = self.settings["solve"]
        if not solve:
            shuffle(actions, len(actions), self._rng)  # equal moves: a random one
            if len(actions) == 1 and (budget.cpu or budget.wall):
                deepest = min(deepest, 2)  # nothing to choose
        result = self._deepen(states, clock, actions, deepest)
        move = self.game.move_of(actions[0])
        proven = result.solved and not self.game.history_matters
        exact = proven and not solve and abs(result.score) >= stack.PROVEN
        return Decision(
            move=move,
            value=_as_value(result.score),
            pv=self._principal_variation(state, move, result.depth),
            proven=int(np.sign(result.score)) if proven else None,
            plies_to_end=stack.WIN - abs(result.score) if exact else None,
            depth=result.depth,
            cost=Cost(nodes=int(info[stack.NODES])),
        )

    def _deepen(self, states: Any, clock: Clock, actions: np.ndarray, deepest: int) -> _Result:
        """Search deeper until a limit or the end; the best of the root's `actions` comes first."""
        solve = self.settings["solve"]
        whole = (-1, 1) if solve else (-stack.INFINITE, stack.INFINITE)
        at_once = solve or not self._use & stack.DEEPENING
        result = _Result(0, False, 0, 0)
        for depth in range(deepest if at_once else 1, deepest + 1):
            window = whole
            if (self._use & stack.ASPIRATION and result.depth >= 2
                    and abs(result.previous) < stack.PROVEN):
                # Around the estimate of two plies before: odd and even depths differ.
                window = (result.previous - ASPIRATION_MARGIN, result.previous + ASPIRATION_MARGIN)
            while True:
                complete = self._search(states, clock, depth, window, actions)
                score = int(self._stack.best[0])
                if not complete or window[0] < score < window[1] or window == whole:
                    break
                # Outside the window: open that side, and search again with the table's help.
                window = (whole[0], window[1]) if score <= window[0] else (window[0], whole[1])
            if not complete:
                # The best score of the moves searched so far is a lower bound.
                if self._stack.best_action[0] >= 0 and score > window[0]:
                    result = result._replace(score=score)
                break
            result = _Result(score, bool(self._stack.solved[0]), depth, result.score)
            # If the end is further away than this depth, there may be a shorter way.
            to_end = stack.WIN - abs(score) if abs(score) >= stack.PROVEN else 0
            if result.solved and (solve or to_end <= depth):
                break
        return result

    def _search(
        self, states: Any, clock: Clock, depth: int, window: tuple[int, int], actions: np.ndarray
    ) -> bool:
        """One search to `depth` within `window`; returns whether it finished before a limit."""
        info = self._stack.info
        asks = isinstance(self._evaluation, evaluation.AskedEvaluation)
        info[stack.ASK] = stack.WANTED if asks else 0
        search.begin(states, self._stack, depth, *window, actions, len(actions))
        while True:
            info[stack.NODE_LIMIT] = clock.next_stop(int(info[stack.NODES]))
            complete = search.advance(states, self._table, self._stack, self._evaluation)
            if info[stack.ASK] == stack.WAITING and self._own is not None:
                leaf = GameState.copy_of(self.game, kernels.row(states, int(info[stack.PLY])))
                info[stack.ANSWER] = evaluation.score_of_value(self._own.value(leaf))
                info[stack.ASK] = stack.ANSWERED
            if complete or clock.is_over(int(info[stack.NODES])):
                break
        best = int(self._stack.best_action[0])
        if best >= 0 and self._stack.best[0] > window[0]:
            i = int(np.flatnonzero(actions == best)[0])
            actions[: i + 1] = np.roll(actions[: i + 1], 1)
        return complete

    def _principal_variation(self, state: GameState, move: Move, length: int) -> tuple[Move, ...]:
        """Follow the table's best moves while they exist and are legal."""
        line = [move]
        state = state.apply_move(move)
        while len(line) < length and not state.is_over():
            slot = find(self._table, state.key())
            action = int(self._table[slot]["action"]) if slot >= 0 else -1
            if action < 0 or not kernels.is_legal(state.kernel_state, action):
                break
            line.append(self.game.move_of(action))
            state = state.apply_move(line[-1])
        return tuple(line)


def _as_value(score: int) -> float:
    """A score as an expected result: proven scores become +-1, estimates lie between."""
    if abs(score) >= stack.PROVEN:
        return float(np.sign(score))
    return float(np.tanh(score / evaluation.ESTIMATE_SCALE))
