"""Game records in SGF (Smart Game Format, FF[1] to FF[4]) for Go, on top of `sgfmill`.

    record = read_sgf("game.sgf")             # what the file says: names, komi, moves, comments
    for state in replay(record): ...          # the positions, every move checked by the rules
    data = write_sgf(state, black="me")       # a GameState with its moves -> bytes

sgfmill parses the tree and the properties. This module adds what a pile of files from the
wild needs: any encoding, one-line errors that name file and move, and the way from a record
to `GameState`.

Only the first game of a file and its main line (the first variation everywhere) are read.
"""

from __future__ import annotations

import codecs
import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sgfmill import sgf, sgf_grammar, sgf_properties

from dlgo.api import GameState, Move, Player, Point
from dlgo.errors import IllegalMoveError, NotationError, SpecError
from dlgo.games import get_game
from dlgo.games.go.board import MAX_SIZE
from dlgo.games.go.state import Go
from dlgo.text import one_line

MIN_SIZE = 2
# More than any record of a game; so a mistaken or malicious file takes seconds, not hours.
MAX_BYTES = 8 * 2**20
MAX_NODES = 10_000

# Game information. It stands in the root or, where merged games part, in a later node.
_INFO = (
    "AN", "AP", "BR", "BT", "CP", "DT", "EV", "GC", "GN", "HA", "KM", "ON", "OT", "PB", "PC",
    "PW", "RE", "RO", "RU", "SO", "TM", "US", "WR", "WT",
)
_COLORS = {"b": Player.black, "w": Player.white}


@dataclass(frozen=True)
class Setup:
    """Stones put down or taken away outside of play (AB, AW, AE) and whose turn it is (PL)."""

    black: frozenset[Point] = frozenset()
    white: frozenset[Point] = frozenset()
    empty: frozenset[Point] = frozenset()
    player: Player | None = None


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
        tree = sgf_grammar.parse_sgf_game(_decoded(source).encode("utf-8", "replace"))
        size = _size(tree.sequence[0])
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


# What an encoding must leave alone for the brackets and backslashes to be found. Python also
# calls things like `punycode`, `utf-7` and `unicode_escape` encodings; they fail here.
_PROBE = r"(;C[\u0041 +AGE- AZaz09-])"
_CHARSET = re.compile(rb"(?<![A-Za-z])CA\s*\[\s*([\w.:+-]{1,40})\s*\]")


def _decoded(data: bytes) -> str:
    """The whole file as text.

    The file is decoded before it is parsed: in Shift-JIS, GBK and Big5 the second byte of a
    character can look like a backslash or a bracket.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    data = data.removeprefix(codecs.BOM_UTF8)
    start = re.search(rb"\(\s*;", data)
    named = start and _CHARSET.search(data, start.start())
    if named:
        encoding = named[1].decode("ascii")
        try:
            if _PROBE.encode("ascii").decode(encoding) == _PROBE:
                return data.decode(encoding, _LATIN_1)
        except (LookupError, ValueError):
            pass  # unknown, or not an encoding of text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start:error.end].decode("latin-1"), error.end


_LATIN_1 = "dlgo-latin-1"
codecs.register_error(_LATIN_1, _as_latin_1)


def _size(root: Mapping[str, list[bytes]]) -> int:
    """The board's size; also checks that the game is Go."""
    kind = _shown(root.get("GM", [b"1"])[0].strip() or b"1")
    if kind != "1":
        raise ValueError(f"GM[{kind}] is another game (Go is 1)")
    text = _shown(root.get("SZ", [b"19"])[0])
    match = re.fullmatch(r"(\d{1,3})(?: ?: ?(\d{1,3}))?", text, re.ASCII)
    if not match:
        raise ValueError(f"SZ[{text}] is not a board size")
    size, other = (int(lines or match[1]) for lines in match.groups())
    if size != other or not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"SZ[{text}]: only square boards of {MIN_SIZE} to {MAX_SIZE} lines")
    return size


def _shown(value: bytes | str) -> str:
    """A value for a message: short, on one line, without control characters."""
    text = value if isinstance(value, str) else value.decode("utf-8", "replace")
    text = one_line(" ".join(text[:99].split()))
    return text if len(text) <= 20 else f"{text[:17]}..."


def _record(source: str, size: int, nodes: list[sgf.Node]) -> GameRecordSgf:
    moves: list[tuple[Player, Move]] = []
    setups: list[tuple[int, Setup]] = []
    comments: dict[int, str] = {}
    info: dict[str, str] = {}
    for node in nodes:
        setup = _setup(node, len(moves) + 1)
        if setup != Setup():
            setups.append((len(moves), setup))
        if node.has_property("B") or node.has_property("W"):
            moves.append(_move(node, size, len(moves) + 1))
        for text in _values(node, "C", sgf_grammar.text_value):
            before = comments.get(len(moves))
            comments[len(moves)] = f"{before}\n\n{text}" if before else text
        for key in _INFO:
            if key not in info and (values := _values(node, key, sgf_grammar.simpletext_value)):
                info[key] = _joined(key, values)
    komi, note = _komi(info.pop("KM", ""))
    return GameRecordSgf(
        source=source, size=size, moves=tuple(moves), setups=tuple(setups), comments=comments,
        komi=komi, handicap=_handicap(info.pop("HA", "")),
        black=info.pop("PB", ""), white=info.pop("PW", ""), result=info.pop("RE", ""), info=info,
        notes=tuple(filter(None, (note, _left_out(moves, {before for before, _ in setups})))),
    )


def _left_out(moves: list[tuple[Player, Move]], edited: set[int]) -> str:
    """A note if the record goes on after two passes; `edited`: after so many moves, by setup."""
    for n in range(2, len(moves)):
        if moves[n - 1][1].is_pass and moves[n - 2][1].is_pass and not edited & {n - 1, n}:
            return f"two passes end the game at move {n}; the moves after it are left out"
    return ""


def _values(node: sgf.Node, key: str, interpret: Callable[[bytes], bytes]) -> list[str]:
    """The values of a property that should have one, without empty and repeated ones."""
    raw = node.get_raw_list(key) if node.has_property(key) else []
    texts = (interpret(value).decode("utf-8").strip() for value in raw)
    return list(dict.fromkeys(text for text in texts if text))


def _joined(key: str, values: list[str]) -> str:
    """One text of all values; a game has one result, one komi and one handicap only."""
    if len(values) > 1 and key in ("RE", "KM", "HA"):
        given = " and ".join(f"{key}[{_shown(value)}]" for value in values[:2])
        raise ValueError(f"{given} contradict each other")
    return ("\n\n" if key == "GC" else ", ").join(values)


def _move(node: sgf.Node, size: int, number: int) -> tuple[Player, Move]:
    given = [(key, raw) for key in "BW" if node.has_property(key) for raw in node.get_raw_list(key)]
    if len(given) > 1:
        raise ValueError(f"move {number}: one node holds several moves")
    key, raw = given[0]
    try:
        # Reads both ways to write a pass: nothing, and `tt` where the board has no such point.
        place = sgf_properties.interpret_go_point(raw.strip(), size)
    except ValueError:
        where = f"a {size}x{size} board"
        raise ValueError(f"move {number}: {key}[{_shown(raw)}] is not a point of {where}") from None
    move = Move.pass_turn() if place is None else Move.play(_point(place))
    return _COLORS[key.lower()], move


def _point(place: tuple[int, int]) -> Point:
    return Point(place[0] + 1, place[1] + 1)  # sgfmill counts from 0, also from the bottom


def _setup(node: sgf.Node, number: int) -> Setup:
    points = {}
    for key in ("AB", "AW", "AE"):
        try:
            # An empty list, AB[], is against the standard but harmless.
            given = node.has_property(key) and node.get_raw_list(key) != [b""]
            points[key] = frozenset(map(_point, node.get(key) if given else ()))
        except ValueError:
            raise ValueError(f"setup before move {number}: {key} does not name points") from None
    turn = (_values(node, "PL", sgf_grammar.simpletext_value) or [""])[-1]  # B, W, black, ...
    return Setup(points["AB"], points["AW"], points["AE"], _COLORS.get(turn[:1].lower()))


def _komi(text: str) -> tuple[float | None, str]:
    """The komi in points, and a note if it is not written in points."""
    if not text:
        return None, ""
    if not re.fullmatch(r"[+-]?\d{1,9}([.,]\d{0,9})?", text, re.ASCII):
        raise ValueError(f"KM[{_shown(text)}] is not a komi")
    komi = float(text.replace(",", "."))
    # A large server leaves the point out: 750 for 7.50, 375 for 3.75.
    if text.isdigit() and komi >= 200 and komi % 25 == 0:
        komi /= 100
    # Chinese files count stones, of which each is worth two points: 3.75 for 7.5.
    if komi % 0.5 == 0.25:
        komi *= 2
    written = float(text.replace(",", "."))
    return komi, "" if komi == written else f"KM[{text}] is read as {komi:g} points"


def _handicap(text: str) -> int:
    if text and not re.fullmatch(r"\d{1,3}", text, re.ASCII):
        raise ValueError(f"HA[{_shown(text)}] is not a number of stones")
    return int(text or 0)


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
) -> bytes:
    """A game as an SGF file in UTF-8.

    Args:
        game: the last state of a game, which knows all its moves, or (player, move) pairs.
            A resignation is not an SGF move; it goes into the result.
        size, komi: the board of a list of moves; a state brings its own.
        result: such as `B+3.5`; by default the result of a finished state, else nothing.
        black, white, comments, info: as in `GameRecordSgf`.
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
    nodes = [root]
    for player, move in moves:
        if not move.is_resign:
            nodes.append(tree.extend_main_sequence())
            place = (move.point.row - 1, move.point.col - 1) if move.point else None
            nodes[-1].set_move("b" if player is Player.black else "w", place)
    for number, text in sorted((comments or {}).items()):
        # What was said after a resignation is kept with the last move.
        node = nodes[min(number, len(nodes) - 1)]
        node.add_comment_text(text.encode("utf-8", "replace").decode("utf-8"))
    return tree.serialise()


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
