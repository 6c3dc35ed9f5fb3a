"""What it costs to have an engine from outside in a process of its own.

    python -m experiments.bench.isolation [--rounds 15] [--start-ups 5]

The same bot, which plays the first legal move, plays Connect Four in this process and in one of
its own, in turns; the figure is the median over the rounds of the difference, for one move.
Start-up is the time from a specification to the first move, with the file edited each time.

Connect Four, 2-core AMD EPYC, 2026-11-22, other programs running: a move takes 0.17 ms longer,
start-up 0.7 CPU seconds.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import click

from dlgo.api import GameState
from dlgo.games import get_game
from engines.base import Engine
from engines.isolation.describe import read_spec
from engines.isolation.engine import IsolatedEngine
from engines.registry import build_engine
from experiments.command import run
from experiments.number import Number

GAME = get_game("connect4")
BOT = "def select_move(state):\n    return state.legal_moves()[0]  # {}\n"
_GAMES = 10


def milliseconds(engine: Engine) -> tuple[float, float]:
    """Wall time of a move, and CPU time of this process."""
    engine.new_game(1)
    wall, cpu, moves = time.perf_counter(), time.process_time(), 0
    for _ in range(_GAMES):
        state = GameState.new_game(GAME)
        while not state.is_over():
            state = state.apply_move(engine.select_move(state).move)
            moves += 1
    return (1e3 * (time.perf_counter() - wall) / moves, 1e3 * (time.process_time() - cpu) / moves)


@click.command()
@click.option("--rounds", type=Number(int, 1), default=15, show_default=True,
              help="How often each of the two plays ten games.")
@click.option("--start-ups", type=Number(int, 1), default=5, show_default=True,
              help="How often an edited bot is started.")
def main(rounds: int, start_ups: int) -> None:
    """Print what isolation adds to a move, and how soon an edited bot plays."""
    with tempfile.TemporaryDirectory() as folder:
        bot = Path(folder) / "bot.py"
        bot.write_text(BOT.format(0))
        home, away = build_engine(str(bot), GAME), IsolatedEngine(str(bot), GAME, 60)
        for engine in (home, away):
            milliseconds(engine)
        pairs = [(milliseconds(home), milliseconds(away)) for _ in range(rounds)]
        away.close()
        wall, cpu = (
            statistics.median(apart[i] - here[i] for here, apart in pairs) for i in (0, 1)
        )
        click.echo(f"a move takes {wall:.3f} ms longer, {cpu:.3f} ms of it CPU time of the asker")
        seconds = []
        for number in range(start_ups):
            bot.write_text(BOT.format(number))
            began = time.perf_counter()
            engine = read_spec(str(bot)).build(GAME)
            engine.select_move(GameState.new_game(GAME))
            seconds.append(time.perf_counter() - began)
            engine.close()
        click.echo(f"an edited bot moves {statistics.median(seconds):.2f} s after its edit")


if __name__ == "__main__":
    run(main)
