"""Predict the steps of a search: alpha-beta (chapter 4).

TREE is the tree of a game, a row for each position, in the order in which moves are searched:

    (number, parent, player, value)

`player`, 1 or -1, is to move, and need not alternate. `value` is the estimate of a leaf as player 1
sees it, None elsewhere. All values are from -1 to 1. The root is 0.

Alpha-beta searches the whole tree. It enters each position with a window, alpha and beta, and
returns a value. These three are as the player to move AT THIS POSITION sees them: if the other
player moves next, signs change, and alpha and beta change places. Alpha of the next move is the
best value so far if that is larger. As soon as the best value is beta or more, the other moves are
skipped. The root is entered with -1 and 1.

Answer with a list that you have worked out on paper, or with a program.
"""

from __future__ import annotations

TREE: list[tuple[int, int | None, int, float | None]]


def trace() -> list[tuple[int, float, float, float]]:
    """All positions that alpha-beta enters, in their order: (number, alpha, beta, value).

    The value is the one that the search of the position returns.

    >>> trace()[0][:3]
    (0, -1.0, 1.0)
    """
    ### BEGIN SOLUTION
    rows = {number: (player, value) for number, _, player, value in TREE}
    children = {number: [row[0] for row in TREE if row[1] == number] for number in rows}
    order: list[int] = []
    entered: dict[int, tuple[int, float, float, float]] = {}

    def search(number: int, alpha: float, beta: float) -> float:
        player, value = rows[number]
        order.append(number)
        best = -2.0 if value is None else player * value
        for child in children[number]:
            low = max(alpha, best)
            if rows[child][0] == player:
                best = max(best, search(child, low, beta))
            else:
                best = max(best, -search(child, -beta, -low))
            if best >= beta:
                break
        entered[number] = (number, alpha, beta, best)
        return best

    search(0, -1.0, 1.0)
    return [entered[number] for number in order]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from engines.registry import build_engine
from engines.watching.events import CutOff, Entered, Valued
from engines.watching.recording import watch
from experiments.classroom.checks import HandIn, check, require, short
from experiments.museum.tree_game import tree_game

# What the search of the textbook did.
TRACE: list[tuple[int, float, float, float]]
_PLIES, _FEWEST_CUTS = 3, 2


def variant(rng: random.Random):
    """The search of a tree with cuts, in which wrong rules give other windows or values."""
    while True:
        nested = _drawn(rng, rng.choice("xo"), _PLIES)
        game = tree_game(_text(nested))
        engine = build_engine(f"textbook-alphabeta:depth={_PLIES}", game,
                              rng.randrange(1 << 30))
        recording = watch(engine, game.start())
        entered = [event for event in recording.events if isinstance(event, Entered)]
        cuts = [event for event in recording.events if isinstance(event, CutOff)]
        windows = {event.node: event for event in entered}
        alphas = {(event.alpha, event.beta) for event in entered}
        if len(cuts) < _FEWEST_CUTS or len(alphas) < 5:
            continue
        # The textbook draws the order of the root's moves.
        order = ["ABC".index(event.move[0]) for event in entered if event.parent == 0]
        if len(order) != len(nested[1]):
            continue
        rows, place_of = [], {}
        _number((nested[0], [nested[1][n] for n in order]), None, (), rows, place_of)
        places = {0: ()}
        for event in entered[1:]:
            letter = "ABC".index(event.move[0])
            step = order.index(letter) if event.parent == 0 else letter
            places[event.node] = (*places[event.parent], step)
        value_of = {event.node: event.value for event in recording.events
                    if isinstance(event, Valued)}
        # Estimates of the game are near the numbers of the tree.
        trace = [(place_of[places[node]], *(round(float(number), 2) for number in (
            event.alpha, event.beta, value_of[node]))) for node, event in windows.items()]
        if _instructive(rows, trace):
            return {"TREE": rows, "TRACE": trace}


def _instructive(rows, trace) -> bool:
    """Whether values of positions with moves are below alpha, others cut moves as they are beta or
    larger, a better move before has raised alpha for either next player, and a position has another
    window than it has for the player who moves at its first sibling."""
    window_of = {number: (alpha, beta) for number, alpha, beta, _ in trace}
    first_mover: dict[int | None, int] = {}
    facts = set()
    for number, alpha, beta, value in trace:
        _, parent, player, _ = rows[number]
        moves = {row[0] for row in rows if row[1] == number}
        if moves and value < alpha:
            facts.add("below alpha")
        if moves - {*window_of}:
            facts.add("is beta" if value == beta else "above beta")
        if parent is None:
            continue
        same = player == rows[parent][2]
        if (alpha if same else -beta) > window_of[parent][0]:
            facts.add("raised, same player" if same else "raised, other player")
        if player != first_mover.setdefault(parent, player) and alpha != -beta:
            facts.add("first sibling")
    return facts == {"below alpha", "is beta", "above beta", "raised, same player",
                     "raised, other player", "first sibling"}


def _drawn(rng: random.Random, player: str, plies: int):
    """A random tree: (the player to move, the moves) or (the player, a value for x)."""
    if not plies:
        return player, rng.randrange(-9, 10) / 10
    other = "ox"["xo".index(player)]
    return player, [_drawn(rng, player if rng.random() < 0.25 else other, plies - 1)
                    for _ in range(rng.randrange(2, 4))]


def _text(nested) -> str:
    """The tree for `tree_game`."""
    player, moves = nested
    if isinstance(moves, float):
        return f"{player}~{moves}"
    return f"{player}({' '.join(map(_text, moves))})"


def _number(nested, parent, place, rows, place_of) -> None:
    """Add the rows of a tree to `rows`, and the number of each place (indices of moves)."""
    player, moves = nested
    number = place_of[place] = len(rows)
    is_leaf = isinstance(moves, float)
    rows.append((number, parent, 1 if player == "x" else -1, moves if is_leaf else None))
    for step, child in enumerate([] if is_leaf else moves):
        _number(child, number, (*place, step), rows, place_of)


def _rows(hand_in: HandIn) -> list[tuple[int, float, float, float]]:
    answer = hand_in.call("trace")
    require(isinstance(answer, list | tuple) and len(answer) > 0
            and all(isinstance(row, list | tuple) and len(row) == 4 for row in answer),
            f"trace() returned {short(answer)}; return a list of rows with four numbers.")
    return list(answer)


def _require_columns(hand_in: HandIn, columns: slice, name: str, hint: str) -> None:
    answer = {row[0]: row[columns] for row in _rows(hand_in)}
    for number, *right in TRACE:
        require(number in answer, f"Position {number} is missing.")
        wanted = (number, *right)[columns]
        require(all(abs(a - b) < 1e-6 for a, b in zip(answer[number], wanted, strict=True)),
                f"{name} of position {number}: you returned {short(answer[number])}. {hint}")


@check("The positions that are entered, in their order", points=4)
def positions(hand_in: HandIn) -> None:
    numbers = [row[0] for row in _rows(hand_in)]
    require(numbers == [row[0] for row in TRACE],
            f"You entered {short(numbers)}. Which moves are skipped?")


@check("The windows", points=3)
def windows(hand_in: HandIn) -> None:
    _require_columns(hand_in, slice(1, 3), "The window", "Who moves there, and who before?")


@check("The values", points=3)
def values(hand_in: HandIn) -> None:
    _require_columns(hand_in, slice(3, 4), "The value", "For whom is it? Were moves skipped?")


CHECKS = [positions, windows, values]
PLANTED = {
    "not swapped": ("search(child, -beta, -low)", "search(child, -low, -beta)"),
    "turns alternate": ("if rows[child][0] == player:", "if False:"),
    "the player at the first child": ("if rows[child][0] == player:",
                                      "if rows[children[number][0]][0] == player:"),
    "no cuts": ("if best >= beta:", "if False:"),
    "the window of the root": ("low = max(alpha, best)", "low = alpha"),
    "no value below alpha": ("-2.0 if value is None", "alpha if value is None"),
    "no value above beta": ("(number, alpha, beta, best)\n        return best",
                            "(number, alpha, beta, min(best, beta))\n"
                            "        return min(best, beta)"),
    "values of player 1": ("player * value", "value"),
}
EQUIVALENT = {
    "rows[number] = (number": "Rows of positions that were searched are not read again.",
    "children[number] = (number": "Nor are their moves.",
    "-3.0 if": "Any number below all values.", "-1.0 if": "The same, and windows begin there.",
}
### END HIDDEN TESTS
