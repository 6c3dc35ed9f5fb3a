"""Numbers and tables as text."""

from __future__ import annotations

from collections.abc import Sequence

from reports.rating_table import Estimate, RatingTable


def markdown_table(
    header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = ()
) -> str:
    """A Markdown table whose source is aligned too. Columns in `left` are flush left."""
    rows = [[cell.replace("|", "\\|") for cell in row] for row in (header, *body)]
    widths = [max(3, *(len(row[column]) for row in rows)) for column in range(len(header))]
    lines = [
        " | ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    rule = " | ".join(
        "-" * width if column in left else "-" * (width - 1) + ":"
        for column, width in enumerate(widths)
    )
    return "\n".join(f"| {line} |" for line in (lines[0], rule, *lines[1:]))


def elo_text(estimate: Estimate | None) -> str:
    """An Elo difference with its interval."""
    if estimate is None:
        return "not estimated"
    return f"{estimate.value:+.0f} Elo ({estimate.low95:+.0f} to {estimate.high95:+.0f})"


def lead_text(table: RatingTable, index: int) -> str:
    """Distance to the next entrant; nothing for the last one, or one of another group."""
    rating, *below = table.ratings[index : index + 2]
    if not below or rating.group != below[0].group:
        return ""
    lead = table.difference(rating.entrant, below[0].entrant)
    return f"{lead.value:.0f} ± {lead.high95 - lead.value:.0f}"


def nu_text(estimate: Estimate | None) -> str:
    """The draw parameter with its interval, and what it means."""
    if estimate is None:
        return "none"
    share = estimate.value / (2 + estimate.value)
    return (
        f"{estimate.value:.3g} ({estimate.low95:.3g} to {estimate.high95:.3g}), "
        f"which is {share:.1%} draws between equals"
    )


def short(value: float) -> str:
    """A cost with three digits; a dash where there is none."""
    if value != value:  # nan: the entrant never chose a move
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
