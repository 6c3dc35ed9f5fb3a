"""What engines were allowed to spend on a move, and what they did spend.

The allowance is part of an entrant's specification; what was spent is in the ledger, move by
move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dlgo.records.costs import CostTotals
from dlgo.text import one_line
from reports.tables import lines_of_entrants

if TYPE_CHECKING:
    import pandas as pd

# (game, entrant) -> what its moves have cost.
Totals = Mapping[tuple[str, str], CostTotals]
# Column, the budget that limits it, factor from the ledger's unit to that of the column.
_COSTS = (
    ("cpu_ms", "cpu", 1000.0), ("wall_ms", "wall", 1000.0), ("nodes", "nodes", 1.0),
    ("simulations", "sims", 1.0), ("evaluations", "evals", 1.0),
)
COST_COLUMNS = (
    "game", "entrant", "asked", "moves",
    *(f"{kind}_{name}" for name, _, _ in _COSTS for kind in ("mean", "max")), "over",
)


def cost_table(
    games: pd.DataFrame, totals: Totals, measured: Totals | None = None
) -> pd.DataFrame:
    """One row for each entrant of each game.

    Columns: what was asked (`sims=100`), moves chosen, mean and largest cost of a move, and
    `over`: by how much the dearest move exceeded the budget, as a share of it (0.05 is 5%
    more; negative: it stayed below; NaN: the ledger does not record this kind of budget, a
    depth for instance).

    Args:
        games: from `tables.games_frame`; they name entrants that never chose a move, too.
        totals: from `Ledger.cost_totals`.
        measured: the same before CPU times were scaled, where they were: budgets were kept, or
            not, in the seconds of the machine that played.
    """
    import pandas as pd

    spent = _by_entrant(totals)
    kept = spent if measured is None else _by_entrant(measured)
    entrants = {
        (row.game, entrant) for row in games.itertuples() for entrant in (row.first, row.second)
    }
    specifications = games.attrs.get("specifications", {})
    lines = lines_of_entrants({entrant for _, entrant in entrants}, specifications)
    rows = []
    for game, entrant in sorted(entrants):
        total = spent.get((game, entrant))
        asked = lines[entrant][1]
        row = {"game": game, "entrant": entrant, "asked": asked,
               "moves": total.moves if total else 0, "over": float("nan")}
        for name, _, factor in _COSTS:
            cost = name.removesuffix("_ms")
            row[f"mean_{name}"] = factor * getattr(total, cost) / total.moves if total \
                else float("nan")
            row[f"max_{name}"] = factor * getattr(total, f"max_{cost}") if total \
                else float("nan")
        if total:
            row["over"] = _over(asked, kept[game, entrant])
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COST_COLUMNS))


def _by_entrant(totals: Totals) -> Totals:
    return {(one_line(game), one_line(name)): total for (game, name), total in totals.items()}


def _over(asked: str, total: CostTotals) -> float:
    """The largest excess over any part of the budget."""
    limits = dict(part.split("=", 1) for part in asked.split(",") if part)
    excess = [float("nan")]
    for name, key, factor in _COSTS:
        try:
            limit = factor * float(limits.get(key, "nan"))
        except ValueError:  # an engine from elsewhere that writes its budget in words
            continue
        if limit > 0:
            most = factor * getattr(total, f"max_{name.removesuffix('_ms')}")
            excess.append(most / limit - 1)
    return max((share for share in excess if share == share), default=float("nan"))
