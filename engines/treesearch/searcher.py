"""One tree and all that a thread needs to grow it."""

from __future__ import annotations

from typing import Any

from dlgo.api import GameSpec, GameState
from dlgo.rng import make_rng
from engines.clock import Clock
from engines.decision import Budget
from engines.treesearch import tree as ts
from engines.treesearch.search import new_scratch, run


class Searcher:
    """A search tree that follows a game.

    Args:
        game: what is played.
        capacity: nodes of the tree.
        reuse: keep the part of the tree below the moves played; takes a second tree.
        rule, evaluator: of `rules.py` and `evaluators.py`.
        expand: visits before a leaf gets children.
        room: further arguments of `tree.new_tree`.

    Attributes:
        evaluations: positions a `LeafEvaluator` has valued since the start, what it remembered
            left out.
        early: whether a counted search ends as soon as its choice cannot change any more.
    """

    evaluations = 0
    early = False

    def __init__(
        self, game: GameSpec, capacity: int, reuse: bool, rule: Any, evaluator: Any,
        expand: int, **room: bool,
    ) -> None:
        self.game = game
        self.tree = ts.new_tree(capacity, game.num_actions, **room)
        self._spare = ts.new_tree(capacity, game.num_actions, **room) if reuse else None
        self._rule, self._evaluator, self._expand = rule, evaluator, expand
        self._scratch = new_scratch(game.num_actions)
        self._work: Any = None
        self.new_game(0)

    def new_game(self, seed: int) -> None:
        """Forget the tree and seed the generator."""
        self._rng = make_rng(seed)
        self._root: GameState | None = None  # the position at the root of the tree

    def warm_up(self) -> None:
        """Compile what a search only sometimes needs: keeping a tree depends on the replies."""
        ts.set_root(self.tree, GameState.new_game(self.game).kernel_state)
        if self._spare is not None:
            ts.advance(self.tree, self._spare, ts.ROOT)
        ts.find_child(self.tree, ts.ROOT, 0)
        self.new_game(0)

    def set_root(self, state: GameState) -> None:
        """Make `state` the root: of the subtree that holds it, if any, else of a fresh tree."""
        node = self._descend_to(state)
        if node > 0 and self._spare is not None:
            ts.advance(self.tree, self._spare, node)
            self.tree, self._spare = self._spare, self.tree
        elif node < 0:
            ts.set_root(self.tree, state.kernel_state)
        self._root = state
        self._work = self.game.scratch_state(state.kernel_state, room=ts.MAX_DEPTH + 2)

    def _descend_to(self, state: GameState) -> int:
        """The node of `state` if it continues the game of the last search, else -1."""
        moves = state.moves_since(self._root)
        if moves is None or self._spare is None:
            return -1
        node = ts.ROOT
        for move in moves:
            action = self.game.action_of(move)
            node = -1 if action is None else ts.find_child(self.tree, node, action)
            if node < 0 or self.tree.visits[node] == 0:
                return -1
        # Proofs below stand, but a proven root would stop the search before it has children.
        return int(node) if self.tree.n_children[node] > 0 else -1

    def simulate(self, budget: Budget) -> int:
        """Simulate until the first limit of the budget is reached; the number of simulations run.

        Releases the interpreter lock, so that several searchers can run in threads.
        """
        clock = Clock(budget, budget.sims)
        done = 0
        while True:
            asked = clock.next_stop(done) - done
            if self.early and budget.sims is not None:
                asked = min(asked, _portion(budget.sims))
            ran = self._run(asked)
            done += ran
            # Fewer: nothing is left to be found out.
            if ran < asked or clock.is_over(done) or self._is_settled(budget, done):
                return done

    def _run(self, simulations: int) -> int:
        """Run so many simulations; fewer if nothing is left to be found out."""
        assert self._root is not None
        return int(run(
            self.tree, self._root.kernel_state, self._work, self._scratch, self._rng,
            simulations, self._expand, self._rule, self._evaluator,
        ))

    def _is_settled(self, budget: Budget, done: int) -> bool:
        """Whether to end early."""
        if not self.early or budget.sims is None:
            return False
        return bool(ts.is_settled(self.tree, budget.sims - done))


def _portion(sims: int) -> int:
    """Simulations between two looks at whether the choice may still change."""
    return max(8, sims // 32)
