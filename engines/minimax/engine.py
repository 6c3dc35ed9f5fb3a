"""The alpha-beta engine: iterative deepening over `search.py`, behind the Engine contract."""

from __future__ import annotations

import time

import numpy as np

from dlgo import kernels
from dlgo.api import GameState, Move
from dlgo.rng import make_rng, shuffle
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine
from engines.minimax import search
from engines.minimax.table import EMPTY_SLOT, find, new_table

# Nodes a second assumed before the first measurement; too low only costs a restart.
_FIRST_GUESS = 100_000


class AlphaBetaEngine(Engine):
    """Depth-limited minimax with alpha-beta cuts, deepened one ply at a time."""

    name = "alphabeta"
    summary = "minimax with alpha-beta cuts, iterative deepening and a transposition table"
    options = (
        Option("solve", False, "one search to the end for win, draw or loss; no estimates"),
        Option("tt", 20, "the transposition table has 2**tt entries of 17 bytes", low=4, high=28),
    )
    budgets = ("depth", "nodes", "cpu", "wall")
    default_budget = Budget(depth=4)

    def _set_up(self) -> None:
        self._table = new_table(self.settings["tt"])
        plies = 1 + min(self.budget.depth or search.MAX_PLY, search.MAX_PLY)
        self._stack = search.new_stack(plies + 1, self.game.num_actions)

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)
        self._table.bound[:] = EMPTY_SLOT
        self._stack.history[:] = 0
        self._stack.killer[:] = -1

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        clock = _Clock(budget)
        stack = self._stack
        stack.info[search.NODES] = 0
        stack.history[:] //= 8  # what was good a move ago is still a hint
        deepest = min(budget.depth or search.MAX_PLY, len(stack.count) - 2)
        states = kernels.make_batch(
            self.game.scratch_state(state.kernel_state, room=deepest + 1), deepest + 1
        )
        kernels.copy_into(kernels.row(states, 0), state.kernel_state)

        actions = np.empty(self.game.num_actions, np.int64)
        list_actions = kernels.forced_actions if deepest >= 2 else kernels.search_actions
        n = list_actions(state.kernel_state, actions)
        solve = self.settings["solve"]
        if not solve:
            shuffle(actions, n, self._rng)  # equal moves are chosen among at random
        alpha, beta = (-1, 1) if solve else (-search.INFINITE, search.INFINITE)
        scores = np.zeros(n, np.int64)
        best_score, solved, reached = 0, False, 0
        depth = deepest if solve else 1
        while depth <= deepest:
            stack.info[search.NODE_LIMIT] = clock.node_limit(int(stack.info[search.NODES]))
            scores[:] = -search.INFINITE
            best = search.search_root(
                states, self._table, stack, depth, alpha, beta, actions, n, scores
            )
            aborted = bool(stack.info[search.ABORTED])
            if best >= 0:
                best_score = int(scores[best])
                # The best move goes first next time; the others keep their order.
                actions[: best + 1] = np.roll(actions[: best + 1], 1)
            if not aborted:
                reached = depth
                solved = bool(stack.solved[0])
                depth += 1
            elif clock.spent(int(stack.info[search.NODES])):
                break
            if solved:
                break
        move = self.game.move_of(actions[0])
        return Decision(
            move=move,
            value=_as_value(best_score),
            pv=self._principal_variation(state, move, reached),
            proven=int(np.sign(best_score)) if solved and not self.game.history_matters else None,
            depth=reached,
            cost=Cost(nodes=int(stack.info[search.NODES])),
        )

    def _principal_variation(self, state: GameState, move: Move, length: int) -> tuple[Move, ...]:
        """Follow the table's best moves, as far as they are still there and legal."""
        line = [move]
        state = state.apply_move(move)
        while len(line) < length and not state.is_over():
            slot = find(self._table, state.key())
            action = int(self._table.action[slot]) if slot >= 0 else -1
            if action < 0 or not kernels.is_legal(state.kernel_state, action):
                break
            line.append(self.game.move_of(action))
            state = state.apply_move(line[-1])
        return tuple(line)


class _Clock:
    """Turns time limits into node limits, since compiled code does not look at the time."""

    def __init__(self, budget: Budget) -> None:
        self._nodes = budget.nodes or (1 << 62)
        self._limits = [
            (clock, clock(), seconds)
            for clock, seconds in (
                (time.process_time, budget.cpu), (time.perf_counter, budget.wall)
            )
            if seconds is not None
        ]

    def node_limit(self, nodes: int) -> int:
        """Up to how many nodes the search may go now, having visited `nodes`."""
        limit = self._nodes
        for clock, start, seconds in self._limits:
            used = max(clock() - start, 1e-6)
            speed = nodes / used if nodes > 1000 else _FIRST_GUESS
            limit = min(limit, nodes + max(100, int(speed * (seconds - used))))
        return limit

    def spent(self, nodes: int) -> bool:
        """Whether a limit has been reached, to within a tenth."""
        return nodes >= self._nodes or any(
            clock() - start >= 0.9 * seconds for clock, start, seconds in self._limits
        )


def _as_value(score: int) -> float:
    """A score as an expected result: proven ones are +-1, estimates stay inside."""
    if abs(score) >= search.PROVEN:
        return float(np.sign(score))
    return float(np.tanh(score / 500))
