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
    """The empty points at which `player` ("x" or "o") would win at once.

    >>> winning_points("xx..o.o..", "x")
    {2}
    >>> winning_points("xx..o.o..", "o")
    {2}
    >>> winning_points("x.x.o.x..", "x")
    {1, 3}
    """
    ### BEGIN SOLUTION
    points = set()
    for line in LINES:
        marks = [board[point] for point in line]
        if marks.count(player) == 2 and marks.count(".") == 1:
            points.add(line[marks.index(".")])
    return points
    ### END SOLUTION


def choose(board: str, player: str) -> int:
    """The point that `player`, who is to move, takes by the first of these rules that applies:

    1. win if you can;
    2. else take a point at which the opponent would win;
    3. else take the middle if it is empty;
    4. else take any empty point.

    >>> choose("xx.oo....", "o")
    5
    >>> choose("xx..o....", "o")
    2
    >>> choose("x........", "o")
    4
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

from experiments.classroom.checks import HandIn, agrees, asked, check, require, short

BOARDS = [
    "".join(marks) for marks in itertools.islice(itertools.product("x.o", repeat=9), 0, 19683, 61)
    if "." in marks
]


def _over(board: str) -> bool:
    return any(board[a] == board[b] == board[c] != "." for a, b, c in LINES)


def _allowed(board: str, player: str) -> set[int]:
    empty = {point for point in range(9) if board[point] == "."}
    return (winning_points(board, player) or winning_points(board, "xo"[player == "x"])
            or ({4} & empty) or empty)


def _chooses(title: str, points: int, cases, hint: str):
    """A check of the point that is chosen; where several are allowed, any of them will do."""
    @check(title, points)
    def run(hand_in: HandIn) -> None:
        for board, player in cases:
            point = hand_in.call("choose", board, player)
            given = f"choose({board!r}, {player!r}) returned {short(point)}."
            require(not asked(point, 0), f"{given} {asked(point, 0)}")
            require(point in _allowed(board, player), f"{given} {hint}")

    return run


CHECKS = [
    agrees("A winning point completes a line with two own marks", winning_points,
           [(board, player)
            for board in ["xx.......", "x...x....", "..o..o...", "o...x...o", "xxo......",
                          "xx.x.....", *BOARDS]
            for player in "xo"],
           "Check rows, columns and diagonals. Return a set of points.", points=3),
    _chooses("It wins when it can", 2, [("xx.oo....", "x"), ("xx.oo....", "o"), ("o.x.o.x..", "o")],
             "The player can win at once. Winning comes before blocking."),
    _chooses("It blocks when the opponent threatens to win", 2,
             [("xx..o....", "o"), ("o..xo....", "x"), ("..x..xo..", "o")],
             "The opponent threatens to win."),
    _chooses("Else it takes the middle", 1,
             [(".........", "x"), ("x........", "o"), ("x.......o", "x")],
             "Nobody can win at once."),
    _chooses("It only takes empty points", 2,
             [(board, player) for board in BOARDS if not _over(board) for player in "xo"],
             "Apply the four rules to this board."),
]
PLANTED = {
    "blocks before it wins": (
        "(winning_points(board, player), winning_points(board, other), {4})",
        "(winning_points(board, other), winning_points(board, player), {4})"),
    "does not block": ("winning_points(board, other), {4}", "{4}"),
    "a line of two will do": (' and marks.count(".") == 1', ""),
    "takes a corner": (", {4}):", ", {0}):"),
    "takes what is taken": ("            if point in empty:\n                return point\n",
                            "            return point\n"),
    "one diagonal is forgotten": ("for line in LINES:", "for line in LINES[:7]:"),
    "one threat only": ("            points.add(line[marks.index(\".\")])\n",
                        '            return {line[marks.index(".")]}\n'),
    "x is always the player": ('    other = "o" if player == "x" else "x"\n',
                               '    player, other = "x", "o"\n'),
    "a text": ("                return point\n", "                return str(point)\n"),
    "blocks when it need not": ("winning_points(board, other), {4})",
                                "winning_points(board, other), {0}, {4})"),
}
EQUIVALENT = {
    '<= "."': "No mark sorts before the one of an empty point.",
    "count(player) >= 2": "One of the three points is empty.",
    'count(".") >= 1': "Two of the three points are taken.",
    'player >= "x"': "The other player sorts before x.",
    "empty[-1]": "Any empty point is allowed.",
}
### END HIDDEN TESTS
