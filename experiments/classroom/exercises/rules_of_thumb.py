"""Rules of thumb: win, block, or take the middle (chapter 4).

A board of tic-tac-toe is a text of nine characters, "x", "o" and ".", row by row; the points are
numbered

    0 1 2
    3 4 5
    6 7 8
"""

from __future__ import annotations

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def winning_points(board: str, player: str) -> set[int]:
    """The empty points at which `player` ("x" or "o") would win at once."""
    ### BEGIN SOLUTION
    points = set()
    for line in LINES:
        marks = [board[point] for point in line]
        if marks.count(player) == 2 and marks.count(".") == 1:
            points.add(line[marks.index(".")])
    return points
    ### END SOLUTION


def choose(board: str, player: str) -> int:
    """The point that `player`, whose turn it is, takes by the first rule that says one:

    1. win if you can;
    2. else take a point at which the opponent would win;
    3. else take the middle if it is empty;
    4. else take any empty point.
    """
    ### BEGIN SOLUTION
    other = "o" if player == "x" else "x"
    empty = [point for point in range(9) if board[point] == "."]
    for points in (winning_points(board, player), winning_points(board, other), {4}):
        for point in sorted(points):
            if point in empty:
                return point
    return empty[0]
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import itertools

from experiments.classroom.checks import HandIn, agrees, check

BOARDS = [
    "".join(marks) for marks in itertools.islice(itertools.product("x.o", repeat=9), 0, 19683, 61)
    if "." in marks
]


def _over(board: str) -> bool:
    return any(board[a] == board[b] == board[c] != "." for a, b, c in LINES)


wins = agrees(
    "Winning points lie on lines with two own marks and an empty point", winning_points,
    [(board, player)
     for board in ["xx.......", "x...x....", "..o..o...", "o...x...o", "xxo......", "xx.x.....",
                   *BOARDS[::4]]
     for player in "xo"],
    "Rows, columns and diagonals; answer with a set of points.", points=3)


@check("It wins when it can", points=2)
def win(hand_in: HandIn) -> None:
    for board, player in (("xx.oo....", "x"), ("xx.oo....", "o"), ("o.x.o.x..", "o")):
        hand_in.expect("choose", board, player, among=winning_points(board, player),
                       hint="There is a win at once. Winning comes before blocking.")


@check("It blocks when it must", points=2)
def block(hand_in: HandIn) -> None:
    for board, player in (("xx..o....", "o"), ("o..xo....", "x"), ("..x..xo..", "o")):
        other = "xo"[player == "x"]
        hand_in.expect("choose", board, player, among=winning_points(board, other),
                       hint="The opponent threatens to win.")


@check("Else it takes the middle")
def middle(hand_in: HandIn) -> None:
    for board in (".........", "x........", "x.......o"):
        player = "xo"[board.count("x") > board.count("o")]
        hand_in.expect("choose", board, player, equals=4, hint="Nobody threatens anything.")


@check("It never takes a point that is taken", points=2)
def legal(hand_in: HandIn) -> None:
    for board in BOARDS[:: 3]:
        if not _over(board):
            for player in "xo":
                hand_in.expect(
                    "choose", board, player, among=_allowed(board, player),
                    hint="Go through the four rules for this board.")


def _allowed(board: str, player: str) -> set[int]:
    other = "xo"[player == "x"]
    empty = {point for point in range(9) if board[point] == "."}
    return (winning_points(board, player) or winning_points(board, other)
            or ({4} & empty) or empty)


PLANTED = {
    "blocks before it wins": (
        "(winning_points(board, player), winning_points(board, other), {4})",
        "(winning_points(board, other), winning_points(board, player), {4})"),
    "does not block": ("winning_points(board, other), {4}", "{4}"),
    "a line of two will do": (' and marks.count(".") == 1', ""),
    "takes a corner": (", {4}):", ", {0}):"),
    "takes what is taken": ("            if point in empty:\n                return point\n",
                            "            return point\n"),
}
### END HIDDEN TESTS
