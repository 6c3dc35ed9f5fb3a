"""`dlgo games`, `engines`, `encoders` and `models`: lists of the choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from experiments.options import Number, echo_options, named_games

# The page of docs/ that explains each engine.
_ENGINE_PAGES = {
    **dict.fromkeys(("random", "heuristic", "minimax", "alphabeta"), "engines/alphabeta"),
    "mcts": "engines/mcts", "puct": "engines/alphazero", "alphazero": "engines/alphazero",
    "descent": "engines/descent", "ntuple": "engines/ntuple",
    **dict.fromkeys(("alphago", "fast_policy"), "engines/alphago"), "solver": "engines/solver",
    **dict.fromkeys(("policy_gradient", "actor_critic", "q_learning", "ppo"), "reinforcement"),
    "supervised": "training", "gtp": "gtp", "llm": "engines/llm",
    **dict.fromkeys(("textbook-alphabeta", "textbook-mcts", "textbook-puct", "textbook-gumbel",
                     "textbook-alphago"), "play"),
}


@click.command()
@click.argument("name", required=False)
def games(name: str | None) -> None:
    """List the games and their options; with NAME, those of one game."""
    from dlgo import get_game
    from dlgo.games import game_class, game_names

    if name is None:
        click.echo("Write a game as name:key=value,key=value, such as connectn:cols=9,rows=7,n=5.")
        click.echo("go9 is short for go:size=9, go13 and go19 likewise.\n")
    game_classes = ({game: game_class(game) for game in game_names()} if name is None else
                    {name.partition(":")[0]: type(get_game(name))})
    width = 2 + max(map(len, game_classes))
    for game, cls in game_classes.items():
        click.echo(f"{game:<{width}}{(cls.__doc__ or '').partition(chr(10))[0]}")
        echo_options(cls.options)
    if name is not None and cls.__module__.startswith("dlgo.games."):
        _echo_sources(cls, "games")


@click.command()
@click.argument("name", required=False)
def engines(name: str | None) -> None:
    """List the engines, their budgets and options; with NAME, those of one engine."""
    from dlgo.budgets import BUDGET_OPTIONS
    from engines.registry import ENGINES, EngineSpec, engine_class, engine_names
    from engines.termination import TERMINATION_OPTIONS

    if name is None:
        click.echo("Write an engine as name:key=value,key=value, such as mcts:sims=800,c_uct=1.4\n")
    names = engine_names() if name is None else [ENGINES.split(name)[0]]
    width = 2 + max(map(len, names))
    for each in names:
        cls = engine_class(each)
        click.echo(f"{each:<{width}}{cls.summary}")
        budgets = [option for option in BUDGET_OPTIONS if option.name in cls.budgets]
        if budgets:
            click.echo(f"    budget a move (default {EngineSpec.parse(each)}):")
        echo_options(budgets)
        if cls.options:
            click.echo("    options:")
        echo_options(cls.options)
    click.echo("all engines" if name is None else "    options of all engines:")
    echo_options(TERMINATION_OPTIONS)
    if name is not None and each in _ENGINE_PAGES:
        _echo_sources(cls, _ENGINE_PAGES[each])


def _echo_sources(cls: type, page: str) -> None:
    """Where one engine or game is explained, and its code."""
    click.echo(f"    docs: docs/{page}.md\n    code: {cls.__module__.replace('.', '/')}.py")


@click.command()
@click.argument("game", required=False)
def encoders(game: str | None) -> None:
    """List the encoders of GAME, and what each plane shows; without GAME, their names."""
    from dlgo import get_game
    from dlgo.encoders import default_encoder, encoder_names, get_encoder
    from dlgo.games import game_names
    from dlgo.text import number_of

    if game is None:
        for name in game_names():
            click.echo(f"{name}: {', '.join(encoder_names(get_game(name)))}")
        click.echo("\n`dlgo encoders GAME` lists their planes")
        return
    spec = get_game(game)
    width = 2 + max(map(len, encoder_names(spec)))
    for name in encoder_names(spec):
        encoder = get_encoder(name, spec)
        size = "x".join(map(str, encoder.shape))
        past = f", looks {number_of(encoder.history, 'position')} back" if encoder.history else ""
        default = ", the default" if name == default_encoder(spec) else ""
        click.echo(f"{name:<{width}}{size}{past}{default}")
        for plane, doc in enumerate(encoder.planes):
            click.echo(f"{plane:>5}  {doc}")


@click.command()
@click.argument("names", metavar="[MODEL]...", nargs=-1)
@click.option("--speeds", is_flag=True, help="Measure how fast each runtime is here.")
@click.option("--batch", "batches", multiple=True, type=Number(int, 1, 4096), default=(1, 8, 64),
              show_default=True, help="Positions at once, for --speeds; may be repeated.")
@named_games()
def models(names: tuple[str, ...], speeds: bool, batches: tuple[int, ...]) -> None:
    """List the models that come with the package, or tell about some (names or folders)."""
    from engines.alphago.bundle import read_bundle, shipped_bundles
    from engines.learning.networks.store import SHIPPED, check_files, load_card, shipped_models

    model_names = names or shipped_models()
    if speeds:
        _echo_speeds(model_names, batches)
        return
    if not model_names:
        click.echo("no model comes with this version; `dlgo train` makes some")
        return
    width = 2 + max(map(len, ("model", *model_names, *shipped_bundles())))
    click.echo(f"{'model':<{width}}game: network on encoder, moves predicted; cost; identity")
    for name in model_names:
        folder, card = load_card(name)
        check_files(folder, card)
        click.echo(f"{name:<{width}}{card.game}: {card.network} on {card.encoder}"
                   f"{_costs_of(card)}; {card.network_id[7:19]}")
    for name in () if names else shipped_bundles():
        bundle = read_bundle(SHIPPED / name)
        _, card = load_card(bundle.network("supervised"))
        click.echo(
            f"{name:<{width}}{card.game}: all of an AlphaGo on {card.encoder}; "
            f"{bundle.cpu_seconds:,.0f} CPU s, 0 GPU s; {card.network_id[7:19]}"
        )


def _echo_speeds(names: Sequence[str], batches: Sequence[int]) -> None:
    """A table of the measured speeds of these models."""
    from engines.learning.networks.runtimes import KINDS, speeds
    from engines.learning.networks.store import DENSE_FILE, ONNX_FILE, load_card

    kinds = KINDS[:-1]  # Keras starts in seconds, and TensorFlow may not be installed
    width = 2 + max(map(len, ("model", *names)))
    heads = "".join(f"{kind:>{max(11, 2 + len(kind))}}" for kind in kinds)
    click.echo(f"positions a CPU second of each runtime\n{'model':<{width}}{'batch':>7}{heads}")
    for name in names:
        for batch in batches:
            runs = {ONNX_FILE, DENSE_FILE} & load_card(name)[1].files.keys()
            rates = speeds(name, batch) if runs else {}
            cells = "".join(
                f"{f'{rates[kind]:,.0f}' if kind in rates else '-':>{max(11, 2 + len(kind))}}"
                for kind in kinds)
            click.echo(f"{name:<{width}}{batch:>7,}{cells}")


def _costs_of(card: Any) -> str:
    """The cost of a network, its accuracy, and its settings in a search."""
    cost, test, int8 = (
        card.training_cost, card.accuracy.get("test", {}), card.accuracy.get("int8", {}))
    text = f", {test['accuracy']:.1%} of held-out moves" if "accuracy" in test else ""
    text += f"; {cost['cpu_seconds']:,.0f} CPU s, {cost['gpu_seconds']:,.0f} GPU s"
    for_games = (card.total_cpu_seconds or 0) - cost["cpu_seconds"]
    text += f" and {for_games:,.0f} for its games" if for_games > 0 else ""
    if "policy" in int8:
        text += (f", int8 within {int8['policy']:.4f} nats" if "policy" in card.heads else
                 f", int8 within {int8['value']:.4f}")
    return text + "".join(f", plays with {key}={value:g}" for key, value in card.play.items())
