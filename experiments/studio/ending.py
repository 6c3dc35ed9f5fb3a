"""The end of a game: a win on time, the moves that decided the game, the result in its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from dlgo import GameSpec, GameState, Player
from dlgo.display import player_text
from dlgo.games.draughts import pdn
from experiments.play.game_file import SavedGame, form_of
from experiments.studio.clocks import Clocks

# How many moves that decided a game are named, and the least change of a share of the point.
_MOST_MOMENTS, _LEAST_CHANGE = 3, 0.1


def time_text(clocks: Clocks, game: GameSpec) -> str:
    """The result of a game that has ended on time."""
    assert clocks.late is not None
    return f"{player_text(game, clocks.late.other)} wins on time"


def end_view(state: GameState, clocks: Clocks) -> dict[str, Any]:
    """What a game's end on time changes in the view of its last position."""
    if clocks.late is None:
        return {}
    winner = clocks.late.other.index
    return {"over": True, "winner": winner, "result": time_text(clocks, state.game), "moves": []}


def moments(
    records: Sequence[Any], state: GameState, clocks: Clocks
) -> list[dict[str, Any]]:
    """The moves that changed the engines' expectation most in favour of the winner, in their order:
    number of `plies` after the move, and a `text`. Of a draw, those in favour of either.

    A value comes from the search before a move, so the move before it caused the change. The result
    of the rules counts as the last value.
    """
    values = [(at, record.black) for at, record in enumerate(records) if record.black is not None]
    resigned = state.last_move is not None and state.last_move.is_resign
    by_rules = clocks.late is None and not resigned
    winner = state.winner() if clocks.late is None else clocks.late.other
    if values and by_rules:
        values.append((len(records), 0.5 if winner is None else float(winner is Player.black)))
    changes = [
        (abs(after - before), end - 1, before, after)
        for (start, before), (end, after) in pairwise(values)
        if end > start and (winner is None or (after > before) is (winner is Player.black))
    ]
    largest = sorted(changes, reverse=True)[:_MOST_MOMENTS]
    names = [player_text(state.game, player) for player in Player]
    return [
        {"plies": records[at].plies, "text": (
            f"Move {at + 1}, {names[records[at].player]} {records[at].text}: "
            f"{before:.0%} to {after:.0%} for {names[0]}"
        )}
        for change, at, before, after in sorted(largest, key=lambda row: row[1])
        if change >= _LEAST_CHANGE
    ]


def saved_game(read: SavedGame, clocks: Clocks) -> SavedGame:
    """A game of the studio with its time settings, the time left after each move (in Go), and its
    result if it ended on time. Changes the tree of `read`."""
    game, late = read.state.game, clocks.late
    form = form_of(game)
    if form == "sgf" and read.root is not None:
        clocks.write_left(read.root)
    info = {**read.info, **clocks.properties(form)}
    if late is None:
        return replace(read, info=info)
    result = time_text(clocks, game)
    if form == "sgf":
        result = f"{late.other.name[0].upper()}+T"
    elif form == "pdn":
        result, info["Termination"] = pdn.RESULTS[late.other], "time forfeit"
    return replace(read, info=info, result=result)
