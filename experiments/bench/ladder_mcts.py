"""What each technique of MCTS buys: the search with one more at a time.

    python -m experiments.bench.ladder_mcts [--quick] [--games go9,connect4]

For each game, every step searches the same seeded random positions with the same number of
simulations: simulations a second, nodes and depth of the tree. Then it plays the step before
it, at equal simulations and again at equal CPU time: its score in percent with a 95% interval.
The last steps are alternatives: each is compared with the step it names.

The results stand in docs/engines/mcts.md.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from dlgo import GameState, get_game
from dlgo.api import GameSpec
from engines.registry import build_engine
from experiments.arena.series import play_series
from experiments.bench.ladder_alphabeta import random_positions
from experiments.command import run


@dataclass(frozen=True)
class Step:
    """One line of the table: what is new, the options so far, and the options it is played by."""

    title: str
    options: str
    before: str | None


@dataclass(frozen=True)
class Setting:
    """How one game is measured: plies before the positions, simulations, CPU seconds a move."""

    plies: int
    simulations: int
    seconds: float
    steps: tuple[Step, ...]


LIGHT = "reuse=no"
HEAVY = "rollout=heavy"
COMMON = (
    Step("UCT, uniform rollouts, a fresh tree each move", LIGHT, None),
    Step("+ the tree is kept", "", LIGHT),
    Step("+ heavy rollouts", HEAVY, ""),
)
SETTINGS = {
    "go:size=9,komi=7": Setting(16, 1000, 0.02, (
        *COMMON,
        Step("+ RAVE", f"{HEAVY},rule=rave,hints=0", HEAVY),
        Step("+ hints", f"{HEAVY},rule=rave", f"{HEAVY},rule=rave,hints=0"),
        Step("UCB1-tuned instead of UCT, uniform rollouts", "rule=ucb1-tuned", ""),
    )),
    "connect4": Setting(8, 1000, 0.002, (
        *COMMON,
        Step("+ RAVE", f"{HEAVY},rule=rave,hints=0", HEAVY),
        Step("UCB1-tuned instead of UCT, uniform rollouts", "rule=ucb1-tuned", ""),
    )),
}


def spec(budget: str, options: str) -> str:
    """The engine of a step."""
    return f"mcts:{budget}" + (f",{options}" if options else "")


def measure(text: str, states: list[GameState]) -> tuple[float, float, float]:
    """Simulations a CPU second, mean nodes of the tree, mean depth of its deepest line."""
    engine = build_engine(text, states[0].game)
    engine.warm_up()
    costs, depths = [], []
    for state in states:
        engine.new_game(0)
        decision = engine.select_move(state)
        costs.append(decision.cost)
        depths.append(decision.depth)
    seconds = sum(cost.cpu_seconds for cost in costs)
    return (
        sum(cost.simulations for cost in costs) / seconds,
        sum(cost.nodes for cost in costs) / len(costs),
        sum(depths) / len(depths),
    )


def score(game: GameSpec, step: Step, budget: str, pairs: int, seed: int) -> str:
    """What a step scores against the one before it, in percent, or nothing for the first."""
    if step.before is None:
        return ""
    series = play_series(
        game, spec(budget, step.options), spec(budget, step.before), pairs, seed
    )
    return f"{100 * series.share:.0f} +-{100 * series.margin:.0f}"


def ladder(name: str, setting: Setting, count: int, pairs: int, seed: int) -> None:
    """Print the table of one game."""
    game = get_game(name)
    states = random_positions(game, setting.plies, count, seed)
    sims = f"sims={setting.simulations}"
    print(
        f"\n{name}: {count} positions after {setting.plies} random moves, {setting.simulations} "
        f"simulations; {2 * pairs} games a score, at {setting.simulations} simulations and at "
        f"{setting.seconds:g} CPU s a move\n"
    )
    print("| | simulations/s | nodes | depth | score %, equal simulations | equal time |")
    print("|---|---:|---:|---:|---:|---:|")
    for step in setting.steps:
        rate, nodes, depth = measure(spec(sims, step.options), states)
        equal = score(game, step, sims, pairs, seed)
        timed = score(game, step, f"cpu={setting.seconds:g}", pairs, seed)
        print(
            f"| {step.title} | {rate:,.0f} | {nodes:,.0f} | {depth:.1f} | {equal} | {timed} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default="go9,connect4")
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=20, help="two games each, colours swapped")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="few positions and games")
    options = parser.parse_args()
    count, pairs = (2, 1) if options.quick else (options.positions, options.pairs)
    names = {name.split(":")[0]: name for name in SETTINGS}
    for name in options.games.split(","):
        short = name.split(":")[0].removesuffix("9")
        if short not in names:
            raise SystemExit(f"no setting for {name}: the games are {', '.join(names)}")
        ladder(names[short], SETTINGS[names[short]], count, pairs, options.seed)


if __name__ == "__main__":
    run(main)
