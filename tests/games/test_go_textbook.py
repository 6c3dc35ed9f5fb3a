"""The rules of Go in diagrams, and the fast board against both textbook boards.

The diagrams state the rules as a Go player knows them, and all three boards must keep them:
`x` is black, `o` white, the lowest row is row 1. test_go_boards_agree.py then holds the boards to
the same stones, legal moves, turns, eyes, results and margins, move after move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dlgo import GameState, IllegalMoveError, Move, Player, Point, get_game
from dlgo.api import parse_point
from dlgo.games.go import kernel
from dlgo.games.go.board import is_eye
from dlgo.games.go.textbook import TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristState

AnyState = GameState | TextbookState
COLORS = {"x": Player.black, "o": Player.white}
NEW_GAME = {
    "fast": lambda size, komi=7.5: GameState.new_game(get_game("go", size=size, komi=komi)),
    "sets": TextbookState.new_game,
    "zobrist": ZobristState.new_game,
}
every_board = pytest.mark.parametrize("board", list(NEW_GAME))


def stones(state: AnyState) -> dict[Point, Player]:
    """Every occupied point and its colour."""
    if isinstance(state, TextbookState):
        board = state.board
        return {point: color for point in board.points() if (color := board.get(point))}
    color = state.kernel_state.color
    return {
        Point(*divmod(index, state.game.size + 2)): Player.from_index(color[index])
        for index in np.flatnonzero(color <= 1).tolist()
    }


def margin(state: AnyState) -> float:
    return state.margin() if isinstance(state, TextbookState) else state.game.margin(state)


def rows_of(diagram: str) -> list[str]:
    """The rows of a diagram (lines, or parts between slashes), the lowest first."""
    rows = diagram.replace("/", "\n").strip().splitlines()
    return ["".join(row.split()) for row in reversed(rows)]


def picture(state: AnyState, size: int) -> list[str]:
    there = stones(state)
    symbols = {None: ".", Player.black: "x", Player.white: "o"}
    lines = range(1, size + 1)
    return ["".join(symbols[there.get(Point(row, col))] for col in lines) for row in lines]


def play(state: AnyState, moves: str, size: int) -> AnyState:
    for text in moves.split():
        state = state.apply_move(move_of(text, size))
    return state


def move_of(text: str, size: int) -> Move:
    return Move.pass_turn() if text == "pass" else Move.play(parse_point(text, size, size))


def set_up(board: str, diagram: str, turn: str, komi: float = 7.5) -> AnyState:
    """A game that came to the diagram by putting down its stones one after the other.

    Who has none left passes; one more pass, if needed, gives the turn to `turn`. No order
    captures anything: a complete string has the liberties of the diagram, an incomplete one
    has its missing points.
    """
    rows = rows_of(diagram)
    state = NEW_GAME[board](len(rows), komi)
    left = {
        player: [Point(row, col) for row, line in enumerate(rows, 1)
                 for col, symbol in enumerate(line, 1) if COLORS.get(symbol) is player]
        for player in Player
    }
    while any(left.values()):
        mine = left[state.next_player]
        state = state.apply_move(Move.play(mine.pop()) if mine else Move.pass_turn())
    assert picture(state, len(rows)) == rows
    if state.next_player is not COLORS[turn]:
        state = state.apply_move(Move.pass_turn())
    return state


@dataclass
class Rule:
    """From a diagram with `turn` to move, `moves` lead to `after`.

    Then the points of `legal` may be played, those of `illegal` may not.
    """

    name: str
    before: str
    turn: str
    moves: str = ""
    after: str = ""
    legal: str = ""
    illegal: str = ""


BLACK_AROUND_A1 = ". . . / x . . / . x ."
NO_ROOM = """
    . . . .
    x x x .
    o o x .
    . o x ."""
KO = """
    . x o . .
    x o . o .
    . x o . .
    . . . . .
    . . . . ."""
# White sends a second stone to C1, Black takes both from A1, White takes one back from B1:
# the stones stand as before, but now with Black to move.
SEND_TWO = """
    . . . . x
    . . . . .
    o . . . .
    o x x . .
    . o . x ."""
TRIPLE_KO = """
    x o . o . . . . .
    . x o . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . x o . . . x o .
    x o . o . x . x o"""

RULES = [
    Rule("one stone is captured",
         ". x . / x o . / . x .", "x", "C2", ". x . / x . x / . x ."),
    Rule("in the corner two stones suffice",
         "o x . / . . . / . . .", "x", "A2", ". x . / x . . / . . ."),
    Rule("a string is captured as a whole", """
        . x x .
        x o o .
        . x o .
        . . x .""", "x", "D3 pass D2", """
        . x x .
        x . . x
        . x . x
        . . x ."""),
    Rule("one play can capture several strings",
         "o . o x / x . x . / . . . . / . . . .", "x",
         "B4", ". x . x / x . x . / . . . . / . . . ."),
    Rule("a stone needs a liberty", BLACK_AROUND_A1, "o", illegal="A1", legal="C3 pass"),
    Rule("where the opponent may not play, the owner may", BLACK_AROUND_A1, "x", legal="A1"),
    Rule("a string needs a liberty: no self-capture of many stones", NO_ROOM, "o", illegal="A1"),
    Rule("captures come first: the same point, where it captures",
         NO_ROOM, "x", "A1", ". . . . / x x x . / . . x . / x . x ."),
    Rule("snapback: taking more stones at the same point is not a ko", """
        . . . . .
        . . . . .
        x x x . .
        o o o x .
        . . o x .""", "x", "B1 A1 B1", """
        . . . . .
        . . . . .
        x x x . .
        . . . x .
        . x . x ."""),
    Rule("ko: the stone may not be retaken at once", KO, "x", "C4", """
        . x o . .
        x . x o .
        . x o . .
        . . . . .
        . . . . .""", illegal="B4"),
    Rule("ko: after an exchange elsewhere it may", KO, "x", "C4 E1 E2", legal="B4"),
    Rule("ko: a pass and an answer are an exchange too", KO, "x", "C4 pass E2", legal="B4"),
    Rule("ko: and then the other side has to wait", KO, "x", "C4 E1 E2 B4", illegal="C4"),
    Rule("superko is situational: the same stones with the other player to move are new",
         SEND_TWO, "o", "C1 A1 B1", SEND_TWO, legal="C1"),
    Rule("passes are exempt from superko, the play after them is not",
         SEND_TWO, "o", "C1 A1 B1 pass", SEND_TWO, illegal="C1", legal="pass"),
    Rule("superko: forbidden if the diagram has been there with Black to move",
         SEND_TWO.replace("x\n", ".\n", 1), "o", "C1 A1", illegal="B1"),
    Rule("superko: triple ko, the sixth capture would close the circle",
         TRIPLE_KO, "x", "C1 G1 C9 B1 H1", illegal="B9"),
    Rule("superko: a triple ko goes on after an exchange elsewhere",
         TRIPLE_KO, "x", "C1 G1 C9 B1 H1 E5 E4", legal="B9"),
    Rule("no play on a stone of either colour",
         "x . . / . o . / . . .", "x", illegal="A3 B2", legal="A1"),
]


@every_board
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_rule(rule: Rule, board: str) -> None:
    size = len(rows_of(rule.before))
    state = play(set_up(board, rule.before, rule.turn), rule.moves, size)
    if rule.after:
        assert picture(state, size) == rows_of(rule.after)
    for text in rule.legal.split():
        assert state.is_valid_move(move_of(text, size)), text
    for text in rule.illegal.split():
        assert not state.is_valid_move(move_of(text, size)), text
        with pytest.raises(IllegalMoveError):
            state.apply_move(move_of(text, size))
    listed = set(state.legal_moves())
    assert {move_of(text, size) for text in rule.legal.split()} <= listed
    assert not {move_of(text, size) for text in rule.illegal.split()} & listed


@every_board
def test_a_game_ends_by_two_passes_or_a_resignation(board: str) -> None:
    state = play(NEW_GAME[board](5), "C3 pass D4 pass", 5)
    assert not state.is_over() and state.winner() is None
    ended = play(state, "pass", 5)
    assert ended.is_over() and ended.winner() is Player.black  # 25 points against 7.5
    assert ended.legal_moves() == [] and not ended.is_valid_move(Move.pass_turn())
    assert play(NEW_GAME[board](5, 25.0), "C3 pass pass", 5).winner() is None  # a draw
    resigned = state.apply_move(Move.resign())
    assert resigned.is_over() and resigned.winner() is state.next_player.other
    assert not state.is_valid_move(Move.play(Point(0, 3)))
    assert not state.is_valid_move(Move.play(Point(3, 6)))


# Black's eyes by the strict definition are marked with `*`.
EYES = {
    "corner": "* x . / x x . / . . .",
    "corner, diagonal empty": ". x . / x . . / . . .",
    "corner, diagonal white": ". x . / x o . / . . .",
    "edge": "x * x . / x x x . / . . . . / . . . .",
    "edge, one diagonal missing": "x . x . / x x o . / . . . . / . . . .",
    "middle": "x x x . / x * x . / x x x . / . . . .",
    "middle, one diagonal white": "x x o . / x * x . / x x x . / . . . .",
    "middle, two diagonals missing": "x x . . / x . x . / o x x . / . . . .",
    "a neighbour missing": "x x x . / x . . . / x x x . / . . . .",
    "White's": "o o o . / o . o . / o o o . / . . . .",
    "two eyes in the corner": "* x * x / x x x x / . . . . / . . . .",
    "a string with two eyes": ". x x x x / . x * x * / . x x x x / . . . o o / . . . o .",
}


@pytest.mark.parametrize("name", EYES)
def test_eyes(name: str) -> None:
    marks = rows_of(EYES[name])
    size = len(marks)
    book, fast = (set_up(board, EYES[name].replace("*", "."), "x") for board in ("sets", "fast"))
    for row, line in enumerate(marks, 1):
        for col, mark in enumerate(line, 1):
            assert is_point_an_eye(book.board, Point(row, col), Player.black) == (mark == "*")
            point = kernel.point_of(size, (row - 1) * size + col - 1)
            assert mark in "xo" or is_eye(fast.kernel_state, point, 0) == (mark == "*")


# The numbers of the book's counting example (chapter 2.2.3): Black has 27 stones and 12 points
# of territory, White 25 and 17. Its figure is not in the text; this position has its numbers.
COUNTED = """
    . x x x o o o . .
    . x x x o o o . .
    . x x x o o o . .
    . x x x o o o . .
    . x x x o o o . .
    . x x x o o o . .
    . . x x x o o . .
    . . x x x o o . .
    . . x x x o o o ."""


@every_board
def test_area_counting(board: str) -> None:
    state = set_up(board, COUNTED, "o")
    there = list(stones(state).values())
    assert (there.count(Player.black), there.count(Player.white)) == (27, 25)
    assert margin(state) == (12 + 27) - (17 + 25 + 7.5) == -10.5
    assert play(state, "pass pass", 9).winner() is Player.white
    # A region that touches both colours is nobody's, here B1; an empty board is nobody's too.
    assert margin(set_up(board, ". x o / . x o / x . o", "x", 0)) == 5 - 3
    assert margin(NEW_GAME[board](9, 0.5)) == -0.5
