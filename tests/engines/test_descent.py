"""Best-first minimax and descent: solved games, exact proofs, and the textbook's search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dlgo import GameState, SpecError, get_game, kernels
from dlgo.errors import ModelError
from engines.descent.search import BestFirstSearch
from engines.descent.self_play import ordinal
from engines.descent.textbook import BestFirst, Node, TextbookDescent
from engines.registry import build_engine
from engines.search import tree as ts
from engines.search.leaf_evaluator import LeafEvaluator
from tests.conftest import one_line_error, random_game
from tests.engines.test_search import TIC_TAC_TOE, minimax, never_loses

CONNECT4 = get_game("connect4")


def pseudo_value(state: GameState) -> float:
    """A value for each position, seen by player 0; hardly any two are equal, and some are better
    than a win."""
    return (state.key() % 1_000_003) / 1_000_003 * 1.98 - 0.99


class PseudoValues(LeafEvaluator):
    """The same, as the compiled search asks for it."""

    def __init__(self, game: Any) -> None:
        self._game = game

    def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        states = [GameState.copy_of(self._game, kernels.row(leaves, i)) for i in range(n)]
        values = [pseudo_value(state) * (1 - 2 * state.next_player.index) for state in states]
        return np.zeros((n, self._game.num_actions), np.float32), np.array(values)


def searched(state: GameState, evaluator: Any, iterations: int, to_end: bool) -> BestFirstSearch:
    search = BestFirstSearch(state.game, 1, 200_000, evaluator, to_end, reuse=False)
    search.seed(0, 1)
    search.set_position(state)
    search.start(0, iterations)
    while search.remaining[0] > 0:
        search.step()
    return search


def nodes_of(tree: ts.Tree, state: GameState) -> list[tuple[int, GameState]]:
    """All nodes of a tree with their positions."""
    nodes, stack = [], [(ts.ROOT, state)]
    while stack:
        node, at = stack.pop()
        nodes.append((node, at))
        first = int(tree.first_child[node])
        stack += [(child, at.apply_move(at.game.move_of(int(tree.action[child]))))
                  for child in range(first, first + int(tree.n_children[node]))]
    return nodes


def test_of_equal_moves_the_search_goes_on_with_the_least_visited() -> None:
    class Undecided(LeafEvaluator):
        def evaluate(self, leaves: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
            return np.zeros((n, 7), np.float32), np.zeros(n)

    tree = searched(GameState.new_game(CONNECT4), Undecided(), 29, to_end=False).tree(0)
    first = tree.first_child[ts.ROOT]
    visits = tree.visits[first : first + 7]
    assert visits.min() >= 3 and visits.max() - visits.min() <= 1


@pytest.mark.parametrize(("game", "result"), [
    ("tictactoe", 0), ("connectn:cols=4,rows=4,n=3", 1),
])
def test_the_rules_alone_solve_small_games(game: str, result: int) -> None:
    engine = build_engine("descent:evaluator=uniform,sims=1000000", game)
    decision = engine.select_move(GameState.new_game(get_game(game)))
    assert decision.proven == result == decision.value
    assert decision.cost.simulations < 500_000


@pytest.mark.parametrize("to_end", [False, True])
def test_what_is_marked_as_certain_is_the_value_of_perfect_play(to_end: bool) -> None:
    start = GameState.new_game(TIC_TAC_TOE)
    tree = searched(start, PseudoValues(TIC_TAC_TOE), 200, to_end).tree(0)
    proven = [(node, state) for node, state in nodes_of(tree, start)
              if tree.proven[node] != ts.UNPROVEN]
    assert sum(not state.is_over() for _, state in proven) > 50
    for node, state in proven:
        assert tree.proven[node] == minimax(state) * (1 - 2 * state.next_player.index)


def test_descent_reaches_the_end_of_the_game_in_each_iteration() -> None:
    start = GameState.new_game(CONNECT4)
    tree = searched(start, PseudoValues(CONNECT4), 1, to_end=True).tree(0)
    ends = [state for _, state in nodes_of(tree, start) if state.is_over()]
    assert ends and tree.info[ts.DEEPEST] >= 6  # no game has ended before the seventh ply
    shallow = searched(start, PseudoValues(CONNECT4), 1, to_end=False).tree(0)
    assert shallow.info[ts.N_NODES] == 8


@pytest.mark.parametrize("to_end", [False, True])
@pytest.mark.parametrize(("game", "iterations"), [
    ("tictactoe", 40), ("connect4", 30), ("draughts", 20),
])
def test_the_textbook_and_the_compiled_search_have_the_same_tree(
    game: str, iterations: int, to_end: bool
) -> None:
    """Move by move: values, certain results and visits. In draughts a player may move twice."""
    spec = get_game(game)
    states = random_game(spec, seed=3)
    state, n = states[len(states) // 2], iterations if game != "draughts" or not to_end else 3
    if game == "tictactoe":
        state = states[0]
    root = BestFirst(spec, pseudo_value, to_end).search(state, n)
    tree = searched(state, PseudoValues(spec), n, to_end).tree(0)
    ours = {at.moves()[-1]: (float(tree.value_sum[node]), int(tree.proven[node]),
                             int(tree.visits[node]))
            for node, at in nodes_of(tree, state) if len(at.moves()) == len(state.moves()) + 1}
    theirs = {child.state.last_move: (
        child.value, ts.UNPROVEN if child.result is None else child.result, child.visits)
        for child in root.children}
    assert ours == theirs
    assert root.value == tree.value_sum[ts.ROOT]


def test_ordinal_shares() -> None:
    """Exploitation 0.5 of three moves: 2/3, then 3/4 of the rest, then what is left."""
    rng = np.array([7], np.uint64)
    drawn = [ordinal(3, 0.5, rng) for _ in range(20_000)]
    shares = np.bincount(drawn) / len(drawn)
    assert shares == pytest.approx([2 / 3, 1 / 4, 1 / 12], abs=0.015)
    assert {ordinal(3, 1.0, rng) for _ in range(50)} == {0}
    assert len({ordinal(3, 0.0, rng) for _ in range(50)}) == 3


@pytest.mark.train
def test_the_textbook_solves_and_learns() -> None:
    search = BestFirst(TIC_TAC_TOE)
    for moves, result in (("A1", 0), ("A1 B1", 1), ("B1 A1 C1", -1)):
        root = search.search(TIC_TAC_TOE.start().play(*moves.split()), 3000)
        assert root.result == root.sign * minimax(root.state) == result
        after = search.choose(root)
        assert -root.sign * minimax(after) == result
    learner = TextbookDescent(TIC_TAC_TOE, seed=1)
    losses = list(learner.learn(batches=8))
    assert losses[-1] < 0.8 * losses[0]
    won = Node(GameState.new_game(TIC_TAC_TOE), 0.0)
    won.children = [Node(won.state, 0.9), Node(won.state, 0.6, 1), Node(won.state, 0.99)]
    won.update()
    assert (won.value, won.result) == (0.6, 1)


@pytest.mark.parametrize("side", [0, 1])
def test_the_shipped_network_never_loses_tic_tac_toe_whatever_the_replies(side: int) -> None:
    never_loses(build_engine("descent:sims=20,reuse=no", TIC_TAC_TOE, seed=3), side,
                [GameState.new_game(TIC_TAC_TOE)])


def test_networks_that_it_cannot_use_are_refused() -> None:
    with one_line_error(ModelError, "has no value head"):
        build_engine("descent:connect4-policy_gradient", "connect4")
    with one_line_error(ModelError, "wrote, or model=NAME with one of go5-alphazero, go5-ppo, "):
        build_engine("descent", "go:size=5")
    with one_line_error(SpecError, "cannot limit itself by depth"):
        build_engine("descent:depth=3", "connect4")
