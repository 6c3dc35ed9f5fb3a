"""The report as Markdown, which also reads well as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reports import tables
from reports.method import method_markdown
from reports.page import GameReport
from reports.text import lead_text, markdown_table, markdown_text, short

if TYPE_CHECKING:
    import pandas as pd


_PERFECT_NOTE = (
    "- Won against perfect play: games from the empty board against the exact solver, moving "
    "first; one mistake is enough not to win."
)


def build_markdown(
    games: Sequence[GameReport], facts: Sequence[tuple[str, str]], played: pd.DataFrame,
    most_failures: int,
) -> bytes:
    """The text in UTF-8.

    Args:
        games: a section each.
        facts: name and value, for the head.
        played: all games, from `tables.games_frame`.
        most_failures: how many to list one by one.
    """
    lines = "\n".join(f"- {markdown_text(name)}: {markdown_text(value)}" for name, value in facts)
    sections = [
        f"# Strength per compute\n\n{lines}\n\n![All games](strength.png)",
        f"## Method\n\n{method_markdown()}",
        *map(_game_section, games),
        _failure_section(played, most_failures),
    ]
    # Markdown lets HTML through. We write none, so any that is here came from a ledger.
    text = "\n\n".join(sections).replace("&", "&amp;").replace("<", "&lt;")
    return (text + "\n").encode()


def _game_section(report: GameReport) -> str:
    table, rows, cross = report.table, report.ratings, report.cross
    header = (
        "#", "entrant", "Elo", "95% interval", "lead", "games", "won", "drawn", "lost", "score",
        "CPU ms", "nodes", "sims", *(("won against perfect play",) if report.perfect else ()),
    )
    body = [
        (
            str(rank), markdown_text(row.entrant) + ("*" if row.note else ""),
            f"{row.rating:.0f}", f"{row.low95:.0f} to {row.high95:.0f}",
            lead_text(table, rank - 1), str(row.games), str(row.wins), str(row.draws),
            str(row.losses), f"{row.score:.1%}",
            short(row.mean_cpu_ms), short(row.mean_nodes), short(row.mean_simulations),
            *((str(report.perfect.get(row.entrant, "")),) if report.perfect else ()),
        )
        for rank, row in enumerate(rows.itertuples(), 1)
    ]
    notes = [_PERFECT_NOTE] if report.perfect else []
    notes += [
        f"- \\* {markdown_text(f'{row.entrant}: {row.note}')}"
        for row in rows.itertuples() if row.note
    ]
    ranks = [str(rank) for rank in range(1, len(cross) + 1)]
    grid = [
        (rank, markdown_text(str(entrant)), *cells)
        for rank, entrant, cells in zip(ranks, cross.index, cross.to_numpy(), strict=True)
    ]
    title = markdown_text(report.title)
    blocks = [
        f"## {title}",
        "\n".join(f"- {markdown_text(fact)}" for fact in report.facts),
        markdown_table(header, body, left=(1,)),
        "\n".join(notes),
        "Points of the row against the column, of how many games:",
        markdown_table(("#", "entrant", *ranks), grid, left=(1,)),
        f"![{title}](strength_{report.slug}.png)",
    ]
    return "\n\n".join(block for block in blocks if block)


def _failure_section(games: pd.DataFrame, most: int) -> str:
    failed = games[games["failed"]]
    if failed.empty:
        return "## Failures\n\nNo engine crashed, hung or played an illegal move."
    sides = tables.by_entrant(games)
    counts = sides[sides["failed"]].groupby(["game", "entrant"]).size()
    body = [
        (markdown_text(game), markdown_text(entrant), str(count))
        for (game, entrant), count in counts.items()
    ]
    listed = [
        f"- {markdown_text(f'{row.slot}: {row.reason}')}" for row in failed.head(most).itertuples()
    ]
    if len(failed) > most:
        listed.append(f"- and {len(failed) - most} more (see games.csv, column failed)")
    return "\n\n".join([
        "## Failures",
        f"An engine broke down in {len(failed):,} of {len(games):,} games; "
        "they count as its losses.",
        markdown_table(("game", "entrant", "failures"), body, left=(0, 1)),
        "\n".join(listed),
    ])
