"""Games in a tab go on as in the studio: players, pauses, hints, clocks, variations."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from dlgo import Player, get_game
from experiments.studio.clocks import read_clock
from experiments.tab.programs import game_view
from tests.tab.worker import needs_node, run_worker

pytestmark = [pytest.mark.slow, *needs_node]

BEGIN = Path(__file__).with_name("played_game.js").read_text(encoding="utf-8")


def played(folder: Path, script: str) -> Any:
    """What a script returns that begins with this tab."""
    return run_worker(folder, BEGIN + script, {"game": game_view(get_game("tictactoe"))})


def test_an_engine_answers_while_somebody_watches(tmp_path: Path) -> None:
    result = played(tmp_path, """
    const id = await begin({ white: "quick" });
    await ask(id, "/move", { move: "B2", plies: 0 });
    for (let i = 0; i < 50; i++) await pause();
    const before = (await ask(id, "")).plies, seen = watch(id);
    await until(() => seen.view?.plies === 2);
    const { called, history: [first, second], yourTurn, position } = seen.view;
    const wrong = [
      await refused(ask(id, "/move", { move: "A1", plies: 1 })),
      await refused(ask(id, "/move", { move: "Z1" })), await refused(ask(id, "/now", {})),
    ];
    await ask(id, "/hint", {});
    const analysis = events["/api/games/{id}/analysis"](request(id, null, "once=1&engine=quick"));
    const { value: hint } = await analysis.next();
    await ask(id, "/undo", {});
    await until(() => seen.view.plies === 0);
    const { assisted, paused } = seen.view;
    await ask(id, "/move", { move: "resign" });
    await until(() => seen.view.position.over);
    const turns = [first, second].map(({ text, who, black, count }) => [text, who, black, count]);
    return { before, called, turns, yourTurn, cells: position.cells, wrong, assisted,
             hint: [hint.text, hint.final], paused, end: seen.view.position.result };
    """)
    assert result == {
        "before": 1, "called": {"human": "human", "quick": "Quick"},
        "turns": [["B2", "human", None, 0], ["A1", "quick", 0.25, 10]], "yourTurn": True,
        "cells": [1, -1, -1, -1, 0, -1, -1, -1, -1], "wrong": [
            "the position has changed meanwhile; look at the board and try again",
            "'Z1' is not a move; legal are B1, C1, A2, C2, A3 …",
            "no engine is thinking that can move before its search ends"],
        "hint": ["B1", True], "assisted": True, "paused": False,
        "end": "O wins by resignation",
    }


def test_engines_pause_step_hurry_and_are_replaced(tmp_path: Path) -> None:
    assert played(tmp_path, """
    const id = await begin({ black: "quick", white: "slow", delay: 0 }), seen = watch(id);
    await until(() => seen.view?.thinking === "slow" && seen.view.canHurry);
    await ask(id, "/now", {});
    await until(() => seen.view.plies === 3);
    await ask(id, "/pause", { paused: true });
    await ask(id, "/players", { black: "quick", white: "quick" });
    await ask(id, "/pause", { paused: true, step: true });
    await until(() => seen.view.plies === 4);
    for (let i = 0; i < 50; i++) await pause();
    const after = seen.view.plies;
    await ask(id, "/pause", { paused: false });
    await until(() => seen.view.position.over);
    const again = await ask(id, "/rematch", { swap: true, engine: "slow" });
    const { result, won } = seen.view.position, { sides } = await ask(again.id, "");
    return [after, result, won, sides];
    """) == [4, "X wins with 3 in a row", [2, 4, 6], ["slow", "slow"]]


def test_a_game_ends_on_time(tmp_path: Path) -> None:
    assert played(tmp_path, """
    const id = await begin({ clock: "0.01+1" }), seen = watch(id);
    await until(() => seen.view);
    const idle = seen.view.clock.running;
    await ask(id, "/move", { move: "A1" });
    await until(() => seen.view.clock.running === 1);
    await until(() => seen.view.position.over);
    const { position: { result, winner }, clock: { left, used } } = seen.view;
    const lines = (await (await ask(id, "/file")).text()).split("\\n");
    return [idle, result, winner, left, used, lines.slice(3, 5)];
    """) == [None, "X wins on time", 0, [[0.6, 0], [0.6, 0]], 0.6,
             ["clock: 0.6+1", "result: X wins on time"]]


def test_variations(tmp_path: Path) -> None:
    assert played(tmp_path, """
    const id = await begin({}), shown = [];
    for (const move of ["A1", "B2", "C3"]) await ask(id, "/move", { move });
    const added = await ask(id, "/tree", { node: 1, move: "C1" });
    await ask(id, "/tree", { node: 4, comment: " a\\r\\nb " });
    await ask(id, "/tree", { node: 4, draw: [0, 0] });
    await ask(id, "/tree", { node: 4, draw: [0, 4] });
    const { position, nodes } = await ask(id, "/tree", { node: 4, promote: true });
    await ask(id, "/tree", { node: 2, delete: true });
    const { plies } = await ask(id, "");
    const gone = await refused(ask(id, "/tree", undefined, "node=3"));
    const copy = await ask((await ask(id, "/copy", { node: 4, white: "quick" })).id, "");
    const { command } = await ask(id, "/address", undefined, "node=1&engine=mcts");
    const rows = nodes.map((node) => [node.id, node.parent, node.text]);
    return [added.position.node, position.labels, position.arrows, position.comment, rows, plies,
            gone, copy.sides, copy.plies, command];
    """) == [
        4, {"0": "A"}, [[0, 4]], "a\nb",
        [[0, None, ""], [1, 0, "A1"], [4, 1, "C1"], [2, 1, "B2"], [3, 2, "C3"]], 2,
        "this variation was deleted; reload the page", ["human", "quick"], 2,
        "echo A1 | dlgo analyze tictactoe --stdin --engine mcts",
    ]


def test_an_analysis_ends_when_the_page_leaves(tmp_path: Path) -> None:
    looks, last = played(tmp_path, """
    const id = await begin({}), wanted = request(id, undefined, "engine=quick");
    const stream = events["/api/games/{id}/analysis"](wanted);
    let looks = 0, last;
    for await (const look of stream) {
      last = look;
      if (++looks === 5) { await stream.return(); break; }
    }
    return [looks, [last.look, last.final, last.text, last.black, last.moves.length]];
    """)
    assert (looks, last) == (5, [5, False, "A1", 0.75, 1])


@pytest.mark.parametrize("text", ["1+2", "0.5+3x4", "0+2x10", "10"])
def test_clocks_count_as_in_the_studio(tmp_path: Path, text: str) -> None:
    rng, clock = Random(1), read_clock(text)
    turns = [(ply % 2, rng.choice([0.3, 3.0, 11.0, 40.0]) * rng.random()) for ply in range(12)]
    expected: list[Any] = []
    for player, seconds in turns:
        side = Player.from_index(player)
        if expected:
            clock.spend(side, seconds)
        expected.append([[*clock.left_of(side)], clock.remaining(side),
                         clock.seconds_for_a_move(side, 50)])
    found = run_worker(tmp_path, """
    const { Clocks } = await load("clocks.js"), clocks = new Clocks(data.text, () => {});
    return data.turns.map(([player, seconds], i) => {
      clocks.endTurn(i + 1, player, seconds);
      return [clocks.left[player], clocks.remaining(player), clocks.share(player, 50)];
    });
    """, {"text": text, "turns": turns})
    for row, studio in zip(found, expected, strict=True):
        assert row[0] == pytest.approx(studio[0]) and row[1:] == pytest.approx(studio[1:])
