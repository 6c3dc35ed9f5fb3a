"""The prompt that shows a position to a language model, and the move in its answer.

A template is a text with the names of `FIELDS`, written `$board`; below the line `=== again ===`
stands what follows an answer that does not count. A disguise (`disguises/numbers.toml`) tells the
same game in other words: it has a name for each move. Of an answer only the move is used.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dlgo.api import GameSpec, GameState, Move
from dlgo.digests import hex_digest
from dlgo.display import board_info, player_text, position_info
from dlgo.errors import IllegalMoveError, NotationError, SpecError
from dlgo.files import user_path
from dlgo.readers import MALFORMED, read_toml
from dlgo.records.failures import AnswerKind
from dlgo.text import excerpt
from engines.llm.answers import LONGEST_MOVE, Unusable, is_legible, marked_move, undecorated

FIELDS = ("game", "rules", "player", "board", "history", "legal")
_HERE = Path(__file__).parent
_AGAIN = re.compile(r"(?m)\n?^=== again ===[ \t]*$\n?")


class Prompt:
    """Writes the prompts for a game, and reads the answers.

    Args:
        template, disguise: the name of one that comes with the engine, or a file.
        board: `drawing`, as on a console, or `list`, of the occupied cells.
        legal: whether the legal moves are listed.

    Raises SpecError for a file that cannot be used.
    """

    def __init__(
        self, game: GameSpec, template: str, disguise: str, board: str, legal: bool
    ) -> None:
        self._board, self._legal = board, legal
        text = _read("template", template, "templates", ".txt")
        first, *again = _AGAIN.split(text, maxsplit=1)
        if not any(again):
            again = _AGAIN.split(_read("template", "line", "templates", ".txt"))[1:]
        self._first, self._again = string.Template(first), string.Template(again[0])
        for part, names in ((self._first, FIELDS), (self._again, ("why",))):
            unknown = {*part.get_identifiers()} - {*names} if part.is_valid() else {"$"}
            if unknown:
                raise SpecError(f"engine llm: template {template} has an unknown field "
                                f"{min(unknown)!r}; it may have ${', $'.join(names)}; write $$ for "
                                "a dollar sign")
        self._title = game.title if game.spec_name else str(game)
        self._rules = " ".join((type(game).__doc__ or "").split())
        self._names: dict[str, str] = {}
        words = _read("disguise", disguise, "disguises", ".toml") if disguise else ""
        if disguise:
            self._title, self._rules, self._names = _disguise(disguise, words, game)
        self._moves = {name: text for text, name in self._names.items()}
        self.digest = hex_digest(f"{text}\0{words}", 8)

    def first(self, state: GameState) -> str:
        """The prompt for a position."""
        player, name = state.next_player, player_text(state.game, state.next_player)
        symbol = state.game.piece_symbol(player.index)
        moves = " ".join(self._text(state, move) for move in state.moves()) or "none"
        legal = ", ".join(self._text(state, move) for move in state.legal_moves())
        return self._first.substitute({
            "game": self._title, "rules": self._rules, "board": self._draw(state),
            "player": f"player {player.index + 1}" if self._names else f"{name} ({symbol})",
            "history": moves, "legal": f"Legal moves: {legal}" if self._legal else "",
        })

    def again(self, why: str) -> str:
        """The message about an answer that cannot be used."""
        return self._again.substitute(why=why)

    def read(self, state: GameState, answer: str) -> tuple[Move, bool]:
        """The move in an answer, and whether it has the form that is asked for. Raises Unusable."""
        text, as_asked = marked_move(answer)
        text = text[: LONGEST_MOVE + 1]  # of what may be 4 MiB
        if not self._is_move(state, text):
            words = map(undecorated, re.split(r"[\s,;/|]+", text))
            if len({word.casefold() for word in words if self._is_move(state, word)}) > 1:
                raise Unusable(AnswerKind.TWO_MOVES, "it names two different moves")
            if self._is_move(state, bare := undecorated(text)):
                text, as_asked = bare, False
        return self._move(state, text), as_asked

    def _is_move(self, state: GameState, text: str) -> bool:
        """Whether players can write a move, legal or not, in this way."""
        try:
            self._move(state, text)
        except Unusable as error:
            return error.kind is None
        return True

    def _move(self, state: GameState, text: str) -> Move:
        """A legal move as players write it. Raises Unusable."""
        if not is_legible(text):
            raise Unusable(AnswerKind.NOT_A_MOVE, "its move cannot be read")
        own = text if not self._names else self._moves.get(text)
        if own is None:
            raise Unusable(AnswerKind.NOT_A_MOVE, f"{excerpt(text, 40)} is not a move")
        try:
            move = state.read_move(own)
            state.apply_move(move)
        except NotationError as error:
            raise Unusable(AnswerKind.NOT_A_MOVE, f"{excerpt(text, 40)} is not a move: "
                                                  f"{excerpt(str(error), 120)}") from None
        except IllegalMoveError as error:
            reason = f"{text} is illegal" if self._names else excerpt(str(error), 200)
            raise Unusable(None, reason) from None
        return move

    def _text(self, state: GameState, move: Move) -> str:
        text = state.game.move_text(move)
        return self._names.get(text, text)

    def _draw(self, state: GameState) -> str:
        if self._names:
            labels: dict[int, list[str]] = {0: [], 1: []}
            for player, move in state.history()[1]:
                labels[player.index].append(self._text(state, move))
            return "\n".join(f"Player {index + 1} has: {' '.join(names) or 'nothing'}"
                             for index, names in labels.items())
        if self._board == "drawing":
            return str(state)
        cells = zip(board_info(state.game)["cellNames"], position_info(state)["cells"], strict=True)
        kinds: dict[int, list[str]] = {}
        for name, piece in cells:
            kinds.setdefault(piece, []).append(name)
        return "\n".join(f"{state.game.piece_symbol(piece)}: {', '.join(kinds[piece])}"
                         for piece in sorted(kinds) if piece >= 0) or "empty"


def _read(option: str, name: str, folder: str, ending: str) -> str:
    """The text of a file, or of one that comes with the engine. Raises SpecError."""
    included = {path.stem: path for path in sorted((_HERE / folder).glob(f"*{ending}"))}
    try:
        return (included.get(name) or user_path(name)).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise SpecError(f"engine llm: {option} {name} cannot be read: {reason}; name a file, or "
                        f"one of {', '.join(included)}") from None


def _disguise(name: str, text: str, game: GameSpec) -> tuple[str, str, dict[str, str]]:
    """Title, rules and the names of moves of a disguise for a game. Raises SpecError."""
    try:
        table: Mapping[str, Any] = read_toml(text)
        title, rules = str(table["title"]), " ".join(str(table["rules"]).split())
        names = {str(move): str(label).strip() for move, label in table["moves"].items()}
        of = table["game"]
    except MALFORMED as error:
        raise SpecError(f"engine llm: disguise {name} is not a TOML file with game, title, rules "
                        f"and a table [moves]: {excerpt(str(error), 100)}") from None
    if of != str(game):
        raise SpecError(f"engine llm: disguise {name} is for {of}, not for {game}")
    texts: set[str] = set()
    for action in range(game.num_actions):
        with suppress(KeyError):  # not a move
            texts.add(game.move_text(game.move_of(action)))
    uses = Counter(names.values())
    if bad := texts ^ {*names} | {move for move, label in names.items()
                                   if uses[label] > 1 or not is_legible(label)}:
        raise SpecError(f"engine llm: disguise {name} must give each move of {game} a name of its "
                        f"own, of 1 to {LONGEST_MOVE} printable characters; correct "
                        f"{excerpt(', '.join(sorted(bad)), 80)}")
    return title, rules, names
