"""The match against GNU Go (chapter 8): it is counted, saved as SGF, and goes on where it was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dlgo.records.sgf import read_sgf, replay
from tests.command import run_module_here
from tests.gtp.programs import needs_gnugo


@needs_gnugo
@pytest.mark.usefixtures("forked_workers")
def test_a_match_is_saved_and_continued(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def run(*options: str) -> str:
        done = run_module_here(
            capfd, "experiments.chapters.ch08_gnugo", "--out", tmp_path, "--size", "7",
            "--engine", "random", "--level", "0", "--workers", "1", *options,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert "0 found, 2 played" in run("--games", "2")
    text = run("--games", "4")
    assert "2 found, 2 played" in text
    # GNU Go wins every game against random moves, with either colour.
    assert re.search(r"score 0 of 4: 0\.0%, 95% interval 0\.0% to 49\.0%", text)
    files = sorted(tmp_path.glob("*.sgf"))
    assert [path.stem for path in files] == [
        f"game{pair:04d}-{color}" for pair in (0, 1) for color in ("black", "white")
    ]
    for path in files:
        record = read_sgf(path)
        state = list(replay(record))[-1]
        assert state.is_over()
        assert record.winner is state.winner()
        ours, theirs = record.black, record.white
        if path.stem.endswith("white"):
            ours, theirs = theirs, ours
        assert ours == "random"
        assert "--capture-all-dead" in theirs
