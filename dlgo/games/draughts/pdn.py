"""Games in Portable Draughts Notation (PDN 3.0, pdn.fmjd.org), English draughts: GameType 21.

    [Event "example"]
    [White "B. Second"]
    [Black "A. First"]
    [Result "0-1"]
    [GameType "21"]

    1. 11-15 23-19 2. 8-11 22-17 {a comment} ... 0-1

PDN names the players by the colour of their pieces. Its Result gives white's points first,
as in chess: `1-0` means that White has won, although Black moves first here. This module writes
games in this way. Some programs differ: in the games of Tinsley that come with CheckerBoard, `1-0`
means that Black, the first player, has won. So a result is kept as it is read.

Reading is liberal: `-`, `x`, `:` and the dashes of typography are the same; a multiple capture may
be given by all its squares, by its ends, or jump by jump. Reading of a game, or of a variation,
stops at an illegal move. `dlgo/movetext.py` says how comments and variations are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from dlgo import movetext
from dlgo.api import GameState, Player
from dlgo.errors import IllegalMoveError, NotationError
from dlgo.game_tree import Node, tree_of
from dlgo.games.draughts import notation
from dlgo.games.draughts.state import Draughts
from dlgo.text import number_of

GAME_TYPE = "21"
RESULTS = {Player.white: "1-0", Player.black: "0-1", None: "1/2-1/2"}
UNKNOWN = "*"
# Tags that the state and the result of a game determine.
WRITTEN_TAGS = ("Result", "GameType", "SetUp", "FEN")
_BLOCK = 1 << 20  # bytes of an archive that are read at a time
_SAMPLE = 100  # games that show whether a charset is right

_DASH = "\\-\u2010-\u2015\u2212"  # within brackets of a pattern
_HALF = "(?:1/2|\u00bd)"
_TOKEN = re.compile(
    rf"""(?P<skip> \s+ | %[^\n]* | \.\.\. | \x1a )
      | (?P<glyph> \$\d+ | [!?]+ | [±∓⩲⩱∞□⟳⇆↑→N=]+(?!\S) )
      | (?P<comment> \{{[^}}]*\}} | ;[^\n]* )
      | (?P<tag> \[\s*(?P<name>\w+)\s*"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\] )
      | (?P<result> (?:(?:1[{_DASH}]0|0[{_DASH}]1|{_HALF}[{_DASH}]{_HALF}|2[{_DASH}]0|0[{_DASH}]2
          |1[{_DASH}]1|0[{_DASH}]0|\*) (?![^\s\[{{;])) )
      | (?P<number> \d+\.(?:\.\.)? )
      | (?P<move> (?P<squares>\d+(?:[xX:{_DASH}]\d+)+) (?P<mark>[!?*]+|\([!?]+\))? )
      | (?P<open> \( )
      | (?P<close> \) )
      | (?P<bad> \S{{1,20}} )
    """,
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True)
class PdnGame:
    """A game that was read from PDN."""

    tags: dict[str, str]  # the tags in their order
    state: GameState  # the position after the last move; `state.moves()` are the moves.
    # The result in the text, `*` if it has none of PDN's. It can differ from the result on the
    # board: most games end by resignation or agreement.
    result: str
    root: Node  # the game with its variations and comments
    # The illegal move and the reason; "" if there is none. `state` is the position before it.
    problem: str = ""
    notes: tuple[str, ...] = ()  # assumptions and omissions, a phrase each


def write_game(
    state: GameState, tags: Mapping[str, str] | None = None, result: str | None = None,
    root: Node | None = None,
) -> str:
    """The game that led to `state`, as PDN.

    Args:
        tags: further tags, or other values for Event, White and Black ("?" by default).
        result: by default that of a finished state, else `*`.
        root: the game with its variations and comments.
    """
    if state.is_over() and result in (None, UNKNOWN):
        result = RESULTS[state.winner()]
    result = result or UNKNOWN
    all_tags = {"Event": "?", "White": "?", "Black": "?", **(tags or {})}
    all_tags |= {"Result": result, "GameType": GAME_TYPE}
    fen = notation.fen_text(state.history()[0].kernel_state)
    if fen != notation.START_FEN:
        all_tags |= {"SetUp": "1", "FEN": fen}
    header = "".join(f'[{name} "{_quoted(value)}"]\n' for name, value in all_tags.items())

    root = root or tree_of(state)
    second_begins = root.state.next_player is Player.white

    def turn_words(node: Node, turns: int, begins: bool) -> list[str]:
        if node.moves[-1].is_resign:  # it is in the result
            return []
        number, second = divmod(turns + second_begins, 2)
        words = [f"{number + 1}..." if second else f"{number + 1}."] if begins or not second else []
        return [*words, *state.game.whole_moves([*node.moves])]

    return header + "\n" + movetext.wrapped([*movetext.words_of(root, turn_words), result])


def read_games(text: str) -> list[PdnGame]:
    """All games of a PDN text; see `iterate_games`."""
    return [*iterate_games(text)]


def iterate_games(text: str, number: int = 1) -> Iterator[PdnGame]:
    """The games of a PDN text, one by one; the first is called by `number`.

    Raises NotationError, with the number of the game, for any fault except an illegal move.
    """
    reader = _GameReader(number)
    for token in _tokens(text.removeprefix("\ufeff")):
        # A tag after moves, or anything but a comment after a result, belongs to the next game.
        after_result = reader.ended and token.lastgroup not in ("comment", "open")
        if after_result or (token.lastgroup == "tag" and reader.root):
            yield reader.game()
            reader = _GameReader(reader.index + 1)
        reader.take(token)
    if reader.begun:
        yield reader.game()


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """An archive of any size in pieces of whole games, cut where tags follow an empty line."""
    rest = b""
    while data := file.read(_BLOCK):
        rest += data
        cut = 1 + max(rest.rfind(b"\n\n["), rest.rfind(b"\n\r\n["))
        if cut:
            yield rest[:cut]
        rest = rest[cut:]
    yield rest


def is_sound(text: str) -> bool:
    """Whether the first games of a text can be read as PDN."""
    try:
        return all(True for _ in islice(iterate_games(text), _SAMPLE))
    except NotationError:
        return False


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The tags, moves, comments, results, variations and misfits of a text."""
    depth = 0  # of variations
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        depth += (kind == "open") - (kind == "close" and depth > 0)
        if kind not in ("skip", "number"):
            yield token
    if depth:
        raise NotationError("PDN: a variation is not closed, ')' is missing")


class _GameReader:
    """Takes the tokens of one game, one by one."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.tags: dict[str, str] = {}
        # The start, and the last node of the line that is being read; None before the first move.
        self.root: Node | None = None
        self.node: Node | None = None
        # Where the lines go on that open variations leave, and whether they had ended early.
        self.outer: list[tuple[Node, bool]] = []
        self.early = ""  # the comment before the first move
        self.result: str | None = None
        self.cut = False  # at an illegal move of this line
        self.cuts = 0
        self.problem = ""
        self.notes: list[str] = []

    @property
    def begun(self) -> bool:
        return bool(self.tags) or self.root is not None or self.result is not None

    @property
    def ended(self) -> bool:
        return self.result is not None

    def game(self) -> PdnGame:
        node = self._begin()
        token = _TOKEN.fullmatch(self.tags.get("Result", ""))
        tagged = _plain(token[0]) if token is not None and token["result"] else UNKNOWN
        result = self.result or UNKNOWN
        if UNKNOWN not in (tagged, result) and tagged != result:
            raise self._error(f"the tag Result says {tagged!r}, the moves end with {result!r}")
        for step in node.line():  # variations may have come before it
            step.lead()
        if self.cuts:
            self.notes.append(f"variations that end before an illegal move: {self.cuts}")
        return PdnGame(
            self.tags, node.state, tagged if result == UNKNOWN else result, self.root or node,
            self.problem, tuple(self.notes),
        )

    def take(self, token: re.Match[str]) -> None:
        kind = token.lastgroup
        if kind == "tag":
            self.tags[token["name"]] = re.sub(r"\\(.)", r"\1", token["value"])
            return
        if kind == "comment":
            self._comment(token[0][1:].removesuffix("}") if token[0][0] == "{" else token[0][1:])
            return
        node = self._begin()
        if kind == "result" and not self.outer:
            self.result = _plain(token[0])
        elif kind == "open":
            # It replaces the last turn, or one that could not be played.
            self.outer.append((node, self.cut))
            self.node = node if self.cut else node.parent or node
            self.cut = False
        elif kind == "close" and self.outer:
            self.node, self.cut = self.outer.pop()
        elif kind == "move" and not self.cut:
            self._glyph(self._play(node, _plain(token["squares"])), token["mark"] or "")
        elif kind == "glyph":
            self._glyph(node, token[0])
        elif kind in ("bad", "close"):
            unclosed = token[0][0] == "{"
            if self.outer and not unclosed:
                self._cut("")
                return
            reason = "a comment is not closed, '}' is missing" if unclosed else "no move"
            place = number_of(len(node.line()), "move")
            raise self._error(f"after {place}, {token[0]!r}: {reason}")

    def _comment(self, text: str) -> None:
        if self.node is None:
            self.early = f"{self.early} {text}"
        elif not self.cut:
            movetext.add_comment(self.node, text)

    def _glyph(self, node: Node, text: str) -> None:
        if text.strip("*") and not self.cut:
            node.markup.setdefault(movetext.GLYPHS, []).append(text.encode())

    def _cut(self, problem: str) -> None:
        """Leave out the rest of this line."""
        if self.outer:
            self.cuts += not self.cut
        else:
            self.problem = problem
        self.cut = True

    def _begin(self) -> Node:
        """The last node of the line that is being read, at first the start of the game."""
        if self.node is not None:
            return self.node
        kind = self.tags.get("GameType", GAME_TYPE)
        if kind.split(",")[0].strip() != GAME_TYPE:
            raise self._error(f"GameType {kind!r} is not English draughts ({GAME_TYPE!r}); other "
                              "kinds, such as international draughts, have other rules")
        fen = self.tags.get("FEN", notation.START_FEN)
        if not fen.strip():
            self.notes.append("the tag FEN is empty; the game is read from the usual start")
        try:
            root = Node(Draughts.from_fen(fen.strip() or notation.START_FEN))
        except NotationError as error:
            raise self._error(str(error)) from None
        if counters := notation.FEN_COUNTERS.search(fen):
            self.notes.append(f"the counters of the tag FEN, {counters[0]!r}, are left out")
        movetext.add_comment(root, self.early)
        self.root = self.node = root
        return root

    def _play(self, last_node: Node, text: str) -> Node:
        """The node that a turn leads to; `last_node` if it cannot be played."""
        parent = last_node.parent
        player = last_node.state.next_player
        try:
            moves = notation.parse_turn(last_node.state, text)
        except (IllegalMoveError, NotationError) as error:
            second_began = (self.root or last_node).state.next_player is Player.white
            number = (len(last_node.line()) + second_began) // 2 + 1
            failure = self._error(f"move {number} of {player.name}: {error}")
            if isinstance(error, NotationError) and not self.outer:
                raise failure from None  # a typing error, or an ambiguous move
            self._cut(str(failure))
            return last_node
        if parent is not None and player is parent.state.next_player:
            # A capture that is written jump by jump is one turn.
            if not last_node.children:
                parent.children.remove(last_node)
            node = parent.add([*last_node.moves, *moves])
            node.comment, node.markup = last_node.comment, last_node.markup
        else:
            node = last_node.add(moves)
        self.node = node
        return node

    def _error(self, reason: str) -> NotationError:
        return NotationError(f"PDN game {self.index}: {reason}")


def _plain(text: str) -> str:
    """A move or a result in ASCII: `11–15` is `11-15`, `½-½` is `1/2-1/2`."""
    return re.sub(f"[{_DASH}]", "-", text.replace("\u00bd", "1/2"))


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
