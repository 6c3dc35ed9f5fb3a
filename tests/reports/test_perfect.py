"""Games against the perfect player are counted from the empty board and for who moves first."""

from __future__ import annotations

import pandas as pd

from reports.perfect import perfect_results


def games(*rows: tuple) -> pd.DataFrame:
    frame = pd.DataFrame(
        rows, columns=["game", "first", "second", "opening", "result", "failed", "moves"]
    )
    frame.attrs["specifications"] = {"god": "solver:vary=yes"}
    return frame


def test_only_games_that_could_be_won_by_perfect_play_count() -> None:
    found = perfect_results(games(
        ("connect4", "a", "god", "", 1.0, False, "4 4"),
        ("connect4", "a", "god", "", 1.0, False, "4 4"),  # a repetition
        ("connect4", "a", "solver", "", 0.5, False, "4 3"),
        ("connect4", "a", "god", "4 1", 1.0, False, "4 1 2"),  # from an opening
        ("connect4", "a", "god", "", 1.0, True, "4 2"),  # the solver broke down
        ("connect4", "a", "god", "", 0.0, True, "4 5"),  # the entrant did
        ("connect4", "god", "a", "", 1.0, False, "4 6"),  # the other moved first
        ("connect4", "solver", "god", "", 1.0, False, "4 7"),
        ("connect4", "a", "b", "", 1.0, False, "4 1"),
        ("draughts", "a", "solver", "", 1.0, False, "9-13"),
    ))
    assert found == {"a": (2, 4, 3)}
    assert str(found["a"]) == "2 of 4 (3 different)"
