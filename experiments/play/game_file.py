"""One game in one file: SGF for Go, PDN for draughts, a text of moves for any other game.

    game: connectn:cols=5,rows=4,n=3
    black: human
    white: mcts:sims=1000
    3 3 2 resign

The text begins with the game's specification; `black`, `white` and `result` are for the
reader, `#` begins a comment, and all other lines are moves as `dlgo play` takes them.

Every command that takes a game file reads it here. An illegal move ends what is read of its game,
and a note says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from dlgo import DlgoError, GameSpec, GameState, IllegalMoveError, Move, NotationError, Player
from dlgo.files import write_file
from dlgo.games import recorded_game
from dlgo.games.draughts import pdn
from dlgo.records.charsets import decoded
from dlgo.records.game_record import GameRecord
from dlgo.records.sgf import Variation, play, read_sgf_games, record_bytes, write_sgf
from dlgo.records.sgf_record import GameRecordSgf
from dlgo.text import one_line

# SGF's game comment names the specification, whose options SGF has no words for.
_SPEC_LINE = re.compile(r"\s*^dlgo go\S*$\s*", re.MULTILINE)
_RESIGNATION = "resignation"
_FORMS = "SGF, PDN, or moves after a first line such as 'game: connect4'"


@dataclass(frozen=True)
class SavedGame:
    """A game as it was read."""

    state: GameState  # the last position, with all moves
    black: str = ""  # the players' names
    white: str = ""
    result: str = ""  # as the file gives it; it can differ from the board
    # What was read otherwise than it is written, or left out: lines that name the file.
    notes: tuple[str, ...] = ()
    komi: float | None = None  # as the file gives it, for Go
    # What else the file says of the game: SGF's properties or PDN's tags, by their names.
    info: Mapping[str, str] = field(default_factory=dict)
    # By the number of moves made: texts, and SGF's other properties, such as clocks and labels.
    comments: Mapping[int, str] = field(default_factory=dict)
    markup: Mapping[int, Mapping[str, list[bytes]]] = field(default_factory=dict)
    # Number of moves of an SGF file -> of the game: handicap stones may be moves in the file, and
    # passes may be missing there.
    plies: Mapping[int, int] = field(default_factory=dict)

    def names_beside(self, players: Sequence[str], state: GameState) -> tuple[str, str]:
        """The players' names once the game has gone on to `state`.

        Of `players`, black first, `human` keeps the name in the file; engines are named as given.
        """
        black, white = (
            name if name and (player == "human" or state is self.state) else player
            for player, name in zip(players, (self.black, self.white), strict=True)
        )
        return black, white

    def up_to(self, state: GameState) -> SavedGame:
        """The file's data for the game up to `state`, which may differ from the file's game."""
        (start, before), (other_start, after) = self.state.history(), state.history()
        pairs = zip(before, after, strict=False)
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)
        shared = len(list(same)) if start == other_start else 0
        whole = shared == len(before) == len(after)
        return SavedGame(
            state, self.black, self.white, self.result if whole else "", info=self.info,
            comments={at: text for at, text in self.comments.items() if at <= shared},
            markup={at: given for at, given in self.markup.items() if at <= shared},
        )


def write_game_file(
    path: Path, state: GameState, black: str = "", white: str = "", read: SavedGame | None = None
) -> None:
    """Write the game that led to `state`, in one step; see `game_bytes`. Raises DlgoError."""
    write_file(path, game_bytes(state, black, white, read))


def positions(state: GameState) -> list[GameState]:
    """All states of a game, the start first."""
    states = [state]
    while states[-1].previous_state is not None:
        states.append(states[-1].previous_state)
    return states[::-1]


def game_of_ledger(record: GameRecord) -> SavedGame:
    """A game of a ledger; if the board has no result, the reason of the end is the result."""
    state = record.replay()
    return SavedGame(state, record.first, record.second, "" if state.is_over() else record.reason)


def form_of(game: GameSpec) -> str:
    """The format in which a game is saved: `sgf`, `pdn` or `txt`."""
    return {"go": "sgf", "draughts": "pdn"}.get(game.name, "txt")


def game_bytes(
    state: GameState, black: str = "", white: str = "", read: SavedGame | None = None,
    variations: Mapping[int, Sequence[Variation]] | None = None,
) -> bytes:
    """The content of a file with the game, in the format of its kind.

    Comments and other properties of `read`, the file of the game, are written, too; for Go,
    `variations` as in `write_sgf`.
    """
    game, form = state.game, form_of(state.game)
    known = (read or SavedGame(state)).up_to(state)
    if form == "sgf":
        note = _SPEC_LINE.sub("\n\n", known.info.get("GC", "")).strip()
        info = {**known.info, "GC": f"{note}\n\ndlgo {game}".strip()}
        return write_sgf(
            state, black=black, white=white, result=known.result or None, info=info,
            comments=known.comments, markup=known.markup, variations=variations,
        )
    if form == "pdn":
        tags = {**known.info, "Black": black or "?", "White": white or "?"}
        if not known.result:
            tags.pop("Termination", None)
        if state.last_move is not None and state.last_move.is_resign:
            tags["Termination"] = _RESIGNATION
        text = pdn.write_game(state, tags, known.result or None, known.comments)
        return text.encode("utf-8", "replace")
    lines = [f"game: {game}"]
    for key, text in (("black", black), ("white", white)):
        if text:
            lines.append(f"{key}: {' '.join(text.split())}")
    if result := game.result_text(state) if state.is_over() else known.result:
        lines.append(f"result: {result}")
    words = [game.move_text(move) for move in state.moves()]
    lines += [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def read_game_file(path: Path, number: int | None = None) -> SavedGame:
    """A game of a file; its content says of which kind it is.

    `number` counts from 1; by default it is the first, with a note if there are others. Raises
    NotationError, which names the file, the place and the problem; UnnamedGameError as
    `recorded_game`.
    """
    games = read_games(record_bytes(path), path, recorded_game)
    if number is None:
        return first_game(games, path)
    if not 1 <= number <= len(games):
        raise NotationError(f"{path}: there is no game {number}; the file has {len(games)}")
    return games[number - 1]


def first_game(games: Sequence[SavedGame], path: PurePath) -> SavedGame:
    """The first of the games of a file, with a note if it holds others."""
    if len(games) == 1:
        return games[0]
    left_out = f"{path}: the first of {len(games)} games is read; the others are left out"
    return replace(games[0], notes=(one_line(left_out), *games[0].notes))


def read_games(
    data: bytes, path: PurePath, find_game: Callable[[str], GameSpec]
) -> list[SavedGame]:
    """The games of a file's content, at least one; messages call it `path`.

    `find_game` gives the game that a text of moves names, or refuses.
    Raises NotationError as `read_game_file`, and what `find_game` raises.
    """
    suffix = path.suffix.lower()
    if suffix in (".sgf", ".sgfs") or re.match(
        rb"(\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*\(\0?\s*;", data
    ):
        file = read_sgf_games(data, name=str(path))
        refused = tuple(one_line(f"{reason}; it is left out") for reason in file.refused)
        games = [_from_sgf(record) for record in file.games]
        return [replace(games[0], notes=(*refused, *games[0].notes)), *games[1:]]
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotationError(f"{path}: not a game record; one is {_FORMS}")
    text, note = decoded(data, is_sound=pdn.is_sound)
    notes = (one_line(f"{path}: {note}"),) if note else ()
    if re.match(r"(\s|#[^\n]*\n)*game:", text):
        return [_from_text(path, text, find_game, notes)]
    if suffix == ".pdn" or re.match(r"\s*(\[\s*\w+\s*\"|1\.)", text):
        try:
            games = [_from_pdn(game, path, notes) for game in pdn.read_games(text)]
        except NotationError as error:
            raise NotationError(f"{path}: {error}") from None
        if games:
            return games
    raise NotationError(f"{path}: not a game record; one is {_FORMS}")


def _from_sgf(record: GameRecordSgf) -> SavedGame:
    played = play(record)
    # The plies of the game by the moves of the file: handicap stones are none, implied passes are.
    begin, before = played.positions[0]
    plies = dict.fromkeys(range(begin + 1) if begin == record.placed else [begin], 0)
    ply = 0
    for number, state in played.positions[1:]:
        ply += 1 if state.previous_state is before else 2
        plies[number], before = ply, state
    comments: dict[int, str] = {}
    markup: dict[int, dict[str, list[bytes]]] = {}
    for number, ply in plies.items():
        if number in record.comments:
            earlier = comments.get(ply)
            text = record.comments[number]
            comments[ply] = f"{earlier}\n\n{text}" if earlier else text
        if number in record.markup:
            markup.setdefault(ply, {}).update(record.markup[number])
    state = before
    if re.match(r"[BW]\+R", record.result, re.IGNORECASE):
        state = _resigned(state, record.winner)
    info = dict(record.info) | ({"HA": str(record.handicap)} if record.handicap else {})
    notes = [*played.notes]
    if record.variations:
        notes.append(f"the variations are left out, at {record.variations} of its moves")
    return SavedGame(
        state, record.black, record.white, record.result,
        _named(record.source, notes, played.problem), record.komi, info, comments, markup, plies,
    )


def _named(source: object, notes: Sequence[str], problem: str) -> tuple[str, ...]:
    """Notes that name the file, the last of them on an illegal move, which names it already."""
    lines = [f"{source}: {note}" for note in notes]
    lines += [f"{problem}; the game is read up to there"] if problem else []
    return tuple(map(one_line, lines))


def _from_pdn(game: pdn.PdnGame, path: PurePath, notes: tuple[str, ...]) -> SavedGame:
    state, tags = game.state, dict(game.tags)
    if tags.get("Termination") == _RESIGNATION:
        winners = {text: player for player, text in pdn.RESULTS.items()}
        state = _resigned(state, winners.get(game.result))
    black, white = (tags.pop(key, "?").replace("?", "") for key in ("Black", "White"))
    info = {key: text for key, text in tags.items() if key not in pdn.WRITTEN_TAGS}
    problem = f"{path}: {game.problem}" if game.problem else ""
    return SavedGame(
        state, black, white, game.result.replace(pdn.UNKNOWN, ""),
        (*notes, *_named(path, game.notes, problem)), info=info, comments=game.comments,
    )


def _resigned(state: GameState, winner: Player | None) -> GameState:
    """The state with the record's resignation, if the player to move can have resigned."""
    if state.is_over() or winner is not state.next_player.other:
        return state
    return state.apply_move(Move.resign())


def _from_text(
    path: PurePath, text: str, find_game: Callable[[str], GameSpec], notes: tuple[str, ...]
) -> SavedGame:
    header: dict[str, str] = {}
    state: GameState | None = None
    problem = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        key, colon, value = (part.strip() for part in line.partition(":"))
        try:
            if colon and key in ("game", "black", "white", "result") and key not in header:
                header[key] = value
                state = GameState.new_game(find_game(value)) if key == "game" else state
                continue
            assert state is not None or not line  # the caller has seen that the game comes first
            for word in () if problem else line.split():
                resigns = word == "resign"
                for move in [Move.resign()] if resigns else state.game.parse_moves(state, word):
                    state = state.apply_move(move)
        except IllegalMoveError as error:
            problem = f"{path}: line {number}: {error}"
        except DlgoError as error:
            raise NotationError(f"{path}: line {number}: {error}") from None
    assert state is not None
    del header["game"]
    return SavedGame(state, **header, notes=(*notes, *_named(path, (), problem)))
