"""`dlgo train` and `dlgo doctor`: what is typed and what is printed.

The work is done in `engines/learning` and `engines/alphazero`. Keras is imported only
when training starts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from experiments.number import Number


@click.group()
def train() -> None:
    """Train networks."""


@train.command()
@click.option("--data", required=True, type=click.Path(path_type=Path),
              help="Folder of games, as `dlgo generate` or `dlgo data` writes it.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the model.")
@click.option("--encoder", default=None, help="What the network sees; the game's usual planes.")
@click.option("--net", "network", default="resnet", show_default=True,
              help="Architecture, such as cnn or resnet:blocks=4,filters=64; --list lists them.")
@click.option("--value/--no-value", "value_head", default=None,
              help="With a value head, or without; as is usual for the network.")
@click.option("--epochs", type=Number(int, 1, 100_000), default=10, show_default=True)
@click.option("--patience", type=Number(int, 0), default=0, show_default=True,
              help="Stop after so many epochs without a better held-out loss; 0: never.")
@click.option("--batch-size", type=Number(int, 1, 1_000_000), default=128, show_default=True)
@click.option("--optimizer", default="adam", show_default=True,
              help="sgd, momentum, adagrad, adadelta or adam, with options: sgd:lr=0.1.")
@click.option("--schedule", default="constant", show_default=True,
              help="Learning rate over time: constant, decay, steps or cosine.")
@click.option("--loss", type=click.Choice(["cross-entropy", "mse"]), default="cross-entropy",
              show_default=True, help="Of the policy.")
@click.option("--value-weight", type=Number(float, 0, 1000), default=1.0, show_default=True,
              help="Of the value's squared error beside the policy's loss.")
@click.option("--targets", type=click.Choice(["move", "policy"]), default="move",
              show_default=True, help="Learn the moves played, or what the player thought of all.")
@click.option("--symmetries", is_flag=True, help="Show each position from random sides.")
@click.option("--test", type=Number(float, 0.001, 0.9), default=0.1, show_default=True,
              help="Share of the games held out.")
@click.option("--games", type=Number(int, 1), default=None,
              help="Use only so many of the training games.")
@click.option("--precision", type=click.Choice(["auto", "float32", "mixed"]), default="auto",
              show_default=True, help="auto: mixed where there is a GPU.")
@click.option("--seed", type=Number(int), default=1, show_default=True)
@click.option("--name", default=None, help="The model's name; by default the folder's.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False,
              callback=lambda context, _, wanted: wanted and _list(context),
              help="List networks, optimisers and schedules with their options, and exit.")
def supervised(data: Path, out: Path, encoder: str | None, name: str | None, **given: Any) -> None:
    """Train a network on recorded games: to predict the moves, and the results.

    Killed or stopped, the same command continues, and ends with the same network.
    """
    from dlgo.encoders import default_encoder
    from engines.learning.data import Dataset
    from engines.learning.runs import PrintedProgress
    from engines.supervised.trainer import SupervisedConfig, train

    opened = Dataset.open(data)
    config = SupervisedConfig(
        name=name or out.resolve().name, encoder=encoder or default_encoder(opened.game), **given
    )
    train(config, opened, out, PrintedProgress(), source={"folder": data.resolve().name})


@train.command()
@click.option("--game", required=True, help="What to learn, such as connect4 or go:size=5.")
@click.option("--out", type=click.Path(path_type=Path), default=None,
              help="Folder of the run; by default out/alphazero/GAME.")
@click.option("--iterations", type=Number(int, 1), default=None,
              help="Iterations of self-play and training.")
@click.option("--games", type=Number(int, 1), default=None, help="Games of each iteration.")
@click.option("--sims", type=Number(int, 2), default=None, help="Simulations a move.")
@click.option("--net", "network", default=None, help="Such as resnet:blocks=4,filters=32.")
@click.option("--runtime", default=None, help="What runs the network in self-play.")
@click.option("--workers", type=Number(int, 1), default=None, help="Processes of self-play.")
@click.option("--search", type=click.Choice(["puct", "gumbel"]), default=None,
              help="gumbel improves on the network with fewer simulations.")
@click.option("--seed", type=Number(int), default=None)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="Change any setting, such as batch_size=512; may be repeated.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False,
              callback=lambda context, _, wanted: wanted and _list_settings(context),
              help="List all settings with their ranges and defaults, and exit.")
def alphazero(game: str, out: Path | None, settings: tuple[str, ...], **given: Any) -> None:
    """Learn a game from nothing but its rules, by playing against oneself.

    Killed or stopped, the same command continues.
    """
    from dlgo.games import get_game
    from engines.alphazero.config import make_config, parse_settings
    from engines.alphazero.run import train
    from engines.learning.runs import PrintedProgress

    plan = make_config(game, **{**given, **parse_settings(settings)})
    folder = out or Path("out/alphazero") / get_game(plan.game).slug
    card = train(plan, folder, PrintedProgress())
    click.echo(f"{card.name}: {card.training['cpu_seconds']:,.0f} CPU s")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), default=None,
              help="Write a page with plots there, too.")
def doctor(folder: Path, html: Path | None) -> None:
    """Examine a run of `dlgo train alphazero` in FOLDER: does it learn, and where not?"""
    from dlgo.files import write_file
    from engines.alphazero.doctor import examine_run
    from engines.learning.diagnostics.findings import lines
    from engines.learning.diagnostics.page import page

    found = examine_run(folder)
    click.echo(found.title)
    for line in lines(found):
        click.echo(line)
    if html:
        write_file(html, page(found))
        click.echo(html)


def _list_settings(context: click.Context) -> None:
    from engines.alphazero.config import AlphaZeroConfig

    for name, default, limits, meaning, source in AlphaZeroConfig.rows():
        about = ", ".join(filter(None, [limits, default and f"default {default}", source]))
        click.echo(f"{name:<22}{meaning}" + (f" ({about})" if about else ""))
    context.exit()


def _list(context: click.Context) -> None:
    from engines.learning.networks import catalog

    for title, table in (
        ("networks", catalog.NETWORKS), ("optimizers", catalog.OPTIMIZERS),
        ("schedules", catalog.SCHEDULES),
    ):
        click.echo(title)
        for name, entry in table.items():
            click.echo(f"  {name:<11}{entry.summary}")
            for option in entry.options:
                limits = option.range_text()
                about = ", ".join(filter(None, [limits, f"default {option.default}"]))
                click.echo(f"      {option.name:<13}{option.help} ({about})")
    context.exit()
