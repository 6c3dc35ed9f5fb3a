"""Endgame tables of draughts: published counts, the game's rules and search agree with them."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from dlgo.api import GameState, Player
from dlgo.errors import DlgoError, SpecError
from dlgo.games import get_game
from dlgo.games.draughts import kernel
from dlgo.games.draughts.endgames import retrograde, tables
from dlgo.games.draughts.endgames.places import NOWHERE, position, slice_size, turned
from dlgo.games.draughts.endgames.retrograde import NO_POSITION
from dlgo.games.draughts.endgames.tables import EndgameTables, Score
from dlgo.games.draughts.state import Draughts
from engines.jobs import Inline
from engines.registry import build_engine
from experiments.measures.draughts import draw_classes
from experiments.measures.mistakes import Position, measure
from tests.conftest import RUN_ALL

GAME = get_game("draughts")
PIECES = 4
# Positions of all colours, the side to move not counted (Schaeffer et al. 2007).
PUBLISHED = {2: 6_972, 3: 261_224, 4: 7_092_774, 5: 148_688_232}


@pytest.fixture(scope="module")
def made() -> EndgameTables:
    """Made here and now, not read from the disk."""
    return EndgameTables(PIECES, tables._make(PIECES, lambda line: None))


def state_of(own: int, other: int, kings: int, white: bool = False) -> GameState:
    """A position with black to move, or the same one turned round with white to move."""
    state = GAME.new_kernel_state()
    if white:
        own, other, kings = turned(other), turned(own), turned(kings)
    kernel.set_position(state, own, other, kings, int(white))
    return GameState(GAME, state)


def drawn(made: EndgameTables, count: int, seed: int) -> list[GameState]:
    """Positions drawn from all slices alike, half of them with white to move."""
    rng = np.random.default_rng(seed)
    every = [one for group in retrograde.slices(made.pieces) for one in group]
    states: list[GameState] = []
    while len(states) < count:
        one = every[rng.integers(len(every))]
        own, other, kings = position(int(rng.integers(slice_size(*one))), *one)
        if own != NOWHERE:
            states.append(state_of(own, other, kings, len(states) % 2 == 1))
    return states


def one_sided(pieces: int) -> int:
    """Positions in which one player has all pieces."""
    return 2 * sum(comb(28, men) * comb(32 - men, pieces - men) for men in range(pieces + 1))


@pytest.mark.slow
def test_the_numbers_of_positions_are_the_published_ones(made: EndgameTables) -> None:
    offsets, _ = retrograde.offsets_of(made.pieces)
    for pieces in range(2, made.pieces + 1):
        counted = sum(
            int((made.table[offsets[one]:][: slice_size(*one)] != NO_POSITION).sum())
            for group in retrograde.slices(pieces) for one in group if sum(one) == pieces
        )
        assert counted + one_sided(pieces) == PUBLISHED[pieces]


@pytest.mark.slow
def test_each_position_is_worth_its_best_move_by_the_rules_of_the_game(
    made: EndgameTables
) -> None:
    """The game's own rules make the moves; multiple captures are several of them."""
    captures = draws = 0
    for state in drawn(made, 10_000 if RUN_ALL else 1500, 1):
        score, values = made.score(state), made.scores(state)
        if not values:
            assert score == Score(-1, 0) and state.is_over()
            continue
        best = max(value.result for value in values.values())
        turns = [value.turns for value in values.values() if value.result == best]
        # The winner hurries, the loser delays.
        expected = Score(best, 0 if best == 0 else min(turns) if best > 0 else max(turns))
        assert score == expected, GAME.fen(state)
        captures += max(values) >= kernel.JUMP
        draws += best == 0
    assert captures > 100 and draws > 20


@pytest.mark.slow
def test_known_endings(made: EndgameTables) -> None:
    """Textbook facts: two kings beat one, also in its double corner; one king does not beat one."""
    lost = Draughts.from_fen("W:WK18,K23:BK14")
    assert made.score(lost).result == 1
    in_the_corner = Draughts.from_fen("B:WK18,K23:BK32")
    assert made.score(in_the_corner).result == -1
    alone = Draughts.from_fen("B:WK32:BK1")
    assert made.score(alone) == Score(0, 0)
    assert made.score(GameState.new_game(GAME)) is None


@pytest.mark.slow
def test_the_solver_wins_when_the_tables_say(made: EndgameTables, monkeypatch) -> None:
    """It plays both sides: the game is won, drawn or lost as the tables say, and as soon."""
    monkeypatch.setitem(EndgameTables._loaded, PIECES, made)
    engine = build_engine(f"solver:tables={PIECES}", GAME, 1)
    decided = 0
    for state in drawn(made, 60, 3):
        score, player, turns, mover = made.score(state), state.next_player, 0, None
        while not state.is_over():
            turns += state.next_player is not mover
            mover = state.next_player
            decision = engine.select_move(state)
            assert decision.value == (score.result if mover is player else -score.result)
            state = state.apply_move(decision.move)
        result = state.result() if player is Player.black else -state.result()
        assert (result, turns if result else 0) == score or score.turns > 40
        decided += score.turns > 10
    assert decided > 10
    with pytest.raises(DlgoError, match="has more"):
        engine.select_move(GameState.new_game(GAME))


def wrong_answers(engine: str, positions: list[Position]) -> int:
    """How many mistakes an engine makes, by tables of three pieces."""
    return measure(engine, {"all": positions}, Inline())["all"].mistakes


@pytest.mark.slow
@pytest.mark.parametrize("engine", [
    "alphabeta:depth=3", "mcts:sims=100", "alphazero:sims=20",
    *([] if not RUN_ALL else ["mcts:sims=100,rollout=heavy,rule=rave",
                           "puct:sims=60,evaluator=uniform"]),
])
def test_tables_of_two_pieces_help_with_three(
    engine: str, made: EndgameTables, monkeypatch
) -> None:
    """Whoever captures into a known ending sees what it is worth."""
    monkeypatch.setitem(EndgameTables._loaded, 3, made)
    classes = draw_classes(3, 60, seed=2)
    positions = [*classes["3 won"], *classes["3 drawn"]]
    with_tables, without = (
        wrong_answers(f"{engine}{more}", positions) for more in (",tables=2", "")
    )
    assert with_tables < without


def test_other_games_have_no_tables() -> None:
    with pytest.raises(SpecError, match="connect4 has no endgame tables"):
        build_engine("alphabeta:tables=4", get_game("connect4"), 1)


def test_tables_are_kept_and_damaged_files_made_anew(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(EndgameTables, "_loaded", {})
    monkeypatch.setattr(tables, "base_folder", lambda: tmp_path)
    said: list[str] = []
    first = EndgameTables.get(2, said.append)
    [path] = (tmp_path / "endgames").iterdir()
    whole = path.read_bytes()
    assert said and len(whole) < 20_000

    def again() -> list[str]:
        EndgameTables._loaded.clear()
        said.clear()
        assert np.array_equal(EndgameTables.get(2, said.append).table, first.table)
        return said

    assert not again()
    for content in (b"", whole[:100], whole[:-1], whole[:500] + b"x" + whole[501:]):
        path.write_bytes(content)
        assert again() and path.read_bytes() == whole
    with pytest.raises(DlgoError, match="not 6"):
        EndgameTables.get(6)
