"""Mutants of functions and names: each does what its words say."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from experiments.classroom import mutants
from experiments.classroom.mutant_conditions import by_conditions, difference, variations
from experiments.classroom.mutant_functions import by_wrappers
from experiments.classroom.mutant_lines import Mutant, by_names, kinds_of_names
from experiments.classroom.mutants import in_process

STONES = '''
def stones(board, color):
    return sum(row.count(color) for row in board)
'''
TREE = '''
def moves(root, children, player):
    return [(child, player(child)) for child in children(root)]
'''
CHOICE = '''
import random
def choose(points):
    return random.choice(points)
'''
BOARDS = [(["b.", "ww", "b."], "b"), (["..", "w."], "w"), (["bb", "b."], "w")]
CHILDREN = {0: [1, 2, 3], 1: [4], 2: [], 3: [], 4: []}
PLAYER = {0: 1, 1: -1, 2: 1, 3: 1, 4: 1}


def program(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    return names


@pytest.mark.parametrize(("fault", "answers"), [
    ("color is always 'b'", [2, 0, 3]), ("color is that of the call before", [2, 0, 0]),
    ("w on board is read as b", [4, 0, 0]), ("b and w on board are swapped", [2, 0, 3]),
    ("rows of board end after 1", [2, 1, 0]), ("board ends after 1", [1, 0, 0]),
    ("the last of board does not count beyond 1", [1, 0, 0]),
    ("board is that of the first call", [2, 2, 2]), ("answers are remembered by color", [2, 1, 1]),
    ("only the first call is answered", [2, 2, 2]), ("board is reversed", [2, 1, 0]),
])
def test_a_function_forgets_or_mixes_up_arguments(fault: str, answers: list[int]) -> None:
    asked = [("stones", row, None) for row in BOARDS]
    mutants = {mutant.after: mutant for mutant in by_wrappers(STONES, asked)}
    function = program(mutants[f"stones: {fault}"].source)["stones"]
    assert [function(*row) for row in BOARDS] == answers


def test_asked_again_it_gives_the_answer_before() -> None:
    mutants = {mutant.after: mutant for mutant in by_wrappers(
        STONES, [("stones", row, None) for row in BOARDS])}
    function = program(mutants["stones: asked again, it gives the answer before"].source)["stones"]
    assert [function(*row) for row in [*BOARDS, BOARDS[0]]] == [2, 1, 0, 0]


@pytest.mark.parametrize(("fault", "answers"), [
    ("children are reversed", [(3, 1), (2, 1), (1, -1)]),
    ("children are two at most", [(1, -1), (2, 1)]),
    ("player is asked for the first sibling", [(1, -1), (2, -1), (3, -1)]),
    ("player is asked for the first child", [(1, 1), (2, 1), (3, 1)]),
    ("player is asked for the parent", [(1, 1), (2, 1), (3, 1)]),
    ("player is asked for the position asked before", [(1, -1), (2, -1), (3, 1)]),
    ("player has the other sign", [(1, 1), (2, -1), (3, -1)]),
    ("the tree ends at depth 1", [(1, -1), (2, 1), (3, 1)]),
])
def test_players_and_siblings_of_trees_are_mixed_up(fault: str, answers: list[Any]) -> None:
    row = (0, CHILDREN.__getitem__, PLAYER.__getitem__)
    mutants = {mutant.after: mutant for mutant in by_wrappers(TREE, [("moves", row, None)])}
    assert program(mutants[f"moves: {fault}"].source)["moves"](*row) == answers


def test_luck_is_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    mutants = {mutant.after: mutant for mutant in by_wrappers(CHOICE, [])}
    for fault, possible in (("begins anew in each call", 1), ("is the first", 1),
                            ("is never the last of several", 2), ("takes turns", 3),
                            ("is drawn once for each number of values", 1)):
        monkeypatch.setattr(random, "choice", random.Random(1).choice)
        choose = program(mutants[f"random.choice {fault}"].source)["choose"]
        assert len({choose(["a", "b", "c"]) for _ in range(100)}) == possible, fault


def test_a_function_is_wrong_for_one_colour_only() -> None:
    asked = [("stones", row, None) for row in BOARDS]
    text = "row.count(color)"
    fault = Mutant(STONES.replace(text, "len(row)"), "planted", "all points", text, "len(row)")
    mutants = {mutant.after: mutant for mutant in by_conditions(STONES, [fault], asked)}
    white = mutants["stones: only if argument 2 is 'w': len(row)"]
    function = program(white.source)["stones"]
    assert len(mutants) == 2 and [function(*row) for row in BOARDS] == [2, 4, 4]
    # An input with the other colour tells it from the solution.
    inputs = variations(in_process(STONES), asked)
    assert [(row, answer) for _, row, answer in inputs if row[0] == BOARDS[0][0]] == [
        ((BOARDS[0][0], "w"), 2)]
    assert difference(in_process(white.source), inputs) == "stones(['b.', 'ww', 'b.'], 'w')"
    assert difference(in_process(STONES), inputs) == ""


def test_names_of_the_same_kind_stand_for_each_other() -> None:
    source = ("def best(values, others, point):\n"
              '    """values"""\n'
              "    first = values[0]\n"
              "    return values.index(max(values)), first, others[1], point\n")
    file = "hand_in.py"
    names: dict[str, Any] = {}
    exec(compile(source, file, "exec"), names)
    kinds = kinds_of_names(file, lambda: names["best"]([1, 2], [3, 4], "b"))
    assert kinds["best"] == {"values": {"list"}, "others": {"list"}, "point": {"str"},
                             "first": {"int"}}
    mutants: list[Mutant] = list(by_names(source, {2, 3, 4}, kinds))
    results = {mutant.after: program(mutant.source)["best"]([5, 7, 7], [7, 4], "b")
               for mutant in mutants if mutant.place != "line 3"}
    assert results["return others.index(max(values)), first, others[1], point"] == (0, 5, 4, "b")
    assert results["first = others[0] / return others.index(max(others)), first, others[1], point"
                   ] == (0, 7, 4, "b")
    assert results["first = others[0] / return others.index(max(others)), first, values[1], point"
                   ] == (0, 7, 7, "b")
    assert results["first = values[1] / return values.index(max(values)), first, others[0], point"
                   ] == (1, 7, 7, "b")
    assert results["return values.index(min(values)), first, others[1], point"] == (0, 5, 4, "b")
    last = "(len(values) - 1 - values[::-1].index(max(values)))"
    assert results[f"return {last}, first, others[1], point"][0] == 2
    assert not any("line 2" in mutant.place or "point[" in mutant.after for mutant in mutants)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants run in forked processes")
def test_memory_of_the_process_that_tries_mutants_is_not_theirs(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have grown by other work; right programs must not run out of memory for that."""
    monkeypatch.setattr(mutants, "_BYTES", 1 << 25)
    assert mutants._in_child(lambda: "passed" if bytearray(1 << 20) else "", 5) == "passed"
