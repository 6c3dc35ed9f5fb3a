"""The bench of networks inside the search: it runs, and would see that the searches differ."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from dlgo import DlgoError
from engines.learning.networks.runtimes import DenseRuntime
from experiments.bench.guided import main
from tests.learning.networks.models import write_dense_model


@pytest.fixture
def arguments(tmp_path) -> list[str]:
    model = write_dense_model(tmp_path / "net", "connect4", "planes")
    return ["--quick", "--model", str(model), "--beside", "connect4-alphazero"]


def test_four_ways_are_compared(arguments) -> None:
    answer = CliRunner().invoke(main, arguments)
    assert answer.exit_code == 0, answer.output
    rows = [line.split("|") for line in answer.output.splitlines()[2:]]
    assert len(rows) == 4 and float(rows[-1][3]) == 1
    assert all(float(row[2]) > 0 for row in rows)


def test_a_search_that_differs_is_found_out(arguments, monkeypatch: pytest.MonkeyPatch) -> None:
    right = DenseRuntime.evaluate

    def wrong(self, planes):
        answers = right(self, planes)
        return {**answers, "value": -answers["value"]}

    monkeypatch.setattr(DenseRuntime, "evaluate", wrong)
    with pytest.raises(DlgoError, match="the searches of .* differ"):
        CliRunner().invoke(main, arguments, catch_exceptions=False)
