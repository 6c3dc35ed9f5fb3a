"""The base class of all engines that use the shared tree search.

Subclasses choose the selection rule, the evaluator and the options; this class sets the root, keeps
to the budget, runs threads and reports the result. With several threads, each grows a separate tree
from the same root, and the visit counts of the root's moves are added (root parallelisation;
Chaslot, Winands and van den Herik 2008). Threads share nothing while they search, so the same seed
and number of simulations give the same move.
"""

from __future__ import annotations

import dataclasses
import functools
from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from dlgo.api import GameState, Move
from dlgo.rng import below, derive_seed, make_rng, uniform
from dlgo.specs import Option
from engines.base import TABLES, Budget, Cost, Decision, Engine, Kernels
from engines.heuristic.engine import RULES, filter_arguments, filter_moves
from engines.search import tree as ts
from engines.search.searcher import LONGEST_LINE, Searcher

# Moves whose expected lines `analyse` tells, the most visited first; length of these.
_LINES, _LINE_LENGTH = 12, 10

TREE_OPTIONS = (
    Option("nodes_max", 4_000_000, "maximum number of nodes, of 26 to 34 bytes each", low=1000,
           high=500_000_000),
    Option("reuse", True, "keep the subtree below the moves played"),
    Option("mistake", 0.0, "play a random one of the moves whose share of wins in the search is at "
           "most this below the best move's; 0: play the best; 1: play any visited move", low=0,
           high=1),
    Option("careless", 1.0, "share of the moves at which it makes such a mistake", low=0, high=1),
    Option("alert", False, "make no mistake where the best move takes pieces off the board"),
    Option("rules", 0, "rules of thumb that the moves obey: 1, win at once; 2, also leave the "
           "opponent no win at once; 0: none", low=0, high=2),
    TABLES,
)
# Visits of a move before `mistake` trusts its share of wins; the standard error is 0.18 then.
_TRUSTED = 8
# Options that are constants of the selection rule: their names there.
_CONSTANTS = {name: name for name in ("c_uct", "hints", "c_puct", "fpu_reduction",
                                      "visits_exponent")} | {"rave": "equivalence"}
# Options that do not change what a search does: they choose a move after it, or only cost memory.
_NEUTRAL = ("nodes_max", "reuse", "cache", "runtime", "temperature", "sample_plies", "mistake",
            "careless", "alert", "rules")
THREADS = Option("threads", 1, "trees that grow in parallel and share the simulations", low=1,
                 high=64)


class TreeSearchEngine(Engine):
    """Monte Carlo tree search, a tree for each thread; subclasses choose rule and evaluator."""

    budgets: tuple[str, ...] = ("sims", "cpu", "wall")
    default_budget = Budget(sims=1000)

    @abstractmethod
    def _new_searcher(self, capacity: int) -> Searcher:
        """The searcher of one thread; `capacity` is the size of its tree in nodes."""

    def _set_up(self) -> None:
        threads = self.settings.get(THREADS.name, 1)
        capacity = self.settings["nodes_max"]
        for most in (self.budget.sims, self.budget.evals):
            if most is not None:
                # At most num_actions nodes a simulation: small budgets, small trees.
                capacity = min(capacity, 2 * (most + 2) * self.game.num_actions)
        capacity = max(capacity // threads, 4 * self.game.num_actions)
        self._searchers = [self._new_searcher(capacity) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._line = np.empty(LONGEST_LINE, np.int64)
        self._move_of = functools.cache(self.game.move_of)

    def kernels(self, state: GameState) -> Kernels:
        driver, calls, facts = self._searchers[0].kernels(state)
        rule = self._searchers[0].rule
        constants = {option: f"rule.{field}" for option, field in _CONSTANTS.items()
                     if hasattr(rule, field)}
        calls["filter_moves"] = (filter_moves, self._filter_arguments(state.kernel_state))
        return Kernels(driver, calls, facts | {"options": [*_NEUTRAL, *constants],
                                               "constants": constants})

    def new_game(self, seed: int) -> None:
        self._mistakes = make_rng(derive_seed(seed, "mistake"))
        for i, searcher in enumerate(self._searchers):
            searcher.new_game(seed if i == 0 else derive_seed(seed, "thread", i))

    def warm_up(self) -> None:
        super().warm_up()
        for searcher in self._searchers:
            searcher.warm_up()
        self.new_game(0)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        for searcher in self._searchers:
            searcher.set_root(state)
        trees = [searcher.tree for searcher in self._searchers]
        nodes, evaluations = self._spent(trees)
        simulations = self._simulate(budget)
        more_nodes, more_evaluations = self._spent(trees)
        counts, action = ts.Counts.empty(self.game.num_actions), -1
        for tree in reversed(trees):
            action = ts.add_root(tree, *counts)
        sign = 1 - 2 * int(trees[0].mover[ts.ROOT])
        result = next((int(tree.proven[ts.ROOT]) for tree in trees
                       if tree.proven[ts.ROOT] != ts.UNPROVEN), None)
        action = self._choose(state, counts, sign, int(action), result is not None)
        self._counts = counts
        visited = counts.by_visits()
        moves = list(map(self._move_of, visited.tolist()))
        visits, sums, proven = (
            counts.visits[visited], counts.value_sums[visited], counts.proven[visited])
        total = int(visits.sum())
        value, values = self._estimates(counts, sums, visits)
        values = np.where(proven == ts.UNPROVEN, values, proven)
        if self.settings["mistake"] > 0 and result is None:
            action = self._err(state, action, visited, visits, (1 + sign * values) / 2)
        if self.settings["rules"]:
            action = self._obey(state, action, visited)
        return Decision(
            move=self._move_of(action),
            value=float(sign * (value if result is None else result)),
            policy=dict(zip(moves, (visits / max(total, 1)).tolist(), strict=True)),
            values=dict(zip(moves, (sign * values).tolist(), strict=True)),
            pv=self._principal_variation(trees, action),
            proven=None if result is None else sign * result,
            depth=max(int(tree.info[ts.DEEPEST]) for tree in trees),
            cost=Cost(simulations, more_nodes - nodes, more_evaluations - evaluations),
        )

    def _estimates(
        self, counts: ts.Counts, sums: np.ndarray, visits: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """The values of the root and of its visited moves, seen by player 0."""
        total = int(visits.sum())
        return float(counts.value_sums.sum()) / total if total else 0.0, sums / visits

    def _choose(
        self, state: GameState, counts: ts.Counts, sign: int, best: int, is_proven: bool
    ) -> int:
        """The action to play; `best` is the most visited. sign: 1 if player 0 moves, else -1."""
        return best

    def _err(
        self, state: GameState, best: int, actions: np.ndarray, visits: np.ndarray,
        wins: np.ndarray,
    ) -> int:
        """A move that a beginner might play instead of `best`: see the option `mistake`.

        A win that the search has proved is always played, so a win in one move is.
        wins: the shares of wins of the visited `actions`, for the player to move.
        """
        if best not in actions or self.settings["alert"] and takes_pieces(
                state, self._move_of(best)):
            return best
        loss, careless = self.settings["mistake"], self.settings["careless"]
        if careless < 1 and uniform(self._mistakes) >= careless:
            return best
        enough, trusted = wins[actions == best][0] - loss, 1 if loss == 1 else _TRUSTED
        choices = actions[(actions == best) | ((visits >= trusted) & (wins >= enough))]
        return int(choices[below(self._mistakes, len(choices))])

    def _obey(self, state: GameState, choice: int, visited: np.ndarray) -> int:
        """The choice if it obeys the option `rules`; else a move that does, the most visited."""
        arguments = self._filter_arguments(self.game.scratch_state(state.kernel_state, RULES))
        filter_moves(*arguments)
        _, _, _, allowed, _ = arguments
        legal = state.legal_actions().tolist()
        return next(action for action in (choice, *visited.tolist(), *legal) if allowed[action])

    def _filter_arguments(self, root: Any) -> tuple[Any, ...]:
        actions = np.zeros((RULES, self.game.num_actions), np.int64)
        return filter_arguments(root, actions, self.settings["rules"])

    def analyse(self, state: GameState, budget: Budget | None = None) -> Decision:
        decision = self.select_move(state, budget)
        if not decision.policy:  # the game was decided without a search
            return decision
        visits, priors = self._counts.visits, self._counts.priors
        guided = priors.max() > 0 and np.ptp(priors[priors > 0]) > 0
        moves = np.flatnonzero(priors if guided else visits)
        return dataclasses.replace(
            decision, visits=self._by_move(moves, visits[moves]),
            priors=self._by_move(moves, priors[moves]) if guided else {},
            lines=tuple(map(self._line_after, self._counts.by_visits()[:_LINES].tolist())),
        )

    def _spent(self, trees: list[ts.Tree]) -> tuple[int, int]:
        return (sum([int(tree.info[ts.N_NODES]) for tree in trees]),
                sum([searcher.evaluations for searcher in self._searchers]))

    def _simulate(self, budget: Budget) -> int:
        if self._pool is None:
            return self._searchers[0].simulate(budget)
        runs, n = [], len(self._searchers)
        for i, searcher in enumerate(self._searchers):
            part = budget
            if budget.sims is not None:  # at least 1 for each, so that its tree has a say
                part = dataclasses.replace(
                    budget, sims=max(1, budget.sims // n + (i < budget.sims % n)))
            runs.append(self._pool.submit(searcher.simulate, part))
        return sum(run.result() for run in runs)

    def _by_move(self, actions: np.ndarray, numbers: np.ndarray) -> dict:
        return dict(zip(map(self._move_of, actions.tolist()), numbers.tolist(), strict=True))

    def _line_after(self, action: int) -> tuple:
        """The line that begins with an action, by the first tree that has tried it."""
        for searcher in self._searchers:
            node = ts.find_child(searcher.tree, ts.ROOT, action)
            if node >= 0 and searcher.tree.visits[node] > 0:
                n = int(ts.principal_variation(searcher.tree, node, self._line[:_LINE_LENGTH]))
                return tuple(map(self._move_of, (action, *self._line[:n].tolist())))
        return (self._move_of(action),)

    def _principal_variation(self, trees: list[ts.Tree], action: int) -> tuple:
        """The line of the first tree that agrees on the move."""
        for tree in trees:
            n = int(ts.principal_variation(tree, ts.ROOT, self._line))
            if n and self._line[0] == action:
                return tuple(map(self._move_of, self._line[:n].tolist()))
        return (self._move_of(action),)


def takes_pieces(state: GameState, move: Move) -> bool:
    """Whether a move takes pieces off the board: captures, but neither moves nor flips discs."""
    before, after = (list(state.game.stones(s).values()) for s in (state, state.apply_move(move)))
    opponent = state.next_player.other
    return len(after) <= len(before) and after.count(opponent) < before.count(opponent)
