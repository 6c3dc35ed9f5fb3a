"""Sixteen faults of the printed AlphaGo: each is put back, and a fact about the search is gone.

Chapter 13 prints a search that cannot work. Each fault below is a small change of ours that brings
one of them back, with a check that holds without the change and not with it. Listings are those of
the book.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from dlgo import GameState, get_game
from dlgo.api import Player
from dlgo.encoders import get_encoder
from engines.alphago import textbook
from engines.alphago.config import AlphaGoConfig
from engines.alphago.engine import AlphaGoEngine
from engines.learning.networks.leaf_evaluator import softmax
from engines.mcts.textbook import Node, TextbookMCTS
from engines.registry import build_engine
from engines.search import tree as ts
from tests.alphago.fakes import FakeAlphaGo, FakeNetwork, fake

GAME = get_game("tictactoe")
GO = get_game("go:size=5")


def state_after(*actions: int, game: Any = GAME) -> GameState:
    state = GameState.new_game(game)
    for action in actions:
        state = state.apply_move(game.move_of(action))
    return state


def searched(kind: type[FakeAlphaGo] = FakeAlphaGo, sims: int = 20, **settings: Any) -> FakeAlphaGo:
    engine = fake(GAME, kind, sims, **settings)
    engine.select_move(state_after())
    return engine


def nodes(engine: FakeAlphaGo) -> Iterator[Node]:
    waiting = [engine.root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


# 1. Listing 13.15: children are made without a parent, and what they find stays with them.

def check_parents() -> None:
    engine = searched(sims=20)
    assert engine.root.visits == 20
    assert sum(child.visits for child in engine.root.children) == 19


def orphans(patch: pytest.MonkeyPatch) -> None:
    made = Node.__init__
    patch.setattr(Node, "__init__", lambda self, number, parent, move, prior=0.0: (
        made(self, number, None, move, prior), setattr(self, "state", parent and (
            parent.state.apply_move(move))))[0])


# 2. Listing 13.16: q += value / visits adds up 1 + 1/2 + 1/3 ...; it is not a mean.

def check_mean() -> None:
    engine = fake(GAME, sims=30, **{"lambda": 0.0})
    engine._value_network = FakeNetwork(np.zeros(9), lambda planes: 0.25)
    engine.select_move(state_after())
    for node in nodes(engine):
        if node.visits and node.proven is None:
            assert abs(node.mean(Player.black)) <= 0.25 + 1e-9


def harmonic(patch: pytest.MonkeyPatch) -> None:
    def back_up(self: Any, leaf: Node, result: float) -> None:
        node = leaf
        while node is not None:
            node.visits += 1
            q = node.total / max(node.visits - 1, 1) + abs(result) / node.visits
            node.total = q * node.visits
            node = node.parent

    patch.setattr(TextbookMCTS, "_back_up", back_up)


# 3. Listing 13.16: the value is added as it is on the whole path, though players alternate.

def check_sign() -> None:
    """The network says that who is to move wins: so who moved there has lost."""
    engine = fake(GAME, sims=2, **{"lambda": 0.0})
    engine._value_network = FakeNetwork(np.zeros(9), lambda planes: 0.5)
    engine.select_move(state_after())
    [child] = [child for child in engine.root.children if child.visits]
    assert child.mean(Player.white) == 0.5
    assert engine.root.mean(Player.black) == pytest.approx((0.5 - 0.5) / 2)


def unsigned(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Node, "mover", Player.black)


# 4. Text and listing 13.18 weigh value and rollout by lambda in opposite ways.

def check_lambda() -> None:
    for mixing, asked in ((0.0, True), (1.0, False)):
        engine = fake(GAME, sims=5, **{"lambda": mixing})
        engine._value_network = FakeNetwork(np.zeros(9))
        engine.select_move(state_after())
        assert (engine._value_network.asked > 0) == asked


def reversed_lambda(patch: pytest.MonkeyPatch) -> None:
    kept = FakeAlphaGo._evaluate

    def evaluate(self: FakeAlphaGo, state: GameState) -> Any:
        mixing = self.settings["lambda"]
        self.settings["lambda"] = 1 - mixing
        answer = kept(self, state)
        self.settings["lambda"] = mixing
        return answer

    patch.setattr(FakeAlphaGo, "_evaluate", evaluate)


# 5. Listing 13.2: the softmax goes over the last axis: each line of the board sums to 1.

def check_softmax() -> None:
    engine = fake(GO)
    logits = np.zeros(GO.num_actions)
    logits[12] = 3.0
    engine._policy_network = FakeNetwork(logits)
    priors = engine._priors(state_after(game=GO))
    assert sum(priors.values()) == pytest.approx(1)
    assert priors[GO.move_of(12)] == pytest.approx(np.exp(3) / (np.exp(3) + len(priors) - 1))


def by_line(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(textbook, "softmax", lambda logits: np.concatenate(
        [softmax(part) for part in np.array_split(logits, 5)]))


# 6. Listings 13.4 and 13.10: the value network gets 48 planes, which do not tell who is to move.

def check_colour_plane() -> None:
    """Komi is White's: the same stones seen by the other player are another position."""
    game = get_game("go9")
    encoder = get_encoder(AlphaGoConfig.make("go9").encoder, game)
    black = GameState.new_game(game)
    white = black.apply_move(game.move_of(game.pass_action))
    assert not np.array_equal(encoder.encode(black), encoder.encode(white))


def without_colour(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(AlphaGoConfig.presets["go 9x9"], "encoder", "alphago")


# 7. Listing 13.12: max(move_probabilities) is a probability, not a move.

def check_rollout_plays_moves() -> None:
    engine = fake(GAME)
    assert {engine._rollout(state_after()) for _ in range(30)} <= {-1, 0, 1}


def largest_probability(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(textbook, "draw", lambda shares, temperature, rng: max(shares))


# 8. Listing 13.12: game_state.next_player() calls what is not a function.

def check_next_player() -> None:
    assert fake(GAME)._rollout(state_after()) in (-1, 0, 1)


def called(patch: pytest.MonkeyPatch) -> None:
    kept = FakeAlphaGo._rollout
    patch.setattr(
        FakeAlphaGo, "_rollout", lambda self, state: kept(self, state) * state.next_player())


# 9. Listing 13.21: the player is read after the rollout: who would move at its end.

def check_rollout_perspective() -> None:
    """One cell is left, which completes a diagonal for Black, who is to move."""
    one_left = state_after(0, 1, 4, 2, 3, 5, 7, 6)
    assert one_left.next_player is Player.black and len(one_left.legal_actions()) == 1
    assert fake(GAME)._rollout(one_left) == 1


def seen_from_the_end(patch: pytest.MonkeyPatch) -> None:
    def rollout(self: FakeAlphaGo, state: GameState) -> float:
        while not state.is_over():
            actions, _ = self._fast_policy.policy(state)
            state = state.apply_move(self.game.move_of(int(actions[0])))
        return state.result() if state.next_player is Player.black else -state.result()

    patch.setattr(FakeAlphaGo, "_rollout", rollout)


# 10. Listing 13.21: the best of the valid moves is numbered among the valid ones, and taken for the
#     number of a point.

def check_move_numbers() -> None:
    """The fast policy always plays what wins; the first free points would lose."""
    state = state_after(0, 3, 1, 4)  # Black wins on 2
    engine = fake(GAME)
    engine._fast_policy = Sure({4: 2})
    assert engine._rollout(state) == 1


def numbered_among_the_valid(patch: pytest.MonkeyPatch) -> None:
    kept = Sure.policy

    def policy(self: Sure, state: GameState) -> tuple[np.ndarray, np.ndarray]:
        actions, chances = kept(self, state)
        wrong = np.zeros_like(chances)
        wrong[np.flatnonzero(actions == actions[-1])] = 1.0
        return actions, wrong

    patch.setattr(Sure, "policy", policy)


class Sure:
    """Plays a given action at one ply, else the first."""

    def __init__(self, wanted: dict[int, int]) -> None:
        self._wanted = wanted

    def policy(self, state: GameState) -> tuple[np.ndarray, np.ndarray]:
        actions = np.sort(np.array(state.legal_actions()))
        chosen = self._wanted.get(len(state.moves()), int(actions[0]))
        return actions, (actions == chosen).astype(float)


# 11. Listings 13.12 and 13.21: rollouts are greedy, so that all from a leaf are the same game.

def check_rollouts_differ() -> None:
    engine = fake(GAME)
    results = [engine._rollout(state_after()) for _ in range(60)]
    assert len(set(results)) == 3


def greedy(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(textbook, "draw", lambda shares, temperature, rng: int(np.argmax(shares)))


# 12. Listing 13.20: probabilities of points are dealt out to a list that has the pass as well.

def check_each_move_has_its_own_prior() -> None:
    engine = fake(GO)
    logits = np.arange(GO.num_actions) / 4
    engine._policy_network = FakeNetwork(logits)
    priors = engine._priors(state_after(12, game=GO))
    order = sorted(priors, key=priors.get)
    numbers = [GO.action_of(move) for move in order]
    assert numbers == sorted(numbers) and GO.pass_action in numbers


def misaligned(patch: pytest.MonkeyPatch) -> None:
    kept = GameState.sensible_moves
    patch.setattr(GameState, "sensible_moves", lambda self: (
        lambda moves: Shifted(moves))(kept(self)))


class Shifted(list):
    """Moves whose second reading begins with the pass, as the book's legal_moves ends with it."""

    _readings = 0

    def __iter__(self) -> Iterator[Any]:
        self._readings += 1
        moves = list(super().__iter__())
        return iter(moves if self._readings == 1 else moves[-1:] + moves[:-1])


# 13. Listing 13.18: each simulation expands every node on its way down, fifty at most.

def check_one_leaf_a_simulation() -> None:
    engine = searched(sims=10)
    assert engine._policy_network.asked == 10


def whole_lines(patch: pytest.MonkeyPatch) -> None:
    kept = TextbookMCTS._select

    def select(self: Any, node: Node) -> Node:
        leaf = kept(self, node)
        while leaf.proven is None and not leaf.state.is_over():
            self._add_children(leaf, self._evaluate(leaf.state)[0])
            leaf.untried = []
            leaf = leaf.children[0]
        return leaf

    patch.setattr(FakeAlphaGo, "_select", select)


# 14. Listing 13.18: a finished game is valued by the network and a rollout, not by its result.

def check_finished_games() -> None:
    engine = fake(GAME, sims=60, **{"lambda": 0.0})
    engine._value_network = FakeNetwork(np.zeros(9), lambda planes: 0.9)  # always wrong there
    decision = engine.select_move(state_after(0, 3, 1, 4))
    assert (GAME.action_of(decision.move), decision.value) == (2, 1.0)


def asked_at_the_end(patch: pytest.MonkeyPatch) -> None:
    def simulation(self: FakeAlphaGo) -> None:
        leaf = self._select(self.root)
        _, value = self._evaluate(leaf.state) if not leaf.state.is_over() else ({}, 0.9)
        if not leaf.state.is_over():
            self._add_children(leaf, self._priors(leaf.state))
            leaf.untried = []
        self._back_up(leaf, value if leaf.mover is Player.black else -value)

    patch.setattr(FakeAlphaGo, "_simulation", simulation)


# 15. Listing 13.16: a move's bonus is computed when it is visited; a move that was left aside keeps
#     the bonus that it had when it was made, and is never looked at again.

def check_bonus_grows() -> None:
    engine = searched(sims=4)
    node, child = engine.root, engine.root.children[-1]
    assert child.visits == 0
    before = engine._score(node, child)
    node.visits *= 4
    node.total *= 4
    assert engine._score(node, child) - before == pytest.approx(
        engine.settings["c_puct"] * child.prior * (4 - 2))


def stale(patch: pytest.MonkeyPatch) -> None:
    kept = FakeAlphaGo._score

    def score(self: Any, node: Node, child: Node) -> float:
        if not hasattr(child, "kept"):
            child.kept = kept(self, node, child)
        return child.kept

    patch.setattr(FakeAlphaGo, "_score", score)


# 16. Listing 13.19: the new root is made before the old one's children are looked through, so that
#     the tree is thrown away after each move.

def check_tree_is_kept() -> None:
    engine = build_engine("alphago:sims=200,lambda=0", GAME)
    engine.new_game(1)
    state = state_after(0)
    decision = engine.select_move(state)
    [searcher] = engine._searchers
    searcher.set_root(state.apply_move(decision.move).apply_move(decision.pv[1]))
    assert searcher.tree.visits[ts.ROOT] > 5


def thrown_away(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AlphaGoEngine, "_reuse", lambda self: False)


FAULTS: dict[str, tuple[Callable[[], None], Callable[[pytest.MonkeyPatch], None]]] = {
    "no parents": (check_parents, orphans),
    "no mean": (check_mean, harmonic),
    "no change of sign": (check_sign, unsigned),
    "lambda reversed": (check_lambda, reversed_lambda),
    "softmax by line": (check_softmax, by_line),
    "no colour plane": (check_colour_plane, without_colour),
    "a probability for a move": (check_rollout_plays_moves, largest_probability),
    "a call of the player": (check_next_player, called),
    "player at the end": (check_rollout_perspective, seen_from_the_end),
    "numbers of valid moves": (check_move_numbers, numbered_among_the_valid),
    "greedy rollouts": (check_rollouts_differ, greedy),
    "shifted priors": (check_each_move_has_its_own_prior, misaligned),
    "whole lines": (check_one_leaf_a_simulation, whole_lines),
    "finished games asked about": (check_finished_games, asked_at_the_end),
    "stale bonus": (check_bonus_grows, stale),
    "tree thrown away": (check_tree_is_kept, thrown_away),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_printed_fault_is_not_here_and_would_be_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, put_back = FAULTS[name]
    check()
    put_back(monkeypatch)
    with pytest.raises((AssertionError, TypeError, IndexError, ValueError)):
        check()
