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

Reading is liberal: annotations are skipped, variations are left out; `-`, `x`, `:` and the dashes
of typography are the same; a multiple capture may be given by all its squares, by its ends, or
jump by jump. Reading of a game stops at an illegal move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dlgo.api import GameState, Player
from dlgo.errors import IllegalMoveError, NotationError
from dlgo.games.draughts import notation
from dlgo.games.draughts.state import Draughts

GAME_TYPE = "21"
RESULTS = {Player.white: "1-0", Player.black: "0-1", None: "1/2-1/2"}
UNKNOWN = "*"
# Tags that the state and the result of a game determine.
WRITTEN_TAGS = ("Result", "GameType", "SetUp", "FEN")
_LINE_LENGTH = 80

_DASH = "\\-\u2010-\u2015\u2212"  # within brackets of a pattern
_HALF = "(?:1/2|\u00bd)"
_TOKEN = re.compile(
    rf"""(?P<skip> \s+ | %[^\n]* | \$\d+ | \.\.\. | [!?]+ | \x1a )
      | (?P<comment> \{{[^}}]*\}} | ;[^\n]* )
      | (?P<tag> \[\s*(?P<name>\w+)\s*"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\] )
      | (?P<result> (?:(?:1[{_DASH}]0|0[{_DASH}]1|{_HALF}[{_DASH}]{_HALF}|2[{_DASH}]0|0[{_DASH}]2
          |1[{_DASH}]1|0[{_DASH}]0|\*) (?![^\s\[{{;])) )
      | (?P<number> \d+\.(?:\.\.)? )
      | (?P<move> (?P<squares>\d+(?:[xX:{_DASH}]\d+)+) (?:[!?*]+|\([!?]+\))? )
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
    # Number of moves made -> text; 0 is the comment on the start.
    comments: Mapping[int, str] = field(default_factory=dict)
    # The illegal move and the reason; "" if there is none. `state` is the position before it.
    problem: str = ""
    notes: tuple[str, ...] = ()  # assumptions and omissions, a phrase each


def write_game(
    state: GameState, tags: Mapping[str, str] | None = None, result: str | None = None,
    comments: Mapping[int, str] | None = None,
) -> str:
    """The game that led to `state`, as PDN.

    Args:
        tags: further tags, or other values for Event, White and Black ("?" by default).
        result: by default that of a finished state, else `*`.
        comments: number of moves made -> text.
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

    played = state
    if state.last_move is not None and state.last_move.is_resign:
        played = state.previous_state
    words = [*_with_comments(state.game.move_list_text(played).split(), comments or {}), result]
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > _LINE_LENGTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return header + "\n" + "\n".join(lines) + "\n"


def _with_comments(words: list[str], comments: Mapping[int, str]) -> Iterator[str]:
    """The words of a list of moves, with each comment after the turn that it is on."""
    left = dict(sorted(comments.items()))
    plies = 0
    for word in ["", *words]:
        if word:
            yield word
        if not word.endswith("."):
            plies += word.count("x") or bool(word)
            for at in [at for at in left if at <= plies]:
                yield from f"{{{left.pop(at).replace('}', ')')}}}".split()


def read_games(text: str) -> list[PdnGame]:
    """All games of a PDN text.

    Raises NotationError, with the number of the game, for any fault except an illegal move.
    """
    games: list[PdnGame] = []
    reader = _GameReader(1)
    for token in _tokens(text.removeprefix("\ufeff")):
        # A tag after moves, or anything but a comment after a result, belongs to the next game.
        after_result = reader.ended and token.lastgroup not in ("comment", "open")
        if after_result or (token.lastgroup == "tag" and reader.state is not None):
            games.append(reader.game())
            reader = _GameReader(len(games) + 1)
        reader.take(token)
    if reader.begun:
        games.append(reader.game())
    return games


def is_sound(text: str) -> bool:
    """Whether a text can be read as PDN."""
    try:
        read_games(text)
    except NotationError:
        return False
    return True


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """The tags, moves, comments, results and misfits of a text; only the brackets of variations."""
    depth = 0  # of variations
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            if not depth:
                yield token
            depth += 1
        elif kind == "close" and depth > 0:
            depth -= 1
        elif kind == "bad" and token[0].startswith("{"):
            yield token  # a comment without an end, also inside a variation
        elif depth == 0 and kind not in ("skip", "number"):
            yield token
    if depth:
        raise NotationError("PDN: a variation is not closed, ')' is missing")


class _GameReader:
    """Takes the tokens of one game, one by one."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.tags: dict[str, str] = {}
        self.state: GameState | None = None  # None before the first move
        self.result: str | None = None
        self.comments: dict[int, str] = {}
        self.problem = ""
        self.notes: list[str] = []
        self.turns = self.plies = self.variations = 0
        self.white_began = False

    @property
    def begun(self) -> bool:
        return bool(self.tags) or self.state is not None or self.result is not None

    @property
    def ended(self) -> bool:
        return self.result is not None

    def game(self) -> PdnGame:
        self._begin()
        assert self.state is not None
        token = _TOKEN.fullmatch(self.tags.get("Result", ""))
        tagged = _plain(token[0]) if token is not None and token["result"] else UNKNOWN
        result = self.result or UNKNOWN
        if UNKNOWN not in (tagged, result) and tagged != result:
            raise self._error(f"the tag Result says {tagged!r}, the moves end with {result!r}")
        if self.variations:
            self.notes.append(f"variations are left out: {self.variations}")
        return PdnGame(
            self.tags, self.state, tagged if result == UNKNOWN else result, self.comments,
            self.problem, tuple(self.notes),
        )

    def take(self, token: re.Match[str]) -> None:
        if token.lastgroup == "tag":
            self.tags[token["name"]] = re.sub(r"\\(.)", r"\1", token["value"])
        elif token.lastgroup == "comment":
            self._comment(token[0].strip("{};").strip())
        else:
            self._begin()
        if token.lastgroup == "result":
            self.result = _plain(token[0])
        elif token.lastgroup == "open":
            self.variations += 1
        elif token.lastgroup == "move":
            if not self.problem:
                self._play(_plain(token["squares"]))
        elif token.lastgroup in ("bad", "close"):
            why = "a comment is not closed, '}' is missing" if token[0][0] == "{" else "no move"
            raise self._error(f"after {self.turns} moves, {token[0]!r}: {why}")

    def _comment(self, text: str) -> None:
        if text and not self.problem:
            earlier = self.comments.get(self.plies)
            self.comments[self.plies] = f"{earlier} {text}" if earlier else text

    def _begin(self) -> None:
        if self.state is not None:
            return
        kind = self.tags.get("GameType", GAME_TYPE)
        if kind.split(",")[0].strip() != GAME_TYPE:
            raise self._error(f"GameType {kind!r} is not English draughts, {GAME_TYPE!r}")
        fen = self.tags.get("FEN", notation.START_FEN)
        if not fen.strip():
            self.notes.append("the tag FEN is empty; the game is read from the usual start")
        try:
            self.state = Draughts.from_fen(fen.strip() or notation.START_FEN)
        except NotationError as error:
            raise self._error(str(error)) from None
        if counters := notation.FEN_COUNTERS.search(fen):
            self.notes.append(f"the counters of the tag FEN, {counters[0]!r}, are left out")
        self.white_began = self.state.next_player is Player.white

    def _play(self, text: str) -> None:
        assert self.state is not None
        player = self.state.next_player
        try:
            moves = notation.parse_turn(self.state, text)
        except (IllegalMoveError, NotationError) as error:
            number = (self.turns + self.white_began) // 2 + 1
            failure = self._error(f"move {number} of {player.name}: {error}")
            if isinstance(error, NotationError):  # a typing error, or an ambiguous move
                raise failure from None
            self.problem = str(failure)
            return
        for move in moves:
            self.state = self.state.apply_move(move)
        self.plies += len(moves)
        self.turns += self.state.next_player is not player

    def _error(self, why: str) -> NotationError:
        return NotationError(f"PDN game {self.index}: {why}")


def _plain(text: str) -> str:
    """A move or a result in ASCII: `11–15` is `11-15`, `½-½` is `1/2-1/2`."""
    return re.sub(f"[{_DASH}]", "-", text.replace("\u00bd", "1/2"))


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
