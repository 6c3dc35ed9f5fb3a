"""`dlgo train` and `dlgo doctor`: what is typed and what is printed.

The work is done in `engines/learning` and the learners' folders. Keras is imported only when
training starts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from dlgo.specs import quote_value
from dlgo.system.console import command_line
from engines.learners import LEARNERS, config_class
from engines.supervised.config import SupervisedConfig
from experiments.options import (
    FILE,
    PATH,
    Number,
    cluster_option,
    echo_options,
    named_games,
    setting_options,
    together,
    workers_option,
)


@click.group()
def train() -> None:
    """Train networks."""


@train.command()
@click.option("--data", required=True, type=PATH,
              help="Folder of training data, written by `dlgo generate` or `dlgo data`.")
@click.option("--out", required=True, type=PATH, help="Folder to write the model to.")
@named_games()
@setting_options(SupervisedConfig.options().values(), network="--net",
                 value_head="--value/--no-value", policy_head="--policy/--no-policy",
                 curves="--curves/--no-curves")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False,
              callback=lambda context, _, wanted: _list_networks(context) if wanted else None,
              help="List networks, optimizers and schedules with their options, and exit.")
def supervised(data: Path, out: Path, **given: Any) -> None:
    """Train a network to predict the moves and results of recorded games.

    If the command is stopped, run it again: it continues and ends with the same network.
    """
    from experiments.train import supervised as learn

    run = learn(data, out, **given)
    if "policy" in run.card.heads:
        _say_how_to_play(run.card.game, "supervised", run.folder)


def _learner_options(name: str, *extra: Callable) -> Callable:
    """The options of a learner that makes its own games, with those of its own in between."""
    def print_settings(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            echo_options(config_class(name).options().values(), 0, 22)
            context.exit()

    return together(
        click.option("--game", required=True,
                     help="Game to learn, such as connect4 or go:size=5."),
        click.option("--out", type=PATH, help=f"Folder of the run. Default: out/{name}/GAME."),
        *extra,
        click.option("--seed", type=Number(int), help="Seed of games and training."),
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                     help="Change any setting, such as "
                     f"{'epsilon=0.2' if name == 'ntuple' else 'batch_size=512'}; may be "
                     "repeated."),
        click.option("--list", is_flag=True, is_eager=True, expose_value=False,
                     callback=print_settings,
                     help="List all settings with their ranges and defaults, and exit."),
    )


# Settings that have an option of their own. They are here, not in the learners' declarations, since
# those load the kernels of games, and `dlgo --help` waits for none.
_ITERATIONS = click.option("--iterations", type=Number(int, 1), default=None,
                           help="Number of iterations of self-play and learning.")
_GAMES = click.option("--games", type=Number(int, 1), default=None,
                      help="Number of games per iteration.")


def _net(example: str) -> Callable:
    return click.option("--net", "network", default=None,
                        help=f"Network to train, such as {example}.")


@train.command()
@_learner_options(
    "alphazero", _ITERATIONS, _GAMES,
    click.option("--sims", type=Number(int, 2), default=None,
                 help="Number of simulations per move."),
    _net("resnet:blocks=4,filters=32"),
    click.option("--runtime", default=None,
                 help="Runtime of the network in self-play, such as onnx."),
    click.option("--workers", type=Number(int, 0), default=None,
                 help="Number of self-play processes; 0: the learning process plays the games. On "
                 "a cluster: tasks per iteration."),
    click.option("--ahead", is_flag=True, default=None,
                 help="Play the next iteration's games while the network learns."),
    click.option("--search", type=click.Choice(["puct", "gumbel"]), default=None,
                 help="Search of self-play; gumbel needs fewer simulations than puct."),
    cluster_option,
)
def alphazero(
    game: str, out: Path | None, settings: tuple[str, ...], **given: Any,
) -> None:
    """Learn a game from its rules alone, by self-play.

    If the command is stopped, run it again to continue.
    """
    from experiments.train import alphazero as learn

    run = learn(game, out, **given | config_class("alphazero").parse(settings))
    click.echo(f"{run.card.name}: {run.card.training['cpu_seconds']:,.0f} CPU s")
    _say_how_to_play(run.card.game, "alphazero", run.folder)


@train.command()
@_learner_options(
    "alphago",
    click.option("--data", type=PATH, default=None,
                 help="Folder of games to learn from, such as human games (`dlgo data "
                 "import-sgf`). Default: an engine of this project plays them."),
    workers_option, cluster_option,
)
def alphago(
    game: str, data: Path | None, out: Path | None, seed: int | None, workers: int | None,
    cluster: str | None, settings: tuple[str, ...],
) -> None:
    """Train AlphaGo's networks in stages: policies, reinforcement, value (chapter 13).

    If the command is stopped, run it again to continue.
    """
    from dlgo.games import get_game
    from engines.alphago.config import AlphaGoConfig
    from engines.alphago.pipeline import train as train_alphago
    from engines.jobs import Processes
    from experiments.cluster import executor_on
    from experiments.datasets.generate import generate, make_recipe
    from experiments.progress import RunProgress

    config = AlphaGoConfig.make(game, **{"seed": seed, **AlphaGoConfig.parse(settings)})

    def make_games(folder: Path) -> Path:
        if data is not None:
            return data
        recipe = make_recipe(config.game, config.engine, seed=config.seed)
        executor: Any = jobs() if cluster else None
        return generate(recipe, config.games, folder, workers, jobs=executor)

    folder = out or Path("out/alphago") / get_game(config.game).slug
    progress = RunProgress()
    jobs: Any = partial(Processes, workers) if cluster is None else partial(
        executor_on, cluster, progress.line, (config.game, config.engine), workers)
    bundle = train_alphago(config, folder, make_games, progress, jobs)
    for stage, cost in bundle.costs.items():
        click.echo(f"{stage:<12}{cost:>10,.0f} CPU s")
    click.echo(f"{bundle.cpu_seconds:,.0f} CPU s in all")
    _say_how_to_play(config.game, "alphago", folder)


def _learner_command(name: str, summary: str) -> click.Command:
    """`dlgo train NAME` for a learner of `LEARNERS`."""
    workers = click.option(
        "--workers", type=Number(int, 1, 1000), default=None,
        help="Number of processes that play the games of a new run; it does not change the "
        "result. Default: the learning process plays the games.")

    @_learner_options(name, _ITERATIONS, _GAMES, *(
        [_net("walks:count=70,length=8")] if name == "ntuple"  # it plays in the learning process
        else [_net("resnet:blocks=4,filters=32"), workers, cluster_option]))
    def command(game: str, out: Path | None, settings: tuple[str, ...], **given: Any) -> None:
        from experiments import train

        run = getattr(train, name)(game, out, **given | config_class(name).parse(settings))
        card = run.card
        score = card.accuracy.get("random", {}).get("score")
        against = "" if score is None else f"{score:.1%} against random play, "
        click.echo(f"{card.name}: {against}{card.training['cpu_seconds']:,.0f} CPU s")
        _say_how_to_play(card.game, name, run.folder)

    command.__doc__ = f"{summary}\n\nIf the command is stopped, run it again to continue.\n"
    return click.command(name)(command)


for _name, (_, _summary) in LEARNERS.items():
    train.add_command(_learner_command(_name, _summary))


@train.command()
@click.argument("model")
@click.option("--out", type=PATH,
              help="Folder of a new model. Default: add the file to MODEL.")
@click.option("--positions", type=Number(int, 64, 20_000), default=1024, show_default=True,
              help="Number of positions to measure the loss of accuracy on.")
@click.option("--seed", type=Number(int), default=1, show_default=True,
              help="Seed of the games that the positions come from.")
@named_games()
def quantise(model: str, out: Path | None, positions: int, seed: int) -> None:
    """Write an 8-bit version of the network of MODEL, for runtime=int8.

    MODEL is a model's name or folder. The model's card then says how much the answers differ
    from those in float32, on positions of the network's own games.
    """
    from dlgo.extras import require_extra
    from engines.learning.networks.quantization import quantise_model

    require_extra("train", "quantising", "onnx")
    card = quantise_model(model, out, seed=seed, held_out=positions)
    cost = card.accuracy["int8"]
    parts = []  # a policy network has no value, a value network no policy and no first move
    if "policy" in card.heads:
        parts.append(f"policies diverge by {cost['policy']:.4f} nats")
    if set(card.heads) != {"value"}:
        parts.append(f"{cost['first_move']:.1%} have another first move")
    if set(card.heads) != {"policy"}:
        parts.append(f"values differ by {cost['value']:.4f}")
    click.echo(f"{card.name}, int8 against float32 on {cost['positions']:,} positions: "
               f"{', '.join(parts)}")


@click.command()
@click.argument("folder", type=PATH)
@click.option("--html", type=FILE, help="Also write a page with plots to this file.")
@named_games()
def doctor(folder: Path, html: Path | None) -> None:
    """Check whether the run of `dlgo train` in FOLDER learns, and show where it does not.

    It works for all learners that play their own games.
    """
    from dlgo.files import write_file
    from engines.learners import examine
    from engines.learning.diagnostics.findings import lines
    from engines.learning.diagnostics.page import page

    diagnosis = examine(folder)
    click.echo(diagnosis.title)
    for line in lines(diagnosis) or ["nothing can be judged yet; train for more iterations"]:
        click.echo(line)
    if html:
        write_file(html, page(diagnosis))
        click.echo(html)


def _say_how_to_play(game: str, engine: str, folder: Path) -> None:
    spec = f"{engine}:model={quote_value(str(folder))}"
    click.echo(f"play against it: {command_line(['dlgo', 'play', game, '--second', spec])}")


def _list_networks(context: click.Context) -> None:
    from engines.learning.networks import catalog

    for title, table in (
        ("networks", catalog.NETWORKS), ("optimizers", catalog.OPTIMIZERS),
        ("schedules", catalog.SCHEDULES),
    ):
        click.echo(title)
        for name, entry in table.items():
            click.echo(f"  {name:<11}{entry.summary}")
            echo_options(entry.options, 6, 16)
    context.exit()
