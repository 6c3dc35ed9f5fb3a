"""The planes of every encoder once more, slowly, in plain Python, from their definitions.

Nothing here asks the compiled rules: a game is played again from its moves, on dictionaries of
cells for most games and on the textbook board of chapter 3 for Go.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dlgo import GameState, Player, Point
from dlgo.games.go.textbook import Board, GoString, TextbookState, is_point_an_eye

Pieces = dict[Point, tuple[Player, int]]  # who stands where, and of which kind


# Any game ------------------------------------------------------------------------------------


def boards(state: GameState) -> list[Pieces]:
    """What stood where after every ply, the newest first."""
    name = state.game.name
    if name == "go":
        positions = [stones_of(position.board) for position in textbook_line(state)]
    elif name == "draughts":
        positions = list(_draughts_boards(state))
    else:
        positions = list(_row_boards(state))
    return positions[::-1]


def _row_boards(state: GameState) -> Iterator[Pieces]:
    pieces: Pieces = {}
    player = Player.black
    yield dict(pieces)
    for move in state.moves():
        if move.place == "swap":
            pieces = dict.fromkeys(pieces, (player, 0))
        else:
            point = move.point
            if point is None:  # a column: the stone falls
                height = sum(other.col == move.place for other in pieces)
                point = Point(height + 1, move.place)
            pieces[point] = (player, 0)
        player = player.other
        yield dict(pieces)


def square_point(number: int) -> Point:
    """The cell of a square 1-32: black's side on top, and 1 is the second cell of that row."""
    down, place = divmod(number - 1, 4)
    return Point(8 - down, 2 * place + (2 if down % 2 == 0 else 1))


def _draughts_boards(state: GameState) -> Iterator[Pieces]:
    pieces: Pieces = {square_point(n): (Player.black, 0) for n in range(1, 13)}
    pieces |= {square_point(n): (Player.white, 0) for n in range(21, 33)}
    yield dict(pieces)
    for move in state.moves():
        start, end = (square_point(number) for number in move.place)
        player, kind = pieces.pop(start)
        if abs(start.row - end.row) == 2:
            del pieces[Point((start.row + end.row) // 2, (start.col + end.col) // 2)]
        crowned = end.row == (1 if player is Player.black else 8)
        pieces[end] = (player, 1 if crowned else kind)
        yield dict(pieces)


def generic_planes(name: str, state: GameState) -> np.ndarray:
    """`oneplane`, `threeplane`, `zero`, and `planes` as far as pieces and colour go."""
    game, player = state.game, state.next_player
    kinds = 2 if game.name == "draughts" else 1
    found = boards(state)
    depth = {"oneplane": 1, "threeplane": 3, "planes": 2 * kinds + 1, "zero": 16 * kinds + 1}[name]
    out = np.zeros((game.board_rows, game.board_cols, depth), np.float32)
    if name == "threeplane":
        out[:, :, 2] = 1
    for ago, pieces in enumerate(found[:8] if name == "zero" else found[:1]):
        for (row, col), (owner, kind) in pieces.items():
            cell = out[row - 1, col - 1]
            other = int(owner is not player)
            if name == "oneplane":
                cell[0] = (1 + kind) * (-1 if other else 1)
            elif name == "threeplane":
                cell[other], cell[2] = 1, 0
            else:
                cell[2 * kinds * ago + kinds * other + kind] = 1
    if name in ("planes", "zero"):
        out[:, :, -1] = player is Player.black
    return out


# Go ------------------------------------------------------------------------------------------


def textbook_line(state: GameState) -> list[TextbookState]:
    """The textbook's states of the whole game, the start first."""
    start, _ = state.history()
    board = Board(state.game.size)
    for point in board.points():
        if (player := start.game.cell(start, *point)) is not None:
            board.place_stone(player, point)
    line = [TextbookState(board, start.next_player, state.game.komi)]
    for move in state.moves():
        line.append(line[-1].apply_move(move))
    return line


def stones_of(board: Board) -> Pieces:
    """The stones of a board, all of one kind."""
    return {p: (player, 0) for p in board.points() if (player := board.get(p)) is not None}


def forbidden_by_ko(state: TextbookState, point: Point) -> bool:
    """Whether a play would stand with liberties, but repeats a situation."""
    if state.board.get(point) is not None:
        return False
    after = played(state.board, state.next_player, point)
    return after is not None and after.situation(state.next_player.other) in state.situations


def played(board: Board, player: Player, point: Point) -> Board | None:
    """The board after a play on an empty point, or None for self-capture."""
    if board.get(point) is not None:
        return None
    after = board.copy()
    after.place_stone(player, point)
    return after if after.get_go_string(point).liberties else None


def liberty_planes(name: str, state: GameState) -> np.ndarray:
    """`sevenplane`, `simple` and `zero11`."""
    position = textbook_line(state)[-1]
    board, player = position.board, position.next_player
    first = Player.black if name == "simple" else player
    most = 3 if name == "sevenplane" else 4
    out = np.zeros((board.size, board.size, 7 if name == "sevenplane" else 11), np.float32)
    for point in board.points():
        cell = out[point.row - 1, point.col - 1]
        string = board.get_go_string(point)
        if string is not None:
            liberties = min(most, len(string.liberties))
            cell[(0 if string.color is first else most) + liberties - 1] = 1
        cell[-1] = forbidden_by_ko(position, point)
    if name == "simple":
        out[:, :, 8], out[:, :, 9] = player is Player.black, player is Player.white
    if name == "zero11":
        out[:, :, 8], out[:, :, 9] = player is Player.white, player is Player.black
    return out


def alphago_planes(state: GameState) -> np.ndarray:
    """The 49 planes in the order of table 13.1 of the book."""
    line = textbook_line(state)
    position = line[-1]
    board, player = position.board, position.next_player
    out = np.zeros((board.size, board.size, 49), np.float32)
    out[:, :, 3] = 1
    out[:, :, 48] = player is Player.black
    for point in board.points():
        cell = out[point.row - 1, point.col - 1]
        string = board.get_go_string(point)
        if string is not None:
            cell[0 if string.color is player else 1] = 1
            cell[6 + _age(line, point) - 1] = 1
            cell[14 + min(8, len(string.liberties)) - 1] = 1
            continue
        cell[2] = 1
        after = played(board, player, point)
        if after is None or forbidden_by_ko(position, point):
            continue
        cell[5] = not is_point_an_eye(board, point, player)
        mine = after.get_go_string(point)
        cell[22 + min(8, len(mine.liberties)) - 1] = 1
        n_others = [sum(o is not player for o, _ in stones_of(b).values()) for b in (board, after)]
        if captured := n_others[0] - n_others[1]:
            cell[30 + min(8, captured) - 1] = 1
        if len(mine.liberties) == 1:
            cell[38 + min(8, len(mine.stones)) - 1] = 1
        cell[46] = any(
            captured_in_ladder(after, board, prey, player.other)
            for prey in _strings(board, player.other)
            if len(prey.liberties) == 2 and point in prey.liberties
        )
        cell[47] = any(
            not captured_in_ladder(after, board, prey, player.other)
            for prey in _strings(board, player) if len(prey.liberties) == 1
        )
    return out


def _age(line: list[TextbookState], point: Point) -> int:
    color = line[-1].board.get(point)
    for ago, position in enumerate(reversed(line)):
        if position.board.get(point) is not color:
            return min(ago, 8)
    return 8


def _strings(board: Board, player: Player) -> set[GoString]:
    strings = (board.get_go_string(point) for point in board.points())
    return {string for string in strings if string is not None and string.color is player}


def captured_in_ladder(board: Board, before: Board, prey: GoString, mover: Player) -> bool:
    """Whether a string falls if its attacker does nothing but give atari.

    Args:
        board: the position. before: the one before the last move, which ko forbids to repeat.
        prey: the string as it once was; one of its stones names it.
        mover: whose turn it is.
    """
    stone = min(prey.stones)
    string = board.get_go_string(stone)
    if string is None or string.color is not prey.color:
        return True
    liberties = len(string.liberties)
    if mover is not prey.color:
        if liberties != 2:
            return liberties < 2
        moves = string.liberties
    else:
        if liberties > 1:
            return False
        beside = {
            enemy for point in string.stones for near in board.neighbors(point)
            if (enemy := board.get_go_string(near)) is not None and enemy.color is mover.other
        }
        moves = string.liberties.union(*(e.liberties for e in beside if len(e.liberties) == 1))
    outcomes = (
        captured_in_ladder(after, board, prey, mover.other)
        for point in sorted(moves)
        if (after := played(board, mover, point)) is not None
        and stones_of(after) != stones_of(before)
    )
    return any(outcomes) if mover is not prey.color else all(outcomes)
