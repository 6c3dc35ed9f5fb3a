"""What engines were allowed to spend on a move, and what they did spend.

Called by `report.py`. The allowance is part of an entrant's specification; what was spent is
in the ledger, move by move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dlgo.records.ledger import Ledger
from reports.tables import family_and_budget

if TYPE_CHECKING:
    import pandas as pd

# Column, unit of an entrant's budget that limits it, factor from the ledger's unit.
_COSTS = (
    ("cpu_ms", "cpu", 1000.0), ("wall_ms", "wall", 1000.0), ("nodes", "nodes", 1.0),
    ("simulations", "sims", 1.0), ("evaluations", "evals", 1.0),
)
SPENDING_COLUMNS = (
    "game", "entrant", "asked", "moves",
    *(f"{kind}_{name}" for name, _, _ in _COSTS for kind in ("mean", "max")), "over",
)


def spending_frame(ledger: Ledger) -> pd.DataFrame:
    """One row for each entrant of each game.

    Columns: what was asked (`sims=100`), moves chosen, mean and largest cost of a move, and
    `over`: by how much the dearest move exceeded the budget, as a share of it (0.05 is 5%
    more; negative: it stayed below; NaN: no budget of a kind that the ledger records, such as
    a depth).
    """
    import pandas as pd

    totals: dict[tuple[str, str], dict[str, list[float]]] = {}
    for record in ledger.games(with_costs=True):
        for side, entrant in enumerate((record.first, record.second)):
            costs = [cost for cost in record.costs if cost.player == side]
            nothing = {"moves": [0.0], **{name: [0.0, 0.0] for name, *_ in _COSTS}}
            sums = totals.setdefault((record.game, entrant), nothing)
            sums["moves"][0] += len(costs)
            for name, _, factor in _COSTS:
                field = name.removesuffix("_ms")
                spent = [factor * getattr(cost, field) for cost in costs]
                sums[name][0] += sum(spent)
                sums[name][1] = max([sums[name][1], *spent])
    rows = []
    for (game, entrant), sums in sorted(totals.items()):
        moves = int(sums["moves"][0])
        asked = family_and_budget(entrant)[1]
        row = {"game": game, "entrant": entrant, "asked": asked, "moves": moves}
        for name, *_ in _COSTS:
            total, largest = sums[name]
            row[f"mean_{name}"] = total / moves if moves else float("nan")
            row[f"max_{name}"] = largest if moves else float("nan")
        row["over"] = _over(asked, row) if moves else float("nan")
        rows.append(row)
    return pd.DataFrame(rows, columns=list(SPENDING_COLUMNS))


def _over(asked: str, row: dict[str, object]) -> float:
    """The largest excess over any part of the budget."""
    limits = dict(part.split("=", 1) for part in asked.split(",") if part)
    excess = [float("nan")]
    for name, key, factor in _COSTS:
        try:
            limit = factor * float(limits.get(key, "nan"))
        except ValueError:  # an engine from elsewhere that writes its budget in words
            continue
        if limit > 0:
            excess.append(float(row[f"max_{name}"]) / limit - 1)
    known = [value for value in excess if value == value]
    return max(known) if known else float("nan")
