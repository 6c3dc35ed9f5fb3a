"""Facts about forced playouts: who gets them, and that none of them is learned.

`DLGO_FULL=1` plays draughts with them as well.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from dlgo import GameState, get_game, kernels
from engines.alphazero.config import SelfPlaySettings
from engines.alphazero.self_play import SelfPlay
from engines.learning.data.records import FULL_SEARCH
from engines.treesearch import tree as ts
from engines.treesearch.batched_search import BatchedSearch
from engines.treesearch.forced import ForcedPUCT, prune
from engines.treesearch.leaf_evaluator import LeafEvaluator
from engines.treesearch.rules import PUCT
from tests.alphazero.test_self_play import GAMES as ALL_GAMES
from tests.alphazero.test_self_play import Opinionated, begin, finish, state_after
from tests.conftest import FULL

GAMES = ALL_GAMES if FULL else [name for name in ALL_GAMES if name != "draughts"]
CONNECT4 = get_game("connect4")
START = GameState.new_game(CONNECT4)
C, K = 0.9, 2.0
FORCED = ForcedPUCT(C, 0.1, K)


def rooted(
    game, state, agent: LeafEvaluator, n: int, simulations: int, noise: float = 0.25
) -> BatchedSearch:
    """n searches of a position with forced playouts, each with noise of its own."""
    search = BatchedSearch(game, n, 20_000, FORCED, agent, 200)
    return begin(search, [state] * n, 70, [simulations] * n, noise, 3.0)


class Root:
    """A root's children as plain arrays, with PUCT's formula written down once more."""

    def __init__(self, tree: ts.Tree) -> None:
        first, n = int(tree.first_child[0]), int(tree.n_children[0])
        span = slice(first, first + n)
        self.sign = 1 - 2 * int(tree.mover[0])
        self.actions = tree.action[span].astype(int)
        self.visits = tree.visits[span].astype(int)
        self.proven = tree.proven[span].astype(int)
        self.prior = tree.prior[span].astype(float)
        self.wins = 0.5 + 0.5 * self.sign * tree.value_sum[span] / np.maximum(self.visits, 1)
        self.here = int(tree.visits[0])
        self.least = np.sqrt(K * self.prior * self.visits.sum())

    def score(self, child: int, visits: int) -> float:
        """The share of wins and c P sqrt(N) / (1 + n); a proven draw is a half for sure."""
        if self.proven[child] == 0:
            return 0.5
        return self.wins[child] + C * self.prior[child] * math.sqrt(self.here) / (1 + visits)


@pytest.mark.parametrize("name", GAMES)
def test_a_move_that_has_been_tried_gets_its_least_number_of_visits(name: str) -> None:
    """Whenever some child is short of visits, a child that is short gets the next one."""
    game = get_game(name)
    search = rooted(game, state_after(game, 1, 2), Opinionated(game), n=6, simulations=120)
    forced = 0
    while (search.remaining > 0).any():
        before = [Root(search.tree(i)) for i in range(6)]
        search.step()
        for i in range(6):
            one, two = before[i], Root(search.tree(i))
            if not len(one.visits) or one.here == two.here:
                continue
            short = (one.visits > 0) & (one.visits < one.least) & (one.proven == ts.UNPROVEN)
            gained = two.visits > one.visits
            assert gained.sum() == 1
            if short.any():
                assert short[gained].all()
                forced += 1
    assert forced > 20


@pytest.mark.parametrize("name", GAMES)
def test_no_visit_is_learned_that_puct_would_not_have_given(name: str) -> None:
    game = get_game(name)
    policy = np.empty(game.num_actions)
    taken = tried = 0
    for plies in range(0, 8, 2):
        state = state_after(game, plies, plies)
        search = finish(rooted(game, state, Opinionated(game), n=8, simulations=150))
        for i in range(8):
            tree = search.tree(i)
            if tree.proven[0] != ts.UNPROVEN:
                continue
            ts.root_policy(tree, policy)
            visits_learned = policy.copy()
            prune(FORCED, tree, policy)
            assert policy.sum() == pytest.approx(1)
            root = Root(tree)
            best = list(root.actions).index(int(tree.action[ts.most_visited(tree, 0)]))
            assert policy[root.actions[best]] == policy.max()
            top = root.score(best, root.visits[best])
            unit = policy[root.actions[best]] / root.visits[best]
            for child, action in enumerate(root.actions):
                kept, had = round(policy[action] / unit), root.visits[child]
                assert policy[action] == pytest.approx(kept * unit)
                if visits_learned[action] == 0:  # proven to be worse
                    assert kept == 0
                    continue
                assert kept != 1 or child == best
                if child == best or had == 0:
                    continue
                tried += 1
                taken += had - kept
                most = math.ceil(root.least[child])
                # No more than was forced, apart from a last single visit.
                assert had - kept <= most + 1 and (kept == 0 or had - kept <= most)
                if had - kept < most and kept > 0:
                    # All that could be: with one visit less, PUCT would have gone there.
                    assert root.score(child, kept - 1) >= top
                if 0 < kept < had:
                    # And no more than that: PUCT is content with what is left.
                    assert root.score(child, kept) < top
    assert tried > 20 and taken > 20


class AgainstTheCorner(LeafEvaluator):
    """Gives player 0 nearly no chance once the lower left corner is theirs; rarely looks there."""

    def evaluate(self, leaves, n):
        values = np.zeros(n, np.float32)
        for i in range(n):
            lent = kernels.row(leaves, i)
            position = CONNECT4.scratch_state(lent)
            kernels.copy_into(position, lent)
            state = GameState(CONNECT4, position)
            owner = CONNECT4.cell(state, 1, 1)
            if owner is not None and owner.index == 0:
                values[i] = -0.9 * (1 - 2 * kernels.to_move(lent))
        return np.tile(np.array([1, 4, 4, 4, 3, 2, 2], np.float32), (n, 1)), values


def test_a_bad_move_is_tried_for_the_noise_and_not_learned() -> None:
    """Column A has a prior of 1/20 and is bad: PUCT alone looks once."""
    search = finish(rooted(CONNECT4, START, AgainstTheCorner(), 1, 201, noise=1e-9))
    tree, policy = search.tree(0), np.empty(7)
    root = Root(tree)
    at = {action: child for child, action in enumerate(root.actions)}
    assert root.visits[at[0]] == math.ceil(math.sqrt(K * 0.05 * 200)) == 5
    ts.root_policy(tree, policy)
    assert policy[0] == pytest.approx(5 / 200)
    prune(FORCED, tree, policy)
    assert policy[0] == 0
    alone = BatchedSearch(CONNECT4, 1, 20_000, PUCT(C, 0.1), AgainstTheCorner(), 200)
    finish(begin(alone, [START], 70, [201], concentration=3.0))
    plain = np.empty(7)
    ts.root_policy(alone.tree(0), plain)
    assert plain[0] == pytest.approx(1 / 200)
    # And nearly the same would have been learned of the others.
    assert np.abs(plain - policy).max() < 0.03


def test_searches_without_noise_are_forced_to_nothing() -> None:
    trees = []
    for rule in (PUCT(C, 0.1), FORCED):
        search = BatchedSearch(CONNECT4, 1, 20_000, rule, Opinionated(CONNECT4), 200)
        kernels.copy_into(kernels.row(search.roots, 0), START.kernel_state)
        search.seed(0, 5)
        search.set_root(0)
        search.start(0, 100, 0.0, 10.0)
        trees.append(finish(search).tree(0))
    n = int(trees[0].info[ts.N_NODES])
    assert np.array_equal(trees[0].visits[:n], trees[1].visits[:n])


def play(game, **changes) -> list:
    settings = dataclasses.replace(
        SelfPlaySettings(sims=40, fast_sims=8, games_at_once=7, random_share=0.5), **changes
    )
    return [one for _, one in sorted(
        SelfPlay(game, Opinionated(game), settings, seed=3).play(range(9))
    )]


@pytest.mark.parametrize("name", GAMES)
def test_games_learn_pruned_policies_of_full_searches_only(name: str, monkeypatch) -> None:
    """A single visit beside a most visited move is never learned; of short searches it stays."""
    game = get_game(name)
    # Without the visits of earlier moves, the number of visits is that of the simulations.
    monkeypatch.setattr(BatchedSearch, "advance", lambda self, i, played: self.set_root(i))
    fewest = {True: [], False: []}
    for one in play(game, forced=2.0):
        ends = np.cumsum(one.counts)
        for k, end in enumerate(ends):
            shares = one.policy_shares[end - one.counts[k]:end].astype(float)
            # Where the root is proven all shares are alike.
            if len(shares) > 1 and shares.min() < shares.max():
                fewest[bool(one.flags[k] & FULL_SEARCH)].append(shares.min() / shares.sum())
    # Of a full search 39 visits go to the children: two of them are a share of 1/20 or more.
    assert min(fewest[True]) > 1.8 / 39
    assert min(fewest[False]) < 1.2 / 7
