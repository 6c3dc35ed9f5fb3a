"""Measures the gain of each technique of alpha-beta by adding them one at a time.

    python -m experiments.bench.ladder_alphabeta [--quick] [--game connect4]

For each game, the same seeded random positions are searched to one depth with a fresh table:
mean nodes and CPU milliseconds a position. Then each step plays against the reference, alpha-beta
with iterative deepening only, at an equal number of nodes per move: its score in percent with a 95%
interval. (In these matches every step uses deepening, because it has to spend its nodes.) The
values at one depth must be equal in all steps before quiescence; the script checks this. The last
step, late-move reductions, is off in the engine.

docs/engines/alphabeta.md has the results.
"""

from __future__ import annotations

from statistics import mean
from typing import NamedTuple

from dlgo import DlgoError, get_game
from engines.minimax.stack import TECHNIQUE_HELP
from experiments.arena.series import play_series
from experiments.bench.measure import decisions_of, ladder_command, random_positions, score_text
from experiments.command import run

TECHNIQUES = list(TECHNIQUE_HELP)
# Techniques that are added together: deepening orders moves by the table's move.
STEPS = [name for name in TECHNIQUES if name != "deepening"]
CHANGE_VALUES = ("quiescence",)


class Setting(NamedTuple):
    """Settings of one game: search depth, random plies before, nodes per move in matches."""

    depth: int
    plies: int
    nodes: int


SETTINGS = {
    "connect4": Setting(8, 8, 5000),
    "draughts": Setting(9, 12, 5000),
    "go:size=9": Setting(3, 12, 1000),
}


def spec(last: str | None, budget: str, deepening: bool) -> str:
    """The engine with all techniques up to `last`, as a specification."""
    on = TECHNIQUES[: TECHNIQUES.index(last) + 1] if last else []
    use = {name: name in on for name in TECHNIQUES} | {"deepening": deepening}
    return f"alphabeta:{budget}," + ",".join(
        f"{name}={'yes' if used else 'no'}" for name, used in use.items()
    )


def ladder(name: str, setting: Setting, count: int, pairs: int, seed: int) -> None:
    """Print the gain of each technique of alpha-beta, a table for each game."""
    game = get_game(name)
    states = random_positions(game, setting.plies, count, seed)
    reference = spec("cuts", f"nodes={setting.nodes}", True)
    print(
        f"\n{game}: {count} positions after {setting.plies} random moves, depth "
        f"{setting.depth}; {2 * pairs} games at {setting.nodes} nodes a move\n"
    )
    print("| | nodes | ms | score % | CPU ms a move |\n|---|---:|---:|---:|---:|")
    before: list[float] | None = None
    for last in (None, *STEPS):
        deepening = last is not None and last != "cuts"
        decisions = decisions_of(spec(last, f"depth={setting.depth}", deepening), states)
        nodes = mean(decision.cost.nodes for decision in decisions)
        ms = 1000 * mean(decision.cost.cpu_seconds for decision in decisions)
        values = [decision.value for decision in decisions]
        if before is not None and last not in CHANGE_VALUES and values != before:
            raise DlgoError(f"{last} has changed a value: {before} {values}")
        before = values
        score = "50 | "
        if last != "cuts":
            series = play_series(
                game, spec(last, f"nodes={setting.nodes}", True), reference, pairs, seed
            )
            score = f"{score_text(series)} | {series.cpu_ms[0]:.2f}"
        title = {None: "plain minimax", "cuts": "+ cuts (the reference)"}.get(last, f"+ {last}")
        title = title.replace("+ hash_move", "+ deepening, hash_move")
        print(f"| {title} | {nodes:,.0f} | {ms:,.2f} | {score} |", flush=True)


if __name__ == "__main__":
    run(ladder_command(ladder, SETTINGS, pairs=100))
