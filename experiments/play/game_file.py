"""One game in one file: SGF for Go, PDN for draughts, a text of moves for any other game.

    game: connectn:cols=5,rows=4,n=3
    black: human
    white: mcts:sims=1000
    clock: 600+5
    3 3 {a comment} ( 2 4 ) 1 resign

The text begins with the game's specification; `black`, `white` and `result` are for the
reader, `clock` is in seconds, as PDN's `TimeControl`, `#` begins a line for people, and all other
lines are moves as `dlgo play` takes them, with comments and variations as in `dlgo/movetext.py`.

Every command that takes a game file reads it here. An illegal move ends what is read of its game,
and a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from dlgo import (
    DlgoError,
    GameSpec,
    GameState,
    IllegalMoveError,
    Move,
    NotationError,
    Player,
    movetext,
)
from dlgo.display import result_text
from dlgo.files import write_file
from dlgo.game_tree import Node, tree_of
from dlgo.games import recorded_game
from dlgo.games.draughts import pdn
from dlgo.records.charsets import decoded
from dlgo.records.game_record import GameRecord
from dlgo.records.sgf import MAX_BYTES, play, read_sgf_games, record_bytes, record_file, write_sgf
from dlgo.records.sgf_record import GameRecordSgf
from dlgo.records.sgf_tree import game_tree_of
from dlgo.text import one_line

# SGF's game comment names the specification, whose options SGF has no words for.
_SPEC_LINE = re.compile(r"\s*^dlgo go\S*$\s*", re.MULTILINE)
_RESIGNATION = "resignation"
_CHESS = re.compile(r"^1\.\s*([a-h][34]|N[acfh]3)\s", re.MULTILINE)  # its first move
_FORMS = "SGF of Go, PDN of draughts, or moves after a first line such as 'game: connect4'"


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
    # The file's variations, comments and marks; None if it can have none.
    root: Node | None = field(default=None, compare=False, repr=False)
    # Number of moves of an SGF file -> of the game: handicap stones may be moves in the file, and
    # passes may be missing there.
    plies: Mapping[int, int] = field(default_factory=dict)
    is_alone: bool = True  # whether the file holds no other game

    @property
    def comments(self) -> dict[int, str]:
        """The comments of the main line, by the number of moves made."""
        line, count = self.root.main_line() if self.root else [], 0
        return {count: node.comment for node in line
                if (count := count + len(node.moves)) >= 0 and node.comment}

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
        """The file's data for the game up to `state`, which may differ from the file's game.

        The file's own moves become a variation then.
        """
        whole = state is self.state or self.state.history() == state.history()
        return SavedGame(
            state, self.black, self.white, self.result if whole else "", info=self.info,
            root=tree_of(state, self.root), notes=self.notes,
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
    state: GameState, black: str = "", white: str = "", read: SavedGame | None = None
) -> bytes:
    """The content of a file with the game, in the format of its kind.

    All that `read`, the file of the game, holds is written, too.
    """
    game, form = state.game, form_of(state.game)
    saved = (read or SavedGame(state)).up_to(state)
    if form == "sgf":
        note = _SPEC_LINE.sub("\n\n", saved.info.get("GC", "")).strip()
        info = {**saved.info, "GC": f"{note}\n\ndlgo {game}".strip()}
        return write_sgf(
            state, black=black, white=white, result=saved.result or None, info=info,
            root=saved.root,
        )
    if form == "pdn":
        tags = {**saved.info, "Black": black or "?", "White": white or "?"}
        if not saved.result:
            tags.pop("Termination", None)
        if state.last_move is not None and state.last_move.is_resign:
            tags["Termination"] = _RESIGNATION
        text = pdn.write_game(state, tags, saved.result or None, saved.root)
        return text.encode("utf-8", "replace")
    lines = [f"game: {game}"]
    clock = saved.info.get("TimeControl", "")
    for key, value in (("black", black), ("white", white), ("clock", clock)):
        if value:
            lines.append(f"{key}: {' '.join(value.split())}")
    if result := result_text(state) if state.is_over() else saved.result:
        lines.append(f"result: {result}")
    assert saved.root is not None
    words = movetext.words_of(
        saved.root, lambda node, turns, begins: game.whole_moves([*node.moves]))
    return ("\n".join(lines) + "\n" + movetext.wrapped(words)).encode("utf-8", "replace")


def read_game_file(path: Path, number: int | None = None) -> SavedGame:
    """A game of a file; its content says of which kind it is.

    `number` counts from 1; by default it is the first, with a note if there are others. Raises
    NotationError, which names the file, the place and the problem; UnnamedGameError as
    `recorded_game`.
    """
    games = _games_of_file(path)
    if number is None:
        return first_game(games, path)
    if number < 1:
        raise NotationError(f"{path}: there is no game {number}; the first is game 1")
    count = 0
    for count, game in enumerate(games, 1):  # noqa: B007
        if count == number:
            return game
    raise NotationError(f"{path}: there is no game {number}; the file has {count}")


def first_game(games: Iterable[SavedGame], path: PurePath) -> SavedGame:
    """The first of the games of a file, with a note if it holds others."""
    games = iter(games)
    first = next(games)
    try:
        if next(games, None) is None:
            return first
    except NotationError:
        pass  # there is another, which cannot be read
    left_out = f"{path}: the first game is read; the others are left out"
    return replace(first, is_alone=False, notes=(one_line(left_out), *first.notes))


def read_games(
    data: bytes, path: PurePath, find_game: Callable[[str], GameSpec]
) -> list[SavedGame]:
    """The games of a file's content, at least one; see `iterate_games`."""
    return [*iterate_games(data, path, find_game)]


def iterate_games(
    data: bytes, path: PurePath, find_game: Callable[[str], GameSpec]
) -> Iterator[SavedGame]:
    """The games of a file's content, at least one, as they are read; messages call it `path`.

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
        yield replace(games[0], notes=(*refused, *games[0].notes))
        yield from games[1:]
        return
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotationError(f"{path}: not a game record; one is {_FORMS}")
    text, notes = _decoded(data, path)
    if re.match(r"(\s|#[^\n]*\n)*game:", text):
        yield _from_text(path, text, find_game, notes)
    elif suffix == ".pdn" or re.match(r"\s*(\[\s*\w+\s*\"|1\.)", text):
        yield from _pdn_games([(text, notes)], path)
    else:
        raise NotationError(f"{path}: not a game record; one is {_FORMS}")


def _games_of_file(path: Path) -> Iterator[SavedGame]:
    """The games of a file; an archive of PDN may have any size."""
    with record_file(path) as file:
        if path.suffix.lower() == ".pdn" and path.stat().st_size > MAX_BYTES:
            yield from _pdn_games((_decoded(block, path) for block in pdn.blocks(file)), path)
            return
    yield from iterate_games(record_bytes(path), path, recorded_game)


def _decoded(data: bytes, path: PurePath) -> tuple[str, tuple[str, ...]]:
    text, note = decoded(data, is_sound=pdn.is_sound)
    return text, (one_line(f"{path}: {note}"),) if note else ()


def _pdn_games(
    texts: Iterable[tuple[str, tuple[str, ...]]], path: PurePath
) -> Iterator[SavedGame]:
    """The games of texts, each with notes on its games."""
    count = 0
    for text, notes in texts:
        try:
            for game in pdn.iterate_games(text, count + 1):
                count += 1
                yield _from_pdn(game, path, notes)
        except NotationError as error:
            chess = f"it looks like chess (PGN), which dlgo cannot read; it reads {_FORMS}"
            raise NotationError(f"{path}: {chess if _CHESS.search(text) else error}") from None
    if not count:
        raise NotationError(f"{path}: not a game record; one is {_FORMS}")


def _from_sgf(record: GameRecordSgf) -> SavedGame:
    played = play(record)
    root, nodes, cut = game_tree_of(record, played)
    # The plies of the game by the moves of the file: handicap stones are none, implied passes are.
    depths = {id(node): ply for ply, node in enumerate(root.main_line())}
    plies = {number: depths[id(node)] for number, node in nodes.items()}
    state = played.positions[-1][1]
    if re.match(r"[BW]\+R", record.result, re.IGNORECASE):
        state = _resigned(state, record.winner)
    info = dict(record.info) | ({"HA": str(record.handicap)} if record.handicap else {})
    notes = [*played.notes, *filter(None, [cut])]
    return SavedGame(
        state, record.black, record.white, record.result,
        _named(record.source, notes, played.problem), record.komi, info, root, plies,
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
        (*notes, *_named(path, game.notes, problem)), info=info, root=game.root,
    )


def _resigned(state: GameState, winner: Player | None) -> GameState:
    """The state with the record's resignation, if the player to move can have resigned."""
    if state.is_over() or winner is not state.next_player.other:
        return state
    return state.apply_move(Move.resign())


# What a text of moves consists of. A comment, or the header of a game, begins a word.
_TEXT = re.compile(
    r"^[ \t]*(?P<key>game|black|white|clock|result)[ \t]*:(?P<value>[^\n#]*)|(?P<skip>\s|\#[^\n]*)"
    r"|\{(?P<comment>[^}]*)\}|(?P<word>[^\s#]+)", re.MULTILINE,
)


def _from_text(
    path: PurePath, text: str, find_game: Callable[[str], GameSpec], notes: tuple[str, ...]
) -> SavedGame:
    header: dict[str, Any] = {}
    outer: list[tuple[Node, bool]] = []  # as in `pdn.py`
    problem, cut, cuts = "", False, 0
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for token in _TEXT.finditer(text):
        where = f"{path}: line {text.count(chr(10), 0, token.start()) + 1}"
        kind, word = token.lastgroup, token["word"]
        try:
            if kind == "value" and token["key"] not in header:
                header[token["key"]] = token["value"].strip()
                if token["key"] == "game":
                    root = node = Node(GameState.new_game(find_game(header["game"])))
                continue
            if kind == "comment" and not cut:
                movetext.add_comment(node, token["comment"])
            if kind in ("skip", "comment"):
                continue
            if word == "(":
                outer.append((node, cut))
                node, cut = node if cut else node.parent or node, False
            elif word == ")" and outer:
                node, cut = outer.pop()
            elif not cut:
                word = (word or token[0]).strip()
                node = node.add([Move.resign()] if word == "resign"
                                else node.state.game.parse_moves(node.state, word))
        except IllegalMoveError as error:
            problem, cuts, cut = problem or ("" if outer else f"{where}: {error}"), cuts + 1, True
        except DlgoError as error:
            raise NotationError(f"{where}: {error}") from None
    if outer:
        raise NotationError(f"{path}: a variation is not closed, ')' is missing")
    del header["game"]
    info = {"TimeControl": header.pop("clock")} if "clock" in header else {}
    n_cut = cuts - bool(problem)
    cut_notes = [f"variations that end before an illegal move: {n_cut}"] if n_cut else []
    return SavedGame(
        node.state, **header, notes=(*notes, *_named(path, cut_notes, problem)), root=root,
        info=info)
