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
from experiments.classroom.checks import agrees

EMPTY, A, B, C, D = ("..", ".."), ("b.", ".."), ("b.", ".w"), (".b", ".w"), (".b", "w.")
GAME = [(EMPTY, "b"), (A, "w"), (B, "b"), (C, "w")]
# After every move; a game has many more positions than the four of GAME.
_ROWS = ["b....", "bw...", "bw.b.", "bwwb.", ".wwb.", ".wwbb", "wwwbb"]
LONG = [((row, bottom), "bw"[n % 2]) for n, (bottom, row) in enumerate(
    (bottom, row) for bottom in (".....", "..b..") for row in _ROWS)]
LATER = ("b....", "..bb.")
CHECKS = [
    agrees("A new board is allowed by every rule", forbidden,
           [*((GAME, D, "b", rule) for rule in ("simple", "positional", "situational")),
            *(([(EMPTY, "b")], A, "w", rule) for rule in ("simple", "positional", "situational")),
            *((LONG, LATER, "b", rule) for rule in ("simple", "positional", "situational")),
            (GAME, ("bw", ".."), "b", "simple"),
            # The other answer must be given somewhere, or "always allowed" would earn this.
            (GAME, B, "b", "positional")],
           "Did this board occur before?"),
    agrees("Simple ko forbids restoring the board before the opponent's move", forbidden,
           [*((GAME, board, "b", "simple") for board in (B, A, C)),
            ([(B, "b"), (C, "w")], B, "b", "simple"),
            *((LONG, board, "b", "simple") for board, _ in LONG)],
           "Simple ko forbids recapturing at once. It does not look further back.", points=3),
    agrees("Simple ko ignores who is to move", forbidden,
           [(GAME, board, "w", "simple") for board in (B, A)], "Compare boards only."),
    agrees("Positional superko compares all boards and ignores who was to move", forbidden,
           [*((GAME, board, to_move, "positional") for board, _ in GAME for to_move in "bw"),
            (GAME, D, "w", "positional"), *((LONG, board, "b", "positional") for board, _ in LONG)],
           "Did this board occur?", points=3),
    agrees("Situational superko also compares who was to move", forbidden,
           [(game, board, to_move, "situational")
            for game in (GAME, LONG) for board, _ in game for to_move in "bw"],
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
    "superko needs several boards": ("return (after, to_move) in positions",
                                     "return (after, to_move) in positions[-12:]"),
}
EQUIVALENT = {
    "len(positions) != 1": "The list is never empty.",
    'rule <= "positional"': "Of the rules left, the other one sorts after it.",
}
### END HIDDEN TESTS
