"""What people see of positions and engines at the prompt and in notebooks."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from dlgo import GameState, IllegalMoveError, Move, NotationError, Point, get_game
from dlgo.display import colors, look_of
from engines.base import Decision
from engines.registry import build_engine
from tests.conftest import random_game

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["connect4", "go:size=5", "draughts", "connectn"])
def test_a_position_is_an_svg_with_a_stone_for_each_piece(name: str) -> None:
    for state in random_game(get_game(name), seed=2)[::7]:
        image = ElementTree.fromstring(state._repr_svg_())
        game = state.game
        colour = colors(look_of(game))
        faces = {colour["side0"], colour["side1"]}
        stones = [circle for circle in image.iter(f"{SVG}circle") if circle.get("fill") in faces]
        pieces = [
            game.cell(state, row, col) for row in range(1, game.board_rows + 1)
            for col in range(1, game.board_cols + 1)
        ]
        assert len(stones) == sum(piece is not None for piece in pieces)


def test_moves_may_be_written() -> None:
    state = GameState.new_game(get_game("go", 9)).apply_move("d3")
    assert state.last_move == Move.play(Point(3, 4))
    assert state.apply_move("pass").last_move.is_pass
    assert state.apply_move("Resign").is_over()
    assert state.is_valid_move("E5")
    assert not state.is_valid_move("D3")
    assert not state.is_valid_move("Z99")
    with pytest.raises(IllegalMoveError):
        state.apply_move("D3")
    with pytest.raises(NotationError, match="Z99"):
        state.apply_move("Z99")
    with pytest.raises(TypeError, match="3 is not a move; write a Move or its text, such as 'A1'"):
        state.apply_move(3)


def test_a_decision_is_a_table_of_moves() -> None:
    state = GameState.new_game(get_game("connect4"))
    decision = build_engine("alphazero:sims=50", "connect4").analyse(state)
    assert sum(decision.visits.values()) == 49  # the first only looks at the root
    assert sum(decision.priors.values()) == pytest.approx(1, abs=0.01)
    frame = decision.to_frame()
    assert list(frame) == ["move", "visits", "value", "prior", "share"]
    assert frame["move"][0] == state.game.move_text(decision.move)
    table = ElementTree.fromstring(f"<div>{decision._repr_html_()}</div>").find("table")
    assert len(list(table.iter("tr"))) == len(frame) + 1
    assert str(Decision(Move.play(Point(3, 4)), value=0.5)) == (
        "D3, value +0.500 for the player to move"
    )
