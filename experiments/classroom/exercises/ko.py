"""Ko and superko (chapter 2).

A game must not go round in circles, and there are three rules against it. All of them look at the
positions that the game has had: a list, the first one first, the present one last. Each is a pair
(board, colour to move): the board as a tuple of rows, the colour "b" or "w".

* simple ko: the board after the move must not be the board before the opponent's last move, which
  is the last but one of the list;
* positional superko: the board after the move must not be any board of the game;
* situational superko: the board after the move must not be any board of the game at which the SAME
  player was to move.
"""

from __future__ import annotations


def forbidden(
    positions: list[tuple[tuple[str, ...], str]], after: tuple[str, ...], to_move: str, rule: str
) -> bool:
    """Whether a rule forbids the move that leads to the board `after`, where `to_move` is next.

    Args:
        rule: "simple", "positional" or "situational".
    """
    ### BEGIN SOLUTION
    if rule == "simple":
        return len(positions) > 1 and positions[-2][0] == after
    if rule == "positional":
        return any(board == after for board, _ in positions)
    return (after, to_move) in positions
    ### END SOLUTION


### BEGIN HIDDEN TESTS
from experiments.classroom.checks import HandIn, check, require

EMPTY, A, B, C, D = ("..", ".."), ("b.", ".."), ("b.", ".w"), (".b", ".w"), (".b", "w.")
GAME = [(EMPTY, "b"), (A, "w"), (B, "b"), (C, "w")]


def _ask(hand_in: HandIn, positions, after, to_move: str, rule: str, wanted: bool, hint: str):
    answer = hand_in.call("forbidden", positions, after, to_move, rule)
    require(answer is wanted, f"forbidden({positions}, {after}, {to_move!r}, {rule!r}) returned "
                              f"{answer!r}. {hint}")


@check("A new board is allowed by every rule")
def new(hand_in: HandIn) -> None:
    for rule in ("simple", "positional", "situational"):
        _ask(hand_in, GAME, D, "b", rule, False, "The board D has not been there.")
        _ask(hand_in, [(EMPTY, "b")], A, "w", rule, False, "It is the first move of the game.")
    # The other answer must be given somewhere, or "always allowed" would earn this.
    _ask(hand_in, GAME, B, "b", "positional", True, "And this board has been there.")


@check("Simple ko forbids to restore the board before the opponent's move", points=3)
def simple(hand_in: HandIn) -> None:
    _ask(hand_in, GAME, B, "b", "simple", True, "Take-back at once is what simple ko forbids.")
    _ask(hand_in, GAME, A, "b", "simple", False, "Simple ko looks back no further.")
    _ask(hand_in, GAME, C, "b", "simple", False, "Which board was before the opponent's move?")


@check("Simple ko does not mind who is to move")
def simple_turn(hand_in: HandIn) -> None:
    _ask(hand_in, GAME, B, "w", "simple", True, "Only boards are compared.")
    _ask(hand_in, GAME, A, "w", "simple", False, "Simple ko looks back no further.")


@check("Positional superko looks at all boards of the game, whoever was to move", points=3)
def positional(hand_in: HandIn) -> None:
    for board, _ in GAME:
        for to_move in "bw":
            _ask(hand_in, GAME, board, to_move, "positional", True, "This board was there.")
    _ask(hand_in, GAME, D, "w", "positional", False, "This board was not there.")


@check("Situational superko asks who was to move, too", points=2)
def situational(hand_in: HandIn) -> None:
    for board, color in GAME:
        _ask(hand_in, GAME, board, color, "situational", True, "The same player was to move.")
        _ask(hand_in, GAME, board, "w" if color == "b" else "b", "situational", False,
             "The board was there, but the other player was to move.")


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
}
### END HIDDEN TESTS
