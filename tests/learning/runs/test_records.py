"""A run that was killed after its last checkpoint still gets its last row and its last picture;
a run whose settings cannot be used says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from dlgo.errors import DlgoError, ModelError
from engines.learners import config_class
from engines.learning.run_status import Pace
from engines.learning.runs import Curve, Learner, Run, RunConfig, open_run, records
from engines.learning.runs import run as run_module
from engines.learning.runs.records import read_history
from engines.learning.settings import setting
from tests.conftest import one_line_error
from tests.learning.breaking import Killed


@dataclass(frozen=True)
class CountingConfig(RunConfig):
    owner = "counting"

    iterations: int = setting(3, "numbers to count", low=1)


class Counting(Learner):
    curves = (Curve("the number", {"": "number"}),)

    def __init__(self) -> None:
        self._number = np.zeros(1)
        self.state = [self._number]

    def iterate(self, run: Run, iteration: int) -> dict[str, float]:
        self._number += 1
        return {"number": float(self._number[0])}


def train(folder: Path) -> int:
    """Train as all trainers do: one that is finished starts nothing. How many learners started."""
    with open_run(folder, CountingConfig()) as run:
        if run.finished:
            return 0
        run.train(Counting())
        return 1


@pytest.mark.parametrize(("writes", "place"), [("write_csv", 2), ("draw_curves", 0)])
def test_a_run_killed_after_its_last_checkpoint_gets_its_last_records(
    writes: str, place: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = getattr(records, writes)

    def killed(*arguments, **options) -> None:
        if len(arguments[place]) == 3:  # the third row is about to be written
            raise Killed
        write(*arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(records, writes, killed)
        with pytest.raises(Killed):
            train(tmp_path)
    assert [row["number"] for row in read_history(tmp_path, ())] == [1, 2]
    (tmp_path / "curves.png").unlink(missing_ok=True)
    assert train(tmp_path) == 1
    assert [row["number"] for row in read_history(tmp_path, ())] == [1, 2, 3]
    assert (tmp_path / "curves.png").exists()
    assert train(tmp_path) == 0


def test_records_that_are_lost_are_written_anew(tmp_path: Path) -> None:
    train(tmp_path)
    rows, whole = read_history(tmp_path, ()), (tmp_path / "history.csv").read_text()
    for text in (None, "number\nmany\n", whole[:whole.rindex(",")]):
        (tmp_path / "history.csv").unlink()
        if text is not None:
            (tmp_path / "history.csv").write_text(text)
        assert train(tmp_path) == 1 and read_history(tmp_path, ()) == rows


@pytest.mark.parametrize("place", [6, 8])  # in the archive's directory: version, "encrypted"
def test_a_checkpoint_with_a_flipped_bit_is_named(place: int, tmp_path: Path) -> None:
    train(tmp_path)
    path = tmp_path / "checkpoint.npz"
    content = bytearray(path.read_bytes())
    content[content.find(b"PK\1\2") + place] ^= 0x41
    path.write_bytes(content)
    with one_line_error(ModelError, "checkpoint.npz is a damaged checkpoint"):
        train(tmp_path)


@pytest.mark.parametrize(("text", "part"), [
    ("", "a damaged plan"), ("[]", "a damaged plan"), ("[" * 100_000, "a damaged plan"),
    ('{"steps": 3}', "the setting 'steps', unknown to this version"),
])
def test_a_run_whose_settings_are_damaged_continues_without_them(
    text: str, part: str, tmp_path: Path
) -> None:
    train(tmp_path)
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(DlgoError, match=part) as caught:
        train(tmp_path)
    for word in ("__init__", "attribute", "argument", "recursion"):  # Python's
        assert word not in str(caught.value)
    assert "; rename it and run the command again" in str(caught.value) or "steps" in text
    (tmp_path / "plan.json").rename(tmp_path / "plan-old.json")
    assert train(tmp_path) == 0


def test_the_folder_of_another_learner_or_of_a_model_is_refused(tmp_path: Path) -> None:
    names = ("ppo", "ntuple", "alphazero", "alphago")
    configs = {name: config_class(name)(game="tictactoe") for name in names}
    for owner, config in configs.items():
        folder = tmp_path / owner
        with open_run(folder, config):
            pass
        for other in configs.keys() - {owner}:
            said = f"{owner} holds a run of {owner}, not of {other}; choose another folder"
            with one_line_error(ModelError, said), open_run(folder, configs[other]):
                pass
        # A model has its card in the folder, and its run in training/.
        said = "holds another run; choose another folder"
        with one_line_error(ModelError, said), open_run(folder, config, within="training"):
            pass
        (folder / "card.json").touch()
        said = "holds a model; choose another folder"
        with one_line_error(ModelError, said), open_run(folder, config):
            pass


def test_a_run_whose_records_cannot_be_written_continues_later(tmp_path: Path) -> None:
    (tmp_path / "history.csv").mkdir()
    with one_line_error(ModelError, "run the same command again: it continues"):
        train(tmp_path)
    (tmp_path / "history.csv").rmdir()
    train(tmp_path)
    assert len(read_history(tmp_path, ("number",))) == 3


def test_fewer_iterations_than_a_run_has_are_refused_and_its_plan_stays(tmp_path: Path) -> None:
    train(tmp_path)
    before = (tmp_path / "plan.json").read_bytes()
    said = "holds a run of 3 iterations, more than you ask for"
    with one_line_error(ModelError, said), open_run(tmp_path, CountingConfig(iterations=2)):
        pass
    assert (tmp_path / "plan.json").read_bytes() == before
    with open_run(tmp_path, CountingConfig(iterations=4)) as run:
        assert not run.finished


def test_the_time_left_is_shown_once_it_means_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first iteration of a process compiles: by it, the others would take as long."""
    lines: list[str] = []
    monkeypatch.setattr(run_module.Run, "line", lambda self, text: lines.append(text))

    class Slow(Counting):
        def iterate(self, run: Run, iteration: int) -> dict[str, float]:
            took = {1: 60.0, 4: 50.0}.get(iteration, 0.5)
            return super().iterate(run, iteration) | {"wall_seconds": took}

    for iterations in (3, 6):
        with open_run(tmp_path, CountingConfig(iterations=iterations)) as run:
            run.train(Slow())
    shown = [line.partition("; ")[2] for line in lines if "number" in line]
    assert shown == ["1 min 00 s", "0.5 s, 0.5 s left", "0.5 s, 0.0 s left",
                     "50 s, 1.0 s left", "0.5 s, 0.5 s left", "0.5 s, 0.0 s left"]


def test_a_speed_is_known_after_as_long_as_the_first_items_took(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    pace = Pace()
    rates = {}
    for now[0], done in ((0.1, 0), (20.0, 1), (20.5, 2), (39.0, 190), (41.0, 211)):
        rates[now[0]] = pace.rate("games", done)
    assert rates == {0.1: None, 20.0: None, 20.5: None, 39.0: None, 41.0: 10.0}
