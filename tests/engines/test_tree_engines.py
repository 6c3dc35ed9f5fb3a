"""Selection rules, evaluators, agents, threads and termination of the tree-search engines."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, Move, SpecError, get_game, kernels
from engines.base import Budget
from engines.conformance import check_engine
from engines.registry import build_engine
from engines.search import tree as ts
from engines.search.evaluators import LightRollout
from engines.search.leaf_evaluator import LeafEvaluator
from engines.search.rules import PUCT, RAVE
from engines.search.searcher import Searcher
from tests.conftest import RUN_ALL, random_game
from tests.engines.test_search import TIC_TAC_TOE, all_positions, minimax
from tests.games.test_go_rules import diagram

GAMES = ("tictactoe", "connect4", "connectn:cols=5,rows=5,n=4,gravity=no", "go:size=5", "draughts")
# With the games that each is tried on by default: a search is compiled for each rule, evaluator
# and game, and the first is what other tests need of every game.
SPECS = {
    "mcts:sims=60,threads=2": GAMES,
    # Learns from who has made which move, and the same player may move twice.
    "mcts:sims=60,rule=rave,rollout=heavy": ("go:size=5", "draughts"),
    "puct:sims=60": ("connect4", "tictactoe"),
    "puct:sims=60,evaluator=static": ("tictactoe", "connectn:cols=5,rows=5,n=4,gravity=no"),
    "puct:sims=60,evaluator=uniform": ("tictactoe", "draughts"),
    'puct:sims=8,agent="alphabeta:depth=1",batch=4': ("connect4",),
}


@pytest.mark.parametrize(
    ("spec", "game_name"),
    [(spec, name) for spec, some in SPECS.items() for name in (GAMES if RUN_ALL else some)],
)
def test_all_of_them_keep_to_the_rules_for_engines(spec: str, game_name: str) -> None:
    """With --run-all each of them in every game."""
    assert check_engine(spec, [game_name], seed=2)


class _Oracle(LeafEvaluator):
    """Exact values of tic-tac-toe, and a policy that says nothing."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def evaluate(self, leaves, n):
        self.asked.append(n)
        values = np.zeros(n, np.float32)
        for i in range(n):
            position = TIC_TAC_TOE.scratch_state(kernels.row(leaves, i))
            kernels.copy_into(position, kernels.row(leaves, i))
            values[i] = minimax(GameState(TIC_TAC_TOE, position))
        return np.ones((n, 9), np.float32), values


@pytest.mark.parametrize("batch", [1, 8])
def test_a_perfect_agent_needs_few_visits_whoever_moves(batch: int) -> None:
    """A value with the wrong sign at either player's turn would lead to losing moves."""
    oracle = _Oracle()
    searcher = Searcher(TIC_TAC_TOE, 5000, False, PUCT(0.6, 0.0), oracle, batch)
    for state in all_positions()[::25]:
        searcher.set_root(state)
        searcher.simulate(Budget(sims=60))
        best = int(ts.most_visited(searcher.tree, ts.ROOT))
        move = TIC_TAC_TOE.move_of(searcher.tree.action[best])
        assert -minimax(state.apply_move(move)) == minimax(state)
    assert max(oracle.asked) == batch


@pytest.mark.parametrize("moves", ["B2 A1 B3 A2 C1", "B2 A1 C1 A2"])
def test_rave_credits_the_move_that_wins_whoever_makes_it(moves: str) -> None:
    """First for white, then for black, who win on A3."""
    state = TIC_TAC_TOE.start().play(*moves.split())
    searcher = Searcher(TIC_TAC_TOE, 5000, False, RAVE(100.0, 0.0), LightRollout())
    searcher.set_root(state)
    searcher.simulate(Budget(sims=300))
    tree = searcher.tree
    children = tree.first_child[ts.ROOT] + np.arange(tree.n_children[ts.ROOT])
    best = children[tree.amaf_wins[children].argmax()]
    winning = [move for move in state.legal_moves() if state.apply_move(move).winner()]
    assert [TIC_TAC_TOE.move_of(tree.action[best])] == winning
    assert tree.amaf_wins[best] == 1


@pytest.mark.parametrize("spec", [
    'puct:evals=50,agent="alphabeta:depth=1"', 'puct:evals=50,agent="alphabeta:depth=1",batch=8',
    "puct:evals=50,prior=connect4-alphazero,evaluator=network,batch=16", "alphazero:evals=50",
    "alphazero:evals=51,batch=4", "alphazero:evals=50,sims=1000",
])
def test_a_budget_of_evaluations_is_used_up_exactly(spec: str) -> None:
    engine = build_engine(spec, get_game("connect4"), seed=1)
    state = GameState.new_game(get_game("connect4"))
    for _ in range(3):  # with a tree kept from the move before, too
        decision = engine.select_move(state)
        assert decision.cost.evaluations == engine.budget.evals
        state = state.apply_move(decision.move)
    engine.close()


def test_a_game_without_positions_to_ask_about_ends_a_budget_of_evaluations() -> None:
    """One move is left: its result is known by the rules. And the first limit ends a search."""
    state = random_game(TIC_TAC_TOE, seed=5)[-2]
    decision = build_engine("alphazero:evals=1000", TIC_TAC_TOE).select_move(state)
    assert decision.move in state.legal_moves()
    engine = build_engine("alphazero:evals=50,sims=20", get_game("connect4"))
    cost = engine.select_move(GameState.new_game(engine.game)).cost
    assert (cost.simulations, cost.evaluations) == (20, 20)


@pytest.mark.parametrize(("spec", "part"), [
    ("puct:evals=10", "set sims"),
    ("mcts:evals=10", "cannot limit itself by evals"),
    ("mcts:rule=rave,c_uct=1", "c_uct has no effect with rule=rave"),
    ("mcts:hints=0", "hints has no effect with rule=uct"),
])
def test_options_that_do_not_go_together_are_refused(spec: str, part: str) -> None:
    with pytest.raises(SpecError, match=part):
        build_engine(spec, get_game("connect4"))


@pytest.mark.parametrize("loss", [0.05, 0.3])
def test_a_mistake_costs_at_most_what_it_may(loss: float) -> None:
    """By the search's own values, and moves that it hardly visited are not among them."""
    state = get_game("connect4").start()
    played = set()
    for seed in range(40):
        engine = build_engine(f"mcts:sims=300,mistake={loss}", state.game, seed)
        decision = engine.analyse(state)
        shares = {move: (1 + value) / 2 for move, value in decision.values.items()}
        best = shares[max(decision.visits, key=decision.visits.get)]
        assert shares[decision.move] >= best - loss
        played.add(decision.move)
    assert len(played) > (1 if loss < 0.1 else 4)


@pytest.mark.parametrize(("careless", "least", "most"), [(0, 0, 0), (0.3, 4, 20), (1, 30, 40)])
def test_mistakes_are_made_in_a_share_of_the_moves(careless: float, least: int, most: int) -> None:
    """With `mistake=1` any move may be played, also one that was visited once."""
    state = get_game("connect4").start()
    sure, others = build_engine("mcts:sims=20", state.game), 0
    spec = f"mcts:sims=20,mistake=1,careless={careless}"
    for seed in range(40):
        sure.new_game(seed)
        engine = build_engine(spec, state.game, seed)
        others += engine.select_move(state).move != sure.select_move(state).move
    assert least <= others <= most


@pytest.mark.parametrize("game, moves", [("tictactoe", "A1 A2 B1 B2"), ("connect4", "1 2 1 2 1 2")])
def test_no_mistake_misses_a_win_in_one(game: str, moves: str) -> None:
    state = get_game(game).start().play(*moves.split())
    for seed in range(10):
        engine = build_engine("mcts:sims=50,mistake=1", state.game, seed)
        assert state.apply_move(engine.select_move(state).move).winner() is state.next_player


@pytest.mark.parametrize(("moves", "rules", "answers"), [
    ("1 2 1 2 1 2", 1, {"1"}),  # whoever moves wins at once
    ("1 2 1 2 1", 1, {"1", "2", "3", "4", "5", "6", "7"}),
    ("1 2 1 2 1", 2, {"1"}),  # what does not block loses at once
    ("1 1 2 2 3", 2, {"4"}),
])
def test_rules_of_thumb_hold_whatever_the_search_prefers(
    moves: str, rules: int, answers: set[str]
) -> None:
    """Two simulations do not see what the second player threatens."""
    state, found = get_game("connect4").start().play(*moves.split()), set()
    for seed in range(40):
        engine = build_engine(f"mcts:sims=2,mistake=1,rules={rules}", state.game, seed)
        found.add(state.game.move_text(engine.select_move(state).move))
    assert found == answers


def test_a_search_without_visits_makes_no_mistake() -> None:
    state = get_game("tictactoe").start()
    for spec in ("mcts:sims=1", "puct:sims=1"):
        assert build_engine(f"{spec},mistake=1", state.game).select_move(state).move.is_play


@pytest.mark.parametrize("alert", ["yes", "no"])
def test_an_obvious_capture_is_seen_when_it_is_asked_for(alert: str) -> None:
    """Whoever moves takes three stones."""
    state = diagram("..... .xx.. ooox. xxxo. .ooo.", komi=0.5)
    found = {
        state.game.move_text(build_engine(
            f"mcts:sims=300,mistake=1,alert={alert}", state.game, seed).select_move(state).move)
        for seed in range(10)}
    assert (found == {"A4"}) == (alert == "yes")


def test_it_resigns_after_three_hopeless_decisions_and_not_before() -> None:
    """With 60 points of komi on 25 points White cannot lose, and Black sees it."""
    game = get_game("go:size=5,komi=60.5")
    engine = build_engine("mcts:sims=50,resign=0.1", game)
    state = GameState.new_game(game)
    for expected in ("play", "play", "resign"):
        decision = engine.select_move(state)
        assert (decision.move.kind in ("play", "pass")) == (expected == "play")
        if expected == "play":
            state = state.apply_move(decision.move)
            state = state.apply_move(state.legal_moves()[0])
    resigned = state.apply_move(decision.move)
    assert resigned.is_over()
    assert resigned.winner() is not state.next_player
    # In a new game it starts counting again.
    assert engine.select_move(GameState.new_game(game)).move.kind != "resign"


@pytest.mark.parametrize(("komi", "passes"), [(0.5, True), (0, False), (-0.5, False)])
def test_a_pass_is_answered_only_if_that_wins(komi: float, passes: bool) -> None:
    """Black has passed on the empty board: a pass of White's wins with komi, else it does not."""
    game = get_game(f"go:size=5,komi={komi}")
    state = GameState.new_game(game).apply_move(Move.pass_turn())
    decision = build_engine("random:pass_back=yes", game, seed=1).select_move(state)
    assert decision.move.is_pass == passes


@pytest.mark.parametrize("spec", ["mcts:sims=300", "mcts:sims=300,rule=rave,rollout=heavy"])
def test_a_full_tree_ends_cleanly(spec: str) -> None:
    game = get_game("go:size=9")
    engine = build_engine(f"{spec},nodes_max=1000", game)
    decision = engine.select_move(GameState.new_game(game), Budget(sims=3000))
    assert decision.cost.simulations == 3000
    assert decision.cost.nodes <= 1000
    for state in random_game(game, seed=1)[:-1:12]:
        assert state.is_valid_move(engine.select_move(state).move)
