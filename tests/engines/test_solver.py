"""The Connect Four solver against published scores, another solver, and itself."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dlgo import DlgoError, GameState, SpecError, get_game
from engines.registry import build_engine
from engines.solver import search
from engines.solver.board import mirrored, playable, winning_cells
from engines.solver.solver import Solver, pack, words_of
from engines.solver.zugzwang import UNKNOWN, zugzwang_verdict
from experiments.play.analyze import analyze, lines_there
from tests.conftest import random_game

GAME = get_game("connect4")
# Positions of the published sets (Pons), a few of each.
PUBLISHED = {
    "4455": 18, "44455554221": -15,
    "32164625": 11, "6146": 18, "243335424257": 12,
    "5554224333234511764415115": 4, "52753311433677442422121": 8,
    "1233722555341451114725221333": -1,
    "2252576253462244111563365343671351441": -1, "7422341735647741166133573473242566": 1,
    "23163416124767223154467471272416755633": 0,
}


def position(columns: str) -> GameState:
    state = GameState.new_game(GAME)
    for column in columns:
        state = state.apply_move(GAME.parse_move(state, column))
    return state


def random_positions(n: int, plies: range, seed: int = 0) -> list[GameState]:
    """Unfinished positions after a random number of random moves."""
    generator = np.random.default_rng(seed)
    positions: list[GameState] = []
    while len(positions) < n:
        game = random_game(GAME, seed=int(generator.integers(1 << 30)))
        ply = int(generator.choice(plies))
        if ply < len(game) and not game[ply].is_over():
            positions.append(game[ply])
    return positions


def columns_of(state: GameState) -> list[int]:
    return [move.place for move in state.moves()]


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(table_bits=20)


def test_published_scores(solver: Solver) -> None:
    assert {columns: solver.score(position(columns)) for columns in PUBLISHED} == PUBLISHED


@pytest.mark.parametrize("name", ["Test_L3_R1", "Test_L2_R1", "Test_L1_R1"])
def test_every_position_of_the_published_sets(
    name: str, oracles: Path, solver: Solver
) -> None:
    rows = [line.split() for line in (oracles / "connect4" / name).read_text().splitlines()]
    scores = solver.solve_many(pack(position(columns) for columns, _ in rows))
    assert len(rows) == 1000
    assert scores.tolist() == [int(score) for _, score in rows]


def test_another_solver_agrees(solver: Solver) -> None:
    core = pytest.importorskip("bitbully.bitbully_core", reason="needs bitbully")
    other = core.BitBullyCore()
    states = random_positions(250, range(12, 36), seed=3)
    expected = []
    for state in states:
        board = core.BoardCore()
        assert board.setBoard([column - 1 for column in columns_of(state)])
        expected.append(other.nullWindow(board))
    assert solver.solve_many(pack(states)).tolist() == expected
    assert [solver.score(state) for state in states] == expected


def test_the_best_move_scores_what_the_position_scores(solver: Solver) -> None:
    for state in random_positions(40, range(14, 42), seed=4):
        scores = solver.move_scores(state)
        score = solver.score(state)
        assert max(scores.values()) == score
        assert scores[solver.best_column(state, score)] == score
        assert sorted(scores) == [move.place for move in state.legal_moves()]


def test_mirror_images_score_the_same(solver: Solver) -> None:
    for state in random_positions(100, range(14, 42), seed=5):
        image = position("".join(str(8 - column) for column in columns_of(state)))
        assert solver.score(image) == solver.score(state)
        assert words_of(image) == tuple(mirrored(word) for word in words_of(state))


@pytest.mark.parametrize(
    ("columns", "score"),
    [
        ("112233", 18),  # three in the bottom row: wins with the fourth stone, 22 - 4
        ("44332", -18),  # three in the bottom row, open at both ends
        ("443322", 18),
        ("1122334", None),
        ("1212121", None),
    ],
)
def test_the_last_stones(columns: str, score: int | None, solver: Solver) -> None:
    state = position(columns)
    if score is None:
        with pytest.raises(ValueError, match="over"):
            solver.score(state)
    else:
        assert solver.score(state) == score


def test_a_nearly_full_board(solver: Solver) -> None:
    """With two cells left, the score is found by playing them out."""
    seen = set()
    for state in random_positions(60, range(40, 42), seed=6):
        best = -1
        for move in state.legal_moves():
            after = state.apply_move(move)
            if after.is_over():
                value = 0 if after.winner() is None else 1
            else:
                last = after.apply_move(after.legal_moves()[0])
                value = 0 if last.winner() is None else -1
            best = max(best, value)
        assert solver.score(state) == best
        seen.add(best)
    assert seen == {-1, 0, 1}


def test_no_technique_changes_a_score() -> None:
    states = pack(random_positions(60, range(20, 40), seed=7))
    expected = Solver(table_bits=12, features=0).solve_many(states)
    for bit in range(len(search.FEATURES)):
        assert np.array_equal(Solver(12, 1 << bit).solve_many(states), expected)
        assert np.array_equal(
            Solver(12, search.ALL_FEATURES ^ (1 << bit)).solve_many(states), expected
        )
    assert np.array_equal(Solver(table_bits=4).solve_many(states), expected)


def test_parity_rules_prove_only_what_is_true() -> None:
    """Wherever they give a verdict, a search without them finds the same."""
    plain = Solver(18, search.ALL_FEATURES & ~search.ZUGZWANG)
    verdicts = {0: 0, 1: 0}
    for state in random_positions(1200, range(18, 36), seed=8):
        own, mask = words_of(state)
        stones = mask.bit_count()
        score = plain.score(state)
        if (winning_cells(own, mask) | winning_cells(own ^ mask, mask)) & playable(mask):
            continue  # somebody wins at once, or must be stopped: the rules are not asked
        for target in range(-4, 5):
            verdict = zugzwang_verdict(own, mask, stones, target)
            if verdict != UNKNOWN:
                assert verdict == (score >= target)
                verdicts[verdict] += 1
    assert min(verdicts.values()) > 30


def test_a_search_may_pause_and_go_on() -> None:
    states = random_positions(20, range(14, 20), seed=9)
    whole, paused = Solver(16), Solver(16)
    paused._slice = 37
    for state in states:
        assert paused.score(state) == whole.score(state)
    assert whole.nodes > 1000
    assert paused.nodes == whole.nodes


def test_the_table_does_not_change_results_from_game_to_game(solver: Solver) -> None:
    state = position("32164625")
    fresh = Solver(16)
    assert fresh.score(state) == solver.score(state) == 11
    visited = fresh.nodes
    fresh.nodes = 0
    assert fresh.score(state) == 11
    assert fresh.nodes < visited / 10
    fresh.forget()
    fresh.nodes = 0
    assert fresh.score(state) == 11
    assert fresh.nodes == visited


def test_the_engine_never_lets_a_result_slip(solver: Solver) -> None:
    engine = build_engine("solver:tt=18", GAME)
    opponent = build_engine("random", GAME, seed=1)
    for opening in random_positions(12, range(14, 18), seed=10):
        state, player = opening, opening.next_player
        promised = -1
        while not state.is_over():
            if state.next_player == player:
                decision = engine.select_move(state)
                assert decision.proven == decision.value == np.sign(solver.score(state))
                assert decision.proven >= promised
                promised = decision.proven
                state = state.apply_move(decision.move)
            else:
                state = state.apply_move(opponent.select_move(state).move)
        result = 0 if state.winner() is None else 1 if state.winner() == player else -1
        assert result >= promised


def test_the_principal_variation_ends_when_the_score_says(solver: Solver) -> None:
    engine = build_engine("solver:tt=18", GAME)
    for state in random_positions(30, range(14, 41), seed=11):
        score = solver.score(state)
        for move in engine.select_move(state).pv:
            state = state.apply_move(move)
        assert state.is_over()
        if score:
            assert (44 - len(state.moves())) // 2 == abs(score)
        else:
            assert state.winner() is None


def test_other_games_are_refused() -> None:
    with pytest.raises(SpecError, match="plays connect4 only, not tictactoe"):
        build_engine("solver", get_game("tictactoe"))


def test_a_second_process_solves_from_the_cache() -> None:
    code = (
        "from tests.engines.test_solver import position, Solver;"
        "print(Solver(16).score(position('243335424257')))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "12"


ROOT = Path(__file__).resolve().parents[2]
COMMAND = [
    sys.executable, "-m", "experiments.cli", "analyze", "connect4", "--engine", "solver",
    "--stdin", "--json",
]


def run_command(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(COMMAND, cwd=ROOT, input=text, capture_output=True, text=True)


def run_analyze(*lines: str, engine: str = "solver:tt=18", **options) -> tuple[list[str], str]:
    """Lines of output, and the message that ends a run with errors."""
    options = {"game": GAME, "all_moves": False, "as_json": True, **options}
    output: list[str] = []
    try:
        for several in analyze(engine_spec=engine, lines=[list(lines)], **options):
            output += several
    except DlgoError as error:
        return output, str(error)
    return output, ""


def test_analyze_gives_an_object_a_position() -> None:
    lines, trouble = run_analyze("243335424257\n", "", "112233\r\n", all_moves=True)
    assert not trouble
    first, second = (json.loads(line) for line in lines)
    assert (first["position"], first["score"], second["score"]) == ("243335424257", 12, 18)
    assert first["scores"][int(first["best_move"]) - 1] == 12 == max(first["scores"])
    assert first["nodes"] > 0
    assert first["cpu_ms"] >= 0
    full_column = json.loads(run_analyze("111111223355", all_moves=True)[0][0])
    assert full_column["scores"][0] is None
    assert "scores" not in json.loads(run_analyze("6146")[0][0])


def test_analyze_answers_bad_lines_and_goes_on() -> None:
    bad = {
        "4444444": "move 7: .*full",
        "1122334": "the game is over",
        "11223344": "move 8: the game is already over",
        "48": "move 2: .*not a column",
        "hello": "move 1: .*not a column",
        "32164625 11": "move 9: ",
    }
    lines, trouble = run_analyze("6146", *bad, "6146")
    assert trouble == "6 of 8 positions could not be analysed"
    answers = [json.loads(line) for line in lines]
    assert [answers[0]["score"], answers[-1]["score"]] == [18, 18]
    for number, (answer, (text, reason)) in enumerate(
        zip(answers[1:-1], bad.items(), strict=True), start=2
    ):
        assert (answer["line"], answer["position"]) == (number, text)
        pytest.raises(DlgoError, _raise, answer["error"]).match(reason)
    texts, _ = run_analyze("x", "6146", as_json=False)
    assert texts[0].startswith("line 1: 'x': move 1: ")
    assert texts[1].startswith("6146  best ")
    assert "score +18" in texts[1]


def _raise(message: str) -> None:
    raise DlgoError(message)


@pytest.mark.parametrize("name", ["Test_L3_R1", "Test_L2_R1", "Test_L1_R1"])
def test_the_command_prints_every_published_score(
    name: str, oracles: Path, solver: Solver
) -> None:
    rows = [line.split() for line in (oracles / "connect4" / name).read_text().splitlines()]
    done = run_command("".join(f"{columns}\n" for columns, _ in rows))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert [(one["position"], str(one["score"])) for one in answers] == [tuple(r) for r in rows]
    for one in answers:  # and a move that reaches it
        after = position(one["position"] + one["best_move"])
        if after.is_over():
            assert after.winner() is not None or one["score"] == 0
        else:
            assert solver.score(after) == -one["score"]


def test_the_command_answers_a_line_before_the_next_one_comes() -> None:
    with subprocess.Popen(
        COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        for columns in ("112233", "6146", "hello", "243335424257"):
            process.stdin.write(columns + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())  # hangs if it waits for more
            assert answer["position"] == columns
        process.stdin.close()
        assert process.wait() == 2


def test_an_easy_line_does_not_wait_for_a_hard_one() -> None:
    """Both are there at once; the empty board takes half a minute."""
    with subprocess.Popen(
        COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("112233\nstart\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["score"] == 18
        process.kill()
        assert process.stdout.read() == ""


def test_reported_cpu_time_is_what_passes(solver: Solver) -> None:
    states = random_positions(300, range(22, 36), seed=12)
    lines = ["".join(map(str, columns_of(state))) for state in states]
    for all_moves in (False, True):
        solver.forget()
        began = time.process_time()
        portions = [list(some) for some in solver.analyse(lines, all_moves)]
        spent = 1000 * (time.process_time() - began)
        reported = sum(answer.cpu_ms for some in portions for answer in some)
        assert 0.8 * spent < reported <= spent


def test_an_analysis_may_pause_and_go_on() -> None:
    states = random_positions(20, range(20, 40), seed=13)
    lines = ["".join(map(str, columns_of(state))) for state in states]
    whole, paused = Solver(16), Solver(16)
    paused._slice = 23
    expected = [one for some in whole.analyse(lines, True) for one in some]
    answers = [one for some in paused.analyse(lines, True) for one in some]
    assert [one._replace(cpu_ms=0) for one in answers] == [
        one._replace(cpu_ms=0) for one in expected
    ]
    for state, one in zip(states, answers, strict=True):
        scores = whole.move_scores(state)
        assert one.scores == [scores.get(column) for column in range(1, 8)]
        assert one.score == one.scores[one.best - 1] == max(scores.values())


def test_an_analysis_given_up_leaves_no_trace() -> None:
    solver, fresh = Solver(16), Solver(16)
    solver._slice = 100
    for _ in solver.analyse(["112233", "44", "6146"], all_moves=False):
        break  # the second one has been begun
    solver.nodes = 0
    assert solver.score(position("243335424257")) == fresh.score(position("243335424257")) == 12
    assert solver.nodes < 2 * fresh.nodes  # it did not go on with the search given up
    assert [[one.score for one in some] for some in solver.analyse(["112233"], False)] == [[18]]


def test_lines_are_read_as_they_come() -> None:
    class Pipe(io.BytesIO):
        def read1(self, size: int = -1) -> bytes:
            return chunks.pop(0) if chunks else b""

    chunks = [b"44", b"55\n61", b"46\r\n\n12\n", b"\xff7", b"7"]
    assert list(lines_there(Pipe())) == [["4455"], ["6146\r", "", "12"], ["\ufffd77"]]


def test_analyze_takes_other_engines_and_games() -> None:
    lines, _ = run_analyze("6146", engine="alphabeta:depth=3")
    answer = json.loads(lines[0])
    assert answer["score"] is None
    assert -1 <= answer["value"] <= 1
    assert answer["nodes"] > 0
    lines, trouble = run_analyze("start", game=get_game("tictactoe"), engine="mcts:sims=50")
    assert not trouble
    assert json.loads(lines[0])["nodes"] >= 50
