"""Chains and liberties (chapter 2).

A board is a list of rows, the upper one first. Each row is a text of "b" (black), "w" (white) and
"." (empty). A point is a pair (row, column), both counted from 0.

    board = [".b.",
             "bbw",
             "..."]

Stones of one colour that touch along the lines are a chain. The empty points next to a chain are
its liberties.
"""

from __future__ import annotations


def neighbours(board: list[str], point: tuple[int, int]) -> list[tuple[int, int]]:
    """The points of the board that touch `point` along the lines: two, three or four."""
    ### BEGIN SOLUTION
    row, col = point
    around = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
    return [(r, c) for r, c in around if 0 <= r < len(board) and 0 <= c < len(board[0])]
    ### END SOLUTION


def chain(board: list[str], point: tuple[int, int]) -> set[tuple[int, int]]:
    """The points of the chain that the stone at `point` belongs to; none if `point` is empty."""
    ### BEGIN SOLUTION
    color = board[point[0]][point[1]]
    if color == ".":
        return set()
    points, waiting = {point}, [point]
    while waiting:
        for r, c in neighbours(board, waiting.pop()):
            if board[r][c] == color and (r, c) not in points:
                points.add((r, c))
                waiting.append((r, c))
    return points
    ### END SOLUTION


def liberties(board: list[str], point: tuple[int, int]) -> set[tuple[int, int]]:
    """The liberties of the chain at `point`; none if `point` is empty."""
    ### BEGIN SOLUTION
    near = {near for stone in chain(board, point) for near in neighbours(board, stone)}
    return {(r, c) for r, c in near if board[r][c] == "."}
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import HandIn, check, require, short

CROSS = ["....", ".b..", "bbw.", ".b.w"]


@check("A point has four neighbours, three at the edge, two in the corner")
def edges(hand_in: HandIn) -> None:
    board = ["....."] * 3
    for point, wanted in {
        (1, 2): [(0, 2), (2, 2), (1, 1), (1, 3)], (0, 2): [(0, 1), (0, 3), (1, 2)],
        (0, 0): [(0, 1), (1, 0)], (2, 4): [(2, 3), (1, 4)], (0, 4): [(0, 3), (1, 4)],
    }.items():
        answer = hand_in.call("neighbours", board, point)
        _compare(answer, wanted, f"neighbours of {point} on a board of 3 rows and 5 columns",
                 "No point may lie off the board; the board need not be square.")


@check("A chain is all stones that touch, of one colour", points=2)
def chains(hand_in: HandIn) -> None:
    _compare(hand_in.call("chain", CROSS, (1, 1)), [(1, 1), (2, 0), (2, 1), (3, 1)],
             f"the chain at (1, 1) of {CROSS}", "Follow stones of the same colour, and only those.")
    _compare(hand_in.call("chain", CROSS, (2, 2)), [(2, 2)],
             f"the chain at (2, 2) of {CROSS}", "Stones that touch at a corner do not touch.")
    snake = ["bbbbb", "....b", "bbbbb", "b....", "bbbbb"]
    points = [(r, c) for r in range(5) for c in range(5) if snake[r][c] == "b"]
    _compare(hand_in.call("chain", snake, (4, 4)), points, f"the chain at (4, 4) of {snake}",
             "A chain may be long: go on from every stone that you find.")


@check("An empty point has no chain and no liberties")
def empty(hand_in: HandIn) -> None:
    for name in ("chain", "liberties"):
        _compare(hand_in.call(name, CROSS, (0, 0)), [], f"{name} at an empty point", "")


@check("A lone stone's liberties are its empty neighbours", points=2)
def lone(hand_in: HandIn) -> None:
    board = ["b....", ".....", "..wb.", "....."]
    _compare(hand_in.call("liberties", board, (0, 0)), [(0, 1), (1, 0)],
             f"the liberties at (0, 0) of {board}", "Look at what touches the stone.")
    _compare(hand_in.call("liberties", board, (2, 2)), [(1, 2), (3, 2), (2, 1)],
             f"the liberties at (2, 2) of {board}", "A stone of the other colour is no liberty.")


@check("A chain shares its liberties, each counted once", points=4)
def shared(hand_in: HandIn) -> None:
    generator = random.Random(1)
    boards = [["bb.", "b..", "..."], ["www", "w.w", "www"], ["wb.", "bb.", "..."]]
    boards += [
        ["".join(generator.choice("bbww..") for _ in range(6)) for _ in range(5)]
        for _ in range(12)
    ]
    for board in boards:
        for point in [(0, 0), (2, 2), (1, 0)]:
            _compare(hand_in.call("liberties", board, point), liberties(board, point),
                     f"the liberties at {point} of {board}",
                     "All stones of the chain count, and an empty point counts once.")


def _compare(answer, wanted, what: str, hint: str) -> None:
    right = isinstance(answer, list | tuple | set | frozenset) and len(answer) == len(set(answer))
    right = right and set(answer) == set(wanted)
    require(right, f"You say that {what} are {short(answer)}. {hint}".strip())


PLANTED = {
    "columns as many as rows": ("0 <= c < len(board[0])", "0 <= c < len(board)"),
    "the first row is left out": ("0 <= r < len(board)", "0 < r < len(board)"),
    "negative indices wrap around": ("if 0 <= r < len(board) and 0 <= c < len(board[0])",
                                     "if r < len(board) and c < len(board[0])"),
    "only the stone itself": ("for stone in chain(board, point)", "for stone in [point]"),
    "any stone belongs to the chain": ("board[r][c] == color and", 'board[r][c] != "." and'),
    "enemy stones are liberties": ('if board[r][c] == "."}',
                                   "if board[r][c] != board[point[0]][point[1]]}"),
}
### END HIDDEN TESTS
