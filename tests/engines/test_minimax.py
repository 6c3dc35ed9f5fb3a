"""The minimax family against exact values: games solved elsewhere, and each other."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, SpecError, get_game, kernels
from engines.base import Budget
from engines.minimax.stack import TECHNIQUE_HELP
from engines.registry import build_engine
from tests.conftest import RUN_ALL, random_game
from tests.engines.test_search import never_loses

TIC_TAC_TOE = get_game("tictactoe")
# Techniques that change no value at equal depth; `quiescence` does.
NEUTRAL = [name for name in TECHNIQUE_HELP if name != "quiescence"]


def random_positions(game_name: str, count: int, most_plies: int) -> list[GameState]:
    """Unfinished positions of random games, all of them different games."""
    game = get_game(game_name)
    generator = np.random.default_rng(11)
    positions: list[GameState] = []
    while len(positions) < count:
        states = random_game(game, seed=int(generator.integers(1 << 30)))[:-1]
        positions.append(states[int(generator.integers(min(most_plies, len(states))))])
    return positions


# The first two moves of tic-tac-toe up to symmetry: in how many ways each can be played.
FIRST_TWO = {
    "A1": {"B1": 2, "C1": 2, "B2": 1, "C2": 2, "C3": 1},
    "B1": {"A1": 2, "A2": 2, "A3": 2, "B2": 1, "B3": 1},
    "B2": {"A1": 4, "B1": 4},
}
FIRST = {"A1": 4, "B1": 4, "B2": 1}


def after(*moves: str) -> GameState:
    return TIC_TAC_TOE.start().play(*moves)


@pytest.mark.parametrize("side", [0, 1] if RUN_ALL else [0])
def test_minimax_never_loses_tic_tac_toe_whatever_the_replies(side: int) -> None:
    """From two moves on, all of them up to symmetry; --run-all: from the start, on both sides."""
    engine = build_engine("minimax", TIC_TAC_TOE, seed=3)
    openings = [after(first, second) for first in FIRST_TWO for second in FIRST_TWO[first]]
    never_loses(engine, side, [after()] if RUN_ALL else openings)


def test_minimax_visits_the_whole_tree() -> None:
    """549,946 nodes: those from the third move on, and the root, 9 and 72 above them."""
    engine = build_engine("minimax", TIC_TAC_TOE, seed=1)
    total = 1 + 9 + 72
    for first, seconds in FIRST_TWO.items():
        for second, alike in seconds.items():
            total += FIRST[first] * alike * engine.select_move(after(first, second)).cost.nodes
    assert total == 549_946


@pytest.mark.parametrize("game", ["connect4", "go:size=3"])
def test_minimax_refuses_games_that_are_too_large(game: str) -> None:
    with pytest.raises(SpecError, match="minimax:depth=3") as error:
        build_engine("minimax", get_game(game))
    assert "\n" not in str(error.value)
    assert build_engine("minimax:depth=1", get_game(game)).warm_up() is None


@pytest.mark.parametrize(
    ("game_name", "depth", "most_plies"),
    [("tictactoe", 4, 9), ("connect4", 4, 40), ("go:size=4", 2, 40), ("draughts", 3, 100),
     ("connectn:cols=5,rows=4,pie=yes", 3, 18)],
)
def test_no_technique_changes_a_value(game_name: str, depth: int, most_plies: int) -> None:
    """Alpha-beta equals minimax with all of them, without each, and with each alone."""
    game = get_game(game_name)
    plain = build_engine(f"minimax:depth={depth}", game, seed=1)
    positions = random_positions(game_name, 12, most_plies)
    values = [plain.select_move(state).value for state in positions]
    off = ",".join(f"{name}=no" for name in NEUTRAL)
    for options in (
        "", *(f",{name}=no" for name in NEUTRAL), f",{off}",
        *(f",{off.replace(name + '=no', name + '=yes')}" for name in NEUTRAL),
    ):
        engine = build_engine(f"alphabeta:depth={depth},tt=12,quiescence=no{options}", game, seed=2)
        for state, value in zip(positions, values, strict=True):
            engine.new_game(5)
            assert engine.select_move(state).value == pytest.approx(value, abs=1e-9), options


@pytest.mark.parametrize("kind", ["cpu", "wall"])
@pytest.mark.parametrize("game_name", ["connect4", "draughts", "go:size=19"])
def test_time_limits_are_kept(game_name: str, kind: str) -> None:
    """In nine moves of ten. CPU time, which is at most wall time: others may be at work."""
    game = get_game(game_name)
    moves, overruns = 0, 0
    for seconds in (0.01, 0.1):
        engine = build_engine(f"alphabeta:{kind}={seconds}", game, seed=1)
        engine.warm_up()
        for state in random_positions(game_name, 5, 8):
            moves += 1
            overruns += engine.select_move(state).cost.cpu_seconds > seconds + 0.02
    assert overruns <= moves / 10


def test_time_is_not_wasted_on_the_only_move() -> None:
    game = get_game("connect4")
    state = game.start().play(*"1212")
    state = state.apply_move(game.parse_move(state, "1"))  # three in a column: one answer
    decision = build_engine("alphabeta:wall=60", game).select_move(state)
    assert decision.move.place == 1 and decision.cost.nodes < 100


@pytest.mark.parametrize("game_name", ["connect4", "draughts"])
def test_a_second_search_takes_the_scores_of_all_moves_out_of_the_table(game_name: str) -> None:
    """That of the best move, too: it is exact. So each depth costs a node for each move."""
    state = get_game(game_name).start()
    engine = build_engine("alphabeta:depth=5", state.game, seed=1)
    first, second = (engine.select_move(state) for _ in range(2))
    assert first.value == second.value
    assert second.cost.nodes == 5 * len(state.legal_actions()) < first.cost.nodes / 10


# How soon a game ends ---------------------------------------------------------------------


@pytest.mark.parametrize("tt", [8, 20])
def test_the_distance_to_the_end_is_that_of_the_solver(tt: int) -> None:
    """Another search with other code; scores are by the stones left (Pons).

    Games are gone through backwards and the table is kept, so that it shows wins far beyond
    the depth, and not always the shortest.
    """
    game = get_game("connect4")
    solver = build_engine("solver:tt=16", game).solver
    engine = build_engine(f"alphabeta:depth=42,tt={tt}", game, seed=1)
    decided = 0
    games = (random_game(game, seed) for seed in range(150))
    for state in (state for states in games for state in states[-2:22:-1]):
        played = len(state.moves())
        score = solver.score(state)
        decision = engine.select_move(state)
        assert decision.proven == np.sign(score)
        if score > 0:
            decided += 1
            assert decision.plies_to_end == 2 * (22 - score - played // 2) - 1
        elif score < 0:
            decided += 1
            assert decision.plies_to_end == 2 * (22 + score - (played + 1) // 2)
        else:
            assert decision.plies_to_end is None
    assert decided > 50


def test_a_proof_stays_when_a_deeper_search_is_cut_off() -> None:
    """Small tables forget how a win was proved; then a deeper search first meets estimates."""
    game, n_proofs = get_game("breakthrough:rows=6,cols=4"), 0
    engine = build_engine("alphabeta:depth=60,tt=6", game, seed=1)
    for seed in range(30):
        for state in random_game(game, seed)[-2:-14:-1]:
            for nodes in (5000, 2000, 700):
                decision = engine.analyse(state, Budget(nodes=nodes))
                assert decision.proven in (None, decision.value)
                n_proofs += decision.proven is not None
    assert n_proofs > 500


# Small Go boards --------------------------------------------------------------------------


def go_value(size: int, komi: float, depth: int, opening: str = "", **options: object) -> float:
    """What alpha-beta makes of a small board for the player to move."""
    game = get_game("go", size=size, komi=komi, **options)
    state = GameState.new_game(game)
    if opening:
        state = state.apply_move(game.parse_move(state, opening))
    return build_engine(f"alphabeta:depth={depth}", game, seed=1).select_move(state).value


@pytest.mark.parametrize("ko", ["situational", "positional"])
def test_two_by_two_is_worth_one_point_to_black(ko: str) -> None:
    """Area scoring, superko (Ted Drange, mathpuzzle.com/go): won, drawn and lost by komi."""
    assert [go_value(2, komi, 20, ko=ko) for komi in (0.5, 1, 1.5)] == [1, 0, -1]


@pytest.mark.parametrize("ko", ["situational", "positional", "simple"])
def test_three_by_three_is_all_blacks_from_the_centre(ko: str) -> None:
    """+9 for the centre (Drange): with komi 8.5 black wins, with 9 it is a draw.

    With superko, results depend on earlier positions, so that a search with a table proves nothing.
    """
    game = get_game("go", size=3, komi=8.5, ko=ko)
    decision = build_engine("alphabeta:depth=20", game).select_move(GameState.new_game(game))
    assert game.move_text(decision.move) == "B2"
    assert decision.value == 1 and decision.proven == (1 if ko == "simple" else None)
    assert go_value(3, 9, 18, ko=ko) == 0
    assert go_value(3, 9.5, 20, ko=ko) == -1


@pytest.mark.parametrize(("opening", "value"), [("B1", 3), ("A1", -9)])
def test_other_openings_on_three_by_three(opening: str, value: int) -> None:
    """The edge is worth 3 to black, the corner loses the whole board."""
    assert go_value(3, value - 0.5, 22, opening) == -1  # white is to move
    assert go_value(3, value + 0.5, 26, opening) == 1


# Draughts ---------------------------------------------------------------------------------


def test_quiescence_sees_the_whole_exchange() -> None:
    """Whoever steps next to the other loses a man and takes one back, or does not.

    One ply deep, alpha-beta must value each move as minimax over all captures does.
    """
    game = get_game("draughts")

    def settled(state: GameState) -> float:
        if state.is_over() or kernels.quiet(state.kernel_state):
            if state.is_over():
                winner = state.winner()
                return 0.0 if winner is None else 1.0 if winner is state.next_player else -1.0
            return float(np.tanh(kernels.evaluate(state.kernel_state) / 500))
        return best(state)

    def best(state: GameState) -> float:
        values = []
        for move in state.legal_moves():
            after = state.apply_move(move)
            value = settled(after)
            values.append(value if after.next_player is state.next_player else -value)
        return max(values)

    engine = build_engine("alphabeta:depth=1", game)
    shallow = build_engine("alphabeta:depth=1,quiescence=no", game)
    differ = 0
    for state in random_positions("draughts", 80, 60):
        value = engine.select_move(state).value
        assert value == pytest.approx(best(state), abs=1e-9)
        differ += value != shallow.select_move(state).value
    assert differ > 0
