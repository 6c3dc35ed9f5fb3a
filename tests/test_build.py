"""docs/build.md: its changes fit what `dlgo new` writes, and the check answers as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from experiments.check import check
from tests.command import ROOT, dlgo_here
from tests.conftest import RUN_ALL

DOC = (ROOT / "docs/build.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", DOC, re.M | re.S)


@pytest.fixture
def folder(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Path:
    for noun, name in (("engine", "ideas"), ("game", "lines")):
        assert dlgo_here(capfd, "new", noun, name, cwd=tmp_path).returncode == 0
    return tmp_path


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new))


def test_the_better_idea_is_an_engine(folder: Path) -> None:
    _, old, new = BLOCKS[:3]  # the first one is shown only
    change(folder / "ideas.py", old, new)
    assert len(new.splitlines()) <= 12
    report = check(str(folder / "ideas.py"), games=() if RUN_ALL else ("tictactoe",))
    assert "the engine keeps all 6 rules" in str(report)


@pytest.mark.slow
def test_the_check_finds_what_the_changed_rule_forgets(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    file = Path("lines.py")
    result, evaluate = BLOCKS[3:]
    change(file, result.replace("-state", "state"), result)
    assert str(check("lines.py")).splitlines()[1] in DOC
    change(file, "B3 C3\": 1,", "B3 C3\": -1,")
    change(file, "B2 C2\": -1}", "B2 C2\": 1}")
    assert str(check("lines.py")).splitlines()[1] in DOC
    change(file, evaluate.replace("-100", "100"), evaluate)
    if RUN_ALL:
        assert str(check("lines.py")) in DOC
