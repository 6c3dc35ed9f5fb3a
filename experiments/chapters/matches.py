"""The table that ends the scripts of chapter 4: who wins against whom, and at what cost."""

from __future__ import annotations

from collections.abc import Sequence

from dlgo import GameSpec
from experiments.arena.series import play_series


def print_matches(
    title: str, game: GameSpec, matches: Sequence[tuple[str, str]], pairs: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Play the matches and print a line for each: score of the first engine, CPU time a move.

    Returns:
        The scores, 0 to 1, and half their 95% intervals, for `figures.draw_scores`.

    Args:
        title: stands above the names.
        game: what is played.
        matches: the engines of each match.
        pairs: openings of a match, each played with both colours.
        seed: of the openings and engines.
    """
    print(f"\n{title:<43} score     cost (CPU ms a move)")
    scores = {}
    for one, other in matches:
        series = play_series(game, one, other, pairs, seed)
        print(series, flush=True)
        scores[f"{one}\nv {other}"] = series.share, series.margin
    return scores
