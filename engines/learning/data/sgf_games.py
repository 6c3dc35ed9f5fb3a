"""SGF files as training data: what they say, which are wanted, their games (chapter 7.1 and 7.2).

    entries = describe(name, data)              # size, players, handicap, ... of each game
    game = to_game(read_sgf(data, name))        # a GameData for a shard
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from dlgo.api import Player
from dlgo.errors import NotationError
from dlgo.games import get_game
from dlgo.records.sgf import PlayedRecord, play, read_sgf_games
from dlgo.records.sgf_record import GameRecordSgf
from engines.learning.data.records import NO_RESULT, GameBuilder, GameData, Start


@dataclass(frozen=True)
class Entry:
    """What an SGF file says of its game.

    Attributes:
        name: the file. error: why it cannot be used, "" if it can; the rest is then empty.
        size: lines of the board. moves: passes included. handicap: stones.
        ranks: as written, black first.
    """

    name: str
    error: str = ""
    size: int = 0
    handicap: int = 0
    moves: int = 0
    result: str = ""
    black: str = ""
    white: str = ""
    ranks: tuple[str, str] = ("", "")
    date: str = ""


def describe(name: str, data: bytes) -> list[Entry]:
    """The index entries of a file, one for each of its games; never raises."""
    try:
        file = read_sgf_games(data, name)
    except NotationError as error:
        return [Entry(name, str(error))]
    entries = [Entry(name, reason) for reason in file.refused]
    for record in file.games:
        entries.append(Entry(
            record.source, "", record.size, handicap_of(record),
            len(record.moves) - record.placed, record.result, record.black, record.white,
            (record.info.get("BR", ""), record.info.get("WR", "")), record.info.get("DT", ""),
        ))
    return entries


@dataclass(frozen=True)
class Filter:
    """Which games are wanted. None: any.

    Attributes:
        size: lines of the board.
        max_handicap: stones.
        min_rank: of both players, as `rank_number` gives it; unknown ranks do not pass.
        min_moves: passes included.
        decided: only games with a result.
    """

    size: int
    max_handicap: int | None = None
    min_rank: float | None = None
    min_moves: int = 1
    decided: bool = False

    def refuses(self, record: GameRecordSgf) -> str:
        """Why a game is not wanted, in a word or two; "" if it is."""
        if record.size != self.size:
            return "another board size"
        if self.max_handicap is not None and handicap_of(record) > self.max_handicap:
            return "too much handicap"
        if len(record.moves) - record.placed < self.min_moves:
            return "too few moves"
        if self.decided and result_of(record) == NO_RESULT:
            return "no result"
        if self.min_rank is not None:
            ranks = [rank_number(record.info.get(key, "")) for key in ("BR", "WR")]
            if any(rank is None or rank < self.min_rank for rank in ranks):
                return "rank too low or unknown"
        return ""


def rank_number(text: str) -> float | None:
    """A rank as a number: 30k is -29, 1k is 0, 1d is 1, 1p is 10; None if it is none."""
    match = re.match(r"\s*(\d{1,2})\s*(k|d|p|級|段|级)", text.lower())
    if not match:
        return None
    number = int(match[1])
    return {"k": 1 - number, "級": 1 - number, "级": 1 - number, "p": 9 + number}.get(
        match[2], number
    )


def result_of(record: GameRecordSgf) -> int:
    """+1, 0, -1 as black sees it, or NO_RESULT."""
    if record.winner is not None:
        return 1 if record.winner is Player.black else -1
    return 0 if record.result.strip().lower() in ("0", "draw", "jigo") else NO_RESULT


def handicap_of(record: GameRecordSgf) -> int:
    """The handicap stones: those set up before the first move, or the number the file gives."""
    stones = sum(len(setup.black) for before, setup in record.setups
                 if before == record.placed)
    return max(record.handicap, stones)


def to_game(record: GameRecordSgf, played: PlayedRecord | None = None) -> GameData:
    """A record as training data of `go:size=N`; the komi shows in the result only.

    A pass that the record does not hold, between two moves of one player, is not learned.

    Args:
        played: its positions, if they are known already.

    Raises:
        NotationError: for an illegal move, or no moves at all.
    """
    played = played or play(record)
    if played.problem:
        raise NotationError(played.problem)
    states = [state for _, state in played.positions]
    if len(states) == 1:
        raise NotationError(f"{record.source}: no moves")
    game = get_game("go", size=record.size)
    builder = GameBuilder(game, Start.of(states[0]))
    for before, state in itertools.pairwise(states):
        if state.previous_state is not before:
            builder.skip(game.pass_action)
        action = game.action_of(state.last_move)
        assert action is not None
        builder.add(action)
    return builder.finish(result_of(record))
