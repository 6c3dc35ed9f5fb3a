"""What heavy rollouts and hints see on a Go board, checked against diagrams and by counting."""

from __future__ import annotations

import numpy as np
import pytest

from dlgo import GameState, Move, Player, Point, get_game, kernels
from dlgo.games.go import board, kernel
from dlgo.games.go.patterns import matches_pattern
from dlgo.games.go.playout import ATARI_CHANCE, heavy_move
from dlgo.moves import parse_point
from dlgo.rng import make_rng
from engines.registry import build_engine


def diagram(text: str, next_player: Player = Player.black) -> GameState:
    """A position from its picture, top row first, with x, o and dots."""
    rows = text.split()[::-1]
    stones = {
        symbol: [
            Point(r + 1, c + 1)
            for r, row in enumerate(rows) for c, found in enumerate(row) if found == symbol
        ]
        for symbol in "xo"
    }
    return get_game("go", size=len(rows)).position(stones["x"], stones["o"], next_player)


def at(state: GameState, text: str) -> int:
    """The board index of a point such as C3."""
    point = parse_point(text, state.game.size, state.game.size)
    return kernel.point_of(state.game.size, state.game.action_of(Move.play(point)))


def test_patterns_see_hane_and_cut_whatever_way_up() -> None:
    hane = ("....... ....... ..xox.. ....... ....... ....... .......", "D4")
    cut = ("....... ....... ..xo... ..o.... ....... ....... .......", "D4")
    alone = ("....... ....... ..x.... ....... ....... ....... .......", "D4")
    wall = ("....... ....... ..xxx.. ....... ....... ....... .......", "D4")
    for (text, point), expected in ((hane, True), (cut, True), (alone, False), (wall, False)):
        rows = text.split()
        for _ in range(4):
            rows = ["".join(row) for row in zip(*rows[::-1], strict=True)]
            for picture in (rows, rows[::-1], [row.translate(str.maketrans("xo", "ox"))
                                               for row in rows]):
                state = diagram(" ".join(picture))
                assert matches_pattern(state.kernel_state, at(state, point), 9) == expected


def _answers(state: GameState, last: str) -> dict[int, int]:
    """How often each point is chosen in answer to the stone on `last`, in 400 draws."""
    counts: dict[int, int] = {}
    for seed in range(400):
        point = int(heavy_move(
            state.kernel_state, at(state, last), state.next_player.index, make_rng(seed)
        ))
        counts[point] = counts.get(point, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("picture", "last", "answer"),
    [
        # White's last stone is in atari: take it.
        ("..... ..x.. .xo.. ..x.. .....", "C3", "D3"),
        # Black's stone is in atari: run.
        ("..... ..o.. .ox.. ..o.. .....", "C4", "D3"),
        # Black's stone is in atari, and so is the white one below it: take that.
        ("..... ..... o.... x.... o....", "A3", "B1"),
    ],
)
def test_ataris_near_the_last_move_are_answered(picture, last, answer) -> None:
    state = diagram(picture)
    share = _answers(state, last).get(at(state, answer), 0) / 400
    assert share > ATARI_CHANCE - 0.06


def test_a_group_with_two_eyes_outlives_every_rollout() -> None:
    game = get_game("go:size=5")
    state = diagram("..... ooooo xxxxx xxxxx .x.xx")
    actions = np.empty(game.num_actions, np.int64)
    stones = np.flatnonzero(state.kernel_state.color == board.BLACK)
    eyes = (at(state, "A1"), at(state, "C1"))
    for seed in range(300):
        work = game.scratch_state(state.kernel_state)
        kernels.copy_into(work, state.kernel_state)
        played = np.full(game.num_actions, kernels.NOBODY, np.int8)
        result = kernels.heavy_rollout(work, make_rng(seed), actions, played)
        assert (work.color[stones] == board.BLACK).all()
        assert played[game.action_of(Move.play(Point(1, 1)))] == kernels.NOBODY
        assert result == kernels.result(work)
        for point in np.flatnonzero(work.color <= board.WHITE):
            assert work.liberties[work.chain[point]] != 0
        assert all(work.color[eye] == board.EMPTY for eye in eyes)


def test_hints_prefer_the_capture_and_warn_of_self_atari() -> None:
    state = diagram("..... ..x.. .xo.. ..x.. .o...")
    game = state.game
    actions = np.array(state.legal_actions(), np.int64)
    visits, wins = (np.zeros(game.num_actions, np.float32) for _ in range(2))
    kernels.hints(state.kernel_state, actions, len(actions), visits, wins)
    n = len(actions)
    assert (visits[:n] > 0).all()
    assert ((wins[:n] >= 0) & (wins[:n] <= visits[:n])).all()
    share = dict(zip(map(game.move_of, actions), wins[:n] / visits[:n], strict=True))
    assert max(share, key=share.get) == Move.play(parse_point("D3", 5, 5))
    corner = Move.play(parse_point("A1", 5, 5))
    assert share[corner] < 0.5  # its only liberty would be A2
    assert share[Move.pass_turn()] < 0.5


def test_heavy_rollouts_make_the_stronger_search() -> None:
    """At equal simulations; 20 games of 20 were won at 2,000 (docs/engines/mcts.md)."""
    game = get_game("go:size=7,komi=0")
    heavy = build_engine("mcts:sims=150,rollout=heavy,rule=rave", game)
    light = build_engine("mcts:sims=150", game)
    points = 0.0
    for number in range(8):
        players = (heavy, light) if number % 2 == 0 else (light, heavy)
        for engine in players:
            engine.new_game(number)
        state = GameState.new_game(game)
        while not state.is_over():
            state = state.apply_move(players[state.next_player.index].select_move(state).move)
        winner = state.winner()
        points += 0.5 if winner is None else players[winner.index] is heavy
    assert points >= 6.5
