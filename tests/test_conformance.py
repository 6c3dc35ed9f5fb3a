"""Every registered game keeps the rules of the protocol."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlgo import GameSpec, game_names, get_game
from dlgo.conformance import Sample, check_game, check_sample, draw_sample, keys, play_line
from tests.conftest import RUN_ALL

# Options worth a check of their own, besides a game's defaults.
OPTIONS = {
    "go": ("go:size=2", "go:size=5", "go:size=4,ko=positional", "go:size=3,ko=simple,komi=0"),
    "connectn": (
        "connectn:pie=yes", "connectn:gravity=no,cols=5,rows=4,n=4,pie=yes",
        "connectn:cols=1,rows=2,n=2",
    ),
    "hex": ("hex:size=2", "hex:size=5,swap=yes"),
    "othello": ("othello:size=4", "othello:size=10"),
    "breakthrough": ("breakthrough:rows=4,cols=2", "breakthrough:rows=5,cols=9"),
}
SPECS = [spec for name in game_names() for spec in (name, *OPTIONS.get(name, ()))]
# Needs a process or many games of its own: once a game is enough.
SLOW = ("fresh process", "rollout chances")
# Finished games with their results for the first player.
EXAMPLES = {
    "tictactoe": {"A1 B1 A2 B2 A3": 1, "A1 B1 A2 B2 C3 B3": -1},
    "connect4": {"1 2 1 2 1 2 1": 1, "1 2 1 2 1 2 3 2": -1},
    "connectn": {"1 2 1 2 1 2 1": 1},
    # All of the board is Black's; is that more than komi?
    "go:size=5": {"A1 pass pass": 1, "pass A1 pass pass": -1},
    "go:size=2": {"A1 pass pass": -1},
    "hex:size=2": {"a1 b1 a2": 1, "a1 a2 b1 b2": -1},
    "othello:size=4": {"c4 d4 a2 b4 d3 d2 pass b1": -1,
                       "d3 d2 a1 c4 d4 b4 b1 a2 d1 pass a4 a3 pass c1": 1},
    "breakthrough:rows=4,cols=2": {"a2xb3 a3xb2 b1-a2 b4-a3 b3xa4": 1,
                                   "a2xb3 a4xb3 a1-a2 b3xa2 b2-b3 a2-a1": -1},
}


def checked_game(spec: str) -> GameSpec:
    game = get_game(spec)
    game.examples = EXAMPLES.get(str(game), {})
    return game


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_the_game_keeps_every_rule(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = checked_game(spec)
    if not RUN_ALL:
        monkeypatch.setattr(keys, "REORDERINGS", 4)
    default = str(game) == game.name
    check_game(game, skip=SLOW[:1] if default else SLOW, games=6 if default or RUN_ALL else 2,
               symmetric=True)


# With options the rules are the same code; they are tried above.
@pytest.mark.parametrize("spec", SPECS if RUN_ALL else game_names())
def test_any_line_of_play_keeps_the_rules(spec: str) -> None:
    game = checked_game(spec)

    # A failure shrinks to the shortest game that shows it.
    @settings(max_examples=15 if RUN_ALL else 5)
    @given(st.lists(st.integers(0, 1 << 20), max_size=80), st.booleans())
    def check(choices: list[int], sensible: bool) -> None:
        line = play_line(game, choices, sensible)
        check_sample(Sample(game, (line,), symmetric=True), skip=(*SLOW, "many games"))

    check()


@pytest.mark.slow
def test_keys_and_rollouts_are_the_same_in_every_process() -> None:
    samples = [draw_sample(get_game(name), games=2) for name in game_names()]
    assert list(keys.fresh_processes(samples)) == []
