"""Games to click through: which ones to show, and every position of them for the page's board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dlgo.display import board_info, position_info, result_text
from dlgo.errors import DlgoError
from dlgo.records.game_record import GameRecord
from dlgo.text import one_line
from reports.rating_table import RatingTable

if TYPE_CHECKING:
    import pandas as pd

# A character for each piece: a page with many games stays small.
_PIECES = "0123456789abcdefghijklmnopqrstuvwxyz"


def replay(record: GameRecord, reason: str) -> dict[str, Any] | None:
    """The data of a game for the page, with the reason to show it, for JSON; None if the moves
    cannot be replayed with today's rules."""
    try:
        states = list(record.positions())
    except DlgoError:
        return None
    costs = {cost.ply: cost for cost in record.costs}
    moves, opening = record.moves.split(), len(record.opening.split())
    frames = []
    for ply, state in enumerate(states):
        position = position_info(state)
        cells = "".join("." if piece < 0 else _PIECES[piece] for piece in position["cells"])
        frame = {"cells": cells, "last": position["last"], "won": position["won"]}
        if ply:
            frame |= {"by": states[ply - 1].next_player.index, "move": moves[ply - 1],
                      "opening": ply <= opening}
        if (cost := costs.get(ply - 1)) is not None:
            frame["cpu"] = round(1000 * cost.cpu, 3)
            if cost.value is not None:
                frame["value"] = round(cost.value, 3)
        frames.append(frame)
    last = states[-1]
    ends_by_rules = last.is_over() and record.reason == last.game.result_text(last)
    return {
        "why": reason, "result": f"{record.result:g} : {1 - record.result:g}",
        **{name: one_line(getattr(record, name)) for name in ("first", "second", "slot")},
        "reason": result_text(last) if ends_by_rules else one_line(record.reason_text),
        "info": board_info(states[0].game), "plies": len(states) - 1, "frames": frames,
    }


def choose_games(games: pd.DataFrame, table: RatingTable) -> dict[str, str]:
    """A few games of one kind worth looking at: slot -> the reason. Both games of the first pair of
    the two best, the greatest upset, the longest, the shortest, the best's first draw, a
    failure."""
    games = games[games["counted"]]
    sound, failed = games[~games["failed"]], games[games["failed"]]
    groups: list[tuple[str, pd.DataFrame]] = []
    if not sound.empty:
        values = {rating.entrant: rating.value for rating in table.ratings}
        places = sound["first"].map(table.index) + sound["second"].map(table.index)
        closest = sound[places == places.min()]
        groups.append(("the best two, one opening",
                       closest[closest["pair"] == closest["pair"].min()]))
        lead = sound["first"].map(values) - sound["second"].map(values)
        upset = (-lead).where(sound["result"] == 1, lead.where(sound["result"] == 0, 0))
        if upset.max() > 0:
            reason = f"the greatest upset, against {upset.max():.0f} Elo"
            groups.append((reason, sound.loc[[upset.idxmax()]]))
        draws = places[sound["result"] == 0.5]
        if len(draws):
            groups.append(("a draw of the strongest", sound.loc[[draws.idxmin()]]))
        groups.append(("the longest game", sound.loc[[sound["plies"].idxmax()]]))
        groups.append(("the shortest game", sound.loc[[sound["plies"].idxmin()]]))
    groups.append(("a failure", failed.head(1)))
    reasons: dict[str, str] = {}
    for reason, rows in groups:
        for slot in rows["slot"]:
            reasons.setdefault(slot, reason)
    return reasons
