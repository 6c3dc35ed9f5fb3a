"""Game records in SGF (Smart Game Format, FF[1] to FF[4]) for Go, on top of `sgfmill`.

    record = read_sgf("game.sgf")             # what the file says: names, komi, moves, comments
    for state in replay(record): ...          # the positions, every move checked by the rules
    data = write_sgf(state, black="me")       # a GameState with its moves -> bytes

sgfmill parses the tree and the properties. This module and `sgf_values.py` add what a pile of
files from the wild needs: any encoding, one-line errors that name file and move, and the way from
a record to `GameState`.

Only the first game of a file and its main line (the first variation everywhere) are read.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sgfmill import sgf, sgf_grammar

from dlgo.api import GameState, Move, Player, Point
from dlgo.errors import IllegalMoveError, NotationError, SpecError
from dlgo.games import get_game
from dlgo.games.go.state import Go
from dlgo.records.sgf_values import (
    Setup,
    board_size,
    decoded,
    handicap_of,
    joined,
    komi_of,
    move_of,
    setup_of,
    values_of,
)

# More than any record of a game; so a mistaken or malicious file takes seconds, not hours.
MAX_BYTES = 8 * 2**20
MAX_NODES = 10_000

# Game information. It stands in the root or, where merged games part, in a later node.
_INFO = (
    "AN", "AP", "BR", "BT", "CP", "DT", "EV", "GC", "GN", "HA", "KM", "ON", "OT", "PB", "PC",
    "PW", "RE", "RO", "RU", "SO", "TM", "US", "WR", "WT",
)


# Moves that were not made, with who would make each, and a comment on the first.
Variation = tuple[Sequence[tuple[Player, Move]], str]


@dataclass(frozen=True)
class GameRecordSgf:
    """The main line of a game as its file tells it; nothing has been checked by the rules.

    Attributes:
        source: the file's name, for messages.
        size: lines of the board, 2 to 25.
        moves: (player, move) in order; the colours need not alternate.
        komi: None if the file does not say.
        handicap: the number the file gives (HA); the stones themselves are in `setups`.
        setups: (number of moves made before, Setup), in the order of the file.
        black, white: the players' names, "" if unknown.
        result: as written, such as `B+3.5`, `W+R`, `0`; "" if unknown.
        comments: number of moves made -> text; 0 is the comment on the start.
        info: further game information under its SGF name: `DT` date, `RU` rules, `BR` rank...
        notes: what was read otherwise than it is written, a phrase each.
    """

    source: str
    size: int
    moves: tuple[tuple[Player, Move], ...]
    komi: float | None = None
    handicap: int = 0
    setups: tuple[tuple[int, Setup], ...] = ()
    black: str = ""
    white: str = ""
    result: str = ""
    comments: Mapping[int, str] = field(default_factory=dict)
    info: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def winner(self) -> Player | None:
        """Who won according to `result`; None for a draw, no result or an unknown one."""
        return {"B+": Player.black, "W+": Player.white}.get(self.result[:2].upper())

    def game(self) -> Go:
        """The game to replay the record on; komi is 7.5 where the file does not say.

        Raises:
            NotationError: if the komi is neither whole nor half.
        """
        settings = {} if self.komi is None else {"komi": self.komi}
        try:
            return get_game("go", size=self.size, **settings)
        except SpecError as error:
            raise NotationError(f"{self.source}: {error}") from None


def read_sgf(source: bytes | str | os.PathLike[str], name: str = "SGF data") -> GameRecordSgf:
    """Read the first game of a file, given by its path, or of `bytes`.

    Text is decoded by the file's CA property; without a known one, as UTF-8 if it is valid
    UTF-8 and else as Latin-1. Bytes that fit neither are read as Latin-1, one by one.

    Args:
        source: a path, or the content of a file.
        name: what messages call it; for a path, the path.

    Raises:
        NotationError: one line that names the file and why it cannot be read.
    """
    if not isinstance(source, bytes):
        name, source = str(source), record_bytes(Path(source))
    try:
        # Parse errors of sgfmill are ValueErrors.
        tree = sgf_grammar.parse_sgf_game(decoded(source).encode("utf-8", "replace"))
        size = board_size(tree.sequence[0])
        tree.sequence[0]["SZ"] = [b"%d" % size]
        game = sgf.Sgf_game.from_coarse_game_tree(tree, override_encoding="UTF-8")
        nodes = list(itertools.islice(game.main_sequence_iter(), MAX_NODES + 1))
        if len(nodes) > MAX_NODES:
            raise ValueError(f"its main line is longer than {MAX_NODES:,} nodes")
        return _record(name, size, nodes)
    except ValueError as error:
        raise NotationError(f"{name}: not a readable Go record: {error}") from None


def record_bytes(path: Path) -> bytes:
    """The content of a file that should be a game record, of at most `MAX_BYTES`.

    Raises:
        NotationError: one line that names the file and why it cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise OSError("not a file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise NotationError(f"{path}: cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise NotationError(f"{path}: larger than {MAX_BYTES >> 20} MiB, so not a game record")
    return data


def _record(source: str, size: int, nodes: list[sgf.Node]) -> GameRecordSgf:
    moves: list[tuple[Player, Move]] = []
    setups: list[tuple[int, Setup]] = []
    comments: dict[int, str] = {}
    info: dict[str, str] = {}
    for node in nodes:
        setup = setup_of(node, len(moves) + 1)
        if setup != Setup():
            setups.append((len(moves), setup))
        if node.has_property("B") or node.has_property("W"):
            moves.append(move_of(node, size, len(moves) + 1))
        for text in values_of(node, "C", sgf_grammar.text_value):
            before = comments.get(len(moves))
            comments[len(moves)] = f"{before}\n\n{text}" if before else text
        for key in _INFO:
            if key not in info and (values := values_of(node, key, sgf_grammar.simpletext_value)):
                info[key] = joined(key, values)
    komi, note = komi_of(info.pop("KM", ""))
    return GameRecordSgf(
        source=source, size=size, moves=tuple(moves), setups=tuple(setups), comments=comments,
        komi=komi, handicap=handicap_of(info.pop("HA", "")),
        black=info.pop("PB", ""), white=info.pop("PW", ""), result=info.pop("RE", ""), info=info,
        notes=tuple(filter(None, (note, _left_out(moves, {before for before, _ in setups})))),
    )


def _left_out(moves: list[tuple[Player, Move]], edited: set[int]) -> str:
    """A note if the record goes on after two passes; `edited`: after so many moves, by setup."""
    for n in range(2, len(moves)):
        if moves[n - 1][1].is_pass and moves[n - 2][1].is_pass and not edited & {n - 1, n}:
            return f"two passes end the game at move {n}; the moves after it are left out"
    return ""


def replay(record: GameRecordSgf, implied_passes: bool = False) -> Iterator[GameState]:
    """The positions of the main line: the start, then one after each move of the record
    (and after setup stones, if such end it).

    Setup stones begin a new game from the edited position: what was captured or forbidden
    before is forgotten. Whose turn it is then, PL says, or else the next move's colour.

    Two passes in a row end the game; moves after them (a third pass, say, or a dispute about dead
    stones played out) are left out.

    SGF lets a player move twice in a row, and Leela Zero and Minigo then give that colour the
    turn. Our rules know no such thing: the other player must have passed in between, which is
    not in the file. So it is an error, unless `implied_passes` asks for that pass. It stands
    among the moves of the states as any other, but yields no position of its own; next to a
    pass of the record it ends the game.

    Args:
        record: from `read_sgf`.
        implied_passes: read a move out of turn as a pass of the player whose turn it was.

    Raises:
        NotationError: naming file, move number, move and rule, when the iterator comes to a
            move that the rules forbid, or to setup stones without liberties.
    """
    state = GameState.new_game(record.game())
    setups: dict[int, list[Setup]] = {}
    for before, setup in record.setups:
        setups.setdefault(before, []).append(setup)
    movers = [player for player, _ in record.moves] + [None]
    for setup in setups.get(0, ()):
        state = _set_up(state, setup, movers[0], record.source)
    yield state
    for number, (player, move) in enumerate(record.moves, 1):
        for setup in setups.get(number - 1, ()) if number > 1 else ():
            state = _set_up(state, setup, player, record.source)
        what = f"{record.source}: move {number}, {player.name} {state.game.move_text(move)}, is"
        if state.is_over():
            continue
        if player is not state.next_player:
            if not implied_passes:
                raise NotationError(
                    f"{what} out of turn: {player.other.name} is to move "
                    "(implied_passes=True reads that as a pass)"
                )
            state = state.apply_move(Move.pass_turn())
        try:
            state = state.apply_move(move)
        except IllegalMoveError as error:
            raise NotationError(f"{what} {str(error).partition(' is ')[2]}") from None
        yield state
    last = setups.get(len(record.moves), ()) if record.moves else ()
    for setup in last:
        state = _set_up(state, setup, None, record.source)
    if last:
        yield state


def _set_up(state: GameState, setup: Setup, mover: Player | None, source: str) -> GameState:
    """A new start from the stones of `state` as `setup` edits them; captures are forgotten."""
    game = state.game
    stones = {
        Point(row, col): player
        for row in range(1, game.size + 1) for col in range(1, game.size + 1)
        if (player := game.cell(state, row, col)) is not None
    }
    for points, player in ((setup.black, Player.black), (setup.white, Player.white)):
        stones.update(dict.fromkeys(points, player))
    for point in setup.empty:
        stones.pop(point, None)
    black, white = (
        [point for point, owner in stones.items() if owner is player] for player in Player
    )
    try:
        return game.position(black, white, setup.player or mover or state.next_player)
    except SpecError as error:
        raise NotationError(f"{source}: setup stones: {error}") from None


def write_sgf(
    game: GameState | Sequence[tuple[Player, Move]],
    *,
    size: int = 19, komi: float | None = None,
    black: str = "", white: str = "", result: str | None = None,
    comments: Mapping[int, str] | None = None, info: Mapping[str, str] | None = None,
    variations: Mapping[int, Sequence[Variation]] | None = None,
) -> bytes:
    """A game as an SGF file in UTF-8.

    Args:
        game: the last state of a game, which knows all its moves, or (player, move) pairs.
            A resignation is not an SGF move; it goes into the result.
        size, komi: the board of a list of moves; a state brings its own.
        result: such as `B+3.5`; by default the result of a finished state, else nothing.
        black, white, comments, info: as in `GameRecordSgf`.
        variations: number of moves made -> lines that could have followed.
    """
    start = None
    if isinstance(game, GameState):
        if not isinstance(game.game, Go):
            raise NotationError(f"{game.game}: only games of Go are written as SGF")
        size, komi = game.game.size, game.game.komi
        if result is None and game.is_over():
            result = _result(game)
        start, moves = game.history()
    else:
        moves = list(game)
    tree = sgf.Sgf_game(size)
    root = tree.get_root()
    if komi is not None:
        root.set("KM", komi)
    for key, text in {"PB": black, "PW": white, "RE": result or "", **(info or {})}.items():
        if text:
            # Lone surrogates, which no file can hold, become question marks.
            root.set_raw(key, sgf_grammar.escape_text(text.encode("utf-8", "replace")))
    if start is not None:
        _write_setup(root, start)
    nodes = [root, *_write_line(root, moves)]
    for number, text in sorted((comments or {}).items()):
        # What was said after a resignation is kept with the last move.
        _comment(nodes[min(number, len(nodes) - 1)], text)
    for number, lines in sorted((variations or {}).items()):
        for line, text in lines:
            added = _write_line(nodes[number], line)
            if added and text:
                _comment(added[0], text)
    return tree.serialise()


def _write_line(
    node: sgf.Tree_node, moves: Sequence[tuple[Player, Move]]
) -> list[sgf.Tree_node]:
    """Moves that follow after a node; their nodes. A resignation has none."""
    nodes = []
    for player, move in moves:
        if not move.is_resign:
            node = node.new_child()
            place = (move.point.row - 1, move.point.col - 1) if move.point else None
            node.set_move("b" if player is Player.black else "w", place)
            nodes.append(node)
    return nodes


def _comment(node: sgf.Tree_node, text: str) -> None:
    node.add_comment_text(text.encode("utf-8", "replace").decode("utf-8"))


def _write_setup(root: sgf.Tree_node, start: GameState) -> None:
    """The stones of a game that did not start from the empty board, and White's first turn."""
    lines = range(1, start.game.size + 1)
    cells = {(row - 1, col - 1): start.game.cell(start, row, col) for row in lines for col in lines}
    root.set_setup_stones(
        [place for place, player in cells.items() if player is Player.black],
        [place for place, player in cells.items() if player is Player.white],
    )
    if start.next_player is Player.white:
        root.set("PL", "w")


def _result(state: GameState) -> str:
    winner = state.winner()
    if winner is None:
        return "0"  # the standard's word for a draw
    by = "R" if state.last_move.is_resign else f"{abs(state.game.margin(state)):g}"
    return f"{winner.name[0].upper()}+{by}"
