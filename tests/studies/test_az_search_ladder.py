"""The ladder of AlphaZero's search: what its rows compare, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from dlgo import SpecError
from experiments.studies.az_search_ladder import ROWS, Row, entrants, main


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_compares_two_engines_at_the_same_budget(row: Row) -> None:
    one, other = entrants(row, "cpu=0.05")
    assert one != other
    assert one.startswith("alphazero:cpu=0.05") and other.startswith("alphazero:cpu=0.05")


def test_rows_have_names_of_their_own() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_a_wrong_budget_is_named() -> None:
    with pytest.raises(SpecError, match="simz"):
        entrants(ROWS[0], "simz=5")


def test_rows_are_played_told_and_not_played_twice(tmp_path: Path) -> None:
    arguments = ["--quick", "--game", "tictactoe", "--row", "cache", "--workers", "1",
                 "--out", str(tmp_path / "ladder")]
    first = CliRunner().invoke(main, arguments)
    assert first.exit_code == 0, first.output
    frame = pd.read_csv(tmp_path / "ladder-quick" / "tictactoe" / "ladder.csv")
    [row] = frame.itertuples(index=False)
    assert (row.row, row.games) == ("cache", 2)
    assert 0 <= row.low95 <= row.score <= row.high95 <= 1
    assert row.evaluations_with <= row.simulations_with
    again = CliRunner().invoke(main, arguments)
    assert again.exit_code == 0 and "nothing left to play" in again.output
    assert again.output.splitlines()[-3:] == first.output.splitlines()[-3:]


def test_a_row_that_does_not_exist_is_named_with_those_that_do() -> None:
    answer = CliRunner().invoke(main, ["--row", "nonsense"])
    assert answer.exit_code == 2 and "rows are cache, batch-2" in answer.output
