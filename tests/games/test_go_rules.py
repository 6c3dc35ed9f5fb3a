"""Go beyond the basic rules: handicap, set-up positions, ko rules, counting, ladders.

With `--run-all` the legal positions of 4x4 are counted, too.
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from dlgo import GameState, IllegalMoveError, Move, Player, Point, SpecError, get_game
from dlgo.games.go.scoring import likely_dead, ownership, score
from tests.conftest import RUN_ALL, random_game
from tests.games.legal_positions import count_legal_positions


def diagram(text: str, next_player: Player = Player.black, **options: object) -> GameState:
    """A position from a drawing, top row first: x black, o white."""
    rows = text.split()
    game = get_game("go", size=len(rows), **options)
    stones: dict[str, list[Point]] = {"x": [], "o": [], ".": []}
    for row, line in enumerate(reversed(rows), start=1):
        assert len(line) == len(rows)
        for col, symbol in enumerate(line, start=1):
            stones[symbol].append(Point(row, col))
    return game.position(stones["x"], stones["o"], next_player)


def at(state: GameState, text: str) -> Move:
    return state.game.parse_move(state, text)


@pytest.mark.parametrize(
    ("size", "stones", "points"),
    [
        # The order of the Go Text Protocol's fixed handicaps.
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (13, 5, "D4 K10 D10 K4 G7"),
        (9, 4, "C3 G7 C7 G3"),
        (8, 4, "C3 F6 C6 F3"),
    ],
)
def test_fixed_handicaps(size: int, stones: int, points: str) -> None:
    game = get_game("go", size=size, handicap=stones)
    state = GameState.new_game(game)
    expected = {at(state, text).point for text in points.split()}
    placed = {
        Point(row, col) for row in range(1, size + 1) for col in range(1, size + 1)
        if game.cell(state, row, col) is Player.black
    }
    assert placed == expected
    assert state.next_player is Player.white
    assert state.previous_state is None


@pytest.mark.parametrize("spec", ["go:size=9,handicap=1", "go:size=8,handicap=5",
                                  "go:size=5,handicap=2", "go:size=19,handicap=10"])
def test_impossible_handicaps_are_refused(spec: str) -> None:
    with pytest.raises(SpecError, match="handicap"):
        get_game(spec)


def test_free_handicap_and_set_up_positions() -> None:
    game = get_game("go:size=5")
    state = game.position([Point(2, 2), Point(4, 4)], next_player=Player.white)
    assert state.next_player is Player.white
    after = state.apply_move(at(state, "C3"))
    assert pickle.loads(pickle.dumps(after)) == after
    with pytest.raises(SpecError, match="two stones at B2"):
        game.position([Point(2, 2)], [Point(2, 2)])
    with pytest.raises(SpecError, match="off the go:size=5 board"):
        game.position([Point(6, 2)])
    with pytest.raises(SpecError, match="no liberty"):
        game.position([Point(1, 2), Point(2, 1)], [Point(1, 1)])
    with pytest.raises(SpecError, match="no liberty"):
        game.position([Point(r, c) for r in range(1, 6) for c in range(1, 6)])


KO = """
    .xo.
    xo.o
    .xo.
    ....
"""


@pytest.mark.parametrize("rule", ["simple", "situational", "positional"])
def test_every_ko_rule_forbids_taking_back_at_once(rule: str) -> None:
    state = diagram(KO, ko=rule)
    state = state.apply_move(at(state, "C3"))  # takes B3
    assert state.game.cell(state, 3, 2) is None
    with pytest.raises(IllegalMoveError, match="ko"):
        state.apply_move(at(state, "B3"))
    state = state.apply_move(at(state, "A1")).apply_move(at(state, "D1"))
    assert state.is_valid_move(at(state, "B3"))


def stones(state: GameState) -> bytes:
    return state.kernel_state.color.tobytes()


def test_a_game_that_two_passes_end_has_a_key_of_its_own() -> None:
    state = get_game("go:size=3,ko=simple").start().play("B2")
    assert len({state.play(*["pass"] * passes).key() for passes in range(3)}) == 3


def test_positional_superko_forbids_more_than_situational() -> None:
    """Positional: no play recreates the stones of any earlier position. Situational: none does
    with the same player to move. Every legal play of random games on 3x3 is compared.
    """
    differences = [0, 0]
    for seed in range(300 if RUN_ALL else 100):
        situational = GameState.new_game(get_game("go:size=3"))
        positional = GameState.new_game(get_game("go:size=3,ko=positional"))
        simple = GameState.new_game(get_game("go:size=3,ko=simple"))
        generator = np.random.default_rng(seed)
        earlier = set()  # stones with the player to move
        for _ in range(40):
            if situational.is_over():
                break
            earlier.add((stones(situational), situational.next_player))
            legal = [set(state.legal_actions().tolist())
                     for state in (positional, situational, simple)]
            assert legal[0] <= legal[1] <= legal[2]
            for action in legal[2] - {9}:
                after = simple.apply_move(simple.game.move_of(action))
                repeated = {player for colours, player in earlier if colours == stones(after)}
                assert (action in legal[1]) == (after.next_player not in repeated)
                assert (action in legal[0]) == (not repeated)
            differences[0] += len(legal[1] - legal[0])
            differences[1] += len(legal[2] - legal[1])
            action = int(generator.choice(sorted(legal[0] - {9}) or [9]))
            move = situational.game.move_of(action)
            situational, positional, simple = (
                state.apply_move(move) for state in (situational, positional, simple)
            )
    assert min(differences) > 0


SEKI_FREE = """
    .x.o.
    xx.oo
    .x.o.
    xx.oo
    .x.o.
"""


def test_area_and_territory_of_a_finished_game() -> None:
    state = diagram(SEKI_FREE, komi=0.5)
    area = score(state)
    assert (area.black, area.white, area.margin) == (7 + 3, 7 + 3, -0.5)
    territory = score(state, rules="territory")
    assert (territory.black, territory.white) == (3, 3)
    assert area.owner[Point(1, 3)] is None  # neutral: it touches both


def test_dead_stones_count_for_the_opponent() -> None:
    text = """
        .....
        .o...
        xxxxx
        ooooo
        .....
    """
    state = diagram(text, komi=0)
    alive = score(state)
    assert alive.black == 5
    dead = score(state, dead=[Point(4, 2)])
    assert dead.black == 5 + 10  # two rows, the dead stone's point among them
    assert dead.white == 5 + 5
    territory = score(state, dead=[Point(4, 2)], rules="territory")
    assert territory.black == 10 + 1  # nine empty points, the dead stone's, and the prisoner
    with pytest.raises(SpecError, match="no stone"):
        score(state, dead=[Point(5, 5)])
    with pytest.raises(SpecError, match="rules"):
        score(state, rules="stones")


def test_prisoners_count_as_territory() -> None:
    """Black has A4, White C3 and D4. Black takes B3: a prisoner, its point, and White's C3."""
    state = diagram(KO, komi=0)
    before = score(state, rules="territory")
    assert (before.black, before.white) == (1, 2)
    after = score(state.apply_move(at(state, "C3")), rules="territory")
    assert (after.black, after.white) == (1 + 1 + 1, 1)


def test_area_and_territory_agree_when_nobody_passed_early() -> None:
    """After equally many stones of both, the two counts differ by the same margin.

    area margin = stones on board + territory; every stone played is on the board or a
    prisoner, so the difference of the margins is the difference in stones played.
    """
    for seed in range(20):
        state = random_game(get_game("go:size=5,komi=0"), seed, passes=False)[-1]
        played = {Player.black: 0, Player.white: 0}
        walk = state
        while walk.previous_state is not None:
            if walk.last_move.is_play:
                played[walk.previous_state.next_player] += 1
            walk = walk.previous_state
        area, territory = score(state), score(state, rules="territory")
        gap = played[Player.black] - played[Player.white]
        assert area.margin - territory.margin == gap


def test_the_score_is_the_result_when_no_stone_is_dead() -> None:
    for seed in range(20):
        state = random_game(get_game("go:size=7,komi=6.5"), seed, max_plies=60)[-1]
        assert score(state).margin == state.game.margin(state)


def test_likely_dead_stones_are_those_that_cannot_live() -> None:
    text = """
        .x.x.....
        xxxx.....
        ooooooooo
        .........
        .........
        ......x..
        ooooooooo
        .o.o.o.o.
        oooo.oooo
    """
    state = diagram(text)
    assert likely_dead(state) == {Point(4, 7)}
    mean = ownership(state)
    assert mean[8, 1] > 0.9
    assert mean[0, 0] < -0.9


@pytest.mark.parametrize(("size", "count"), [(2, 57), (3, 12_675), pytest.param(
    4, 24_318_165, marks=pytest.mark.long)])
def test_number_of_legal_positions(size: int, count: int) -> None:
    """OEIS A094777."""
    assert count_legal_positions(size) == count
