"""Names of entrants: versions are told apart, names are shown where they are clear."""

from __future__ import annotations

from pathlib import Path

from dlgo.records.entrants import display_names
from dlgo.records.ledger import Ledger
from reports.tables import games_frame
from tests.reports.simulation import game_record

OLD, NEW = "bot.py:Greedy:depth=2@0123abcd", "bot.py:Greedy:depth=2@4567cdef"


def test_a_name_of_two_versions_shows_them_and_one_of_two_engines_is_not_used() -> None:
    names = {OLD: "Greedy", NEW: "Greedy", "mcts": "X", "random": "X", "minimax": "Plain"}
    assert display_names([*names, "puct"], names) == {
        OLD: "Greedy@0123", NEW: "Greedy@4567", "mcts": "mcts", "random": "random",
        "minimax": "Plain", "puct": "puct",
    }


def test_reports_see_names_and_may_leave_old_versions_out(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    with Ledger(path) as ledger:
        ledger.add(game_record(1, OLD, "random", 1.0), game_record(9, NEW, "random", 0.0))
        # The last game, of the new version, is not the last one by the names of the slots.
        ledger.add(game_record(2, "random", OLD, 1.0), game_record(3, NEW, "random", 0.0))
        ledger.set_meta("plan", {"names": {OLD: "greedy@0123", NEW: "greedy@4567"}})
    before = path.read_bytes()
    for latest, pairs in (
        (False, [("greedy@0123", "random"), *2 * [("greedy@4567", "random")],
                 ("random", "greedy@0123")]),
        (True, 2 * [("greedy@4567", "random")]),
    ):
        with Ledger(path, read_only=True) as ledger:
            ledger.show_names(latest)
            games = games_frame(ledger)
        assert sorted(zip(games["first"], games["second"], strict=True)) == pairs
    with Ledger(path, read_only=True) as ledger:
        assert ledger.specifications == {}
        assert {game.first for game in ledger.games()} == {OLD, NEW, "random"}
    assert path.read_bytes() == before
