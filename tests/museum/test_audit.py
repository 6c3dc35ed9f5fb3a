"""The auditor: right searches have no findings, faults and bad input have the right ones."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from dlgo.errors import DlgoError
from experiments.museum import audit as auditing
from experiments.museum import searches
from experiments.museum.audit import Finding, Report, audit
from experiments.museum.planting import get_fault
from experiments.museum.subject import Subject
from tests.command import ROOT, dlgo_here
from tests.museum.signatures import audit_fault

pytestmark = pytest.mark.slow
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


@pytest.mark.parametrize("name", [
    "alphabeta", "puct", pytest.param("gumbel", marks=pytest.mark.slow)])
def test_nothing_is_wrong_with_the_textbook(name: str) -> None:
    report = audit(GLUE / f"{name}.py")
    assert not report.findings, report
    assert len(report.examined) >= 20


@pytest.mark.parametrize(
    "name", ["value-for-black", "no-square-root", "turns-always-alternate",
             "finished-game-is-estimated"])
def test_a_fault_is_recognised(name: str) -> None:
    report = audit_fault(get_fault(name))
    assert next(iter(report.suspects().values())).name == name
    assert get_fault(name).title in str(report)


@pytest.mark.parametrize(("first", "wanted"), [
    ("return {state.legal_moves()[0]: math.nan}", "nan]; these must be finite numbers"),
    ("return {state.legal_moves()[0]: -1}", "these must be positive numbers or 0"),
    ("return {}", "and not all 0"),
    ("return {'H': simulations}", "it names H, not a legal move"),
    ("return {0: 3, 99: simulations}", "it names 99, not a legal move"),
    ("state.kernel_state.words[0] = 1; state = state.previous_state or state",
     "it changes the position"),
    ("return state.legal_moves()[0]", "not {move: visits}"),
    ("return None", "it returns 'None'"),
    ("return state.no_such_thing", "it raises an exception in bad.py, line 5: AttributeError"),
    ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})",
     "it raises an exception in bad.py, line 5: Odd"),
    ("return {'A\\nmove': 1}", "it names A move, not a legal move"),
    ("state.apply_move(None)", "it raises an exception in bad.py, line 5: "),
    ("simulations //= 20", "the visits sum to"),
])
def test_a_bad_answer_is_a_finding(tmp_path, first: str, wanted: str) -> None:
    subject = Subject(str(small(tmp_path, "bad", first)))
    found = [Finding("search", name, *one) for name in searches.PROPERTIES
             for one in auditing.examine(subject, "search", name).items()]
    text = str(Report("bad.py", "puct", found, [one[:2] for one in found]))
    assert wanted in text
    if "sum to" not in wanted:  # there is no answer: one line says it, and no fault is guessed
        assert text.count(" others: ") == 1 and "Look at" not in text


def test_a_search_that_hangs_or_dies(tmp_path) -> None:
    """Other properties are examined, until too much time is lost."""
    first = ("tree = state.game.settings['tree']\n"
             "        while 'o~.6 o~-.6' in tree: pass\n"
             "        if '+1' in tree: import os; os._exit(3)")
    text = str(audit(small(tmp_path, "bad", first), seconds=3))
    assert "reply: it hangs in bad.py, line 6: TooSlow: no answer within 3 s of CPU time" in text
    assert "visits, win in one: it hangs or ends the program: process died (exit code 3)" \
        in text
    assert "others: search has hung or ended the program 3 times" in text
    assert "Traceback" not in text


def test_a_crash_comes_before_guesses(tmp_path) -> None:
    """The line is that of the program, not of the glue; a search that crashes sometimes is wrong
    in other ways, too."""
    small(tmp_path, "crashing", "if '+1' in state.game.settings['tree']: 1 / 0", "-1.5")
    glue = tmp_path / "glue.py"
    glue.write_text("import crashing\n\n"
                    "def search(*asked):\n    return crashing.search(*asked)\n")
    report = audit(glue)
    assert next(iter(report.suspects())) == "crash" and len(report.suspects()) > 3
    assert "it raises an exception in crashing.py, line 5: ZeroDivisionError: div" in str(report)
    assert "Look at:\n    the line that raises an exception, or hangs\n" in str(report)


def test_a_search_of_ones_own(tmp_path, capsys) -> None:
    """As a user types it: a right file, then one without its sign."""
    small(tmp_path, "mine")
    done = dlgo_here(capsys, "audit", "mine.py", cwd=tmp_path)
    assert done.returncode == 0 and "all properties hold" in done.stdout + done.stderr
    assert "halving: it is about another kind of search" in done.stdout + done.stderr
    text = (tmp_path / "mine.py").read_text()
    (tmp_path / "mine.py").write_text(
        text.replace("value if best.state.next_player is state.next_player else -value", "value"))
    done = dlgo_here(capsys, "audit", "mine.py", cwd=tmp_path)
    assert done.returncode == 1 and "whose view a value has" in done.stdout + done.stderr


@pytest.mark.parametrize(("text", "wanted"), [
    (None, r"cannot load mine.py: there is no such file"),
    ("x = 1\n", r"mine.py holds nothing to audit: no select_move, and none of search, "),
    ("x = = 1\n", r"cannot load mine.py, line 1: invalid syntax"),
    ("\nimport torchh\n", r"cannot load mine.py, line 2: ModuleNotFoundError: No module named "),
    ("KIND = 'UCT'\n", r"mine.py: KIND is 'UCT'; write puct, uct, gumbel or other"),
    ("KIND = ['uct']\n", r"mine.py: KIND is \['uct'\]; write puct, uct, gumbel or other"),
    ("GAME = 'chess'\n", r"unknown game 'chess'"),
    ("class A:\n    def select_move(self, state): return 'A'\nclass B(A): pass\n",
     r"mine.py holds 2 engines, A and B: name one, as in mine.py:A"),
])
def test_a_file_that_cannot_be_audited(tmp_path, monkeypatch, text, wanted: str) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("mine.py").write_text(text)
    with pytest.raises(DlgoError, match=wanted):
        Subject("mine.py")


def test_a_file_that_does_not_load(tmp_path, capsys) -> None:
    """A user sees one line, also if loading it never ends."""
    done = dlgo_here(capsys, "audit", "none.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "dlgo: cannot load none.py: there is no such file\n"
    (tmp_path / "typo.py").write_text("def serach(state, evaluate, simulations): return {}\n")
    done = dlgo_here(capsys, "audit", "typo.py", cwd=tmp_path)
    assert done.returncode == 2 and "typo.py holds nothing to audit" in done.stderr
    assert "(did you mean search?)" in done.stderr
    (tmp_path / "part.py").write_text("def batches(examples, size): return [examples]\n"
                                      "def gradeint(*arrays): return arrays\n")
    assert "gradeint (did you mean gradient?)" in str(audit(tmp_path / "part.py"))
    (tmp_path / "slow.py").write_text("while True: pass\n")
    with pytest.raises(DlgoError, match=r"cannot load .*slow.py, line 1: TooSlow: no answer"):
        audit(tmp_path / "slow.py", seconds=3)
