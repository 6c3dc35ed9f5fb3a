"""Where there is no terminal, a run says every ten seconds how far it is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from engines.learning.runs.progress import Status
from experiments import run_progress


def test_without_a_terminal_a_status_comes_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0
    monkeypatch.setattr(run_progress, "time", SimpleNamespace(monotonic=lambda: now))
    printed = run_progress.RunProgress()
    for now in range(36):
        printed.status(Status("iteration", 2, 4, "self-play", now, 60, "games", 1.0, 30.0))
    out, err = capsys.readouterr()
    assert err.splitlines() == [
        f"iteration 2 of 4: self-play, {done} of 60 games, 1 games/s, about 30 s left"
        for done in (10, 20, 30)
    ] and not out
    printed.line("iteration 2 of 4: done")  # after 35 s: who reads has just heard something
    for now in range(36, 50):
        printed.status(Status("iteration", 3, 4, "self-play", now, 60, "games", 1.0, None))
    out, err = capsys.readouterr()
    assert out == "iteration 2 of 4: done\n"
    assert err == "iteration 3 of 4: self-play, 45 of 60 games, 1 games/s\n"
