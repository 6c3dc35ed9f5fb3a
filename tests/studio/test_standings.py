"""The process that rates ledgers: there when it is wanted, of low priority, and gone afterwards."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.studio.standings import Standings
from reports.rate import rate_file
from tests.sample_ledger import write_sample


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return write_sample(tmp_path / "sample.sqlite")


def pid_of(standings: Standings) -> int:
    (worker,) = standings._jobs._workers
    return worker.process.pid


def test_a_process_rates_as_reports_do_until_it_is_ended(tmp_path: Path, sample: Path) -> None:
    standings = Standings()

    async def ask() -> None:
        both = await asyncio.gather(standings.of(sample), standings.of(sample, 3))
        whole, few = both
        expected = {row.entrant: row.rating for one in rate_file(sample)
                    for row in one.rows.itertuples()}
        rows = [row for table in whole["tables"] for row in table["rows"]]
        assert {row["entrant"]: row["rating"] for row in rows} == pytest.approx(expected)
        assert few["games"] == 3 < few["of"] == whole["games"]
        assert os.getpriority(os.PRIO_PROCESS, pid_of(standings)) > os.nice(0) or os.nice(0) == 19
        empty = tmp_path / "text"
        empty.write_text("no ledger")
        with pytest.raises(DlgoError, match="ledger") as caught:
            await standings.of(empty)
        assert "\n" not in str(caught.value)

    asyncio.run(ask())
    pid = pid_of(standings)
    standings.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_where_one_has_died_another_answers(sample: Path) -> None:
    standings = Standings()

    async def ask() -> None:
        await standings.of(sample)
        first = pid_of(standings)
        os.kill(first, signal.SIGKILL)
        assert (await standings.of(sample))["games"] and pid_of(standings) != first

    try:
        asyncio.run(ask())
    finally:
        standings.close()
