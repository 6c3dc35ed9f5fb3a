"""`dlgo connectx export`: agents for Kaggle's ConnectX."""

from __future__ import annotations

from pathlib import Path

import click

from experiments.options import FILE, named_games


@click.group()
def connectx() -> None:
    """Export agents for Kaggle's ConnectX."""


@connectx.command()
@click.option("--model", required=True,
              help="Name of a shipped model, or folder of a model or of a training run.")
@click.option("--out", type=FILE, default=Path("submission.py"), show_default=True,
              help="File to write.")
@named_games()
def export(model: str, out: Path) -> None:
    """Write a network and a search to one file that Kaggle accepts as an agent."""
    from experiments.connectx.export import export_agent

    card, error = export_agent(model, out)
    click.echo(f"{out}: {card.network} of {card.name}, {out.stat().st_size / 1e3:,.0f} kB; off by "
               f"{error:.1g} at most")
