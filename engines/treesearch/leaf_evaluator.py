"""Tree search over any evaluator that gives (policy, value), in Python: networks, other engines.

The compiled loop of `search.py` cannot call Python. So a search here alternates between two
kernels: `collect` walks to some leaves and stops, the evaluator is asked about all of them in one
call, `absorb` gives them children with the evaluator's priors and counts its values. While a
leaf waits for its answer, a virtual loss on its path sends the next walk elsewhere
(Chaslot et al. 2008); with one leaf at a time the search is the textbook's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.jit import inline_kernel, kernel
from engines.clock import Clock
from engines.decision import Budget
from engines.treesearch.search import walk
from engines.treesearch.searcher import Searcher
from engines.treesearch.tree import BUDGET, MAX_DEPTH, ROOT, UNPROVEN, back_up, expand

WALKS_AN_EVALUATION = 100


class LeafEvaluator(ABC):
    """What a tree search wants to know of a position.

    Attributes:
        history: how many earlier positions it wants to see beside each; if more than none,
            `evaluate_windows` is called in place of `evaluate`.
        remembered: of the positions it has been asked about, how many it answered from memory.
            These are not counted as evaluations.
        looks: evaluations that a position costs, if nothing is remembered.
    """

    history = 0
    remembered = 0
    looks = 1

    @abstractmethod
    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Policies and values of the first `n` states of a batch of kernel states.

        The games are not over. The states are only lent until the next call.

        Returns:
            policies: float32[n, num_actions], not negative; what is not legal is ignored, and
                the search makes the rest sum to 1 (all alike if all are 0).
            values: float32[n], -1 to 1, as the player to move sees it.
        """

    def evaluate_windows(
        self, leaves: Any, windows: Any, known: np.ndarray, n: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Like `evaluate`, for evaluators that look at earlier positions, too.

        Args:
            windows: batch of `history + 1` states for each leaf, the leaf itself first, then the
                position before it, and so on.
            known: int64[n], how many states of each window exist.
        """
        return self.evaluate(leaves, n)

    def window(self, state: GameState) -> tuple[Any, int]:
        """The root and what came before it, as one window; asked for if `history` is not 0."""
        raise NotImplementedError

    def guide(self) -> Any:
        """The same as compiled code, for one thread (`guided.py`); None where there is none."""
        return None

    def new_game(self, seed: int) -> None:  # noqa: B027 (most evaluators remember nothing)
        """Forget everything and seed the generator."""

    def close(self) -> None:  # noqa: B027
        """Release what the evaluator holds outside Python."""


class UniformEvaluator(LeafEvaluator):
    """Knows nothing: every move is as good as another, every position even."""

    def __init__(self, game: GameSpec) -> None:
        self._num_actions = game.num_actions

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        return np.ones((n, self._num_actions), np.float32), np.zeros(n, np.float32)


class EngineEvaluator(LeafEvaluator):
    """Any engine as an evaluator: its decision's policy, or else its move, and its value.

    Args:
        engine: plays the same game; must estimate values.
        share: of the policy that goes to all moves alike, so that a move the engine does not
            think of is not ruled out.
    """

    def __init__(self, engine: Any, share: float = 0.25) -> None:
        self._engine, self._share = engine, share

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        game = self._engine.game
        policies = np.zeros((n, game.num_actions), np.float32)
        values = np.zeros(n, np.float32)
        for i in range(n):
            state = GameState.copy_of(game, kernels.row(leaves, i))
            decision = self._engine.select_move(state)
            values[i] = decision.value or 0.0
            legal = state.legal_actions()
            policies[i, legal] = self._share / len(legal)
            for move, part in (decision.policy or {decision.move: 1.0}).items():
                policies[i, game.action_of(move)] += (1 - self._share) * part
        return policies, values

    def new_game(self, seed: int) -> None:
        self._engine.new_game(seed)

    def close(self) -> None:
        self._engine.close()


class LeafBatchSearcher(Searcher):
    """A searcher whose leaves are valued by an evaluator, `batch` at a time."""

    def __init__(
        self, game: GameSpec, capacity: int, reuse: bool, rule: Any, evaluator: LeafEvaluator,
        batch: int,
    ) -> None:
        self._leaf_evaluator, self._batch = evaluator, batch
        self._paths = np.empty((batch, MAX_DEPTH + 2), np.int32)
        self._lengths = np.empty(batch, np.int64)
        self._leaves: Any = None
        super().__init__(game, capacity, reuse, rule, evaluator=None, expand=0)

    def set_root(self, state: GameState) -> None:
        super().set_root(state)
        self._leaves = kernels.make_batch(self._work, self._batch)
        if history := self._leaf_evaluator.history:
            self._past, self._past_known = self._leaf_evaluator.window(state)
            self._windows = kernels.make_batch(self._work, self._batch * (history + 1))
            self._known = np.empty(self._batch, np.int64)

    def simulate(self, budget: Budget) -> int:
        assert self._root is not None
        simulations, evaluations = budget.sims, budget.evals
        if simulations is None and evaluations is not None:
            # Walks that end in finished games, or in positions that the evaluator remembers, cost
            # no evaluation, and there may be no others.
            simulations = WALKS_AN_EVALUATION * evaluations
        clock = Clock(budget, simulations)
        looks = self._leaf_evaluator.looks
        root = self._root.kernel_state
        # The first simulation of a new tree only looks at the root.
        fresh = self.tree.n_children[ROOT] == 0
        self.tree.info[BUDGET] = 0 if simulations is None else simulations - fresh
        done = asked = 0
        while True:
            most = self._batch if simulations is None else min(self._batch, simulations - done)
            if evaluations is not None:
                most = min(most, max(1, (evaluations - asked) // looks))
            walked, n = collect(
                self.tree, root, self._leaves, self._paths, self._lengths, most, self._rule
            )
            if n:
                asked += n * looks + self._leaf_evaluator.remembered
                policies, values = self._ask(n)
                asked -= self._leaf_evaluator.remembered
                absorb(
                    self.tree, self._leaves, self._paths, self._lengths, n,
                    policies, values, self._scratch.actions, self._rng,
                )
            done += walked
            spent = evaluations is not None and evaluations - asked < looks
            if (
                self.tree.proven[ROOT] != UNPROVEN or spent or clock.is_over(done)
                or self._is_settled(budget, done)
            ):
                self.evaluations += asked
                return done

    def _ask(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        if not self._leaf_evaluator.history:
            return self._leaf_evaluator.evaluate(self._leaves, n)
        look_back(
            self.tree, self._past, self._past_known, self._paths, self._lengths, n,
            self._leaf_evaluator.history, self._work, self._windows, self._known,
        )
        return self._leaf_evaluator.evaluate_windows(self._leaves, self._windows, self._known, n)


@kernel
def look_back(tree, past, past_known, paths, lengths, n, history, work, windows, known):
    """Write the positions that led to each leaf, by playing its path again.

    Args:
        past: batch, the root first, then those before it; past_known: how many exist.
        paths, lengths: the way to each of the `n` leaves, as `collect` writes them.
        work: a scratch state with room for the deepest line.
        windows: batch of `history + 1` states a leaf, out: the leaf, the one before it, ...
        known: int64[n], out: how many of them exist.
    """
    for i in range(n):
        first = i * (history + 1)
        plies = lengths[i] - 1
        kernels.copy_into(work, kernels.row(past, 0))
        if plies <= history:
            kernels.copy_into(kernels.row(windows, first + plies), work)
        for ply in range(1, plies + 1):
            kernels.play(work, tree.action[paths[i, ply]])
            if plies - ply <= history:
                kernels.copy_into(kernels.row(windows, first + plies - ply), work)
        for back in range(1, past_known):
            if plies + back > history:
                break
            kernels.copy_into(
                kernels.row(windows, first + plies + back), kernels.row(past, back)
            )
        known[i] = min(plies + past_known, history + 1)


@kernel
def collect(tree, root, leaves, paths, lengths, most, rule):
    """Walk `most` times; leaves that need an answer are left in the batch.

    Args:
        leaves: batch of at least `most` states with room for the deepest line.
        paths: int32[most, MAX_DEPTH + 2], lengths: int64[most], out: the way to each leaf.

    Returns:
        (walks, leaves): walks that ended in a finished game are counted and done with.
    """
    n = 0
    for walked in range(most):
        if tree.proven[ROOT] != UNPROVEN:
            return walked, n
        work = kernels.row(leaves, n)
        path = paths[n]
        length = walk(tree, root, work, path, rule)
        node = path[length - 1]
        if tree.proven[node] != UNPROVEN:
            back_up(tree, path, length, float(tree.proven[node]))
        else:
            _lose_virtually(tree, path, length, 1)
            lengths[n] = length
            n += 1
            if node == ROOT:  # where all walks would end until it has children
                return walked + 1, n
    return most, n


@inline_kernel
def _lose_virtually(tree, path, length, times):
    """Count a walk as lost for whoever chose each step (`times` = 1), or take that back (-1)."""
    tree.visits[path[0]] += times
    for i in range(1, length):
        tree.visits[path[i]] += times
        tree.value_sum[path[i]] -= times * (1 - 2 * tree.mover[path[i - 1]])


@kernel
def absorb(tree, leaves, paths, lengths, n, policies, values, actions, rng):
    """Give collected leaves their children and values.

    Args:
        policies: float32[n, num_actions]. values: float32[n], seen by the player to move.
        actions: int64[num_actions], scratch.
    """
    for i in range(n):
        path, length = paths[i], lengths[i]
        node = path[length - 1]
        _lose_virtually(tree, path, length, -1)
        state = kernels.row(leaves, i)
        # The same leaf may have been collected twice; the tree may be full.
        if tree.n_children[node] == 0 and expand(tree, node, state, actions, rng):
            _set_priors(tree, node, policies[i])
        back_up(tree, path, length, (1 - 2 * tree.mover[node]) * values[i])


@inline_kernel
def _set_priors(tree, node, policy):
    first = tree.first_child[node]
    n = tree.n_children[node]
    total = 0.0
    for child in range(first, first + n):
        total += policy[tree.action[child]]
    if total > 0.0:
        for child in range(first, first + n):
            tree.prior[child] = policy[tree.action[child]] / total
