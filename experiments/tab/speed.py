"""How fast a tab searches, in node, beside the same search in Python.

    python -m experiments.tab.speed

prints simulations (of alpha-beta: nodes) per CPU second, from the start position, of the second of
two equal searches; `same`: both chose the same move.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from dlgo import get_game
from engines.base import Decision
from engines.registry import build_engine
from experiments.command import run
from experiments.tab.node import run_worker
from experiments.tab.programs import game_parts
from experiments.tab.site import GAMES
from reports.text import markdown_table

SEARCHES = (
    ("connect4", "mcts:sims=400000"),
    ("go", "mcts:rule=rave,rollout=heavy,sims=10000"),
    ("connect4", "alphazero:model=connect4-alphazero-wide,sims=40000"),
    ("draughts", "alphazero:sims=40000"),
    ("connect4", "alphazero:sims=2000"),
    ("go", "alphazero:sims=500"),
    ("connect4", "alphabeta:depth=15"),
    *((game, f"mcts:sims={1_000_000 if game == 'tictactoe' else 20_000}") for game in GAMES
      if game != "connect4"),
)
# Measures a search of a page, after one that warms it up.
SCRIPT = """
const { Tab } = await load("main.js");
const tab = await new Tab(async (name) => data.parts[name]).begin();
const game = await tab.game(data.game), engine = await tab.engine(game, data.engine, 1);
let before, decision;
for (let round = 0; round < 2; round++) {
  engine.newGame(1n);
  before = process.cpuUsage();
  decision = await engine.select(game.start());
}
const { user, system } = process.cpuUsage(before);
return { move: game.texts[decision.action], count: decision.simulations || decision.nodes,
  seconds: (user + system) / 1e6 };
"""


@click.command()
def main() -> None:
    """Measure all searches and print a table."""
    print(markdown_table(["game", "engine", "Python", "tab", "share", "same"], list(_rows()),
                         left=(0, 1)))


def _rows() -> Iterator[list[str]]:
    for game, engine in SEARCHES:
        decision = _search(game, engine)
        cost = decision.cost
        native = (cost.simulations or cost.nodes) / cost.cpu_seconds
        page = _search_as_exported(game, engine)
        same = get_game(game).move_text(decision.move) == page["move"]
        speed = page["count"] / page["seconds"]
        yield [game, engine, f"{native:,.0f}", f"{speed:,.0f}", f"{speed / native:.2f}",
               "yes" if same else "no"]


def _search(game: str, spec: str) -> Decision:
    engine = build_engine(spec, game, 1)
    engine.select_move(engine.game.start())
    engine.new_game(1)
    return engine.select_move(engine.game.start())


def _search_as_exported(game: str, engine: str) -> dict[str, Any]:
    """`search_in_page` in a process whose Numba compiles as that of `dlgo export web`."""
    code = (f"from experiments import tab\ntab.compile_for_any_processor()\n"
            f"import json\nfrom experiments.tab.speed import search_in_page\n"
            f"print(json.dumps(search_in_page({game!r}, {engine!r})))")
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def search_in_page(game: str, engine: str) -> dict[str, Any]:
    """The move of a search in node, the count of its simulations or nodes, and CPU seconds."""
    data = {"game": str(get_game(game)), "engine": engine,
            "parts": game_parts(game, engines=[engine])}
    with tempfile.TemporaryDirectory() as folder:
        answer: dict[str, Any] = run_worker(Path(folder), SCRIPT, data)
    return answer


if __name__ == "__main__":
    run(main)
