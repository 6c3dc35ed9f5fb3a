"""The solver's opening book: published numbers and scores, and what a search without it finds."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dlgo import DlgoError, GameState, get_game
from engines.registry import build_engine
from engines.solver import book, search
from engines.solver.board import mirrored
from engines.solver.solver import Solver, pack
from experiments.datasets import connect4_book
from tests.conftest import RUN_ALL
from tests.engines.test_solver import position, random_positions

ROOT = Path(__file__).resolve().parents[2]
NO_BOOK = search.ALL_FEATURES & ~search.BOOK
# Positions by stones, finished games included (John Tromp), and finished games among them.
TROMP = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]
FINISHED = [0, 0, 0, 0, 0, 0, 0, 728, 1892]


def test_there_are_as_many_positions_as_published() -> None:
    for stones, level in enumerate(book.levels(8)):
        own_images = sum(
            mirrored(own) == own and mirrored(mask) == mask
            for own, mask in zip(level.owns.tolist(), level.masks.tolist(), strict=True)
        )
        assert 2 * len(level.keys) - own_images == TROMP[stones] - FINISHED[stones]
        assert (np.diff(level.keys) > 0).all()


def test_scores_of_the_first_moves_are_the_published_ones() -> None:
    """From the centre the first player wins with the 21st stone (Allis 1988; Pons)."""
    solver = Solver(12)
    scores = solver.move_scores(GameState.new_game(get_game("connect4")))
    assert scores == {1: -2, 2: -1, 3: 0, 4: 1, 5: 0, 6: -1, 7: -2}
    assert solver.nodes == 0
    assert solver.score(position("")) == 1
    assert solver.best_column(position(""), 1) == 4


def test_a_search_without_the_book_finds_the_same() -> None:
    for plies, count in ((8, 2), (9, 4)):
        states = random_positions((10 if RUN_ALL else 1) * count, range(plies, plies + 1), plies)
        without, with_book = Solver(20, NO_BOOK), Solver(20)
        assert with_book.solve_many(pack(states)).tolist() == [
            without.score(state) for state in states
        ]
        assert without.nodes > with_book.nodes == 0


def test_the_book_agrees_with_another_solver() -> None:
    core = pytest.importorskip("bitbully", reason="needs bitbully").BitBully("12-ply-dist")._core
    from bitbully.bitbully_core import BoardCore

    states = random_positions(300, range(1, 11), seed=3)
    expected = []
    for state in states:
        board = BoardCore()
        assert board.setBoard([move.place - 1 for move in state.moves()])
        expected.append(core.nullWindow(board))
    few = [state for state in states if len(state.moves()) <= book.shipped_book()[0]]
    assert len(few) > 200
    assert Solver(16).solve_many(pack(few)).tolist() == [
        score for score, state in zip(expected, states, strict=True) if state in few
    ]


def test_a_varied_player_plays_all_best_moves_and_no_other() -> None:
    engine = build_engine("solver:vary=yes,tt=12", get_game("connect4"))
    state = position("1234567")  # five columns score 2
    columns = set()
    for seed in range(40):
        engine.new_game(seed)
        columns.add(engine.select_move(state).move.place)
        again = build_engine("solver:vary=yes,tt=12", get_game("connect4"), seed=seed)
        assert again.select_move(state).move == (engine.new_game(seed), engine.select_move(state))[
            1
        ].move
    assert columns == {2, 3, 4, 5, 6}


@pytest.fixture
def small_book(tmp_path: Path) -> Path:
    """A book of three plies, as the scores in use log."""
    level = book.levels(3)[3]
    scores = Solver(12).solve_many(np.stack([level.owns, level.masks], axis=1))
    path = tmp_path / "small.book"
    path.write_bytes(book.pack_book(3, scores))
    return path


def test_a_damaged_book_is_named_in_one_line(
    small_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = small_book.read_bytes()
    for damaged in (b"", whole[:-1], whole[:40] + b"?" + whole[41:], b"x" + whole):
        small_book.write_bytes(damaged)
        with pytest.raises(DlgoError, match=r"small\.book is (a damaged|not an) opening book"):
            book.read_book(small_book)
    monkeypatch.setattr(book, "SHIPPED", small_book)
    book.shipped_book.cache_clear()
    try:
        with pytest.raises(DlgoError, match="not an opening book"):
            Solver(12).score(position("44"))
        assert Solver(12).score(position("32164625344131")) is not None  # nothing to look up
    finally:
        book.shipped_book.cache_clear()


# It is killed once a part of the book is in the file.
KILLED = """
import os, signal, sys
from pathlib import Path
from experiments.datasets import connect4_book as book
write_file = book.write_file
def write(path, data):
    write_file(path, data)
    os.kill(os.getpid(), signal.SIGKILL)
if __name__ == "__main__":
    book.write_file = write
    book.make_book(7, Path(sys.argv[1]), 1, 12, "bitbully")
"""


@pytest.mark.slow
def test_a_killed_generation_goes_on_and_makes_the_same_book(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("bitbully", reason="needs bitbully")
    broken = tmp_path / "broken.book"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(broken)], cwd=ROOT,
                            stderr=subprocess.DEVNULL, check=False)
    assert killed.returncode == -signal.SIGKILL
    _, scores = book.read_book(broken)
    there = scores != book.UNSOLVED
    assert 0 < there.sum() < len(scores)
    connect4_book.make_book(7, broken, 1, 12, "bitbully")
    assert "scores exist already" in capsys.readouterr().err  # these are not made again
    # The book in use, of more plies, says the same.
    level = book.levels(7)[7]
    expected = Solver(12).solve_many(np.stack([level.owns, level.masks], axis=1))
    assert broken.read_bytes() == book.pack_book(7, expected)
