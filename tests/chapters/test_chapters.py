"""The `--quick` of every chapter's notebook and script shows what it is about.

Each function below is named after a script and reads what it printed: the effect must be there, and
be larger than its interval where chance has a part in it. They run only with `DLGO_FULL=1`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import ROOT, run_module_here
from tests.conftest import FULL

SCRIPTS = [path for path in sorted((ROOT / "experiments/chapters").glob("ch[0-9]*.py"))
           if "@experiment(" not in path.read_text()]
NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?"


def numbers(text: str) -> list[float]:
    """All numbers of a text, in order."""
    return [float(found.replace(",", "")) for found in re.findall(NUMBER, text)]


def line(output: str, start: str) -> list[float]:
    """The numbers in the one line that begins with `start`, after it."""
    (rest,) = re.findall(rf"^ *{re.escape(start)}(.*)$", output, re.MULTILINE)
    return numbers(rest)


def ch09(output: str, folder: Path) -> None:
    assert ": equal True; " in output and line(output, "entropy of the untrained policy:")[0] > 90
    (of_best, _), (of_drawn, _) = (line(output, f"{name}:")
                                   for name in ("the likeliest move", "moves drawn"))
    assert of_best == 1 and of_drawn > 990, "who never varies plays one game"
    share, low, high, _ = line(output, "new against old:")
    assert 50 < low < share < high < 60, "a small difference, but beyond its interval"
    seen = [line(output, f"{games} games:")[0] for games in ("100", "1,000")]
    assert seen[0] < 20 < seen[1], "a hundred games do not show it"
    assert "p = 0.617 for either side, 0.309 for 53 or more" in output


def ch10(output: str, folder: Path) -> None:
    for name in ("the book's", "REINFORCE", "ties for player 2"):
        games, mean, least, half = line(output, name)[-4:]
        assert (games, half < games) == (2000, True) and 1 >= mean >= least > 0.9, name
    assert line(output, "REINFORCE")[-1] < line(output, "the book's")[-1]
    book, bounded = (line(output, f"500 steps from one batch, {name}: the largest logit")
                     for name in ("the book's", "bounded"))
    assert book[0] == bounded[0] and book[1] > 1000 > 20 > bounded[1], "the logits run away"
    untrained, learned = (line(output, name)[0] for name in ("untrained", "as in the book"))
    assert learned > untrained, "it learns"


def ch11(output: str, folder: Path) -> None:
    never, half, falling = (line(re.sub(" +mistakes", ": mistakes", output), f"{name}:")[0]
                            for name in ("none", "always 0.5", "0.5 falling to 0.1"))
    assert half < never - 10, "chance is needed"
    assert falling < never - 5


def ch12(output: str, folder: Path) -> None:
    first, margin, last, width = numbers(
        re.search(r"first tenth (.*)$", output, re.MULTILINE)[1].replace("+-", " "))
    assert first - margin > last + width, "late moves have little to decide"
    best, plain, critic = (line(output, name)[0] for name in ("PPO (has both)", "REINFORCE ",
                                                              "critic  "))
    assert best < min(plain, critic) - 10, "PPO makes the most of a game"


FACTS: dict[str, Callable[[str, Path], None]] = {
    name: fact for name, fact in globals().items() if re.match(r"ch\d\d", name)
}


def test_every_script_has_its_facts() -> None:
    assert {script.stem for script in SCRIPTS} == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_a_quick_run_shows_what_to_look_for(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not FULL:
        pytest.skip("minutes of training and games: DLGO_FULL=1")
    done = run_module_here(capfd, f"experiments.chapters.{name}", "--quick", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    FACTS[name](done.stdout, tmp_path)
    figures = re.findall(r"^figure: (.*\.png)$", done.stdout, re.MULTILINE)
    assert figures and all((tmp_path / figure).stat().st_size > 5000 for figure in figures)
