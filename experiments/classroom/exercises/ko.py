"""Ko and superko (chapter 2).

A game must not repeat itself forever. Three rules prevent this. They use the list of all positions
of the game, from the first to the present one. A position is a pair (board, colour to move): the
board is a tuple of rows, the colour "b" or "w".

* simple ko: the board after the move must not be the board before the opponent's last move, the
  second-last in the list;
* positional superko: the board after the move must not be any board of the game;
* situational superko: the board after the move must not be any board of the game with the SAME
  player to move.
"""

from __future__ import annotations


def forbidden(
    positions: list[tuple[tuple[str, ...], str]], after: tuple[str, ...], to_move: str, rule: str
) -> bool:
    """Whether a rule forbids the move that leads to the board `after`, where `to_move` is next.

    Args:
        rule: "simple", "positional" or "situational".

    >>> game = [(("..",), "b"), (("b.",), "w"), ((".w",), "b")]
    >>> forbidden(game, ("b.",), "w", "simple")
    True
    >>> forbidden(game, ("..",), "w", "positional")
    True
    >>> forbidden(game, ("..",), "w", "situational")
    False
    """
    ### BEGIN SOLUTION
    if rule == "simple":
        return len(positions) > 1 and positions[-2][0] == after
    if rule == "positional":
        return any(board == after for board, _ in positions)
    return (after, to_move) in positions
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random
from collections.abc import Iterator

import numpy as np

from experiments.classroom.checks import agrees
from experiments.classroom.exercises.captures import play
from experiments.classroom.exercises.liberties import random_board

_random = random.Random(4)
# Black holds the first ko, white the second one. Where there are several, players can capture in
# them for long without a repetition.
_KO, _KO_OF_WHITE = [".bw.", "b.bw", ".bw."], [".bw.", "bw.w", ".bw."]


def _game(board: list[str], rule: str) -> Iterator[tuple]:
    """A random game that obeys a rule: the arguments for each move that a player could make; on
    boards with kos, only for moves that capture a stone in one."""
    color, rows, columns = _random.choice("bw"), len(board), len(board[0])
    kos = columns > 9
    points = [(1, col) for col in range(columns)] if kos else [*np.ndindex(rows, columns)]
    positions = [(tuple(board), color)]
    for _ in range(60):
        color, board = "bw"[color == "b"], list(positions[-1][0])
        moves = [play(board, positions[-1][1], point) for point in points]
        boards = [tuple(after) for after in moves
                  if after and not (kos and _empty_points(after) < _empty_points(board))]
        yield from ((positions[:], after, color, rule) for after in boards)
        if rule == "situational" and not kos:
            boards.append(tuple(board))  # a pass
        allowed = [after for after in boards if not forbidden(positions, after, color, rule)]
        if not allowed:
            return
        positions.append((_random.choice(allowed), color))


def _empty_points(board: list[str]) -> int:
    return "".join(board).count(".")


def _moves(rule: str) -> list[tuple]:
    """Moves of many games, on small boards, where boards come back often, and on one with kos."""
    boards = [random_board(_random, *size, "bw..") for _ in range(12)
              for size in ((1, 5), (1, 6), (2, 2), (2, 3), (3, 2), (3, 3))]
    kos = [row * 3 + other * 4 for row, other in zip(_KO, _KO_OF_WHITE, strict=True)]
    return [move for board in [*boards, *[kos] * 8] for move in _game(board, rule)]


def _earlier(move: tuple) -> tuple[int, ...]:
    """The positions with the board after the move, by their numbers; the last one is -1."""
    positions, after, *_ = move
    return tuple(n - len(positions) for n, (board, _) in enumerate(positions) if board == after)


def _plies(move: tuple) -> int:
    return len(move[0])


def _new(moves: list[tuple]) -> list[tuple]:
    """A few moves that lead to a new board."""
    return [move for move in moves if not _earlier(move)][::len(moves) // 12]


def _old(moves: list[tuple]) -> list[tuple]:
    """Moves that lead to an earlier board, those of short games first: one for each player and
    place in the list."""
    found = {}
    for move in moves:
        earlier, ply = _earlier(move), _plies(move)
        if earlier:  # also that at the first and at the second move
            found[earlier, move[2], ply == 2, ply == -earlier[0]] = move
    return sorted(found.values(), key=_plies)


def _asked_by(rule: str, moves: list[tuple]) -> list[tuple]:
    """Moves of games that obey positional superko, and so the other rules, by another rule."""
    return [(*move[:3], rule) for move in moves]


SIMPLE, POSITIONAL, SITUATIONAL = map(_moves, ("simple", "positional", "situational"))
CHECKS = [
    agrees("A new board is allowed by every rule", forbidden,
           [*_new(SIMPLE), *_new(POSITIONAL), *_new(SITUATIONAL),
            *_asked_by("simple", _new(POSITIONAL)), *_asked_by("situational", _new(POSITIONAL)),
            *(move for moves in (SIMPLE, POSITIONAL, SITUATIONAL)
              for move in [move for move in moves if _plies(move) == 1][:9:2]),
            # The other answer must be given somewhere, or "always allowed" would earn this.
            _old(POSITIONAL)[0]],
           "Did this board occur before?"),
    agrees("Simple ko forbids restoring the board before the opponent's move", forbidden,
           [*sorted((move for move in SIMPLE if -2 in _earlier(move)), key=_plies)[:40:2],
            *[move for move in SIMPLE if _plies(move) < 3][:20]],
           "Compare with the second-last board of the list.", points=3),
    agrees("Simple ko allows boards from longer ago", forbidden,
           [*_old(SIMPLE)[::4], *_asked_by("simple", _old(POSITIONAL))],
           "Simple ko forbids recapturing at once. It does not look further back."),
    agrees("Positional superko compares all boards and ignores who was to move", forbidden,
           [*_old(POSITIONAL), *_new(POSITIONAL)], "Did this board occur?", points=3),
    agrees("Situational superko also compares who was to move", forbidden,
           [*_old(SITUATIONAL), *_new(SITUATIONAL),
            *_asked_by("situational", _old(POSITIONAL))],
           "Did the board occur with the same player to move?", points=2),
]
PLANTED = {
    "one ply too few": ("positions[-2][0]", "positions[-1][0]"),
    "simple ko looks at all": ("positions[-2][0] == after",
                               "after in [board for board, _ in positions]"),
    "positional leaves out the start": ("for board, _ in positions)",
                                        "for board, _ in positions[1:])"),
    "situational is positional": ("return (after, to_move) in positions",
                                  "return after in [board for board, _ in positions]"),
    "the wrong player": ("return (after, to_move) in positions",
                         'return (after, "bw"[to_move == "b"]) in positions'),
    "only the last boards": ("return any(board == after for board, _ in positions)",
                             "return any(board == after for board, _ in positions[-8:])"),
    "the list changes": ('    if rule == "positional":',
                         '    positions.reverse()\n    if rule == "positional":'),
    "simple ko for black": ("return len(positions) > 1 and",
                            'return to_move == "w" and len(positions) > 1 and'),
    "simple ko after the first moves": ("len(positions) > 1 and", "len(positions) > 2 and"),
    "one row": ("board == after for", "board[-1] == after[-1] for"),
    "the last player of each board": ("return (after, to_move) in positions",
                                      "return dict(positions).get(after) == to_move"),
    "the first player of each board": ("return (after, to_move) in positions",
                                       "return dict(positions[::-1]).get(after) == to_move"),
    "a list grows": ("    return (after, to_move) in positions\n",
                     '    seen = globals().setdefault("seen", set())\n    seen.update(positions)\n'
                     "    return (after, to_move) in seen\n"),
    "superko needs several boards": ("return (after, to_move) in positions",
                                     "return (after, to_move) in positions[-12:]"),
}
EQUIVALENT = {
    "remembered by positions and after and rule": "Players alternate; positions say who is next.",
    "len(positions) != 1": "The list is never empty.",
    'rule <= "positional"': "Of the rules left, the other one sorts after it.",
}
### END HIDDEN TESTS
