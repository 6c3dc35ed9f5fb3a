"""Properties of functions that solve a position: minimax, alpha-beta, proofs.

Of the trees with a wrong value, the shortest is made smaller as long as its value stays wrong, and
drawn.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from dlgo.api import COLUMN_LETTERS
from dlgo.errors import BotError
from experiments.museum.models import fault_of_player, fault_of_solver
from experiments.museum.subject import SIMULATIONS, AuditError, Findings, Subject, numbers, takes
from experiments.museum.tree_game import (
    TREES,
    UNFINISHED,
    Node,
    Script,
    best,
    mirrored,
    random_graph,
    random_tree,
    tree_game,
)

# Trees of each kind for each player, and of those with transpositions, which seldom matter; the
# depth at which a search with bounds must look at fewer leaves; the most trees that are tried to
# make one smaller.
_TREES, _GRAPHS, _CUTTING, _ATTEMPTS = 20, 100, 3, 600
# In the text of a tree without priors: a position's beginning, its end, or a result.
_PART = re.compile(r"([xo])(?:=([+-]?[\d.]+))?\(|(\))|[+-]?[01]")

# What a player does wrong, the most specific first.
_LATER = "it does not play a best move if it was asked about one of the opponent's before"
_MISTAKES = ("it names no legal move", "it does not play a move that wins at once",
             "it plays a move that loses at once", "it lets the opponent win at once",
             "it does not play a best move", _LATER)


class Answer(NamedTuple):
    """The value of a tree, and what is right; the leaves that a search to a depth looked at."""

    nodes: list[Node]
    value: float
    right: float
    seen: int
    leaves: int

    @property
    def wrong(self) -> bool:
        return abs(self.value - self.right) > 1e-6


def ask(subject: Subject, tree: str, depth: int) -> Answer:
    """The answer about a tree; depth 0: solved to its ends."""
    game = tree_game(tree)
    script, start, nodes = Script(game), game.start(), game.nodes
    value = subject.call("solve", start, *((depth, script) if depth else ()))
    leaves = {0}
    for _ in range(depth):
        leaves = {child for node in leaves for child in nodes[node].children if child >= 0}
    leaves = {node for node in leaves if nodes[node].result == UNFINISHED}
    return Answer(nodes, float(numbers(f"the value of {tree}", value)),
                  (1 - 2 * nodes[0].mover) * best(nodes, depth or 999),
                  len(leaves & {*sum(script.calls, [])}), len(leaves))


def _trees(name: str, number: int) -> Iterator[tuple[int, str]]:
    """The trees of a row of a property, with the player to move."""
    row, rng = TREES["random"][name][number], np.random.default_rng(48)
    for mover in (0, 1):
        if isinstance(row[0], str):
            yield mover, mirrored(row[0]) if mover else row[0]
            continue
        results, double, plies, depth = row
        if name == "transpositions":
            yield from ((mover, random_graph(rng, plies, mover, results)) for _ in range(_GRAPHS))
        else:
            yield from ((mover, random_tree(rng, plies, mover, results=results, double=double,
                                            early=0.0 if depth else 0.1)) for _ in range(_TREES))


def values(subject: Subject, part: str, name: str) -> Findings:
    """The values of random trees are those of minimax, and a search to a depth has cut-offs."""
    answers: list[tuple[list[Node], int, float]] = []
    mistakes: dict[tuple[int, int], list[str]] = {}
    for number, (*_, depth) in enumerate(TREES["random"][name]):
        if depth and not takes(subject.functions["solve"], "(state, depth, evaluate)"):
            break
        seen, leaves = 0, 0
        for mover, tree in _trees(name, number):
            answer = ask(subject, tree, depth)
            answers.append((answer.nodes, depth, answer.value))
            if answer.wrong:
                mistakes.setdefault((depth, mover), []).append(tree)
            seen, leaves = seen + answer.seen, leaves + answer.leaves
        if depth == _CUTTING and seen >= leaves and _prunes(subject):
            yield "cut-offs", f"{depth} plies deep, it looks at all {leaves} leaves, cuts off none"
    fault = fault_of_solver(answers) if mistakes and len(answers) >= _TREES else None
    for (depth, mover), wrong in mistakes.items():
        tree = smallest(wrong, lambda tree: ask(subject, tree, depth).wrong)  # noqa: B023
        answer = ask(subject, tree, depth)
        horizon = f", {depth} plies deep," if depth else ""
        merged = "equal parts are the same position; " if tree[0] == "&" else ""
        text = (f"{len(wrong)} trees are wrong. This one{horizon} is {answer.value:+g} and should "
                f"be {answer.right:+g} for the player to move ({merged}numbers in it are "
                "black's):\n" + "\n".join(drawn(answer.nodes, depth or 999, "      ")))
        if not fault and tree[0] != "&" and abs(
            ask(subject, reversed_moves(tree), depth).value - answer.value) > 1e-6:
            fault = "window", ("bounds cut off what matters (with the moves in the opposite order, "
                               "the value is another one)")
        if fault:
            yield f"={fault[0]}", f"it answers as if {fault[1]}: {text}"
        yield f"{depth or 'all'} plies, {('black', 'white')[mover]}", text


def smallest(trees: list[str], is_wrong: Callable[[str], bool]) -> str:
    """A small tree with a wrong answer, made from the shortest of these by steps of `_smaller`."""
    tree = min(trees, key=lambda tree: (len(tree), tree))
    candidates = [re.sub(r"[\d.]+:", "", tree)]
    for _ in range(_ATTEMPTS):
        if not candidates:
            break
        candidate = candidates.pop(0)
        with contextlib.suppress(Exception):  # a program may fail on what it has not seen yet
            if is_wrong(candidate):
                tree, candidates = candidate, _smaller(candidate)
    return tree


def _smaller(tree: str) -> list[str]:
    """Trees with a part less, the shortest first: without a move, with a simpler estimate, or with
    a result or a later position in the place of a position. Equal parts change together."""
    trees: set[str] = set()
    heads: list[re.Match[str]] = []  # of the positions that are open, and the places of their moves
    moves: list[list[tuple[int, int]]] = [[]]
    results = {part[0] for part in _PART.finditer(tree) if not (part[1] or part[3])}
    for part in _PART.finditer(tree):
        if part[1]:
            heads.append(part)
            moves.append([])
            continue
        start, end = part.span()
        if part[3]:
            head, children = heads.pop(), moves.pop()
            start, after = head.span()
            changed = {tree[first:last] for first, last in children
                       if heads or tree[first] in "xo"} | (results if heads else set())
            changed |= {tree[start:first] + tree[last:end]
                        for first, last in children[1:] and children}
            if head[2]:
                changed |= {f"{head[1]}{estimate}({tree[after:end]}"
                            for estimate in ("", f"={float(head[2]):.1f}")}
            trees |= {tree.replace(tree[start:end], text) for text in changed}
        moves[-1].append((start, end))
    return sorted((text for text in trees if len(text) < len(tree)),
                  key=lambda text: (len(text), text))


def drawn(nodes: list[Node], depth: int, indent: str = "", node: int = 0) -> Iterator[str]:
    """The lines of a tree, down to a depth, with the value of best play for black."""
    here, worth = nodes[node], best(nodes, depth, node)
    player, over = ("black", "white")[here.mover], here.result != UNFINISHED
    yield indent + (("draw", "black wins", "white wins")[here.result] if over else
                    f"{player} to move, {'worth' if depth else 'estimate'} {worth:+g}")
    for letter, child in zip(COLUMN_LETTERS, here.children if depth else (), strict=False):
        if child >= 0:
            first, *lines = drawn(nodes, depth - 1, indent + "    ", child)
            yield f"{indent}  {letter} {first.strip()}"
            yield from lines


def reversed_moves(tree: str) -> str:
    """The same tree, without priors, with the moves of all positions in the opposite order."""
    stack: list[list[str]] = [[]]
    for part in _PART.finditer(tree):
        if part[3]:
            moves = stack.pop()
            stack[-1][-1] += f"{' '.join(moves[::-1])})"
            continue
        stack[-1].append(part[0])
        if part[1]:
            stack.append([])
    return stack[0][0]


def perfect_play(subject: Subject, part: str) -> Findings:
    """A player that knows results only plays a best move in small trees, also after it was asked
    about a position of the opponent."""
    mistakes: dict[str, list[str]] = {}
    answers, rng = [], np.random.default_rng(3)
    for number in range(2 * _TREES) if subject.knows_ends_only(part) else ():
        results = [("+1", "0", "-1"), ("+1", "-1")][number % 2]
        tree = random_tree(rng, 1 + number % 3, number // 2 % 2, results=results, early=0.2)
        tree = re.sub(r"[\d.]+:|=-?[\d.]+", "", tree)
        mistake, action = _mistake(subject, tree)
        answers += [(tree_game(tree).nodes, action)] if action is not None else []
        mistakes.setdefault(mistake or _mistake(subject, tree, True)[0] and _LATER, []).append(tree)
    fault = fault_of_player(answers) if mistakes.keys() - {"", _LATER} else None
    for mistake in _MISTAKES:
        later = mistake == _LATER
        if mistake in mistakes and not (later and mistakes.keys() - {"", _LATER}):
            tree = smallest(mistakes[mistake], lambda tree: mistake == (  # noqa: B023
                _mistake(subject, tree, later)[0] and _LATER if later else  # noqa: B023
                _mistake(subject, tree)[0]))
            action = _mistake(subject, tree, later)[1]
            text = (f"in {len(mistakes[mistake])} of {2 * _TREES} small trees, {mistake}, here "
                    f"{'none' if action is None else COLUMN_LETTERS[action]} (numbers are "
                    "black's):\n" + "\n".join(drawn(tree_game(tree).nodes, 999, "      ")))
            if fault:
                yield f"={fault[0]}", f"it plays as if {fault[1]}: {text}"
            yield mistake, text


def _mistake(subject: Subject, tree: str, later: bool = False) -> tuple[str, int | None]:
    """What a player does wrong in a tree, or "", and its action; or if it has been asked before
    about a position of the opponent that leads there."""
    nodes = tree_game(tree).nodes
    state, earlier = tree_game(tree).start(), []
    if later:
        earlier = [tree_game(f"{'ox'[nodes[0].mover]}({tree})").start()]
        state = earlier[0].apply_move(earlier[0].legal_moves()[0])
    try:
        move = subject.call("select_move", state, SIMULATIONS, 1, *earlier).move
    except (AuditError, BotError):
        return _MISTAKES[0], None
    action, sign = state.apply_move(move).actions()[-1], 1 - 2 * nodes[0].mover
    worths = [sign * best(nodes, start=child) for child in nodes[0].children]
    after = nodes[nodes[0].children[action]]
    if worths[action] == max(worths):
        return "", action
    if any(nodes[child].result == sign for child in nodes[0].children):
        return _MISTAKES[1], action
    if after.result == -sign:
        return _MISTAKES[2], action
    lets_win = after.mover != nodes[0].mover and any(
        nodes[child].result == -sign for child in after.children)
    return _MISTAKES[3 if lets_win else 4], action


def _prunes(subject: Subject) -> bool:
    """Whether it speaks of cut-offs; a plain minimax has none."""
    with contextlib.suppress(OSError, TypeError):
        module = inspect.getmodule(subject.functions["solve"])
        return bool(re.search("alpha|beta|cut|prun", inspect.getsource(module or subject.module)))
    return True


PROPERTIES = {name: functools.partial(values, name=name) for name in TREES["random"]}
