"""Matches of ConnectX agents: what they are shown, their time, who misbehaves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from dlgo import GameState, get_game
from experiments.connectx import environment
from experiments.connectx.environment import configuration, observation, play


def test_an_observation_is_the_environments() -> None:
    game = get_game("connect4")
    state = GameState.new_game(game)
    for column in "4431":
        state = state.apply_move(game.parse_move(state, column))
    rows = [".......", ".......", ".......", ".......", "...o...", "o.xx..."]
    seen = observation(state, 12.5)
    assert seen.board == [".xo".index(cell) for row in rows for cell in row]
    assert (seen.mark, seen.step, seen.remainingOverageTime) == (1, 4, 12.5)
    assert seen["board"] is seen.board
    asked = configuration(get_game("connectn:cols=9,rows=7,n=5"), 0.5)
    assert (asked.rows, asked.columns, asked.inarow, asked.actTimeout) == (7, 9, 5, 0.5)


MISBEHAVING = {
    "is full": "def agent(o, c): return 0",
    "not there": "def agent(o, c): return 7",
    "not an int": "import numpy\ndef agent(o, c): return numpy.int64(3)",
    "raised ValueError: oh": "def agent(o, c): raise ValueError('oh')",
    "took": "import time\ndef agent(o, c): time.sleep(0.05); return 3",
    "raised SystemExit": "import sys\ndef agent(o, c): sys.exit()",
    "answered True": "def agent(o, c): return True",
    "answered array([[0., 0.": "import numpy\ndef agent(o, c): return numpy.zeros((9, 2))",
    "answered <A instance": "class A:\n    def __repr__(self): 1 / 0\ndef agent(): return A()",
    "of type int that cannot be written": "def agent(o, c): return 10**5000",
    "raised TypeError": "class A:\n    def __call__(self, o): return 3\nagent = A()",
    "raised IndexError": "def agent(*both): return both[0]",
}
FIRST_FREE = "[cell == 0 for cell in {}.board].index(True)"
# Agents that win as in kaggle_environments 1.33.2.
ACCEPTED = {
    "one argument": f"def agent(o): return {FIRST_FREE.format('o')}",
    "no argument": "def agent(): return 3",
    "a third with a default": f"def agent(o, c, x=7): return {FIRST_FREE.format('o')}",
    "an object": "class A:\n    def __call__(self, o, c): return 0\nagent = A()",
    "a subclass of int": "import enum\nclass E(enum.IntEnum):\n    A = 3\ndef agent(): return E.A",
    "configuration": f"""
def agent(o, c):
    assert (c.timeout, c.agentTimeout, c["episodeSteps"], c.runTimeout) == (2, 60, 1000, 1200)
    assert c["__raw_path__"].endswith("agent.py") and "changed" not in c
    c.changed = c["rows"] = 1
    assert c["changed"] == 1
    o.board[0] = o.board[0]
    return {FIRST_FREE.format('o')}
""",
}


@pytest.mark.parametrize("reason", MISBEHAVING)
def test_an_agent_that_misbehaves_loses(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "bad.py"
    file.write_text(MISBEHAVING[reason])
    if reason == "took":
        participant = environment._Participant
        monkeypatch.setattr(participant, "__init__", _in_a_hurry(participant.__init__))
    # Both fill column 0 or take what the agent wants: the first who cannot move has lost.
    played = play(get_game("connect4"), [str(file), str(file)], 0.01)
    assert reason in played.result
    assert "bad" in played.result and "\n" not in played.result
    assert played.state.last_move.is_resign


@pytest.mark.parametrize("kind", ACCEPTED)
def test_an_agent_is_called_as_kaggle_calls_it(kind: str, tmp_path: Path) -> None:
    file, loser = tmp_path / "agent.py", tmp_path / "loser.py"
    file.write_text(ACCEPTED[kind])
    loser.write_text("agent = lambda: 6")
    played = play(get_game("connect4"), [str(file), str(loser)])
    assert played.result == "black (x) wins"
    assert len(played.state.moves()) == 7


def test_each_agent_imports_the_modules_of_its_own_folder(tmp_path: Path) -> None:
    """Black's module plays column 1 and White's column 2, though the modules have one name."""
    files = []
    for column in (0, 1):
        folder = tmp_path / str(column)
        folder.mkdir()
        (folder / "choice_of_column.py").write_text(f"COLUMN = {column}")
        files.append(folder / "main.py")
        files[-1].write_text("import choice_of_column as m\ndef agent(o): return m.COLUMN")
    before = list(sys.path)
    played = play(get_game("connect4"), list(map(str, files)))
    game = played.state.game
    assert [game.action_of(move) for _, move in played.state.history()[1]] == [0, 1] * 3 + [0]
    assert sys.path == before and "choice_of_column" not in sys.modules


def _in_a_hurry(init: Any) -> Any:
    """Seats with a tenth of a second in reserve in place of a minute."""
    def wrapped(self: Any, *args: Any, **more: Any) -> None:
        init(self, *args, **{**more, "overage": 0.1})
    return wrapped


def test_the_time_in_reserve_is_used_up_little_by_little(tmp_path: Path) -> None:
    left = tmp_path / "left.txt"
    file = tmp_path / "slow.py"
    file.write_text(
        "import time\ndef agent(o, c):\n"
        f"    open({str(left)!r}, 'a').write(f'{{o.remainingOverageTime}} ')\n"
        "    time.sleep(0.03)\n    return [x == 0 for x in o.board].index(True)\n"
    )
    played = play(get_game("connectn:cols=4,rows=3,n=3"), [str(file), "random"], 0.01)
    assert played.state.last_move.is_play
    reserve = [float(word) for word in left.read_text().split()]
    assert len(reserve) >= 2
    assert reserve[0] == 60
    # 0.03 s or more a move, of which 0.01 s are free.
    assert all(0.02 <= a - b < 5 for a, b in zip(reserve, reserve[1:], strict=False))
