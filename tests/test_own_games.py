"""Games of one's own, written after docs/add_a_game.md, and engines that play them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlgo import GameSpec, GameState, get_game
from dlgo.display import board_svg
from dlgo.errors import IllegalMoveError, SpecError
from dlgo.text import replace_once
from engines.registry import build_engine
from experiments.studio.specs import Allowed
from tests.command import ROOT, assert_one_line, dlgo_here
from tests.conftest import RUN_ALL

FOLDER = Path(__file__).with_name("own_games")
ENGINES = (
    "random", "alphabeta:depth=2", "mcts:sims=30", "puct:sims=20,agent=heuristic:level=1",
    "minimax:depth=1", "textbook-mcts:sims=5", "textbook-alphabeta:depth=1",
)


def own(name: str) -> GameSpec:
    file, _, settings = name.partition(":")
    return get_game(f"{FOLDER / file}.py{':' + settings if settings else ''}")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES if RUN_ALL else ENGINES[1:3])
@pytest.mark.parametrize("name", ["knightthrough:size=4", "amazons", "siege"])
def test_engines_play_them(name: str, engine: str) -> None:
    game = own(name)
    player = build_engine(engine, game, seed=1)
    state = GameState.new_game(game)
    for _ in range(4):
        if not state.is_over():
            state = state.apply_move(player.select_move(state).move)


@pytest.mark.slow
def test_searches_tell_actions_apart_that_16_bits_do_not() -> None:
    """A win at once whose action is 45,000 and more, seen among moves that do not win."""
    game = own("amazons")
    state = game.new_kernel_state()
    state.board[:] = 2  # arrows everywhere but around the queens
    for cell, piece in ((35, 0), (34, -1), (28, -1), (29, -1), (0, 1), (1, -1), (6, -1)):
        state.board[cell] = piece
    start = GameState(game, state)
    assert min(start.legal_actions()) > 2**15
    for engine in ("alphabeta:depth=3", "mcts:sims=400"):
        decision = build_engine(engine, game, seed=1).select_move(start)
        assert start.is_valid_move(decision.move)
        for move in decision.visits or [decision.move]:
            assert start.is_valid_move(move), engine


def test_kinds_of_pieces_are_told_apart() -> None:
    state = GameState.new_game(own("siege"))
    top = str(state).splitlines()[0].split()
    assert top == ["5", "r", ".", "k", ".", "r"]
    assert str(state).splitlines()[4].split() == ["1", "R", ".", "K", ".", "R"]
    for letter in "KRS":
        assert f">{letter}</text>" in board_svg(state)


def test_a_move_that_is_only_begun_is_asked_for() -> None:
    state = GameState.new_game(own("amazons"))
    with pytest.raises(IllegalMoveError, match="it could be C1-C2-B1, .* or C1-C2-F5"):
        state.apply_move("C1-C2")


def test_a_move_without_an_action_is_a_mistake_of_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / "knightthrough.py").read_text()
    Path("mine.py").write_text(replace_once(text, "        return action\n", "        action\n"))
    with pytest.raises(IllegalMoveError, match="`action_of` of mine.py:Knightthrough returns None"):
        get_game("mine.py").start().play("A1-B3")


@pytest.mark.parametrize("command", [
    ("play", "GAME"), ("check", "GAME"),
    ("tournament", "--ledger", "games.sqlite", "--game", "GAME", "--pairs", "1",
     "--engine", "random", "--engine", "random:seed=1"),
])
def test_a_setting_that_the_game_refuses_is_a_message_of_one_line(
    command: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spec = "othello:size=5"
    done = dlgo_here(capfd, *[spec if word == "GAME" else word for word in command], cwd=tmp_path)
    assert_one_line(done, "size=5: size is odd; write an even number of cells")
    with pytest.raises(SpecError, match="size is odd"):  # what the browser is told
        Allowed([]).game(spec)


def test_more_actions_than_searches_can_tell_apart_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / "knightthrough.py").read_text()
    Path("large.py").write_text(text.replace("self.board_rows**4", "2**30"))
    with pytest.raises(SpecError, match="num_actions is 1073741824; set it to .* to 16,777,216"):
        get_game("large.py")


def test_an_edited_game_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / "knightthrough.py").read_text()
    Path("mine.py").write_text(text)
    before = get_game("mine.py")
    assert get_game(before.versioned) == before
    Path("mine.py").write_text(text.replace("1 - 2 * state.words[WINNER]",
                                            "2 * state.words[WINNER] - 1"))
    after = get_game("mine.py")
    assert str(after) == str(before) and after.versioned != before.versioned
    with pytest.raises(SpecError, match="game mine.py:Knightthrough was edited"):
        get_game(before.versioned)


RESULT = ("min(1, max(-1, int(state.words[LEAD])))", "2 - state.words[LEAD] // 7",
          r"a result of mine\.py:RowsAndColumns is [23], not 1, 0 or -1; `dlgo check` examines .*")
NO_MOVE = ("    n = 0\n", "    n = 0\n    if state.words[STONES_0] & 17 == 17:\n        return 0\n",
           r"mine\.py:RowsAndColumns breaks a rule, legality: .* `dlgo check` examines a game")
ERROR = ("return RowsState(np", "1 / (multiprocessing.parent_process() is None)\n"
         "        return RowsState(np",
         r"mine\.py, line \d+: ZeroDivisionError: .*; `dlgo check` examines such a file")


@pytest.mark.parametrize(("command", "rule"), [
    (("train", "descent"), RESULT),
    *(pytest.param(words, rule, marks=pytest.mark.slow) for words, rule in (
        (("train", "q_learning"), NO_MOVE),
        (("tournament", "--engine", "random", "--engine", "heuristic", "--ledger", "x.sqlite"),
         RESULT),
        (("train", "alphazero", "--net", "mlp:hidden=16", "--workers", 2), ERROR),
    )),
], ids=["a result", "no move", "a tournament", "workers"])
def test_a_broken_rule_ends_other_work_in_one_line(
    command: tuple[object, ...], rule: tuple[str, str, str],
    tmp_path: Path, capfd: pytest.CaptureFixture[str],
) -> None:
    if command[0] == "train":
        pytest.importorskip("keras")
    right, wrong, message = rule
    text = replace_once((ROOT / "experiments/templates/rows.py").read_text(), right, wrong)
    (tmp_path / "mine.py").write_text(replace_once(text, "\nfrom typing",
                                                   "\nimport multiprocessing\nfrom typing"))
    done = dlgo_here(capfd, *command, "--game", "mine.py", cwd=tmp_path)
    assert done.returncode == 2
    assert re.search(f"{message}$", done.stderr.splitlines()[-1]), done.stderr
