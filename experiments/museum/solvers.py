"""Properties of functions that solve a position: minimax, alpha-beta, proofs."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable

import numpy as np

from dlgo.api import GameState
from experiments.museum.subject import AuditError, Findings, Subject
from experiments.museum.tree_game import Script, parse, tree_game

_TREES = 40


def random_tree(
    rng: np.random.Generator, plies: int, results: tuple[str, ...], double: float = 0.0,
    mover: int = 0, even: bool = False,
) -> str:
    """The text of a random tree.

    Args:
        results: of its ends, drawn with equal chances.
        double: the probability that a player moves again. even: no end comes early.
    """
    if plies == 0 or (not even and rng.random() < 0.1):
        return str(rng.choice(results))
    then = [mover if rng.random() < double else 1 - mover for _ in range(rng.integers(2, 4))]
    moves = " ".join(random_tree(rng, plies - 1, results, double, one, even) for one in then)
    return f"{'xo'[mover]}={rng.uniform(-0.9, 0.9):.2f}({moves})"


def _values(
    subject: Subject, results: tuple[str, ...], double: float = 0.0, plies: int = 4,
    depth: int | None = None, even: bool = False,
) -> Findings:
    """Compare values of random trees, for both players, with the definition of minimax."""
    rng, wrong = np.random.default_rng(48), {0: [], 1: []}
    for number in range(_TREES):
        mover = number % 2
        text = random_tree(rng, plies, results, double, mover, even)
        tree = parse(text)
        if tree.result is not None:
            continue
        right = (1 - 2 * mover) * tree.best(depth or 999)
        value = ask(subject, text, depth)
        if not math.isfinite(value) or abs(value - right) > 1e-6:
            wrong[mover].append((len(text), text, value, right))
    for mover, found in wrong.items():
        if found:
            _, text, value, right = min(found)
            seen = "" if depth is None else f", {depth} plies deep,"
            yield ("black", "white")[mover], (
                f"{len(found)} of {_TREES // 2} trees are wrong; {text}{seen} is {value:+.2f} and "
                f"should be {right:+.2f} for the player to move")


def ask(subject: Subject, tree: str, depth: int | None = None) -> float:
    """The value of the first position of a tree."""
    game = tree_game(tree)
    given = () if depth is None else (depth, Script(game))
    value = subject.call("solve", GameState.new_game(game), *given)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise AuditError("no answer", f"solve returns {value!r}, not a number") from None


def wins_and_losses(subject: Subject, part: str) -> Findings:
    """Won and lost positions, with players who alternate."""
    yield from _values(subject, ("+1", "-1"))


def draws(subject: Subject, part: str) -> Findings:
    """Draws are between wins and losses."""
    yield from _values(subject, ("+1", "0", "-1"))
    yield from _values(subject, ("0", "-1"), plies=2)
    yield from _values(subject, ("0", "+1"), plies=2)


def solved_double_moves(subject: Subject, part: str) -> Findings:
    """The same player may move twice."""
    yield from _values(subject, ("+1", "0", "-1"), double=0.5)


def _takes_depth(subject: Subject) -> bool:
    try:
        return len(inspect.signature(subject.functions["solve"]).parameters) > 2
    except (TypeError, ValueError):
        return True


def estimates(subject: Subject, part: str) -> Findings:
    """Where the depth ends, the estimate counts; depth is counted in plies."""
    if _takes_depth(subject):
        for depth in (1, 2, 3):
            for tag, text in _values(subject, ("+1", "0", "-1"), plies=5, depth=depth, even=True):
                yield f"{depth} plies, {tag}", text


def estimates_after_double_moves(subject: Subject, part: str) -> Findings:
    """The same where players move twice."""
    if _takes_depth(subject):
        yield from _values(subject, ("+1", "0", "-1"), 0.5, plies=5, depth=3, even=True)


def cut_offs(subject: Subject, part: str) -> Findings:
    """A search with bounds looks at fewer positions than one without."""
    if not _takes_depth(subject):
        return
    rng, asked, leaves = np.random.default_rng(7), 0, 0
    for _ in range(10):
        game = tree_game(random_tree(rng, 6, ("0",), even=True))
        script = Script(game)
        subject.call("solve", GameState.new_game(game), 5, script)
        asked += len(script.asked)
        leaves += game.count_sequences(game.new_kernel_state(), 5)
    if asked >= leaves:
        yield "", f"at a depth of 5 it looks at all {leaves} positions; nothing is cut off"


KINDS = {
    "wins and losses": "view, window", "draws": "results, window",
    "solved double moves": "double move", "estimates": "horizon",
    "estimates after double moves": "double move", "cut offs": "window",
}
PROPERTIES: dict[str, Callable[[Subject, str], Findings]] = {
    function.__name__.replace("_", " "): function for function in (
        wins_and_losses, draws, solved_double_moves, estimates, estimates_after_double_moves,
        cut_offs,
    )
}
