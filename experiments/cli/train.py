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


class _LearnerCommand(click.Command):
    """`dlgo train NAME` for a learner that makes its own games: its most used settings have an
    option each, after `--game` and `--out`, and `--set` changes any.

    The declarations of settings load the kernels of games. So they are read only when the options
    are needed: `dlgo --help` and `dlgo train --help` do not wait for them.
    """

    _params: list[click.Parameter]
    _is_complete: bool

    @property
    def params(self) -> list[click.Parameter]:
        """All options."""
        if not self._is_complete:
            self._is_complete = True
            declared = config_class(str(self.name)).options()
            options = setting_options(
                (declared[name] for name in _SETTINGS if name in declared), defaults=False,
                network="--net")
            self._params[2:2] = click.command()(options(lambda: None)).params
        return self._params

    @params.setter
    def params(self, params: list[click.Parameter]) -> None:
        self._params, self._is_complete = params, False


# Settings that have an option of their own, where the learner has them.
_SETTINGS = ("iterations", "games", "sims", "network", "runtime", "workers", "ahead", "search",
             "seed")


def _learner_options(name: str, *extra: Callable) -> Callable:
    """The options of a learner that are not declared settings, with some of its own in between."""
    def print_settings(context: click.Context, _: click.Parameter, is_asked: bool) -> None:
        if is_asked:
            echo_options(config_class(name).options().values(), 0, 22)
            context.exit()

    return together(
        click.option("--game", required=True,
                     help="Game to learn, such as connect4 or go:size=5."),
        click.option("--out", type=PATH, help=f"Folder of the run. Default: out/{name}/GAME."),
        *extra,
        click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                     help="Change any setting, such as "
                     f"{'epsilon=0.2' if name == 'ntuple' else 'batch_size=512'}; may be "
                     "repeated."),
        click.option("--list", is_flag=True, is_eager=True, expose_value=False,
                     callback=print_settings,
                     help="List all settings with their ranges and defaults, and exit. Some games "
                     "have other defaults."),
    )


@train.command(cls=_LearnerCommand)
@_learner_options("alphazero", cluster_option)
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


@train.command(cls=_LearnerCommand)
@_learner_options(
    "alphago",
    click.option("--data", type=PATH, default=None,
                 help="Folder of games to learn from, such as human games (`dlgo data "
                 "import-sgf`). Default: an engine of this project plays them."),
    workers_option, cluster_option,
)
def alphago(
    game: str, data: Path | None, out: Path | None, workers: int | None, cluster: str | None,
    settings: tuple[str, ...], **given: Any,
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

    config = AlphaGoConfig.make(game, **given | AlphaGoConfig.parse(settings))

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

    # The learner of n-tuples plays in the learning process.
    @_learner_options(name, *([] if name == "ntuple" else [workers, cluster_option]))
    def command(game: str, out: Path | None, settings: tuple[str, ...], **given: Any) -> None:
        from experiments import train

        run = getattr(train, name)(game, out, **given | config_class(name).parse(settings))
        card = run.card
        score = card.accuracy.get("random", {}).get("score")
        against = "" if score is None else f"{score:.1%} against random play, "
        click.echo(f"{card.name}: {against}{card.training['cpu_seconds']:,.0f} CPU s")
        _say_how_to_play(card.game, name, run.folder)

    command.__doc__ = f"{summary}\n\nIf the command is stopped, run it again to continue.\n"
    return click.command(name, cls=_LearnerCommand)(command)


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
