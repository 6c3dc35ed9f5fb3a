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
import random

from experiments.classroom.checks import HandIn, agrees, asked, check, require, short


def winners(board: str) -> set[str]:
    """The players who have a line."""
    return {board[a] for a, b, c in LINES if board[a] == board[b] == board[c] != "."}


def boards_of_games() -> list[str]:
    """All boards that games lead to, whoever begins, in random order."""
    boards = []
    for marks in itertools.product("xo.", repeat=9):
        x, o, board = marks.count("x"), marks.count("o"), "".join(marks)
        # A game ends with the winner's move.
        if x == o or (abs(x - o) == 1 and winners(board) <= {"x" if x > o else "o"}):
            boards.append(board)
    boards = [board for board in boards if len(winners(board)) < 2]
    random.Random(7).shuffle(boards)
    return boards


BOARDS = [board for board in boards_of_games() if "." in board and not winners(board)]
EARLY = [board for board in BOARDS if board.count(".") > 6]
WINS, BLOCKS, REST = list[tuple[str, str]](), list[tuple[str, str]](), list[tuple[str, str]]()
for _board in BOARDS[:1500]:
    for _player, _other in ("xo", "ox"):
        if _board.count(_player) <= _board.count(_other):  # the player to move
            _rule = (WINS if winning_points(_board, _player)
                     else BLOCKS if winning_points(_board, _other) else REST)
            _rule.append((_board, _player))


def _allowed(board: str, player: str) -> set[int]:
    empty = {point for point in range(9) if board[point] == "."}
    return (winning_points(board, player) or winning_points(board, "xo"[player == "x"])
            or ({4} & empty) or empty)


def _chooses(title: str, points: int, cases, hint: str):
    """A check of the point that is chosen; where several are allowed, any of them will do."""
    @check(title, points)
    def run(hand_in: HandIn) -> None:
        for board, player in (*cases, cases[0]):  # the first one again
            point = hand_in.call("choose", board, player)
            given = f"choose({board!r}, {player!r}) returned {short(point)}."
            require(not asked(point, 0), f"{given} {asked(point, 0)}")
            require(point in _allowed(board, player), f"{given} {hint}")

    return run


CHECKS = [
    agrees("A winning point completes a line with two own marks", winning_points,
           [(board, player) for board in BOARDS[:240] + EARLY[:12] for player in "xo"],
           "Check rows, columns and diagonals. Return a set of points.", points=3),
    _chooses("It wins when it can", 2, WINS[:120],
             "The player can win at once. Winning comes before blocking."),
    _chooses("It blocks when the opponent threatens to win", 2, BLOCKS[:120],
             "The opponent threatens to win."),
    _chooses("Else it takes the middle", 1,
             [turn for turn in REST if turn[0][4] == "."][:40], "Nobody can win at once."),
    _chooses("It only takes empty points", 2,
             [turn for turn in REST if turn[0][4] != "."][:90] + [*WINS[-30:], *BLOCKS[-30:]],
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
    "o does not block": ("winning_points(board, other), {4}",
                         'winning_points(board, other) if player == "x" else set(), {4}'),
    "the last point is taken unseen": ("        for point in sorted(points):\n",
                                       "        if len(empty) == 1:\n            return 8\n"
                                       "        for point in sorted(points):\n"),
    "points of an earlier board": ("    points = set()\n",
                                   '    points = globals().setdefault("points", set())\n'),
    "blocks when it need not": ("winning_points(board, other), {4})",
                                "winning_points(board, other), {0}, {4})"),
}
EQUIVALENT = {
    "marks[::-1].index('.')": "One point of the line is empty.",
    "enumerate(marks) if one == '.'": "The same.",
    "other = 'x' if player == 'o' else 'o'": "The same player.",
    '<= "."': "No mark sorts before the one of an empty point.",
    "count(player) >= 2": "One of the three points is empty.",
    'count(".") >= 1': "Two of the three points are taken.",
    'player >= "x"': "The other player sorts before x.",
    "empty[-1]": "Any empty point is allowed.",
}
### END HIDDEN TESTS
