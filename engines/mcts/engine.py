"""The MCTS engine: UCT with rollouts, the search of `search.py` behind the Engine contract."""

from __future__ import annotations

import time

import numpy as np

from dlgo.api import GameState
from dlgo.rng import make_rng
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine
from engines.mcts.search import run
from engines.treesearch import tree as ts

# A time limit is checked after so many seconds' worth of simulations.
_SLICE_SECONDS = 0.005


class MCTSEngine(Engine):
    """Upper confidence bounds applied to trees, leaves valued by one random game each."""

    name = "mcts"
    summary = "Monte Carlo tree search: UCT with random rollouts"
    options = (
        Option("c", 0.4, "exploration weight; wins count on a scale of 0 to 1", low=0, high=100),
        Option("expand", 1, "visits before a leaf gets children", low=0, high=1_000_000),
        Option("nodes_max", 4_000_000, "tree size; 26 bytes a node", low=1000, high=500_000_000),
        Option("reuse", True, "keep the part of the tree below the moves played"),
    )
    budgets = ("sims", "cpu", "wall")
    default_budget = Budget(sims=1000)

    def _set_up(self) -> None:
        self._actions = np.empty(self.game.num_actions, np.int64)
        self._path = np.empty(ts.MAX_DEPTH + 2, np.int32)
        # A tree can use at most num_actions nodes a simulation: small budgets, small trees.
        self._tree = ts.new_tree(self._capacity())
        self._spare = ts.new_tree(self._capacity()) if self.settings["reuse"] else None

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)
        self._root: GameState | None = None  # what the tree is planted at

    def warm_up(self) -> None:
        super().warm_up()
        # Whether a tree is kept depends on the replies: here it certainly is, once.
        start = GameState.new_game(self.game).kernel_state
        ts.plant(self._tree, start)
        if self._spare is not None:
            ts.advance(self._tree, self._spare, ts.ROOT)
        ts.find_child(self._tree, ts.ROOT, 0)
        self.new_game(0)

    def _capacity(self) -> int:
        limit = self.settings["nodes_max"]
        if self.budget.sims is not None:
            limit = min(limit, 2 * (self.budget.sims + 2) * self.game.num_actions)
        return max(limit, 4 * self.game.num_actions)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        self._plant(state)
        work = self.game.scratch_state(state.kernel_state, room=ts.MAX_DEPTH + 2)
        start_nodes = int(self._tree.info[ts.N_NODES])
        done = self._search(state, work, budget)
        tree = self._tree
        best = ts.most_visited(tree, ts.ROOT)
        sign = 1 - 2 * int(tree.mover[ts.ROOT])
        proven = int(tree.proven[ts.ROOT])
        visits = int(tree.visits[ts.ROOT])
        mean = float(tree.value_sum[ts.ROOT]) / visits
        value = sign * (mean if proven == ts.UNPROVEN else proven)
        return Decision(
            move=self.game.move_of(tree.action[best]),
            value=float(value),
            policy=self._policy(),
            values=self._values(sign),
            pv=self._principal_variation(),
            proven=None if proven == ts.UNPROVEN else sign * proven,
            depth=int(tree.info[ts.DEEPEST]),
            cost=Cost(simulations=done, nodes=int(tree.info[ts.N_NODES]) - start_nodes),
        )

    def _search(self, state: GameState, work: object, budget: Budget) -> int:
        """Simulate until the first limit is reached; the number of simulations run."""
        limits = [
            (clock, clock() + seconds)
            for clock, seconds in (
                (time.process_time, budget.cpu), (time.perf_counter, budget.wall)
            )
            if seconds is not None
        ]
        target = budget.sims if budget.sims is not None else (1 << 62)
        # Without a clock to watch, one call does it all.
        slice_size = 16 if limits else target
        done = 0
        while done < target:
            began = time.perf_counter()
            asked = min(slice_size, target - done)
            ran = run(
                self._tree, state.kernel_state, work, self._actions, self._path, self._rng,
                asked, self.settings["c"], self.settings["expand"],
            )
            done += ran
            if ran < asked or any(clock() >= end for clock, end in limits):
                break
            speed = ran / max(time.perf_counter() - began, 1e-6)
            slice_size = max(1, min(4 * slice_size, int(speed * _SLICE_SECONDS)))
        return done

    def _plant(self, state: GameState) -> None:
        """Reuse the subtree of the position if the tree holds it, else start afresh."""
        node = self._descend_to(state)
        if node > 0 and self._spare is not None:
            ts.advance(self._tree, self._spare, node)
            self._tree, self._spare = self._spare, self._tree
        elif node < 0:
            ts.plant(self._tree, state.kernel_state)
        self._root = state

    def _descend_to(self, state: GameState) -> int:
        """The node of `state` if it continues the game of the last search, else -1."""
        if self._root is None or self._spare is None:
            return -1
        moves = []
        ancestor: GameState | None = state
        while ancestor is not None and ancestor is not self._root and len(moves) < 8:
            moves.append(ancestor.last_move)
            ancestor = ancestor.previous_state
        if ancestor is not self._root:
            return -1
        node = ts.ROOT
        for move in reversed(moves):
            action = None if move is None else self.game.action_of(move)
            node = -1 if action is None else ts.find_child(self._tree, node, action)
            if node < 0 or self._tree.visits[node] == 0:
                return -1
        # Proofs below stand, but a proven root would stop the search before it has children.
        return int(node) if self._tree.n_children[node] > 0 else -1

    def _policy(self) -> dict:
        """Shares of the visits, the most visited first; moves without visits are left out."""
        tree = self._tree
        first, n = int(tree.first_child[ts.ROOT]), int(tree.n_children[ts.ROOT])
        visits = tree.visits[first : first + n]
        total = int(visits.sum())
        return {
            self.game.move_of(tree.action[first + i]): int(visits[i]) / total
            for i in np.argsort(-visits, kind="stable") if visits[i]
        }

    def _values(self, sign: int) -> dict:
        """Mean or proven result of each move that was visited, as the root's mover sees it."""
        tree = self._tree
        first, n = int(tree.first_child[ts.ROOT]), int(tree.n_children[ts.ROOT])
        return {
            self.game.move_of(tree.action[node]): sign * float(
                tree.value_sum[node] / tree.visits[node]
                if tree.proven[node] == ts.UNPROVEN else tree.proven[node]
            )
            for node in range(first, first + n) if tree.visits[node]
        }

    def _principal_variation(self) -> tuple:
        line = []
        node = ts.ROOT
        while self._tree.n_children[node] > 0 and len(line) < 30:
            node = ts.most_visited(self._tree, node)
            if self._tree.visits[node] == 0:
                break
            line.append(self.game.move_of(self._tree.action[node]))
        return tuple(line)
