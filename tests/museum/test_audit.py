"""The auditor: right searches have no findings, faults and bad input have the right ones."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.museum import audit as auditing
from experiments.museum.audit import audit
from experiments.museum.planting import get_fault
from tests.command import ROOT, dlgo_here
from tests.museum.signatures import audit_fault

GLUE = ROOT / "tests" / "museum" / "glue"
# A right search that uses half of its budget to think of nothing: each fault is one line of it.
SMALL = """
    import math

    def search(state, evaluate, simulations):
        {first}
        root = Node(state, 1.0)
        for _ in range(simulations):
            simulate(root, evaluate)
        return {{move: child.visits for move, child in root.children.items()}}

    class Node:
        def __init__(self, state, prior):
            self.state, self.prior, self.visits, self.total = state, prior, 0, 0.0
            self.children = {{}}

    def simulate(node, evaluate):
        state = node.state
        if state.is_over():
            sign = 1 if state.next_player.name == "black" else -1
            value = sign * state.result()
        elif not node.children:
            priors, value = evaluate(state)
            node.children = {{move: Node(state.apply_move(move), prior)
                             for move, prior in priors.items()}}
        else:
            def score(child):
                same = child.state.next_player is state.next_player
                mean = (1 if same else -1) * child.total / max(child.visits, 1)
                return mean + {constant} * child.prior * math.sqrt(node.visits) / (1 + child.visits)
            best = max(node.children.values(), key=score)
            value = simulate(best, evaluate)
            value = value if best.state.next_player is state.next_player else -value
        node.visits += 1
        node.total += value
        return value
"""


def small(folder: Path, name: str, first: str = "pass", constant: str = "1.5") -> Path:
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(SMALL.format(first=first, constant=constant)))
    return path


@pytest.mark.parametrize("name", ["alphabeta", "puct", "gumbel"])
def test_nothing_is_wrong_with_the_textbook(name: str) -> None:
    report = audit(GLUE / f"{name}.py")
    assert report.ok, report
    assert len(report.examined) >= 25


@pytest.mark.parametrize(
    "name", ["value-for-black", "no-square-root", "turns-always-alternate",
             "finished-game-is-estimated"])
def test_a_fault_is_recognised(name: str) -> None:
    report = audit_fault(get_fault(name))
    assert report.suspects[0].fault.name == name
    assert get_fault(name).title in str(report)


@pytest.mark.parametrize(("first", "wanted"), [
    ("while True: pass", "it has not answered after 2 seconds"),
    ("import os; os._exit(3)", "it ends the program"),
    ("return {state.legal_moves()[0]: math.nan}", "a move has nan visits"),
    ("return {'H': simulations}", "it names H, which is not legal"),
    ("state.kernel_state.words[0] = 1; state = state.previous_state or state",
     "it changes the position"),
    ("return state.legal_moves()[0]", "not {move: visits}"),
    ("return state.no_such_thing", "line 5: AttributeError"),
    ("simulations //= 20", "the visits sum to"),
])
def test_bad_answers_are_findings(tmp_path, monkeypatch, first: str, wanted: str) -> None:
    monkeypatch.setattr(auditing, "_PROPERTIES", {
        "search": {name: auditing._PROPERTIES["search"][name] for name in ("reply", "budget")}})
    report = audit(small(tmp_path, "bad", first), seconds=2)
    assert wanted in str(report)
    assert "Traceback" not in str(report)


def test_a_search_of_ones_own(tmp_path, capsys) -> None:
    """As a user types it: a right file, then one without its sign."""
    small(tmp_path, "mine")
    done = dlgo_here(capsys, "audit", "mine.py", cwd=tmp_path)
    assert done.returncode == 0 and "properties hold" in done.stdout + done.stderr
    text = (tmp_path / "mine.py").read_text()
    (tmp_path / "mine.py").write_text(
        text.replace("value if best.state.next_player is state.next_player else -value", "value"))
    done = dlgo_here(capsys, "audit", "mine.py", cwd=tmp_path)
    assert done.returncode == 1 and "whose view a value has" in done.stdout + done.stderr


def test_a_file_without_parts_is_one_line(tmp_path) -> None:
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(DlgoError, match=r"empty.py holds nothing to audit: write one of search"):
        audit(tmp_path / "empty.py")
