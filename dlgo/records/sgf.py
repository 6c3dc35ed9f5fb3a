"""Game records in SGF (Smart Game Format, FF[1] to FF[4]) for Go, on top of `sgfmill`.

    record = read_sgf("game.sgf")             # the content: names, komi, moves, comments
    for state in replay(record): ...          # the positions, every move checked by the rules
    data = write_sgf(state, black="me")       # a GameState with its moves -> bytes

    for record in read_sgf_games("games.sgf").games:
        played = play(record)                 # the same positions, up to an illegal move

sgfmill parses the tree and the properties. `sgf_text.py`, `sgf_values.py` and this module add the
parts that files of many programs need: any encoding, one-line errors that name file and move, and
the way from a record to `GameState`. Unusual text with only one meaning is accepted, with a note
about the assumption.

A record holds the main line of a game, the first variation everywhere, and the others as they are
written; `sgf_tree.py` reads them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sgfmill import sgf, sgf_grammar

from dlgo.api import GameState, Move, Player
from dlgo.errors import DlgoError, IllegalMoveError, NotationError, SpecError, system_reason
from dlgo.game_tree import Node, tree_of
from dlgo.games import recorded_game
from dlgo.games.go.state import Go
from dlgo.records.sgf_record import GameRecordSgf, record_of
from dlgo.records.sgf_text import game_trees
from dlgo.records.sgf_values import Setup

# More than any record of a game; so a mistaken or malicious file takes seconds, not hours.
MAX_BYTES = 8 * 2**20

# The line of a game comment with the options of a game that was played here.
_PLAYED_AS = re.compile(r"^dlgo (go\d*(?::[\w=,.+-]*)?)$", re.MULTILINE)


@dataclass(frozen=True)
class SgfFile:
    """The games of a file."""

    games: tuple[GameRecordSgf, ...]  # those that can be read
    refused: tuple[str, ...] = ()  # errors of the others, a line each, with the file


def read_sgf(source: bytes | str | os.PathLike[str], name: str = "SGF data") -> GameRecordSgf:
    """Read the first game of a file that can be read; arguments and errors as `read_sgf_games`."""
    return read_sgf_games(source, name).games[0]


def read_sgf_games(
    source: bytes | str | os.PathLike[str], name: str = "SGF data"
) -> SgfFile:
    """Read the games of a file, given by its path, or of `bytes`.

    Messages call the file by its path, and bytes by `name`. Raises NotationError, with the reason
    in one line, if no game can be read.
    """
    if not isinstance(source, bytes):
        name, source = str(source), record_bytes(Path(source))
    games: list[GameRecordSgf] = []
    refused: list[str] = []
    try:
        trees, notes = game_trees(source)
    except ValueError as error:
        trees, notes = [error], ()
    for number, tree in enumerate(trees, 1):
        title = name if len(trees) == 1 else f"{name}, game {number}"
        try:
            if isinstance(tree, ValueError):  # those of sgfmill
                raise tree
            games.append(record_of(title, tree, notes))
        except ValueError as error:
            refused.append(f"{title}: not a readable Go record: {error}")
    if not games:
        raise NotationError(refused[0])
    return SgfFile(tuple(games), tuple(refused))


def record_bytes(path: Path) -> bytes:
    """The content of a file that should be a game record, of at most `MAX_BYTES`. Raises
    NotationError as `record_file`."""
    with record_file(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise NotationError(f"{path}: larger than {MAX_BYTES >> 20} MiB, so not a game record; an "
                            "archive of PDN of any size is read if its name ends in .pdn")
    return data


@contextmanager
def record_file(path: Path) -> Iterator[BinaryIO]:
    """A file of game records to read from. Raises NotationError, with the file and the reason in
    one line, if it cannot be read."""
    try:
        if path.exists() and not path.is_file():
            raise OSError("not a file")
        with path.open("rb") as file:
            yield file
    except NotationError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = system_reason(error) if isinstance(error, OSError) else error
        raise NotationError(f"{path}: cannot be read: {reason}") from None


@dataclass(frozen=True)
class PlayedRecord:
    """The positions of a record, each checked by the rules."""

    # (moves of the record made before, position): the start, and one after each move. If stones are
    # set up in the middle, the game begins there.
    positions: tuple[tuple[int, GameState], ...]
    # The move that is illegal, in a line that names the file; "" if there is none. The positions
    # end before it.
    problem: str = ""
    notes: tuple[str, ...] = ()  # of the record, and further assumptions


def play(record: GameRecordSgf) -> PlayedRecord:
    """The game of a record up to its first illegal move.

    Raises NotationError if the start is invalid, because of the komi or of setup stones.
    """
    positions: list[tuple[int, GameState]] = []
    notes, problem = list(record.notes), ""
    implied: list[int] = []
    try:
        for number, state in _positions(record, implied):
            if positions and state.previous_state is None:
                if number == len(record.moves):
                    notes.append("stones set up after the last move are left out")
                    break
                notes.append(f"stones are set up after move {number}: the game is read from there, "
                             f"with {state.next_player.name} to move")
                positions = []
            positions.append((number, state))
    except NotationError as error:
        if not positions:
            raise
        problem = str(error)
    if implied:
        numbers = ", ".join(map(str, implied[:5])) + (", ..." if len(implied) > 5 else "")
        notes.append(f"out of turn: move {numbers}; the other player is taken to have passed "
                     "before")
    return PlayedRecord(tuple(positions), problem, tuple(notes))


def replay(record: GameRecordSgf) -> Iterator[GameState]:
    """The positions of the main line: the start, then one after each move of the record
    (and after setup stones, if such end it).

    Setup stones begin a new game from the edited position: what was captured or forbidden
    before is forgotten. PL then names the player to move; without PL, it is the player of the next
    move.

    Two passes in a row end the game; moves after them (for example a third pass, or a dispute about
    dead stones that is played out) are left out.

    SGF lets a player move twice in a row, and Leela Zero and Minigo then give that colour the
    turn. Our rules do not allow this: the other player is assumed to have passed in between. That
    pass is among the moves of the states like any other, but yields no position; next to a pass of
    the record it ends the game.

    When the iterator comes to a move that the rules forbid, or to setup stones without liberties, a
    NotationError names file, move number, move and rule.
    """
    for number, state in _positions(record, []):
        if state.previous_state is not None or number in (record.placed, len(record.moves)):
            yield state


def _positions(
    record: GameRecordSgf, implied: list[int]
) -> Iterator[tuple[int, GameState]]:
    """Like `replay`, with the number of moves of the record before each position; `implied`
    collects the numbers of the moves before which a pass was assumed."""
    setups: dict[int, list[Setup]] = {}
    for ply, setup in record.setups:
        setups.setdefault(ply, []).append(setup)
    first, movers = record.placed, [player for player, _ in record.moves] + [None]
    state = GameState.new_game(record.game())
    for setup in setups.get(first, ()):
        state = _set_up(state, setup, movers[first], record.source)
    state = _as_played(record, state)
    yield first, state
    for number, (player, move) in enumerate(record.moves[first:], first + 1):
        for setup in setups.get(number - 1, ()) if number > first + 1 else ():
            state = _set_up(state, setup, player, record.source)
        if number > first + 1 and state.previous_state is None:
            yield number - 1, state
        if state.is_over():
            continue
        previous = state
        if player is not state.next_player:
            state = state.apply_move(Move.pass_turn())
        try:
            state = state.apply_move(move)
        except IllegalMoveError as error:
            raise NotationError(
                f"{record.source}: move {number}, {player.name} {state.game.move_text(move)}, is "
                f"illegal: {error.reason}"
            ) from None
        if state.previous_state is not previous:
            implied.append(number)
        yield number, state
    last = setups.get(len(record.moves), ()) if len(record.moves) > first else ()
    for setup in last:
        state = _set_up(state, setup, None, record.source)
    if last and state.previous_state is None:
        yield len(record.moves), state


def _as_played(record: GameRecordSgf, start: GameState) -> GameState:
    """The start of a game that was written here, with exactly the options of the game."""
    named = _PLAYED_AS.search(record.info.get("GC", ""))
    if named is None:
        return start
    try:
        game = recorded_game(named[1])
    except DlgoError:
        return start
    if not isinstance(game, Go) or (game.size, game.komi) != (record.size, record.komi):
        return start
    state = GameState.new_game(game)
    same_turn = state.next_player is start.next_player
    return state if same_turn and game.stones(state) == game.stones(start) else start


def _set_up(state: GameState, setup: Setup, mover: Player | None, source: str) -> GameState:
    """A new start from the stones of `state` as `setup` edits them; captures are forgotten.

    In the middle of a game, an edit that changes no stone leaves the state unchanged.
    """
    old_stones = state.game.stones(state)
    stones = dict(old_stones)
    for points, player in ((setup.black, Player.black), (setup.white, Player.white)):
        stones.update(dict.fromkeys(points, player))
    for point in setup.empty:
        stones.pop(point, None)
    if stones == old_stones and state.previous_state is not None:
        return state
    black, white = (
        [point for point, owner in stones.items() if owner is player] for player in Player
    )
    try:
        return Go.of(state.game).position(black, white, setup.player or mover or state.next_player)
    except SpecError as error:
        raise NotationError(f"{source}: setup stones: {error}") from None


def write_sgf(
    state: GameState, *, black: str = "", white: str = "", result: str | None = None,
    info: Mapping[str, str] | None = None, root: Node | None = None,
) -> bytes:
    """The game that led to `state` as an SGF file in UTF-8.

    A resignation is not an SGF move; it goes into the result.

    Args:
        result: such as `B+3.5`; by default the result of a finished state, else nothing.
        black, white, info: as in `GameRecordSgf`.
        root: the game with its variations, comments and marks.
    """
    if not isinstance(state.game, Go):
        raise NotationError(f"{state.game}: only games of Go are written as SGF")
    if result is None and state.is_over():
        result = _result(state)
    tree = sgf.Sgf_game(state.game.size)
    top = tree.get_root()
    top.set("KM", state.game.komi)
    for key, text in {"PB": black, "PW": white, "RE": result or "", **(info or {})}.items():
        if text:
            # Lone surrogates, which files cannot hold, become question marks.
            top.set_raw(key, sgf_grammar.escape_text(text.encode("utf-8", "replace")))
    _write_setup(top, state.history()[0])
    _write_tree(top, root or tree_of(state))
    return bytes(tree.serialise())


def _write_tree(top: sgf.Tree_node, root: Node) -> None:
    """Write what is said of a position and all that follows it."""
    waiting = [(top, root)]
    while waiting:
        sgf_node, node = waiting.pop()
        if node.comment:
            sgf_node.add_comment_text(node.comment.encode("utf-8", "replace").decode("utf-8"))
        for key, values in node.markup.items():
            sgf_node.set_raw_list(key, values)
        for child in node.children:
            (move,), below = child.moves, sgf_node
            if not move.is_resign:  # its comment is kept with the last move
                below = sgf_node.new_child()
                place = (move.point.row - 1, move.point.col - 1) if move.point else None
                below.set_move(node.state.next_player.name[0], place)
            waiting.append((below, child))


def _write_setup(root: sgf.Tree_node, start: GameState) -> None:
    """The stones of a game that did not start from the empty board, and White's first turn."""
    places: dict[Player, list[tuple[int, int]]] = {player: [] for player in Player}
    for point, player in start.game.stones(start).items():
        places[player].append((point.row - 1, point.col - 1))
    root.set_setup_stones(places[Player.black], places[Player.white])
    if start.next_player is Player.white:
        root.set("PL", "w")


def _result(state: GameState) -> str:
    winner = state.winner()
    if winner is None:
        return "0"  # a draw in SGF
    resigned = state.last_move is not None and state.last_move.is_resign
    by = "R" if resigned else f"{abs(Go.of(state.game).margin(state)):g}"
    return f"{winner.name[0].upper()}+{by}"
