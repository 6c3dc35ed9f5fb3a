"""The bench of the cache of answers: what it compares, and that it would see a difference."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from dlgo import DlgoError
from engines.learning.networks.answer_cache import AnswerCache
from experiments.bench.answer_cache import compare, compare_selfplay, main, mean_text


def test_a_row_tells_what_remains() -> None:
    answer = CliRunner().invoke(main, ["--quick"])
    assert answer.exit_code == 0, answer.output
    cells = answer.output.splitlines()[-1].split("|")
    assert cells[1].strip() == "connect4" and int(cells[2]) == 1
    assert 0 < float(cells[4]) <= 100 and float(cells[5]) > 0


def test_a_cache_that_answers_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = AnswerCache.answers

    def wrong(self, planes, ask):
        policies, values = right(self, planes, ask)
        return policies, values + 0.1

    monkeypatch.setattr(AnswerCache, "answers", wrong)
    with pytest.raises(DlgoError, match="a search with cache=50 differs, after 4 plies"):
        compare("connect4", "sims=20", 50, 1, 1)


def test_the_interval_of_a_mean_of_shares() -> None:
    """Of 0.4 and 0.6: the standard deviation is 0.141, of the mean 0.1."""
    assert mean_text([0.4, 0.6]) == "50 +-20"
    assert mean_text([0.25]) == "25"


def test_self_play_asks_less_with_a_cache(capsys: pytest.CaptureFixture[str]) -> None:
    compare_selfplay("tictactoe", "onnx", 10_000, 30, 1)
    cells = capsys.readouterr().out.split("|")
    assert cells[1].strip() == "tictactoe" and int(cells[2]) == 30
    assert 0 < int(cells[4]) < 60
