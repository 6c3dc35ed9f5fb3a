"""Searches that a page shows step by step are those of Python's textbook engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dlgo import get_game
from engines.registry import build_engine
from engines.watching.recording import transcript
from experiments.play.analyze import play_texts
from experiments.studio.course import BY_NAME, PRESETS, state_of
from experiments.studio.inside import result_view
from experiments.tab.recordings import course_parts
from tests.tab.worker import BEGIN, game_parts, needs_node, run_worker

pytestmark = [pytest.mark.slow, *needs_node]

# Asks for searches as a page does, and replays their events.
SEARCH = BEGIN + """
const { SearchTree, terms } = await load("model.js"), searches = [];
for (const body of data.searches) {
  const told = { events: [], untrue: [] };
  searches.push(told);
  try {
    for await (const news of tab.events("/api/inside/search", body)) {
      if (news.part) told.events.push(...JSON.parse(news.part));
      else Object.assign(told, news);
    }
  } catch (error) {
    told.error = error.message;
    continue;
  }
  const tree = new SearchTree(told.mover);
  for (const event of told.events) {
    if (event.event === "Selected" && told.name !== "textbook-gumbel") {
      const kind = told.name === "textbook-mcts" ? "uct" : "puct", node = tree.node(event.node);
      const scores = terms(tree, node, { kind, settings: told.settings }).map(({ score }) => score);
      // What the page says: it has the highest score.
      if (scores[node.children.indexOf(event.child)] < Math.max(...scores)) told.untrue.push(event);
    }
    tree.apply(event);
  }
  const children = tree.children(tree.root).map(({ move, visits }) => [move, visits]);
  told.visits = Object.fromEntries(children);
}
return searches;
"""


def searched(
    folder: Path, parts: dict[str, Any], searches: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """What a page sees of searches."""
    seen: list[dict[str, Any]] = run_worker(folder, SEARCH, {"parts": parts, "searches": searches})
    return seen


def near(value: Any) -> Any:
    """A value without the last digits of its numbers, which a browser's `tanh` may change."""
    if isinstance(value, dict):
        return {key: near(item) for key, item in value.items()}
    if isinstance(value, list):
        return [near(item) for item in value]
    return round(value, 9) + 0.0 if isinstance(value, float) else value


@pytest.mark.parametrize(("game", "moves", "engines"), [
    ("tictactoe", "B2 A1", ("textbook-mcts:sims=150,c_uct=0.7", "textbook-alphabeta:depth=9",
                            "minimax:depth=4")),
    ("go:size=5,komi=2", "C3", ("textbook-mcts:sims=30", "textbook-alphabeta:depth=2")),
    ("draughts", "10-15 21-17 6-10 17-14", ("textbook-mcts:sims=40", "textbook-alphabeta:depth=4",
                                            "minimax:depth=3")),
    ("hex:size=4", "", ("textbook-puct:sims=300,c_puct=2", "textbook-alphabeta:depth=3")),
])
def test_each_step_is_pythons(
    tmp_path: Path, game: str, moves: str, engines: tuple[str, ...]
) -> None:
    state = play_texts(get_game(game).start(), moves.split())
    searches: list[dict[str, Any]] = [
        {"game": str(state.game), "moves": moves, "engine": spec, "seed": seed}
        for spec in engines for seed in (1, 7)]
    parts = game_parts(game) | course_parts({str(state.game): ()})
    for asked, search in zip(searches, searched(tmp_path, parts, searches), strict=True):
        record = transcript(build_engine(asked["engine"], state.game, asked["seed"]), state)
        events = [event for part in record.parts for event in json.loads(part)]
        assert len(search["events"]) == search["steps"] == len(events) and not search["untrue"]
        assert near(search["events"]) == near(events)
        view = json.loads(json.dumps(result_view(state, record, has_network=False)))
        for name in ("text", "line", "moves", "proven"):
            assert near(search["decision"][name]) == near(view["decision"][name])


def test_a_network_guides_the_search_as_in_python(tmp_path: Path) -> None:
    model, engine = "model=connect4-alphazero-wide", "textbook-puct:sims=200,c_puct=4"
    asked = {"game": "connect4", "moves": "4 4 4 4", "engine": engine, "seed": 3}
    state = play_texts(get_game("connect4").start(), ["4"] * 4)
    parts = game_parts("connect4", engines=[f"alphazero:{model}"]) | course_parts({"connect4": ()})
    [search] = searched(tmp_path, parts, [asked])
    decision = build_engine(f"{engine},{model}", state.game, 3).select_move(state)
    assert search["hasNetwork"] and not search["untrue"]
    visits = {state.game.move_text(move): n for move, n in decision.visits.items()}
    assert {move: n for move, n in search["visits"].items() if n} == visits and len(visits) > 4
    assert search["decision"]["value"] == pytest.approx(decision.value, abs=1e-4)


def test_presets_are_shown_as_the_course_describes_them(tmp_path: Path) -> None:
    games = ("connect4", "draughts", "tictactoe", "go:size=4,komi=0.5")
    parts = game_parts(*games) | course_parts(dict.fromkeys(games, ()))
    presets = parts["inside"]["presets"]
    assert {preset["name"] for preset in presets} == {
        preset.name for preset in PRESETS if preset.view == "inside"}
    for preset, search in zip(presets, searched(tmp_path, parts, presets), strict=True):
        state = state_of(BY_NAME[preset["name"]])
        record = transcript(build_engine(preset["engine"], state.game, preset["seed"]), state)
        events = [event for part in record.parts for event in json.loads(part)]
        assert near(search["events"]) == near(events) and len(events) == search["steps"]
        assert record.decision and near(search["decision"]["value"]) == near(record.decision.value)
        assert (f"inside-{preset['name']}" in parts) == preset["recorded"]


def test_a_search_that_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    engines = ("textbook-gumbel:sims=16", "textbook-mcts:sims=501", "textbook-mcts:depth=2",
               "textbook-mcts:sims=5,c_uct=x", "mcts:sims=5")
    searches = [{"game": "tictactoe", "moves": "", "engine": engine} for engine in engines]
    over = searches[0] | {"engine": "minimax:depth=2", "moves": "A1 B1 A2 B2 A3"}
    parts = game_parts("tictactoe") | course_parts({"tictactoe": ()})
    *others, last = searched(tmp_path, parts, [*searches, over])
    assert all(search["error"].startswith(f"engine {engine.partition(':')[0]}")
               for engine, search in zip(engines, others, strict=True))
    assert last["error"].startswith("the game is over")
