"""Games between engines of a tab are those of a tournament with its seed; reports read them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from dlgo import get_game
from dlgo.rng import derive_seed
from experiments.arena.engine_cache import EngineCache
from experiments.arena.referee import play_game
from experiments.arena.schedule import Plan, tasks
from experiments.cli.main import cli
from experiments.tab.programs import entrants, game_view, program
from tests.tab.worker import needs_node, run_worker

pytestmark = [pytest.mark.slow, *needs_node]

# Plays games as the page asks for them. The tab is all that they need of one.
PLAY = """
const { Game } = await load("rules.js"), { makeEngine } = await load("engines.js");
const { streams } = await load("match.js"), game = await Game.load(data.game);
const play = streams({
  game: async () => game,
  engine: (game, spec, seed) => makeEngine(game, spec, seed, async (name) => data.parts[name]),
})["/api/match"], games = [];
for (const body of data.bodies) {
  for await (const { result } of play({ body })) if (result) games.push(result);
}
return games;
"""
SEED = 2026


def test_seeds_are_those_of_python(tmp_path: Path) -> None:
    """A digest of one block and of several, and of other letters."""
    parts = [[""], [0, "connect4", 3], ["x" * 128], ["x" * 129], ["\u00e4" * 200, -5]]
    script = """const { deriveSeed } = await load("seeds.js");
    return data.map((parts) => String(deriveSeed(...parts)));"""
    assert run_worker(tmp_path, script, parts) == [str(derive_seed(*each)) for each in parts]


@pytest.mark.parametrize(("game", "specs"), [
    ("connect4", ("random", "mcts:sims=60", "mcts:sims=200,c_uct=0.7", "alphabeta:depth=3")),
    ("go:size=5,komi=0.5", ("random", "mcts:sims=40,rollout=heavy", "puct:sims=20")),
    ("tictactoe", ("random", "heuristic")),
])
def test_a_match_is_that_of_a_tournament(
    game: str, specs: tuple[str, ...], tmp_path: Path
) -> None:
    plan = Plan(games=(game,), entrants=specs, pairs=2, seed=SEED).canonical()
    spec, schedule = get_game(game), tasks(plan)
    view, parts = game_view(spec) | {"entrants": []}, {}
    for place, (_, entrant) in enumerate(entrants(spec, specs).items()):
        view["entrants"].append(entrant.facts | {"part": str(place)})
        parts[str(place)] = program(entrant.kernels.calls)
    games = run_worker(tmp_path, PLAY, {"game": view, "parts": parts, "bodies": [
        {"game": game, "first": task.first, "second": task.second, "pair": task.pair, "seed": SEED}
        for task in schedule]})
    cache = EngineCache()
    for task, row in zip(schedule, games, strict=True):
        record = play_game(task, cache)
        for name in ("game", "first", "second", "pair", "opening", "result", "moves"):
            assert row[name] == getattr(record, name), name
        assert row["seed"] == str(record.seed)
        for player, side in enumerate(("first", "second")):
            spent = record.spent(player)
            assert row[f"{side}_moves"] == spent.moves
            if not spent.moves:
                continue
            assert row[f"{side}_wall_ms"] > 0
            assert row[f"{side}_simulations"] == pytest.approx(spent.simulations / spent.moves)
    cache.close()
    with (tmp_path / "games.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, games[0])
        writer.writeheader()
        writer.writerows(games)
    for arguments in (["rate"], ["report", "--bootstrap", "0", "--out", str(tmp_path / "report")]):
        done = CliRunner().invoke(cli, [arguments[0], str(tmp_path / "games.csv"), *arguments[1:]])
        assert done.exit_code == 0, done.output
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert "Elo against Wall time per move" in page
