"""Measures the gain of each technique of MCTS by adding them one at a time.

    python -m experiments.bench.ladder_mcts [--quick] [--game connect4]

For each game, every step searches the same seeded random positions with the same number of
simulations: simulations a second, nodes and depth of the tree. Then it plays the step before
it, at equal simulations and again at equal CPU time: its score in percent with a 95% interval.
The last steps are alternatives: each is compared with the step it names.

docs/engines/mcts.md has the results.
"""

from __future__ import annotations

from statistics import mean
from typing import NamedTuple

from dlgo import GameSpec, get_game
from experiments.arena.series import play_series
from experiments.bench.measure import decisions_of, ladder_command, random_positions, score_text
from experiments.command import run


class Step(NamedTuple):
    """One line of the table."""

    title: str
    options: str  # all options of the step
    before: str | None  # the options of its opponent


class Setting(NamedTuple):
    """Settings of one game."""

    plies: int  # before the positions
    simulations: int
    seconds: float  # of CPU time a move
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
    )),
    "connect4": Setting(8, 1000, 0.002, (
        *COMMON,
        Step("+ RAVE", f"{HEAVY},rule=rave,hints=0", HEAVY),
    )),
}


def spec(budget: str, options: str) -> str:
    """The engine of a step."""
    return f"mcts:{budget}" + (f",{options}" if options else "")


def score(game: GameSpec, step: Step, budget: str, pairs: int, seed: int) -> str:
    """The score of a step against the one before it, in percent; "" for the first step."""
    if step.before is None:
        return ""
    return score_text(play_series(
        game, spec(budget, step.options), spec(budget, step.before), pairs, seed
    ))


def ladder(name: str, setting: Setting, count: int, pairs: int, seed: int) -> None:
    """Print the gain of each technique of MCTS, a table for each game."""
    game = get_game(name)
    states = random_positions(game, setting.plies, count, seed)
    sims = f"sims={setting.simulations}"
    print(
        f"\n{game}: {count} positions after {setting.plies} random moves, {setting.simulations} "
        f"simulations; {2 * pairs} games a score, at {setting.simulations} simulations and at "
        f"{setting.seconds:g} CPU s a move\n"
    )
    print("| | simulations/s | nodes | depth | score %, equal simulations | equal time |")
    print("|---|---:|---:|---:|---:|---:|")
    for step in setting.steps:
        decisions = decisions_of(spec(sims, step.options), states)
        costs = [decision.cost for decision in decisions]
        rate = sum(cost.simulations for cost in costs) / sum(cost.cpu_seconds for cost in costs)
        nodes = mean(cost.nodes for cost in costs)
        depth = mean(decision.depth for decision in decisions)
        equal = score(game, step, sims, pairs, seed)
        timed = score(game, step, f"cpu={setting.seconds:g}", pairs, seed)
        print(
            f"| {step.title} | {rate:,.0f} | {nodes:,.0f} | {depth:.1f} | {equal} | {timed} |",
            flush=True,
        )


if __name__ == "__main__":
    run(ladder_command(ladder, SETTINGS, pairs=20))
