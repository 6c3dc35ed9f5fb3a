"""The record of a game of Go in an SGF file: the main line, read from its tree."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sgfmill import sgf, sgf_grammar
from sgfmill.sgf_grammar import Coarse_game_tree

from dlgo.api import Move, Player
from dlgo.errors import NotationError, SpecError
from dlgo.games import get_game
from dlgo.games.go.state import Go
from dlgo.records import sgf_values

# More than any record of a game; so a mistaken or malicious file takes seconds, not hours.
MAX_NODES = 10_000

# Game information. It is in the root or, if merged games branch, in a later node.
_INFO = (
    "AN", "AP", "BR", "BT", "CP", "DT", "EV", "GC", "GN", "HA", "KM", "ON", "OT", "PB", "PC",
    "PW", "RE", "RO", "RU", "SO", "TM", "US", "WR", "WT",
)
# Properties that become fields of a record or that the writer makes; the others are `markup`.
_READ = {*_INFO, "B", "W", "AB", "AW", "AE", "PL", "C", "SZ", "GM", "FF", "CA"}

@dataclass(frozen=True)
class GameRecordSgf:
    """The main line of a game as the file has it; the rules have not checked it."""

    source: str  # the file's name, for messages
    size: int  # lines of the board, 2 to 25
    moves: tuple[tuple[Player, Move], ...]  # in order; the colours need not alternate
    komi: float | None = None  # None if the file has none; 0.5 with a handicap and no komi
    handicap: int = 0  # the number in the file (HA); the stones are in `setups`
    # The number of first moves that are free handicap stones, which some servers write as moves of
    # Black; they are in `setups`, too.
    placed: int = 0
    # (Number of moves made before, Setup), in the order of the file.
    setups: tuple[tuple[int, sgf_values.Setup], ...] = ()
    black: str = ""  # the players' names, "" if unknown
    white: str = ""
    result: str = ""  # as written, such as `B+3.5`, `W+R`, `0`; "" if unknown
    # By number of moves made; 0 is the comment on the start.
    comments: Mapping[int, str] = field(default_factory=dict)
    # Further game information under its SGF name: `DT` date, `RU` rules, `BR` rank...
    info: Mapping[str, str] = field(default_factory=dict)
    # By number of moves made: other properties, such as clocks and labels, as written.
    markup: Mapping[int, Mapping[str, list[bytes]]] = field(default_factory=dict)
    # (Number of moves made before, what could have followed), as in the file.
    variations: tuple[tuple[int, Coarse_game_tree], ...] = field(
        default=(), repr=False, compare=False)
    notes: tuple[str, ...] = ()  # deviations from the written text, a phrase each

    @property
    def winner(self) -> Player | None:
        """The winner according to `result`; None for a draw, no result or an unknown one."""
        return {"B+": Player.black, "W+": Player.white}.get(self.result[:2].upper())

    def game(self) -> Go:
        """The game to replay the record on, komi 7.5 by default; NotationError for one like 7.3."""
        settings = {} if self.komi is None else {"komi": self.komi}
        try:
            return Go.of(get_game("go", size=self.size, **settings))
        except SpecError as error:
            raise NotationError(f"{self.source}: {error}") from None


def record_of(source: str, tree: Coarse_game_tree, file_notes: tuple[str, ...]) -> GameRecordSgf:
    """The record of a game's tree; a ValueError names a property that cannot be read.

    `source` is the name of the file in messages; `file_notes` are assumptions about it.
    """
    # Some programs write empty nodes first; the root is the first node with properties.
    del tree.sequence[: next((i for i, node in enumerate(tree.sequence) if node), 0)]
    size, size_note = sgf_values.board_size(tree.sequence[0])
    tree.sequence[0]["SZ"] = [b"%d" % size]
    game = sgf.Sgf_game.from_coarse_game_tree(tree, override_encoding="UTF-8")
    nodes = list(itertools.islice(game.main_sequence_iter(), MAX_NODES + 1))
    if len(nodes) > MAX_NODES:
        raise ValueError(f"its main line is longer than {MAX_NODES:,} nodes")
    moves: list[tuple[Player, Move]] = []
    setups: list[tuple[int, sgf_values.Setup]] = []
    comments: dict[int, str] = {}
    info: dict[str, str] = {}
    markup: dict[int, dict[str, list[bytes]]] = {}
    moves_after: list[int] = []  # moves after each node
    for node in nodes:
        setup, ply = sgf_values.setup_of(node, len(moves) + 1), len(moves)
        if node.has_property("B") or node.has_property("W"):
            moves.append(sgf_values.move_of(node, size, len(moves) + 1))
        # Beside a move, it names the player after that move.
        if setup == sgf_values.Setup(player=setup.player):
            ply = len(moves)
        if setup != sgf_values.Setup():
            setups.append((ply, setup))
        moves_after.append(len(moves))
        text, marks = remarks_of(node)
        if text:
            earlier = comments.get(len(moves))
            comments[len(moves)] = f"{earlier}\n\n{text}" if earlier else text
        if marks:
            markup.setdefault(len(moves), {}).update(marks)
        for key in _INFO:
            kind = sgf_grammar.text_value if key == "GC" else sgf_grammar.simpletext_value
            if key not in info and (values := sgf_values.values_of(node, key, kind)):
                info[key] = sgf_values.joined(key, values)
    komi, komi_note = sgf_values.komi_of(info.pop("KM", ""))
    handicap, handicap_note = sgf_values.handicap_of(info.pop("HA", ""))
    if handicap and komi is None:
        komi, komi_note = 0.5, "no komi is given; with a handicap it is read as 0.5"
    placed = _free_handicap(handicap, moves, setups)
    if placed:
        stones = frozenset(move.point for _, move in moves[:placed] if move.point)
        setups = [(placed, sgf_values.Setup(black=stones, player=Player.white))]
    record = GameRecordSgf(
        source=source, size=size, moves=tuple(moves), setups=tuple(setups), comments=comments,
        komi=komi, handicap=handicap, placed=placed,
        black=info.pop("PB", ""), white=info.pop("PW", ""), result=info.pop("RE", ""), info=info,
        markup=markup, variations=tuple(_variations(tree, moves_after)),
    )
    edited = {ply for ply, _ in setups}
    notes = [
        *file_notes, size_note, komi_note, handicap_note, _handicap_note(record),
        _left_out(moves, edited),
    ]
    return dataclasses.replace(record, notes=tuple(filter(None, notes)))


def remarks_of(node: sgf.Node) -> tuple[str, dict[str, list[bytes]]]:
    """The comment of a node, and its properties that are `markup`."""
    text = "\n\n".join(sgf_values.values_of(node, "C", sgf_grammar.text_value))
    keys = (key for key in node.properties() if key and key not in _READ)
    return text, {key: node.get_raw_list(key) for key in keys}


def _variations(
    tree: Coarse_game_tree, moves_after: list[int]
) -> Iterator[tuple[int, Coarse_game_tree]]:
    """The variations of the main line, each with the number of moves before it.

    `moves_after`: the number of moves after each node of the main line.
    """
    place = -1
    while True:
        place += len(tree.sequence)
        for variation in tree.children[1:]:
            yield moves_after[place], variation
        if not tree.children:
            return
        tree = tree.children[0]


def _free_handicap(
    handicap: int, moves: list[tuple[Player, Move]], setups: list[tuple[int, sgf_values.Setup]]
) -> int:
    """The number of first moves that are handicap stones: Black's first HA moves in a row, or 0."""
    first = moves[:handicap]
    stones = {move.point for player, move in first if player is Player.black and move.is_play}
    is_free = handicap >= 2 and not any(
        ply or setup.black or setup.white for ply, setup in setups
    )
    return handicap if is_free and len(stones) == handicap else 0


def _handicap_note(record: GameRecordSgf) -> str:
    if record.placed:
        return f"the first {record.placed} moves are read as handicap stones"
    if record.handicap >= 2 and not any(setup.black for _, setup in record.setups):
        return f"HA[{record.handicap}] is given, but no handicap stones"
    return ""


def _left_out(moves: list[tuple[Player, Move]], edited: set[int]) -> str:
    """A note if the record continues after two passes. `edited`: numbers of moves before setup
    stones."""
    for n in range(2, len(moves)):
        if moves[n - 1][1].is_pass and moves[n - 2][1].is_pass and not edited & {n - 1, n}:
            return f"two passes end the game at move {n}; the moves after it are left out"
    return ""
