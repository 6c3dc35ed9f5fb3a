"""Searches to try in the course: pages name them, a tab has their games and engines, and what
their captions promise is seen."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from dlgo import GameState, get_game
from engines.registry import EngineSpec, build_engine
from experiments.course.cells import CELLS, insert_cells, with_options
from experiments.play.analyze import play_texts
from experiments.tab.programs import game_parts
from tests.command import ROOT
from tests.tab.worker import BEGIN, needs_node, run_worker

PAGES = [*(ROOT / "notebooks").glob("*.py"), *(ROOT / "docs").rglob("*.md")]
MARKER = re.compile(r"^(?:# )?<!-- try: (\S+) -->$", re.M)
# Makes each engine, and asks it for a move.
ANSWER = BEGIN + """
const answers = {};
for (const [name, { game: spec, moves, engines }] of Object.entries(data.cells)) {
  const game = await tab.game(spec);
  let position = game.start();
  for (const text of moves) position = position.play(game.texts.indexOf(text));
  answers[name] = [];
  for (const engine of engines) {
    const { action } = await (await tab.engine(game, engine, 1)).select(position);
    answers[name].push(game.texts[action]);
  }
}
return answers;
"""


def start_of(name: str) -> GameState:
    cell = CELLS[name]
    return play_texts(GameState.new_game(get_game(cell.game)), cell.moves.split())


def test_every_notebook_has_a_cell_and_every_cell_a_page() -> None:
    names = {path: MARKER.findall(path.read_text(encoding="utf-8")) for path in PAGES}
    assert all(names[path] for path in PAGES if path.suffix == ".py")
    assert sorted(sum(names.values(), [])) == sorted(CELLS)


@pytest.mark.parametrize("name", CELLS)
def test_the_address_of_a_cell_can_be_read(name: str) -> None:
    cell = CELLS[name]
    pairs = parse_qsl(re.sub("^#/(try|compare)/", "", cell.address))
    assert [value for key, value in pairs if key == "engine"] == [*cell.engines]
    assert not start_of(name).is_over()
    for spec in cell.variants:
        EngineSpec.parse(spec)
    for option in cell.options:
        key, _, values = option.partition(":")
        for spec in cell.engines:
            [value] = re.findall(rf"\b{key}=([^,]+)", spec)
            if ".." in values:
                low, high = map(float, values.split(".."))
                assert low <= float(value) <= high
                # One of the slider's stops.
                assert len(value.partition(".")[2]) == len(values.split("..")[0].partition(".")[2])
                assert "." in value or high < 50 or value.rstrip("0") in ("1", "2", "5")
                EngineSpec.parse(with_options(spec, {key: values.split("..")[1]}))
            else:
                assert value == values.split("|")[0]


def test_a_marker_becomes_a_frame() -> None:
    page = insert_cells("Text.\n\n<!-- try: cuts -->\n\nMore.", "../tab")
    assert 'src="../tab/index.html?cell#/try/game=connect4&amp;' in page and "More." in page


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted({cell.game for cell in CELLS.values()}))
def test_a_tab_answers_as_python(game: str, tmp_path: Path) -> None:
    for mark in needs_node:
        if mark.args[0]:
            pytest.skip(mark.kwargs["reason"])
    pytest.importorskip("onnx", reason="reads networks by onnx: dlgo-suite[web]")
    cells = {name: cell for name, cell in CELLS.items() if cell.game == game}
    engines = [spec for cell in cells.values() for spec in cell.variants]
    answers = run_worker(tmp_path, ANSWER, {
        "parts": game_parts(game, engines=engines),
        "cells": {name: {"game": str(get_game(game)), "moves": cell.moves.split(),
                         "engines": cell.variants} for name, cell in cells.items()}})
    for name, cell in cells.items():
        state = start_of(name)
        assert answers[name] == [
            state.game.move_text(build_engine(spec, state.game, 1).select_move(state).move)
            for spec in cell.variants], name


def test_captions_are_true() -> None:
    def decision(name: str, number: int = 0, more: str = "", **options: str):
        state = play_texts(start_of(name), more.split())
        spec = with_options(CELLS[name].engines[number], options)
        answer = build_engine(spec, state.game, 1).select_move(state)
        return answer, state.game.move_text(answer.move)

    assert not start_of("ko").is_valid_move("C2")
    assert decision("ko", more="A4 D4")[1] == "C2"
    (cuts, _), (all_nodes, _) = decision("cuts"), decision("cuts", cuts="no")
    assert cuts.value == all_nodes.value and cuts.cost.nodes * 10 < all_nodes.cost.nodes
    proof, move = decision("forced-win", sims="1000")
    assert (proof.proven, move) == (1, "C3") and proof.cost.simulations > 20
    block, move = decision("prediction", more="4 1 4 1 4")
    assert move == "4" and max(block.policy.values()) > 0.9
    assert decision("winner", sims="20000")[0].value > 0.3
    assert decision("leaves", 0, sims="5000")[1] != "2" and decision("leaves", 1)[1] == "2"
    assert decision("overlooked-win")[1] == "1"
    assert decision("overlooked-win", sims="100")[0].proven == 1
    shares = [max(decision("no-square-root", i, sims="5000")[0].policy.values()) for i in (0, 1)]
    assert shares[0] > 0.9 and shares[1] < 0.7
