"""Notation of draughts: square numbers, moves, whole turns, positions (FEN).

A `Move` of the game is one step or jump, `11-15` or `11x18`. People write a turn: all jumps
of a multiple capture in one, `11x18x25`, often only its ends, `11x25`. The rules are in
`kernel.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from dlgo.api import GameState, Move, Player, Point
from dlgo.bits import int64
from dlgo.errors import IllegalMoveError, NotationError
from dlgo.games.draughts import board, kernel

# Row and column change of the kernel's directions; rows count down from black's side.
_STEPS = ((1, -1), (1, 1), (-1, -1), (-1, 1))

# Moves since the last capture, and the number of the next move, at the end of a position.
FEN_COUNTERS = re.compile(r"(\s*:\s*[HF]\d+)+\s*\.?\s*$", re.IGNORECASE)
START_FEN = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


def square_place(number: int) -> tuple[int, int]:
    """Row (0 is black's back row) and column (0 is the left one) of a square 1-32."""
    row, place = divmod(number - 1, 4)
    return row, 2 * place + (row + 1) % 2


def square_number(row: int, col: int) -> int | None:
    """The square at a row and column, both from 0; None if it is a light one or off the board."""
    if not (0 <= row < 8 and 0 <= col < 8) or (row + col) % 2 == 0:
        return None
    return 4 * row + col // 2 + 1


def point_of(number: int) -> Point:
    """The point of a square 1-32; row 1 is White's back row."""
    row, col = square_place(number)
    return Point(8 - row, col + 1)


def number_at(point: Point) -> int | None:
    """The square on a point; None if it is a light one or off the board."""
    return square_number(8 - point.row, point.col - 1)


def _all_places() -> Iterator[tuple[int, tuple[int, int]]]:
    for jump in (0, 1):
        for start in range(1, board.SQUARES + 1):
            row, col = square_place(start)
            for direction, (down, right) in enumerate(_STEPS):
                end = square_number(row + (1 + jump) * down, col + (1 + jump) * right)
                if end is not None:
                    yield kernel.JUMP * jump + 4 * (start - 1) + direction, (start, end)


# Action of the kernel -> (from, to), for the 98 steps and 72 jumps that stay on the board.
PLACES = dict(_all_places())
ACTIONS = {place: action for action, place in PLACES.items()}


def squares_of(move: Move) -> tuple[int, int] | None:
    """The squares of a step or a jump, from and to, on the board or not; None for other moves."""
    match move.place:
        case (int() as start, int() as end) if move.is_play and {type(start), type(end)} == {int}:
            return start, end
    return None


def is_jump(move: Move) -> bool:
    """Whether a move is a jump rather than a step."""
    squares = squares_of(move)
    return squares is not None and ACTIONS.get(squares, 0) >= kernel.JUMP


def path_text(path: list[int], jump: bool) -> str:
    """The squares of a turn as text: `11-15`, `11x18x25`."""
    return ("x" if jump else "-").join(map(str, path))


def read_squares(text: str) -> list[int]:
    """The squares, 1-32, of `11-15`, `11x18x25` or `11x25` (`-`, `x`, `:`); else NotationError."""
    text = text.strip()
    if not re.fullmatch(r"\d{1,2}( ?[-xX:] ?\d{1,2})+", text, re.ASCII):
        raise NotationError(f"{text!r} is not a move: write two squares, such as 11-15 or 11x18")
    numbers = [int(part) for part in re.findall(r"\d+", text)]
    for number in numbers:
        if not 1 <= number <= board.SQUARES:
            raise NotationError(f"{text!r}: there is no square {number}, they are numbered 1-32")
    return numbers


def turns(state: GameState) -> Iterator[list[Move]]:
    """Every whole turn from here: one step, or all the jumps of a capture."""
    player = state.next_player
    for move in state.legal_moves():
        successor = state.apply_move(move)
        if successor.next_player is player:  # it must go on jumping
            for jumps in turns(successor):
                yield [move, *jumps]
        else:
            yield [move]


def path_of(moves: list[Move]) -> list[int]:
    """The squares a turn touches, from the first to the last."""
    squares = [pair for move in moves if (pair := squares_of(move))]
    return [squares[0][0], *(end for _, end in squares)]


def parse_turn(state: GameState, text: str) -> list[Move]:
    """The legal moves that `text` denotes: a whole turn, or the first jumps of one.

    Intermediate squares may be left out (`11x25` for `11x18x25`) as long as only one capture
    fits; if several fit and take the same pieces, one of them is chosen.

    Raises:
        IllegalMoveError: if it is not legal here.
        NotationError: if the text is not a move, or ambiguous.
    """
    squares = read_squares(text)
    all_turns = list(turns(state))
    for moves in all_turns:
        if path_of(moves) == squares:
            return moves
    short = [moves for moves in all_turns if _leaves_out(squares, path_of(moves))]
    if short:
        outcomes = {_outcome(state, moves) for moves in short}
        if len(outcomes) == 1:
            return short[0]
        choices = ", ".join(path_text(path_of(moves), True) for moves in short)
        raise NotationError(f"{text.strip()!r} is ambiguous: write one of {choices}")
    for moves in all_turns:
        if path_of(moves)[: len(squares)] == squares:
            return moves[: len(squares) - 1]
    reason = _why_no_turn(state, squares, all_turns)
    raise IllegalMoveError(f"{text.strip()!r} is illegal: {reason}", reason)


def _leaves_out(short: list[int], path: list[int]) -> bool:
    """Whether `short` is a path with the same ends and some of the squares between."""
    squares = iter(path)
    return (short[0], short[-1]) == (path[0], path[-1]) and all(s in squares for s in short)


def _outcome(state: GameState, moves: list[Move]) -> int:
    for move in moves:
        state = state.apply_move(move)
    return state.key()


def _why_no_turn(state: GameState, squares: list[int], all_turns: list[list[Move]]) -> str:
    if state.is_over():
        return "the game is over"
    first = Move.play((squares[0], squares[1]))
    if is_jump(all_turns[0][0]) and (len(squares) > 2 or first.place not in ACTIONS):
        return f"the captures are {', '.join(path_text(path_of(m), True) for m in all_turns)}"
    if state.is_valid_move(first):
        return f"after {squares[0]}-{squares[1]} the turn passes"
    return state.game.why_illegal(state, first)


def turn_texts(moves: list[Move]) -> list[str]:
    """The moves of a game as turns: the jumps of one capture become one text, `11x18x25`."""
    texts = []
    path: list[int] = []
    for move, following in zip_longest(moves, moves[1:]):
        squares = squares_of(move)
        if squares is None:
            texts.append(move.kind)
            continue
        path = path or [squares[0]]
        path.append(squares[1])
        # The opponent cannot move from the square just reached: it is the same piece.
        next_squares = following and squares_of(following)
        if not (next_squares and next_squares[0] == path[-1]):
            texts.append(path_text(path, is_jump(move)))
            path = []
    return texts


def parse_fen(text: str) -> board.DraughtsState:
    """The position of `B:W18,24,K27:B1,5-8`: the side to move, then each side's pieces.

    K marks a king, a range means all its squares, the sides are in either order. Counters at the
    end, `:H0:F1`, are ignored; the side to move may be repeated there. Raises NotationError for
    other text, and for an impossible position.
    """
    def fail(reason: str) -> NotationError:
        return NotationError(f"position {text.strip()!r}: {reason}")

    counted = FEN_COUNTERS.sub("", text)
    parts = re.sub(r"\s", "", counted).upper().removesuffix(".").split(":")
    if len(parts) == 4 and parts[0] == parts[1]:
        del parts[0]
    if len(parts) != 3 or parts[0] not in ("B", "W") or {p[:1] for p in parts[1:]} != {"B", "W"}:
        raise fail("write the side to move and both sides' squares, such as B:W21,K30:B1,2")
    pieces = {"B": 0, "W": 0}
    kings = 0
    for part in parts[1:]:
        for item in filter(None, part[1:].split(",")):
            match = re.fullmatch(r"(K?)(\d{1,2})(?:-(\d{1,2}))?", item, re.ASCII)
            if match is None:
                raise fail(f"{item!r} is not a square")
            first, last = int(match[2]), int(match[3] or match[2])
            if not 1 <= first <= last <= board.SQUARES:
                raise fail(f"{item!r} is not within 1-32")
            for number in range(first, last + 1):
                bit = board.bit_of(number)
                if (pieces["B"] | pieces["W"]) & bit:
                    raise fail(f"square {number} is given twice")
                if not match[1] and bit & (board.CROWN_BLACK, board.CROWN_WHITE)[part[0] == "W"]:
                    raise fail(f"the man on {number} would have been crowned: write K{number}")
                pieces[part[0]] |= bit
                kings |= bit if match[1] else 0
    state = board.new_state()
    turn = Player.black if parts[0] == "B" else Player.white
    kernel.set_position(state, *map(int64, (pieces["B"], pieces["W"], kings, turn.index)))
    return state


def fen_text(state: board.DraughtsState) -> str:
    """The position as `parse_fen` reads it.

    Raises ValueError in the middle of a capture, which the notation cannot express.
    """
    words = state.words
    if words[board.JUMPER]:
        raise ValueError("a position in the middle of a capture has no FEN")
    sides = []
    for letter, pieces in (("W", words[board.WHITE]), ("B", words[board.BLACK])):
        numbers = (n for n in range(1, board.SQUARES + 1) if pieces & board.bit_of(n))
        names = (f"{'K' if words[board.KINGS] & board.bit_of(n) else ''}{n}" for n in numbers)
        sides.append(letter + ",".join(names))
    return f"{'BW'[words[board.TURN]]}:{':'.join(sides)}"
