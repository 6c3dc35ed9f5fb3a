"""Runs as portions: what was done elsewhere lies in its folder, and goes on from there."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from dlgo.errors import DataError
from engines.jobs import Inline, Processes
from experiments.studies.whole_runs import WholeRun, do_runs
from tests.conftest import one_line_error


def count(to: int, data: Path, folder: Path) -> None:
    """Stands for a training: an iteration is a line."""
    folder.mkdir(exist_ok=True)
    lines = folder / "nets" / "lines.txt"
    lines.parent.mkdir(exist_ok=True)
    done = lines.read_text().splitlines() if lines.exists() else []
    word = data.read_text()
    lines.write_text("\n".join([*done, *(f"{word} {k} {folder.name}" for k in
                                         range(len(done), to))]))
    if word == "bad":
        raise DataError("these games are damaged")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.txt"
    path.write_text("good")
    return path


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the temporary folders of this process are made."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_run_lies_in_its_folder_and_goes_on_from_there(
    data: Path, tmp_path: Path, scratch: Path
) -> None:
    said: list[str] = []

    def go(to: int) -> dict[str, str]:
        runs = [WholeRun(tmp_path / "out" / name, count, (to,), (data,)) for name in ("a", "b")]
        do_runs(Inline(), runs, said.append)
        return {path.parts[-3]: path.read_text()
                for path in sorted(tmp_path.glob("out/*/nets/lines.txt"))}

    assert go(2) == {name: f"good 0 {name}\ngood 1 {name}" for name in "ab"}
    data.write_text("better")
    assert go(3) == {name: f"good 0 {name}\ngood 1 {name}\nbetter 2 {name}" for name in "ab"}
    assert said[:2] == ["a: trained, 1 of 2", "b: trained, 2 of 2"]
    assert not any(scratch.iterdir())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a", "b"]


def test_what_has_ended_is_kept_when_another_run_fails(
    data: Path, tmp_path: Path, scratch: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("bad")
    runs = [WholeRun(tmp_path / name, count, (1,), (games,))
            for name, games in (("fine", data), ("broken", bad))]
    with Processes(1) as jobs, one_line_error(DataError, "games are damaged"):
        do_runs(jobs, runs, lambda line: None)
    assert (tmp_path / "fine/nets/lines.txt").read_text() == "good 0 fine"
    assert not (tmp_path / "broken").exists() and not any(scratch.iterdir())
