"""Games for training: sampled moves are played, but the engine's own choice is the label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dlgo import GameState, Move, get_game
from engines.base import Budget, Decision, Engine
from engines.learning.data.records import (
    FULL_SEARCH,
    LABELLED,
    NO_RESULT,
    NO_VALUE,
    SECOND,
    GameData,
)
from engines.learning.selfplay.engine_games import play_game
from engines.registry import build_engine


class Fan(Engine):
    """Likes the first legal move best, the second half as much; says who it is by its value."""

    name = "fan"
    summary = "for tests"
    value = 0.5

    def new_game(self, seed: int) -> None:
        pass

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        first, *rest = state.legal_moves()
        policy = {first: 2 / 3, rest[0]: 1 / 3} if rest else {first: 1.0}
        return Decision(first, value=self.value, policy=policy)


class Quitter(Fan):
    def _decide(self, state: GameState, budget: Budget) -> Decision:
        if len(state.moves()) == 3:
            return Decision(Move.resign(), value=-1.0)
        return super()._decide(state, budget)


class Passer(Fan):
    """Never ends a game of Go: passes whenever the other has just played."""

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        if state.last_move is not None and state.last_move.is_play:
            return Decision(Move.pass_turn())
        return super()._decide(state, budget)


def replayed(name: str, game: GameData) -> GameState:
    spec = get_game(name)
    state = GameState.new_game(spec)
    for action in game.actions.tolist():
        state = state.apply_move(spec.move_of(action))
    return state


def play(name: str, engines: Sequence[Engine], variety: tuple = (), number: int = 0) -> GameData:
    return play_game(get_game(name), engines, 7, number, *variety)


def test_without_variety_the_choice_is_played() -> None:
    game = play("tictactoe", [Fan(get_game("tictactoe"))])
    assert game.actions.tolist() == game.chosen.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert game.result == replayed("tictactoe", game).result() == 1
    assert set(game.flags.tolist()) == {LABELLED | FULL_SEARCH}
    assert game.policy_shares.reshape(-1, 2).tolist() == [[255, 128]] * 7


@pytest.mark.parametrize(("temperature", "expected"), [
    (0.0, 0), (0.01, 0), (1.0, 100), (100.0, 150),
])
def test_sampled_moves_are_played_at_their_temperature_but_not_learned(
    temperature: float, expected: int
) -> None:
    """Of 300 games a third begins with the second move; give or take 3.7 standard deviations."""
    fan, seconds = Fan(get_game("tictactoe")), 0
    for number in range(300):
        game = play("tictactoe", [fan], (0, 1, temperature), number)
        assert game.chosen[0] == 0 and game.actions[0] in (0, 1)
        assert game.actions[1:].tolist() == game.chosen[1:].tolist()
        seconds += int(game.actions[0])
    assert abs(seconds - expected) <= (32 if expected else 0)


def test_random_openings_have_all_lengths_are_not_learned_never_pass_and_never_end_a_game() -> None:
    lengths = set()
    for name, most, games in (("connect4", 4, 60), ("tictactoe", 9, 60), ("go:size=3", 4, 20)):
        spec = get_game(name)
        fan = Fan(spec)
        for number in range(games):
            game = play(name, [fan], (most, 0), number)
            labelled = np.flatnonzero(game.flags & LABELLED)
            opening = int(labelled[0])
            assert labelled.tolist() == list(range(opening, len(game.actions)))
            assert set(game.values[:opening].tolist()) <= {NO_VALUE}
            assert spec.pass_action not in game.actions[:opening].tolist()
            lengths.add((name, opening))
    assert lengths >= {("connect4", length) for length in range(5)}


def test_two_engines_take_turns_at_beginning() -> None:
    one, other = Fan(get_game("tictactoe")), Fan(get_game("tictactoe"))
    other.value = -0.5
    for number in (0, 1):
        game = play("tictactoe", [one, other], number=number)
        second = (game.flags & SECOND) > 0
        assert second.tolist() == [(ply + number) % 2 == 1 for ply in range(7)]
        assert (game.values < 0).tolist() == second.tolist()


def test_resignations_end_the_game_and_are_no_position() -> None:
    game = play("connect4", [Quitter(get_game("connect4"))])
    assert len(game.actions) == 3
    assert game.result == 1  # the second player, to move after three plies, gave up


def test_endless_games_stop_without_a_result() -> None:
    one, other = Fan(get_game("go:size=2")), Passer(get_game("go:size=2"))
    game = play("go:size=2", [one, other])
    assert len(game.actions) <= 4 * 4 + 100
    assert game.result in (1, 0, -1, NO_RESULT)


@pytest.mark.parametrize("name", ["go:size=5", "draughts", "connect4"])
def test_games_of_a_search_obey_the_rules_and_end_as_they_say(name: str) -> None:
    engine = build_engine("mcts:sims=20", get_game(name))
    for number in range(3):
        game = play(name, [engine], (3, 4), number)
        end = replayed(name, game)
        assert end.is_over()
        assert end.result() == game.result
        again = play(name, [build_engine("mcts:sims=20", get_game(name))], (3, 4), number)
        for field in ("actions", "chosen", "values", "policy_actions", "policy_shares"):
            assert np.array_equal(getattr(game, field), getattr(again, field))
