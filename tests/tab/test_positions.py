"""Positions of a tab are drawn, and its turns are written, as in the studio."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dlgo import GameState, get_game
from engines.registry import build_engine
from experiments.studio.position import decision_view, find_turn, position_view
from experiments.tab.programs import game_view
from tests.tab.worker import BEGIN, game_parts, needs_node, run_worker

pytestmark = [pytest.mark.slow, *needs_node]

# Plays turns and compares each position with that of the studio, field by field.
COMPARE = """
const { Game } = await load("rules.js"), { findTurn, positionView } = await load("views.js");
const game = await Game.load(data.game), wrong = [];
for (const [texts, views] of data.played) {
  let position = game.start();
  views.forEach((view, i) => {
    if (i) for (const action of findTurn(position, texts[i - 1])) position = position.play(action);
    const seen = positionView(position);
    if (game.name === "hex") for (const one of [seen, view]) one.won = one.won.length;
    for (const key of new Set([...Object.keys(view), ...Object.keys(seen)])) {
      const [studio, tab] = [view[key], seen[key]].map((value) => JSON.stringify(value));
      if (studio !== tab) wrong.push({ after: texts.slice(0, i).join(" "), key, studio, tab });
    }
  });
}
return wrong.slice(0, 5);
"""


def played_game(game: str, rng: Random) -> tuple[list[str], list[dict[str, Any]]]:
    """A random game: its turns as texts, and the positions as the studio shows them."""
    state = GameState.new_game(get_game(game))
    texts: list[str] = []
    views = [position_view(state)]
    while not state.is_over():
        text = rng.choice(views[-1]["moves"])["text"]
        if len(texts) > 5 and rng.random() < 0.004:
            text = "resign"
        state = state.play(*find_turn(state, text))
        texts.append(text)
        views.append(position_view(state))
    return texts, json.loads(json.dumps(views))


@pytest.mark.parametrize(("game", "games"), [
    ("tictactoe", 20), ("connect4", 20), ("connectn:cols=6,rows=5,n=4,gravity=no,pie=yes", 10),
    ("connectn:pie=yes", 5), ("go:size=5,komi=2", 4), ("draughts", 6), ("hex:size=5,swap=yes", 10),
    ("othello:size=6", 5), ("breakthrough:rows=6,cols=5", 5),
])
def test_positions_look_as_in_the_studio(tmp_path: Path, game: str, games: int) -> None:
    rng = Random(1)
    data = {"game": game_view(get_game(game)), "played": [
        played_game(game, rng) for _ in range(games)]}
    assert run_worker(tmp_path, COMPARE, data) == []


@pytest.mark.parametrize(("game", "moves", "spec"), [
    ("connect4", "4 4 3", "mcts:sims=300"), ("draughts", "11-15 22-18 15x22", "alphabeta:depth=4"),
])
def test_decisions_look_as_in_the_studio(
    tmp_path: Path, game: str, moves: str, spec: str
) -> None:
    state = GameState.new_game(get_game(game))
    for text in moves.split():
        state = state.play(*find_turn(state, text))
    engine = build_engine(spec, state.game, seed=1)
    studio = json.loads(json.dumps(decision_view(state, engine.analyse(state), 5)))
    tab = run_worker(tmp_path, BEGIN + """
    const { positionAfter } = await load("analyse.js"), { decisionView } = await load("views.js");
    const game = await tab.game(data.game), engine = await tab.engine(game, data.spec, 1);
    const position = positionAfter(game.start(), data.moves.split(" "));
    return decisionView(position, await engine.select(position), 5);
    """, {"parts": game_parts(game, engines=[spec]), "game": game, "spec": spec, "moves": moves})
    del studio["cost"]["wall"], tab["cost"]["wall"]
    assert tab == studio
