"""The table that ends the scripts of chapter 4: who wins against whom, and at what cost."""

from __future__ import annotations

from collections.abc import Sequence

from dlgo import GameSpec
from experiments.arena.series import play_series


def print_matches(
    title: str, game: GameSpec, matches: Sequence[tuple[str, str]], pairs: int, seed: int
) -> None:
    """Play the matches and print a line for each: score of the first engine, CPU time a move.

    Args:
        title: stands above the names.
        game: what is played.
        matches: the engines of each match.
        pairs: openings of a match, each played with both colours.
        seed: of the openings and engines.
    """
    print(f"\n{title:<43} score     cost (CPU ms a move)")
    for one, other in matches:
        print(play_series(game, one, other, pairs, seed))
