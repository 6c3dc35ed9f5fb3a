"""Losses by failure kept apart from losses by play, and what the answers of language models cost.

A rating of all games takes a failure for a loss like any other. The games that the rules decided
say how strong the play is. They are not a fair sample: an entrant that fails in hard positions has
fewer of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dlgo.records.failures import Failure
from dlgo.records.game_record import GameRecord
from dlgo.text import one_line
from reports.rating_table import RatingTable
from reports.tables import by_entrant, rate_games

if TYPE_CHECKING:
    import pandas as pd

# Column of the table -> kind of failure, as ledgers have it.
KINDS = {kind.replace(" ", "_"): str(kind) for kind in Failure}
_RATING = ("rating", "low95", "high95")
_FAILURES = ["game", "entrant", "games", "failures", *KINDS, "score", *_RATING, "decided",
             "decided_score", *(f"decided_{name}" for name in _RATING)]
# What a ledger has of each move that a language model was asked for.
_SUMS = ("answers", "malformed", "illegal", "tokens_in", "tokens_out", "seconds", "money")
_ANSWERS = ["game", "entrant", "model", "games", "moves", *_SUMS,
            *(f"{name}_{end}" for name in ("malformed", "illegal")
              for end in ("share", "low95", "high95"))]


def failure_frame(
    games: pd.DataFrame, rated: Mapping[str, RatingTable], anchor: tuple[str, float] | None = None
) -> pd.DataFrame:
    """One row for each entrant of each game in which an engine failed.

    Columns: `failures` and how many of each kind; score and rating in all games, and in those that
    the rules decided (`decided`, their number; NaN where there are none). Repetitions count as in
    the ratings: once.
    """
    import pandas as pd

    counted = games[games["counted"]]
    sides = by_entrant(counted)
    rows = []
    for game, table in rated.items():
        part = sides[sides["game"] == game]
        if not part["failed"].any():
            continue
        decided = counted[(counted["game"] == game) & ~counted["failed"]]
        known = anchor is not None and anchor[0] in {*decided["first"], *decided["second"]}
        again = rate_games(decided, anchor if known else None).get(game)
        for rating in table.ratings:
            mine = part[part["entrant"] == rating.entrant]
            fair = mine[mine["failure"] == ""]
            other = again[rating.entrant] if again and rating.entrant in again else None
            failures = mine.loc[mine["failed"], "failure"]
            rows.append({
                "game": game, "entrant": rating.entrant, "games": len(mine),
                "failures": len(failures),
                **{column: int((failures == kind).sum()) for column, kind in KINDS.items()},
                "score": mine["score"].mean(),
                "rating": rating.value, "low95": rating.low95, "high95": rating.high95,
                "decided": len(fair), "decided_score": fair["score"].mean(),
                **{f"decided_{name}": getattr(other, key) if other else math.nan
                   for name, key in zip(_RATING, ("value", "low95", "high95"), strict=True)},
            })
    return pd.DataFrame(rows, columns=_FAILURES)


def kinds_text(row: Any) -> str:
    """The failures of a row of `failure_frame`: `malformed answer: 3, timeout: 1`."""
    counts = {kind: getattr(row, column) for column, kind in KINDS.items()}
    return ", ".join(f"{kind}: {count}" for kind, count in counts.items() if count)


def answer_frame(records: Iterable[GameRecord]) -> pd.DataFrame:
    """One row for each entrant of each game that pays for answers, such as a language model.

    Columns: sums over all its moves, also those that failed; shares of malformed and of illegal
    answers, with Wilson's 95% intervals; the model, as its server calls it.
    """
    import pandas as pd
    from scipy.stats import binomtest

    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for record in records:
        for side in ("first", "second"):
            model, usage = _usage(record.networks, side)
            if not usage:
                continue
            who = one_line(record.game), one_line(getattr(record, side))
            row = rows.setdefault(who, {"games": 0, "moves": 0, **dict.fromkeys(_SUMS, 0)})
            row["model"] = one_line(model)
            row["games"] += 1
            row["moves"] += len(usage["answers"])
            for name in _SUMS:
                row[name] += sum(usage[name])
    for row in rows.values():
        for name in ("malformed", "illegal"):
            share, asked = math.nan, int(row["answers"])
            low = high = math.nan
            if asked:
                test = binomtest(int(row[name]), asked)
                span = test.proportion_ci(method="wilson")
                share, low, high = test.statistic, span.low, span.high
            row |= {f"{name}_share": share, f"{name}_low95": low, f"{name}_high95": high}
    return pd.DataFrame(
        [{"game": game, "entrant": name, **row} for (game, name), row in sorted(rows.items())],
        columns=_ANSWERS)


def _usage(networks: str | None, side: str) -> tuple[str, dict[str, list[float]]]:
    """The model of one player, and what its answers cost; empty if the ledger has none."""
    try:
        player = json.loads(networks or "{}")[side]
        usage = {name: [float(number) for number in player["usage"][name]] for name in _SUMS}
    except (KeyError, TypeError, ValueError):
        return "", {}
    return str(player.get("id", "")), usage
