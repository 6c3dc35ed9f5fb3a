"""Chapter 4: alpha-beta against a plain material minimax that another program's rules drive.

    python -m experiments.chapters.ch04_draughts_pydraughts [--games 100] [--seconds 1] [--seed 1]
    python -m experiments.chapters.ch04_draughts_pydraughts --quick

The opponent is written on pydraughts (variant "english"): it looks four moves ahead and counts
men as 1 and kings as 1.5; among equal moves it chooses at random. Our side has `--seconds` of
CPU time a move. Games start after four random plies, each opening played twice with colours
swapped. `--log FILE` keeps every game; run again with it to go on after an interruption.

What to look for: four moves of material are seen through by a search three times as deep, which
wins nearly every game. The figure shows how its lead grows from nothing.

Last run: 2026-11-21, 1 s a move, 2-core Intel Xeon: 100 wins of 100 (docs/engines/alphabeta.md).
"""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np
from scipy.stats import binomtest

from dlgo import DlgoError, GameState, Player
from dlgo.games.draughts.board import JUMPER
from dlgo.rng import derive_seed
from engines.registry import build_engine
from experiments.command import run
from experiments.figures import BLUE, INK, drawing
from experiments.opponents.pydraughts_opponent import GAME, opponent_moves
from experiments.options import Number, out_option, quick_option, seed_option

OPENING_PLIES = 4


def play(number: int, engine, depth: int, seed: int) -> dict:
    """Play game `number`; two with one opening follow each other."""
    generator = np.random.default_rng(derive_seed("pydraughts", seed, number // 2) % 2**32)
    state = GameState.new_game(GAME)
    while len(state.moves()) < OPENING_PLIES or state.kernel_state.words[JUMPER]:
        moves = state.legal_moves()
        state = state.apply_move(moves[generator.integers(len(moves))])
    ours = Player.from_index(number % 2)
    engine.new_game(number)
    spent, leads = [], [0]
    while not state.is_over():
        if state.next_player is ours:
            decision = engine.select_move(state)
            spent.append(decision.cost.cpu_seconds)
            state = state.apply_move(decision.move)
        else:
            for move in opponent_moves(state, depth, generator):
                state = state.apply_move(move)
        leads.append(pieces(state, ours) - pieces(state, ours.other))
    winner = state.winner()
    result = "draw" if winner is None else "win" if winner is ours else "loss"
    return {
        "number": number, "result": result, "why": GAME.result_text(state), "we": ours.name,
        "most_cpu": max(spent), "moves": GAME.move_list_text(state),
        "leads": leads,
    }


def pieces(state: GameState, player: Player) -> int:
    """Men and kings that a player has."""
    squares = range(1, 9)
    return sum(GAME.cell(state, row, col) is player for row in squares for col in squares)


@click.command()
@click.option("--games", type=Number(int, 1), default=100, show_default=True,
              help="Games to play.")
@click.option("--seconds", type=Number(float, 0.001, 3600), default=1.0, show_default=True,
              help="CPU seconds of our moves.")
@click.option("--depth", type=Number(int, 0, 50), default=4, show_default=True,
              help="Moves the opponent looks ahead.")
@seed_option
@click.option("--log", type=click.Path(path_type=Path),
              help="Keep a line per game in this file, and go on where it ends.")
@quick_option("Ten games against depth 1, 0.01 seconds a move")
@out_option("out/ch04_draughts_pydraughts")
def main(
    games: int, seconds: float, depth: int, seed: int, log: Path | None, quick: bool, out: Path
) -> None:
    """Play, and print the score as it stands after each game."""
    try:
        import draughts  # noqa: F401
    except ImportError:
        raise DlgoError("pydraughts is not installed: pip install pydraughts") from None
    if quick:
        games, seconds, depth = 10, 0.01, 1
    engine = build_engine(f"alphabeta:cpu={seconds}", GAME)
    engine.warm_up()
    lines = log.read_text().splitlines() if log and log.exists() else []
    done = {game["number"]: game for game in map(json.loads, lines)}
    setting = f"{seconds:g} s, depth {depth}, seed {seed}"
    for other in {game["setting"] for game in done.values()} - {setting}:
        raise DlgoError(
            f"--log {log} holds games of another setting ({other}, not {setting}); name a new file"
        )
    print(f"alphabeta:cpu={seconds} - pydraughts, material at depth {depth}")
    count, leads = dict.fromkeys(("win", "draw", "loss"), 0), []
    for number in range(games):
        record = done.get(number)
        if record is None:
            record = {"setting": setting} | play(number, engine, depth, seed)
            if log:
                with log.open("a") as file:
                    file.write(json.dumps(record) + "\n")
        count[record["result"]] += 1
        leads.append(record.get("leads", []))
        print(f"{number + 1:>4}  {record['we']}: {record['why']}", flush=True)
    points = count["win"] + count["draw"] / 2
    won = binomtest(count["win"], games).proportion_ci(method="wilson")
    print("wins {win}, draws {draw}, losses {loss}".format(**count))
    print(f"{points:g} points of {games}; wins: 95% interval {won.low:.1%} to {won.high:.1%}")
    with drawing(out / "ch04_draughts_pydraughts.png", size=(10, 5)) as (axes,):
        for line in leads:
            axes.plot(line, color=BLUE, alpha=max(0.15, 3 / (games + 3)))
        axes.axhline(0, color=INK, linewidth=1.5, linestyle="--")
        axes.set(xlabel="turns after the opening", ylabel="pieces ahead of the opponent",
                 title=f"{games} games: {points:g} points, wins {won.low:.0%} to {won.high:.0%}")


if __name__ == "__main__":
    run(main)
