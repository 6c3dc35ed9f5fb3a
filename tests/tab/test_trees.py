"""Tree searches play whole games in a tab as they do in Python: the same trees, bit by bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dlgo import GameSpec, GameState, get_game
from dlgo.webassembly.memory import BASE, Image, View, lay_out
from engines.base import Decision
from engines.registry import EngineSpec
from engines.search.engine import TreeSearchEngine
from experiments.tab.programs import build, entrants, game_view, program
from tests.tab.worker import needs_node, run_in_chromium, run_worker

pytestmark = [pytest.mark.slow, *needs_node]

# Of each engine in each game, over several games.
POSITIONS = 100
ENGINES = {
    "tictactoe": ("mcts:sims=100", "mcts:sims=50,mistake=0.3,rules=2",
                  "puct:sims=100,evaluator=uniform", "descent:sims=20,evaluator=static"),
    "connect4": ("mcts:sims=200", "mcts:sims=6,rules=2", "mcts:sims=200,rule=rave", "puct:sims=200",
                 "alphazero:sims=50,model=connect4-alphazero-wide"),
    "connectn:cols=9,rows=9,n=5,gravity=no": ("mcts:sims=100,rollout=heavy",),
    "go": ("mcts:sims=50", "mcts:sims=50,rule=rave,rollout=heavy",
           "mcts:sims=300,rule=rave,hints=4,mistake=0.3,alert=yes",
           "mcts:sims=60,rule=rave,hints=4,mistake=1,careless=0.5,alert=yes"),
    "draughts": ("mcts:sims=100", "mcts:sims=100,mistake=0.3,alert=yes,rules=2",
                 "descent:sims=20,evaluator=static", "alphazero:sims=50"),
    "hex:size=7": ("mcts:sims=100,rule=rave", "puct:sims=100,evaluator=static"),
    "othello:size=6": ("mcts:sims=100", "mcts:sims=100,mistake=0.2,alert=yes,rules=1",
                       "alphazero:sims=50"),
    "breakthrough": ("mcts:sims=100", "alphazero:sims=50"),
}

# Plays games of an engine with itself; of each position, what it thinks.
PLAY = """
const { Game } = await load("rules.js"), { makeEngine } = await load("engines.js");
const game = await Game.load(data.game), decisions = [];
const engine = await makeEngine(game, data.spec, 0, () => data.program);
for (let seed = 1; decisions.length < data.positions; seed++) {
  engine.newGame(seed);
  let position = game.start();
  while (!position.over && decisions.length < data.positions) {
    const found = await engine.select(position);
    decisions.push({ ...found, key: String(position.key()) });
    position = position.play(found.action);
  }
}
const { program } = engine.driver, digests = {};
for (const name of data.arrays) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", program.bytes("run", name)));
  digests[name] = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
return { decisions, digests };
"""


def play_here(game: GameSpec, spec: EngineSpec) -> tuple[list[tuple[int, Decision]], Image]:
    """The same in Python: keys and decisions, and the memory of the last search."""
    engine, decisions = build(spec, game), []
    assert isinstance(engine, TreeSearchEngine)
    seed = 0
    while len(decisions) < POSITIONS:
        seed += 1
        engine.new_game(seed)
        state = GameState.new_game(game)
        while not state.is_over() and len(decisions) < POSITIONS:
            decisions.append((state.key(), engine.analyse(state, spec.budget)))
            state = state.apply_move(decisions[-1][1].move)
    return decisions, lay_out({"run": engine._searchers[0]._search.run_call()})


def compare(folder: Path, run: Callable[[Path, str, Any], Any], name: str, text: str) -> None:
    game, spec = get_game(name), EngineSpec.parse(text)
    decisions, image = play_here(game, spec)
    arrays = {name: view for name, view in image.views["run"].items() if "trees." in name}
    ((facts, kernels),) = entrants(game, [text]).values()
    answer = run(folder, PLAY, {
        "game": game_view(game) | {"entrants": [facts | {"part": "engine"}]}, "spec": text,
        "program": program(kernels.calls), "positions": POSITIONS, "arrays": [*arrays]})
    # Sums of float32 differ in last digits: processors multiply and add without rounding between.
    network = spec.name == "alphazero"
    for (key, here), there in zip(decisions, answer["decisions"], strict=True):
        visits = {game.action_of(move): n for move, n in here.visits.items()}
        line = [game.action_of(move) for move in here.pv]
        assert there["key"] == str(key)
        assert [there["action"], there["pv"]] == [game.action_of(here.move), line]
        assert dict(there["visits"]) == visits
        assert [there["proven"], there["nodes"]] == [here.proven, here.cost.nodes]
        assert there["value"] == pytest.approx(here.value, abs=1e-4 if network else 1e-14)
    if not network:
        assert answer["digests"] == {
            name: sha256(image.content[view.address - BASE :][: size_of(view)]).hexdigest()
            for name, view in arrays.items()}


def size_of(view: View) -> int:
    """Bytes of an array."""
    return math.prod(view.shape) * np.dtype(view.dtype).itemsize


@pytest.mark.parametrize(("game", "spec"), [
    (game, spec) for game, specs in ENGINES.items() for spec in specs])
def test_searches_in_node_are_those_of_python(tmp_path: Path, game: str, spec: str) -> None:
    compare(tmp_path, run_worker, game, spec)


@pytest.mark.browser
@pytest.mark.parametrize(("game", "spec"), [
    ("connect4", "mcts:sims=200"), ("go", "mcts:sims=50,rule=rave,rollout=heavy"),
    ("draughts", "alphazero:sims=50"), ("othello:size=6", "descent:sims=20,evaluator=static"),
])
def test_searches_in_chromium_are_those_of_python(tmp_path: Path, game: str, spec: str) -> None:
    compare(tmp_path, run_in_chromium, game, spec)
