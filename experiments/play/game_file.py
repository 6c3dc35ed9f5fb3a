"""One game in one file: SGF for Go, PDN for draughts, a text of moves for any other game.

    game: connectn:cols=5,rows=4,n=3
    black: human
    white: mcts:sims=1000
    3 3 2 resign

The text begins with the game's specification; `black`, `white` and `result` are for the
reader, `#` begins a comment, and all other lines are moves as `dlgo play` takes them. The parsers
of SGF and PDN are those of `dlgo`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath

from dlgo import DlgoError, GameSpec, GameState, Move, NotationError, Player
from dlgo.files import write_file
from dlgo.games import recorded_game
from dlgo.games.draughts import pdn
from dlgo.records.sgf import GameRecordSgf, read_sgf, record_bytes, replay, write_sgf
from dlgo.text import one_line

_SPEC_NOTE = "dlgo "  # SGF's game comment: the specification, whose options SGF has no words for
_RESIGNATION = "resignation"
_FORMS = "SGF, PDN, or moves after a first line such as 'game: connect4'"


@dataclass(frozen=True)
class SavedGame:
    """A game as it was read.

    Attributes:
        state: the last position, with all moves.
        black, white: the players' names, "" if unknown.
        result: as the file gives it, "" if it does not. It can differ from the board.
        notes: what was read otherwise than it is written, a line each that names the file.
    """

    state: GameState
    black: str = ""
    white: str = ""
    result: str = ""
    notes: tuple[str, ...] = ()


def write_game_file(path: Path, state: GameState, black: str = "", white: str = "") -> None:
    """Write the game that led to `state`, in one step: a reader sees the old file or the new.

    Raises:
        DlgoError: if the file cannot be written; an old one is then untouched.
    """
    write_file(path, game_bytes(state, black, white))


def form_of(game: GameSpec) -> str:
    """In which form a game is saved: `sgf`, `pdn` or `txt`."""
    return {"go": "sgf", "draughts": "pdn"}.get(game.name, "txt")


def game_bytes(
    state: GameState, black: str = "", white: str = "", form: str | None = None
) -> bytes:
    """The game as the content of a file: in the form of its kind, or as a text (`txt`)."""
    game = state.game
    form = form or form_of(game)
    if form == "sgf":
        info = {"GC": f"{_SPEC_NOTE}{game}"}
        return write_sgf(state, black=black, white=white, info=info)
    if form == "pdn":
        tags = {"Black": black or "?", "White": white or "?"}
        if state.last_move is not None and state.last_move.is_resign:
            tags["Termination"] = _RESIGNATION
        return pdn.write_game(state, tags).encode("utf-8", "replace")
    lines = [f"game: {game}"]
    for key, text in (("black", black), ("white", white)):
        if text:
            lines.append(f"{key}: {' '.join(text.split())}")
    if state.is_over():
        lines.append(f"result: {game.result_text(state)}")
    words = [game.move_text(move) for move in state.moves()]
    lines += [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def read_game_file(path: Path) -> SavedGame:
    """The game of a file; its content says of which kind it is.

    Raises:
        NotationError: one line that names the file, the place and what is wrong there.
        UnnamedGameError: as `recorded_game`.
    """
    return read_game_bytes(record_bytes(path), path, recorded_game)


def read_game_bytes(
    data: bytes, path: PurePath, find_game: Callable[[str], GameSpec]
) -> SavedGame:
    """The game of a file's content.

    Args:
        path: what messages call it.
        find_game: the game that a specification in the content names. It may refuse.

    Raises:
        NotationError: as `read_game_file`; and what `find_game` raises.
    """
    suffix = path.suffix.lower()
    if suffix == ".sgf" or re.match(rb"(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*\(\0?\s*;", data):
        return _from_sgf(read_sgf(data, name=str(path)), find_game)
    if b"\0" in data:
        raise NotationError(f"{path}: not a game record; one is {_FORMS}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if re.match(r"(\s|#[^\n]*\n)*game:", text):
        return _from_text(path, text, find_game)
    if suffix == ".pdn" or re.match(r"\s*(\[\s*\w+\s*\"|1\.)", text):
        try:
            return _from_pdn(pdn.read_game(text))
        except NotationError as error:
            raise NotationError(f"{path}: {error}") from None
    raise NotationError(f"{path}: not a game record; one is {_FORMS}")


def _from_sgf(record: GameRecordSgf, find_game: Callable[[str], GameSpec]) -> SavedGame:
    state = _as_played(record, find_game)
    if state is None:
        *_, state = replay(record)
    if re.match(r"[BW]\+R", record.result, re.IGNORECASE):
        state = _resigned(state, record.winner)
    notes = tuple(one_line(f"{record.source}: {note}") for note in record.notes)
    return SavedGame(state, record.black, record.white, record.result, notes)


def _as_played(
    record: GameRecordSgf, find_game: Callable[[str], GameSpec]
) -> GameState | None:
    """The end of a game that was written here, under the very options it was played with."""
    note = record.info.get("GC", "")
    if not note.startswith(f"{_SPEC_NOTE}go") or any(before for before, _ in record.setups):
        return None
    try:
        game = find_game(note.removeprefix(_SPEC_NOTE))
    except DlgoError:
        return None
    if game.name != "go" or game.size != record.size or game.komi != record.komi:
        return None
    state, written = GameState.new_game(game), next(replay(record))
    places = [(row + 1, col + 1) for row in range(game.size) for col in range(game.size)]
    if state.next_player is not written.next_player or any(
        game.cell(state, *place) is not game.cell(written, *place) for place in places
    ):
        return None
    for player, move in record.moves:
        if player is not state.next_player or not state.is_valid_move(move):
            return None  # `replay` says what is wrong
        state = state.apply_move(move)
    return state


def _from_pdn(game: pdn.PdnGame) -> SavedGame:
    state, tags = game.state, game.tags
    if tags.get("Termination") == _RESIGNATION:
        winners = {text: player for player, text in pdn.RESULTS.items()}
        state = _resigned(state, winners.get(game.result))
    names = (tags.get(key, "?").replace("?", "") for key in ("Black", "White"))
    return SavedGame(state, *names, result=game.result.replace(pdn.UNKNOWN, ""))


def _resigned(state: GameState, winner: Player | None) -> GameState:
    """The state with the resignation of the record, if it can be that of the player to move."""
    if state.is_over() or winner is not state.next_player.other:
        return state
    return state.apply_move(Move.resign())


def _from_text(
    path: PurePath, text: str, find_game: Callable[[str], GameSpec]
) -> SavedGame:
    header: dict[str, str] = {}
    state: GameState | None = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        key, colon, value = (part.strip() for part in line.partition(":"))
        if colon and key in ("game", "black", "white", "result") and key not in header:
            header[key] = value
            if key == "game":
                try:
                    state = GameState.new_game(find_game(value))
                except DlgoError as error:
                    raise NotationError(f"{path}: line {number}: {error}") from None
            continue
        for word in line.split():
            assert state is not None  # the caller has seen that the game comes first
            try:
                moves = (
                    [Move.resign()] if word == "resign" else state.game.parse_moves(state, word)
                )
                for move in moves:
                    state = state.apply_move(move)
            except DlgoError as error:
                raise NotationError(f"{path}: line {number}: {error}") from None
    assert state is not None
    del header["game"]
    return SavedGame(state, **header)
