"""The museum's faults: complete cards, each of which changes one place of a file."""

from __future__ import annotations

import pytest

from dlgo import GameState, get_game
from dlgo.errors import DlgoError
from engines.registry import build_engine
from experiments.museum import KINDS
from experiments.museum.planting import faults, get_fault, planted, write

TIC_TAC_TOE = get_game("tictactoe")


@pytest.mark.parametrize("name", faults())
def test_a_fault_is_planted(name: str) -> None:
    fault = get_fault(name)
    assert fault.kind in KINDS and not isinstance(fault.published, str)
    assert fault.title and fault.symptom and fault.smallest
    module = planted(fault)
    assert not fault.player or hasattr(module, fault.player)
    changed = [line for line in fault.diff.splitlines() if line[:1] in "+-"][2:]
    assert 1 <= len(changed) <= 12
    assert fault.wrong != fault.right


def test_an_unknown_fault_is_named() -> None:
    with pytest.raises(DlgoError, match="did you mean no-square-root"):
        get_fault("no-square-rot")


def test_a_planted_file_is_an_engine(tmp_path) -> None:
    path = write(get_fault("result-for-black"), tmp_path)
    spec = f"{path}:TextbookAlphaBeta:depth=2"
    black_wins = GameState.new_game(TIC_TAC_TOE).play("A1", "C1", "A2", "C2")
    for engine, plays in (("textbook-alphabeta:depth=2", True), (spec, False)):
        move = build_engine(engine, TIC_TAC_TOE).select_move(black_wins).move
        assert (TIC_TAC_TOE.move_text(move) == "A3") == plays
