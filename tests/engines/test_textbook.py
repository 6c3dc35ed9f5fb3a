"""The textbook engines against the compiled ones, whose results and counts they must repeat."""

from __future__ import annotations

import math
import statistics

import pytest

from dlgo import GameState, get_game
from dlgo.api import GameSpec
from dlgo.games.draughts.state import Draughts
from engines.conformance import GAMES, check_engine
from engines.minimax.textbook import alphabeta, minimax
from engines.registry import build_engine
from tests.conftest import RUN_ALL, random_game
from tests.engines import test_search as exact

TIC_TAC_TOE = get_game("tictactoe")
# Of the compiled search: the cuts and nothing else.
BARE = ",".join(f"{name}=no" for name in (
    "hash_move", "table", "killers", "history", "pvs", "aspiration", "quiescence", "forced"
))


def positions(game: GameSpec, seeds: int, last: int, most: int = 200) -> list[GameState]:
    """The last unfinished positions of some random games."""
    return [
        state for seed in range(seeds)
        for state in random_game(game, seed, most)[:-1][-last:]
    ]


def test_alpha_beta_and_minimax_know_all_of_tic_tac_toe() -> None:
    assert alphabeta(GameState.new_game(TIC_TAC_TOE)) == 0
    engine = build_engine("textbook-alphabeta:depth=9", TIC_TAC_TOE, seed=1)
    for state in exact.all_positions()[:: 11 if RUN_ALL else 37]:
        best = exact.minimax(state)
        assert alphabeta(state) == best
        if len(state.moves()) > 3:
            assert minimax(state) == best
        decision = engine.select_move(state)
        assert decision.value == decision.proven == best
        assert -exact.minimax(state.apply_move(decision.move)) == best
        for move in decision.pv:
            state = state.apply_move(move)
        assert state.is_over()


@pytest.mark.parametrize(
    ("name", "plies"), [("connectn:cols=4,rows=4,n=3,pie=yes", 6), ("connect4", 30)]
)
def test_what_is_searched_to_the_end_is_worth_and_proven_the_same(name: str, plies: int) -> None:
    game = get_game(name)
    ours = build_engine("textbook-alphabeta:depth=12", game)
    compiled = build_engine("alphabeta:depth=12", game)
    states = [state for state in positions(game, 150, 9) if len(state.moves()) >= plies][:30]
    assert len(states) > 10
    for state in states:
        one, other = ours.select_move(state), compiled.select_move(state)
        assert one.value == one.proven == other.value == other.proven
        assert alphabeta(state) == one.value


@pytest.mark.parametrize(
    ("name", "depth", "last"),
    [("tictactoe", 4, 9), ("connect4", 4, 30), ("connectn:cols=5,rows=4,pie=yes", 3, 20),
     ("draughts", 5, 60), ("go:size=3", 5, 12), ("go:size=5", 3, 20)],
)
def test_to_a_limited_depth_it_is_worth_the_same(name, depth, last) -> None:
    """With the same estimate where the depth ends, and with the moves that a search looks at."""
    game = get_game(name)
    ours = build_engine(f"textbook-alphabeta:depth={depth}", game)
    compiled = build_engine(f"alphabeta:depth={depth},{BARE}", game)
    for state in positions(game, 3, last, most=120)[::3]:
        one, other = ours.select_move(state), compiled.select_move(state)
        assert one.value == pytest.approx(other.value, abs=1e-9)
        if not game.history_matters and one.proven is not None:
            assert one.proven == other.proven


def double_moves(states: list[GameState]) -> list[GameState]:
    """Those in which a move leaves the same player to move."""
    return [
        state for state in states
        if any(state.apply_move(move).next_player is state.next_player
               for move in state.legal_moves())
    ]


def test_endings_of_draughts_in_which_a_player_moves_twice() -> None:
    """Who takes two men with one turn makes two moves: the sign goes by the mover, not by plies."""
    two_men_to_take = Draughts.from_fen("B:W6,15:B1")
    assert minimax(two_men_to_take) == alphabeta(two_men_to_take) == 1
    game = get_game("draughts")
    states = double_moves([*positions(game, 60, 40), two_men_to_take])
    assert len(states) > 10
    for depth in (2, 5):
        ours = build_engine(f"textbook-alphabeta:depth={depth}", game)
        compiled = build_engine(f"alphabeta:depth={depth},{BARE}", game)
        for state in states[:30]:
            value = compiled.select_move(state).value
            assert ours.select_move(state).value == pytest.approx(value, abs=1e-9)


def test_time_deepens_the_search() -> None:
    state = GameState.new_game(get_game("connect4"))
    engine = build_engine("textbook-alphabeta:cpu=0.2", state.game)
    decision = engine.select_move(state)
    assert decision.depth >= 3 and decision.cost.nodes > 300
    assert build_engine("textbook-alphabeta:nodes=500", state.game).select_move(
        state
    ).cost.nodes in range(400, 502)


# UCT ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["tictactoe", "connect4", "draughts", "connectn:cols=4,rows=4,n=3"]
)
def test_uct_proves_what_the_compiled_search_proves(name: str) -> None:
    game = get_game(name)
    ours = build_engine("textbook-mcts:sims=400", game, seed=1)
    compiled = build_engine("mcts:sims=2000,reuse=no", game, seed=1)
    proofs = 0
    for state in positions(game, 5, 4):
        one, other = ours.select_move(state), compiled.select_move(state)
        if one.proven is not None:
            proofs += 1
            assert one.proven == other.proven == one.value
            assert one.cost.simulations < 400
    assert proofs > 8


@pytest.mark.parametrize("name", ["connect4", "go:size=5", "draughts"])
def test_uct_expects_the_same_of_a_position(name: str) -> None:
    """Means over some searches, within four standard errors; depth and width are the rule's."""
    searches = 40 if RUN_ALL else 20
    state = random_game(get_game(name), seed=4)[6]

    def values(spec: str) -> list[float]:
        engine = build_engine(spec, state.game)
        results = []
        for seed in range(searches):
            engine.new_game(seed)
            results.append(engine.select_move(state).value)
        return results

    ours, theirs = values("textbook-mcts:sims=40"), values("mcts:sims=40,reuse=no")
    error = math.hypot(statistics.stdev(ours), statistics.stdev(theirs)) / math.sqrt(searches)
    assert abs(statistics.mean(ours) - statistics.mean(theirs)) < 4 * error


# Networks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "go:size=5", "draughts"])
@pytest.mark.parametrize(
    ("ours", "compiled"),
    [("textbook-puct:sims=60", "alphazero:sims=60,reuse=no"),
     ("textbook-gumbel:sims=33", "alphazero:sims=33,search=gumbel"),
     ("textbook-gumbel:sims=16,considered=4", "alphazero:sims=16,search=gumbel,considered=4")],
)
def test_searches_with_a_network_make_the_same_visits(name, ours, compiled) -> None:
    """Nothing in them is left to chance, so each move must get the same visits and value."""
    game = get_game(name)
    engines = [build_engine(spec, game, seed=1) for spec in (ours, compiled)]
    assert engines[0].network_id == engines[1].network_id
    for seed in range(2):
        for state in random_game(game, seed, max_plies=60)[:-1:5]:
            one, other = (engine.analyse(state) for engine in engines)
            assert one.visits == {move: n for move, n in other.visits.items() if n}
            assert (one.move, one.proven) == (other.move, other.proven)
            assert one.values == pytest.approx(other.values, abs=1e-4)
            if other.priors:  # not told where all are alike
                assert one.priors == pytest.approx(other.priors, abs=1e-5)
    engines[1].close()


# All of them --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec", ["textbook-alphabeta:depth=2", "textbook-mcts:sims=6", "textbook-puct:sims=6",
             "textbook-gumbel:sims=6"],
)
def test_they_keep_to_the_rules_of_engines(spec: str) -> None:
    """By default where the same player moves twice and where a game is short; else everywhere."""
    games = GAMES if RUN_ALL else ("tictactoe", "draughts")
    assert len(check_engine(spec, games)) == len(games)
