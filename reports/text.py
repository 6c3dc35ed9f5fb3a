"""Numbers and tables as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reports.rating_table import Estimate, RatingTable


def markdown_table(
    header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = ()
) -> str:
    """A Markdown table whose source is aligned too. Columns in `left` are flush left."""
    rows = [[cell.replace("|", "\\|") for cell in row] for row in (header, *body)]
    widths = [max(3, *map(len, column)) for column in zip(*rows, strict=True)]
    rule = ["-" * width if i in left else "-" * (width - 1) + ":" for i, width in enumerate(widths)]
    lines = []
    for row in (rows[0], rule, *rows[1:]):
        cells = [cell.ljust(width) if i in left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths, strict=True))]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def elo_text(estimate: Estimate | None) -> str:
    """An Elo difference with its interval."""
    if estimate is None:
        return "not estimated"
    return f"{estimate.value:+z.0f} Elo ({estimate.low95:+z.0f} to {estimate.high95:+z.0f})"


def lead_text(table: RatingTable, index: int) -> str:
    """Distance to the next entrant; nothing for the last one, or one of another group."""
    rating, *below = table.ratings[index : index + 2]
    if not below or rating.group != below[0].group:
        return ""
    lead = table.difference(rating.entrant, below[0].entrant)
    return f"{lead.value:.0f} ± {lead.high95 - lead.value:.0f}"


def percent_text(share: float) -> str:
    """A share; "-" for NaN."""
    return "-" if math.isnan(share) else f"{share:.1%}"


def los_text(chance: float) -> str:
    """A likelihood of superiority, never rounded to certainty; "" for NaN."""
    if math.isnan(chance):
        return ""
    if chance > 0.9995:
        return ">99.9%"
    return f"{chance:.1%}" if chance >= 0.0005 else "<0.1%"


def nu_text(estimate: Estimate | None) -> str:
    """The draw parameter with its interval, and what it means."""
    if estimate is None:
        return "none"
    share = estimate.value / (2 + estimate.value)
    return (f"{estimate.value:.3g} ({estimate.low95:.3g} to {estimate.high95:.3g}), which is "
            f"{share:.1%} draws between equals")


def short(value: float) -> str:
    """A cost with three digits; a dash for NaN, where the entrant never chose a move."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
