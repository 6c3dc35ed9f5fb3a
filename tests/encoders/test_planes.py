"""Every encoder's planes are those of a slow reference in plain Python, and of known positions."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, Move, Player, Point, get_game
from dlgo.encoders import encoder_names, get_encoder
from dlgo.games.draughts.state import Draughts
from dlgo.games.go.board import KO
from dlgo.records.sgf import read_sgf, replay
from tests.conftest import RUN_ALL, random_game
from tests.encoders import reference

GENERIC = ("oneplane", "threeplane", "planes", "zero")
LIBERTIES = ("sevenplane", "simple", "zero11")
GAMES = (
    "tictactoe", "connect4", "connectn:cols=5,rows=4,pie=yes",
    "connectn:cols=5,rows=4,n=3,gravity=no", "draughts", "go:size=5", "go:size=4,ko=positional",
)


def assert_same(found: np.ndarray, expected: np.ndarray, name: str, state: GameState) -> None:
    """Equal planes; else the first that differs is shown."""
    if not np.array_equal(found, expected):
        plane = int(np.flatnonzero((found != expected).any(axis=(0, 1)))[0])
        docs = get_encoder(name, state.game).planes
        pytest.fail(
            f"{name}, plane {plane} ({docs[plane]})\n{state}\n"
            f"found\n{found[::-1, :, plane]}\nexpected\n{expected[::-1, :, plane]}"
        )


@pytest.mark.parametrize("spec", GAMES)
def test_generic_planes_are_those_of_the_reference(spec: str) -> None:
    game = get_game(spec)
    for seed in range(3):
        line = random_game(game, seed, max_plies=120)
        for state in [*line[:12], *line[12::9], line[-1]]:
            for name in GENERIC:
                found = get_encoder(name, game).encode(state)
                expected = reference.generic_planes(name, state)
                assert_same(found[:, :, : expected.shape[2]], expected, name, state)


@pytest.mark.parametrize(
    ("size", "games"),
    [(3, 16), (4, 6), (5, 4), (7, 2)] if RUN_ALL else [(3, 8), (4, 2), (5, 2)],
)
def test_planes_of_go_are_those_of_the_reference(size: int, games: int) -> None:
    """Without passes, boards fill, chains are captured and kos arise: superko included."""
    game = get_game("go", size=size)
    seen = np.zeros(50, int)
    for seed in range(games):
        line = random_game(game, seed, max_plies=3 * size * size, passes=False)
        for state in line[:: 1 + size // 3]:
            if state.is_over():
                continue
            for name in LIBERTIES:
                expected = reference.liberty_planes(name, state)
                # Points that superko forbids, and not only the simple ko rule.
                seen[49] += int(expected[:, :, -1].sum()) - bool(state.kernel_state.info[KO])
                assert_same(get_encoder(name, game).encode(state), expected, name, state)
            if size == 3:  # readings there go round in circles, which the reference does not end
                continue
            expected = reference.alphago_planes(state)
            seen[:49] += expected.sum(axis=(0, 1)).astype(int)
            assert_same(get_encoder("alphago49", game).encode(state), expected, "alphago49", state)
            found = get_encoder("alphago", game).encode(state)
            assert_same(found, expected[:, :, :48], "alphago", state)
            found = get_encoder("alphago41", game).encode(state)
            assert_same(found, np.delete(expected, range(6, 14), axis=2), "alphago41", state)
    # What never comes up has not been tested: captures, self-atari, ladders, superko.
    if size == 3:
        assert seen[49] > 0
    else:
        assert seen[[30, 31, 38, 39, 46, 47]].all()


def test_planes_of_human_games_are_those_of_the_reference(oracles) -> None:
    """Positions of 19x19 games of strong players, where ladders run far."""
    files = sorted((oracles / "sgf/human_19x19").glob("*.sgf"))
    assert files
    generator = np.random.default_rng(1)
    for number in generator.choice(len(files), 6 if RUN_ALL else 2, replace=False):
        line = list(replay(read_sgf(files[number])))
        state = line[int(generator.integers(30, len(line) - 1))]
        expected = reference.alphago_planes(state)
        found = get_encoder("alphago49", state.game).encode(state)
        assert_same(found, expected, "alphago49", state)
        for name in LIBERTIES:
            found = get_encoder(name, state.game).encode(state)
            assert_same(found, reference.liberty_planes(name, state), name, state)


# Known positions -----------------------------------------------------------------------------


def diagram(*rows: str, to_move: Player = Player.black) -> GameState:
    """A position of Go from a picture: x black, o white; the top row first."""
    size = len(rows)
    points: dict[str, list[Point]] = {"x": [], "o": [], ".": []}
    for row, text in zip(range(size, 0, -1), rows, strict=True):
        for col, symbol in enumerate(text.split(), 1):
            points[symbol].append(Point(row, col))
    return get_game("go", size=size).position(points["x"], points["o"], to_move)


def shown(state: GameState, plane: int, name: str = "alphago") -> set[str]:
    """The points of a plane that are not 0."""
    planes = get_encoder(name, state.game).encode(state)
    cells = np.argwhere(planes[:, :, plane])
    return {state.game.move_text(Move.play(Point(int(r) + 1, int(c) + 1))) for r, c in cells}


# Figure 13.3 of the book: a white stone in atari, the ladder running to the lower right.
LADDER = (
    ". . . . . . . . .",
    ". . x . . . . . .",
    ". x o x . . . . .",
    ". x . . . . . . .",
    ". . . . . . . . .",
    ". . . . . . . . .",
    ". . . . . . . . .",
    ". . . . . . . . .",
    ". . . . . . . . .",
)


def test_a_ladder_to_the_edge_captures() -> None:
    """White's stone cannot escape; were it Black's move, he would just take it."""
    white = diagram(*LADDER, to_move=Player.white)
    assert shown(white, 47) == set()
    assert shown(diagram(*LADDER), 30) == {"C6"}  # captures one stone


def test_a_stone_in_the_way_breaks_the_ladder() -> None:
    rows = list(LADDER)
    rows[6] = ". . . . . . o . ."
    assert shown(diagram(*rows, to_move=Player.white), 47) == {"C6"}


def test_ko_is_shown_where_it_forbids() -> None:
    state = diagram(
        ". . . . .",
        ". x o . .",
        "x o . o .",
        ". x o . .",
        ". . . . .",
    )
    taken = state.apply_move(state.game.parse_move(state, "C3"))
    for name, plane in (("sevenplane", 6), ("simple", 10), ("zero11", 10), ("planes", 3)):
        assert shown(state, plane, name) == set()
        assert shown(taken, plane, name) == {"B3"}
    assert "B3" not in shown(taken, 5)  # a forbidden move is not sensible


def test_draughts_shows_the_jumper_and_the_draw_counters() -> None:
    state = Draughts.from_fen("B:W18,25,32:B15,K1")
    encoder = get_encoder("planes", state.game)
    state = state.apply_move(Move.play((15, 22)))
    planes = encoder.encode(state)
    assert state.next_player is Player.black  # and must jump on, from 22
    row, col = reference.square_point(22)
    assert np.argwhere(planes[:, :, 5]).tolist() == [[row - 1, col - 1]]
    state = Draughts.from_fen("B:WK32:BK1,K2")
    for move in ((1, 5), (32, 28), (5, 1), (28, 32)):
        state = state.apply_move(Move.play(move))
    planes = encoder.encode(state)
    assert (planes[:, :, 6] == np.float32(4 / 80)).all()
    assert (planes[:, :, 7] == 0.5).all()  # it has come up once before, of the two allowed


def test_zero_looks_seven_plies_back_and_no_further_than_the_start() -> None:
    """17 planes for Go, as in the paper; 33 for draughts with its two kinds of pieces."""
    state = GameState.new_game(get_game("go", size=9))
    encoder = get_encoder("zero", state.game)
    assert encoder.shape == (9, 9, 17) and encoder.history == 7
    assert get_encoder("zero", get_game("draughts")).shape == (8, 8, 33)
    for place in ("C3", "G7", "pass", "D4"):
        state = state.apply_move(state.game.parse_move(state, place))
    planes = encoder.encode(state)
    counts = planes[:, :, :16].sum(axis=(0, 1)).astype(int).tolist()
    # Black's and White's stones: now, before D4, before the pass, before G7, before C3.
    assert counts == [1, 2, 1, 1, 1, 1, 1, 0, 0, 0] + [0] * 6
    assert planes[:, :, 16].all()  # Black is to move


@pytest.mark.parametrize("spec", [*GAMES, "go:size=19"])
def test_all_planes_are_documented(spec: str) -> None:
    game = get_game(spec)
    for name in encoder_names(game):
        encoder = get_encoder(name, game)
        assert encoder.encode(GameState.new_game(game)).shape == encoder.shape
        assert len(set(encoder.planes)) == encoder.shape[2] and all(encoder.planes)
