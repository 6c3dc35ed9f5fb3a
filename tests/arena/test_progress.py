"""Where there is no terminal, a tournament says every ten seconds how far it is."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

import experiments.progress
from experiments.arena import progress


def test_without_a_terminal_a_line_comes_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, stream = 0, io.StringIO()
    for module in (progress, experiments.progress):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now))
    reporter = progress.PlainReporter(stream)
    reporter.begin(stored=4, planned=64)
    for now in range(1, 36):  # noqa: B007 (the clock reads it)
        reporter.game(SimpleNamespace(failed=False))
    assert stream.getvalue().splitlines() == [
        f"{4 + played} of 64 games, 1.0 games/s, {60 - played} s left, 0 failures"
        for played in (10, 20, 30)
    ]
    reporter.game(SimpleNamespace(failed=True, slot="x", reason="crash"))
    assert reporter.text().endswith(" left, 1 failure")
