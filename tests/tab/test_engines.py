"""Engines without a tree decide in a tab as they do in Python, and leave the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dlgo import GameSpec, GameState, SpecError, get_game
from dlgo.games import GAMES
from dlgo.webassembly.memory import BASE, View, lay_out
from engines.base import Budget, Decision, Engine
from engines.registry import EngineSpec, build_engine, engine_class
from experiments.tab.programs import entrants, game_view, program
from experiments.tab.rules import start_of
from tests.conftest import one_line_error, random_game
from tests.tab.worker import needs_node, run_worker

N_GAMES, DECISIONS_A_GAME = 25, 4
ENGINES = ("random", "heuristic:level=3", "heuristic:level=1", "alphabeta:nodes=3000",
           "alphabeta:depth=3", "alphabeta:nodes=600,cuts=no,forced=no")
OTHERS = {
    "connect4": ("ntuple:nodes=3000", "solver", "policy_gradient:runtime=compiled",
                 "ppo:choose=sample,temperature=0.7,runtime=compiled",
                 "supervised:choose=sample,runtime=compiled",
                 "q_learning:epsilon=0.3,runtime=compiled"),
    "draughts": ("actor_critic:runtime=compiled",),
    "othello": ("ntuple:depth=3",),
    "tictactoe": ("alphabeta:depth=9,solve=yes", "supervised:passes=last,runtime=compiled"),
}
# What lasts from move to move, of the arguments of an engine's calls.
LASTING = ("rng", "table", "stack.", "frames")

# Plays games, in which engines decide now and then.
DECIDE = """
const { createHash } = await import("crypto");
const { Game } = await load("rules.js"), { makeEngine } = await load("engines.js");
const game = await Game.load(data.game), answers = [];
for (const [spec, arrays] of data.engines) {
  const engine = await makeEngine(game, spec, 0, (name) => data.parts[name]), decisions = [];
  for (const { seed, actions, plies } of data.games) {
    engine.newGame(seed);
    let position = game.start();
    for (const action of actions) {
      if (plies.includes(position.plies)) {
        for (const _ of engine.think(position)) engine.decision();  // a look disturbs no search
        decisions.push(engine.decision());
      }
      position = position.play(action);
    }
  }
  const bytes = arrays.map(([call, name]) => engine.driver.program.bytes(call, name));
  answers.push([decisions, bytes.map((array) => createHash("sha256").update(array).digest("hex"))]);
}
return answers;
"""

Game = dict[str, Any]


def new_engine(game: GameSpec, spec: EngineSpec) -> Engine:
    """An engine as a page has it: with memory for searches of any depth."""
    engine = engine_class(spec.name)
    budget = Budget(wall=1.0) if "wall" in engine.budgets else None
    return engine(game, budget, 0, build_engine=build_engine, **dict(spec.settings))


def play(engine: Engine, budget: Budget | None, games: list[Game]) -> list[Decision]:
    decisions = []
    for game in games:
        engine.new_game(game["seed"])
        decisions += [engine.select_move(game["states"][ply], budget) for ply in game["plies"]]
    return decisions


def digests(engine: Engine, start: GameState) -> dict[tuple[str, str], str]:
    """Digests of the arrays that last, by call and name."""
    image = lay_out(engine.kernels(start).calls)

    def content(view: View) -> np.ndarray:
        begin = view.address - BASE
        return np.frombuffer(image.content, view.dtype, prod(view.shape), begin)

    return {
        (call, name): sha256(content(view).tobytes()).hexdigest()
        for call, views in image.views.items() for name, view in views.items()
        # Two that tell when the search was interrupted, and what was expected then.
        if name.startswith(LASTING) and name not in ("stack.info", "stack.line")}


def random_games(game: GameSpec) -> list[Game]:
    """Random games, and the plies at which engines decide."""
    rng, games = np.random.default_rng(1), []
    for seed in range(N_GAMES):
        states = random_game(game, seed)
        n = len(states) - 1
        plies = sorted(rng.choice(n, min(n, DECISIONS_A_GAME), replace=False).tolist())
        actions = [game.action_of(move) for move in states[-1].moves()]
        games.append({"seed": seed, "states": states, "actions": actions, "plies": plies})
    return games


def compare(folder: Path, game: GameSpec, specs: Sequence[str]) -> None:
    """Compare decisions and memory in Python and in node."""
    games, start = random_games(game), start_of(game)
    decisions, memories, parts = [], [], {}
    view = game_view(game) | {"entrants": []}
    for spec in specs:
        parsed = EngineSpec.parse(spec)
        engine = new_engine(game, parsed)
        decisions.append(play(engine, parsed.budget if parsed.budget.given() else None, games))
        memories.append(digests(engine, start))
    for entrant, (facts, kernels) in entrants(game, specs).items():
        view["entrants"].append(facts | {"part": entrant})
        parts[entrant] = program(kernels.calls)
    answers = run_worker(folder, DECIDE, {
        "game": view, "parts": parts,
        "games": [{key: played[key] for key in ("seed", "actions", "plies")} for played in games],
        "engines": [(spec, [*memory]) for spec, memory in zip(specs, memories, strict=True)],
    })
    for spec, here, memory, (there, arrays) in zip(
        specs, decisions, memories, answers, strict=True,
    ):
        for mine, its in zip(here, there, strict=True):
            line = [game.action_of(move) for move in mine.pv]
            assert [its[key] for key in ("action", "pv", "proven", "depth", "nodes")] == [
                game.action_of(mine.move), line, mine.proven, mine.depth, mine.cost.nodes], spec
            assert its["value"] == (mine.value and pytest.approx(mine.value, rel=1e-12)), spec
        assert dict(zip(memory, arrays, strict=True)) == memory, spec


@needs_node[0]
@needs_node[1]
@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES.built_in)
def test_decisions_and_memory_are_the_same(tmp_path: Path, name: str) -> None:
    compare(tmp_path, get_game(name), (*ENGINES, *OTHERS.get(name, ())))


@needs_node[0]
@needs_node[1]
@pytest.mark.slow
def test_an_own_evaluation_is_compiled(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("from dlgo import kernels\nfrom dlgo.jit import kernel\n\n\n@kernel\n"
                   "def value(state):\n    return (kernels.key(state) % 2001 - 1000) / 1000\n")
    compare(tmp_path, get_game("tictactoe"), [f"alphabeta:evaluation={own}:value,depth=3"])


def test_what_needs_python_is_one_line(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("def value(state):\n    return 0.0\n")
    for name, spec, text in (
        ("draughts", "solver", "tables of draughts need Python"),
        ("draughts", "alphabeta:tables=2", "tables=2 needs Python"),
        ("connect4", "solver:vary=yes", "vary=yes needs Python"),
        ("connect4", f"alphabeta:evaluation={own}:value", "compile the function with @kernel"),
        ("tictactoe", "minimax", "engine minimax needs Python"),
    ):
        with one_line_error(SpecError, text):
            entrants(get_game(name), [spec])
