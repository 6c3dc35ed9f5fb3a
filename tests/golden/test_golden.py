"""Golden games, played again: nothing about a game changes unnoticed."""

from __future__ import annotations

import difflib

import pytest

from dlgo import GameSpec
from tests.golden.update import FOLDER, golden_games, moves_in, path_of, play_through

GAMES = golden_games()
UPDATE = "If that is meant: python -m tests.golden.update"


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_golden_game_is_played_as_it_was_written_down(game: GameSpec) -> None:
    path = path_of(game)
    if not path.exists():
        pytest.fail(f"{game} has no golden game yet. {UPDATE} {game.name}")
    written = path.read_text()
    played = play_through(game, moves_in(written, game))
    if played != written:
        difference = difflib.unified_diff(
            written.splitlines(), played.splitlines(), path.name, "played now", lineterm="", n=4
        )
        lines = list(difference)
        rest = f"\n... and {len(lines) - 40} lines more" if len(lines) > 40 else ""
        text = "\n".join(lines[:40])
        pytest.fail(f"{text}{rest}\n{UPDATE} {game.name}", pytrace=False)


def test_golden_games_end_and_show_every_ply() -> None:
    for game in GAMES:
        text = path_of(game).read_text()
        moves = moves_in(text, game)
        assert text.count("\nkey ") == len(moves) + 1
        assert text.splitlines()[-1].startswith("result ")


def test_every_golden_file_belongs_to_a_game() -> None:
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(game).name for game in GAMES}
