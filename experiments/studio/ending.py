"""The end of a game: who won and how, also on time, and what a file says of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dlgo import GameSpec, GameState
from dlgo.display import player_text
from dlgo.games.draughts import pdn
from experiments.play.game_file import SavedGame, form_of
from experiments.studio.clocks import Clocks


def time_text(clocks: Clocks, game: GameSpec) -> str:
    """The result of a game that has ended on time."""
    return f"{player_text(game, clocks.late.other)} wins on time"


def end_view(state: GameState, clocks: Clocks) -> dict[str, Any]:
    """What a game's end on time changes in the view of its last position."""
    if clocks.late is None:
        return {}
    winner = clocks.late.other.index
    return {"over": True, "winner": winner, "result": time_text(clocks, state.game), "moves": []}


def saved_game(read: SavedGame, clocks: Clocks) -> SavedGame:
    """A game of the studio with its time settings, and its result if it ended on time."""
    game, late = read.state.game, clocks.late
    form = form_of(game)
    info = {**read.info, **clocks.properties(form)}
    if late is None:
        return replace(read, info=info)
    result = time_text(clocks, game)
    if form == "sgf":
        result = f"{late.other.name[0].upper()}+T"
    elif form == "pdn":
        result, info["Termination"] = pdn.RESULTS[late.other], "time forfeit"
    return replace(read, info=info, result=result)
