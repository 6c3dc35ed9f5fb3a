"""Games to click through: which ones to show, and every position of them for the page's board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dlgo.api import GameState
from dlgo.display import board_info, position_info
from dlgo.errors import DlgoError
from dlgo.records.ledger import GameRecord
from dlgo.text import one_line
from reports.rating_table import RatingTable

if TYPE_CHECKING:
    import pandas as pd

# A character for each piece: a page with many games stays small.
_PIECES = "0123456789abcdefghijklmnopqrstuvwxyz"


def replay(record: GameRecord, why: str) -> dict[str, Any] | None:
    """What the page needs to show a game, and why it does, as plain data for JSON.

    None if the moves cannot be replayed with today's rules.
    """
    try:
        states = list(record.positions())
    except DlgoError:
        return None
    costs = {cost.ply: cost for cost in record.costs}
    moves, opening = record.moves.split(), len(record.opening.split())
    frames = []
    for ply, state in enumerate(states):
        frame = _frame(state)
        if ply:
            frame |= {
                "by": states[ply - 1].next_player.index, "move": moves[ply - 1],
                "opening": ply <= opening,
            }
        if (cost := costs.get(ply - 1)) is not None:
            frame["cpu"] = round(1000 * cost.cpu, 3)
            if cost.value is not None:
                frame["value"] = round(cost.value, 3)
        frames.append(frame)
    return {
        "why": why, "result": f"{record.result:g} : {1 - record.result:g}",
        **{name: one_line(getattr(record, name)) for name in ("first", "second", "slot", "reason")},
        "info": board_info(states[0].game), "plies": len(states) - 1, "frames": frames,
    }


def _frame(state: GameState) -> dict[str, Any]:
    """A position, with a text in place of the list of cells."""
    position = position_info(state)
    cells = "".join("." if piece < 0 else _PIECES[piece] for piece in position["cells"])
    return {"cells": cells, "last": position["last"], "won": position["won"]}


def choose_games(games: pd.DataFrame, table: RatingTable) -> list[tuple[str, str]]:
    """Slots of a few games of one kind worth looking at, each with the reason.

    Both games of the first pair of the two best, the greatest upset, the longest and the
    shortest game, the first draw between the best, and a failure.
    """
    order = {rating.entrant: place for place, rating in enumerate(table.ratings)}
    values = {rating.entrant: rating.value for rating in table.ratings}
    games = games[games["counted"]]
    sound = games[~games["failed"]]
    places = sound["first"].map(order) + sound["second"].map(order)
    chosen: list[tuple[str, str]] = []

    def take(rows: pd.DataFrame, why: str) -> None:
        for slot in rows["slot"]:
            if slot not in (earlier for earlier, _ in chosen):
                chosen.append((slot, why))

    if not sound.empty:
        closest = sound[places == places.min()]
        take(closest[closest["pair"] == closest["pair"].min()], "the best two, one opening")
        lead = sound["first"].map(values) - sound["second"].map(values)
        upset = (-lead).where(sound["result"] == 1, lead.where(sound["result"] == 0, 0))
        if upset.max() > 0:
            take(sound.loc[[upset.idxmax()]], f"the greatest upset, against {upset.max():.0f} Elo")
        draws = sound[sound["result"] == 0.5]
        if len(draws):
            take(draws.loc[[places[draws.index].idxmin()]], "a draw of the strongest")
        take(sound.loc[[sound["plies"].idxmax()]], "the longest game")
        take(sound.loc[[sound["plies"].idxmin()]], "the shortest game")
    take(games[games["failed"]].head(1), "a failure")
    return chosen
