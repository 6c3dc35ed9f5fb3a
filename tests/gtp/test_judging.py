"""A program that speaks GTP as a judge: its win rate and its score are taken, from KataGo's answers
(by a mock that answers as its documentation says) and from GNU Go's."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlgo import GameState, Player, get_game
from dlgo.gtp import GtpError
from engines.base import Decision
from engines.isolation.describe import read_spec
from engines.registry import build_engine
from experiments.play.game_file import SavedGame
from experiments.review.console import review_game, review_lines
from tests.gtp.programs import GNUGO, mock, needs_gnugo

GO9 = get_game("go:size=9,komi=6.5")
INFO = ("info move {} visits 40 utility -0.04 winrate {} scoreMean 1 scoreStdev 24.7 scoreLead {} "
        "scoreSelfplay -0.5 prior 0.2 lcb 0.47 order 0 pv {}")
FIRST = INFO.format("E5", 0.25, -9, "E5 C3") + " " + INFO.format("A1", 0.1, -20, "A1")
LAST = INFO.format("E5", 0.75, 3.5, "E5 C3 G7") + " " + INFO.format("A1", 0.2, -12, "A1 pass")
RAW = "symmetry 0\nwhiteWin 0.9\nwhiteLoss 0.1\nnoResult 0\nwhiteLead 7.5\npolicy nan 0.1\n"


def answering(answers: dict[str, str]) -> str:
    return f"""
ANSWERS = {answers!r}
def odd(name, words, number):
    if name in ANSWERS:
        say(ANSWERS[name], number)
    return name in ANSWERS
"""


def katago(*reports: str) -> str:
    return answering({
        "list_commands": "play\nkata-genmove_analyze\nkata-raw-nn\nreg_genmove\nestimate_score",
        "kata-genmove_analyze": "\n".join((*reports, "play E5")), "kata-raw-nn": RAW,
    })


def analysed(spec: str, *moves: str) -> Decision:
    engine = read_spec(spec, 20).build(GO9, 1)
    try:
        return engine.analyse(GameState.new_game(GO9).play(*moves))
    finally:
        engine.close()


def texts(decision: Decision) -> list[str]:
    return [GO9.move_text(move) for move in decision.pv]


def test_katago_s_last_report_is_its_opinion_for_the_player_to_move(tmp_path: Path) -> None:
    decision = analysed(mock(tmp_path, katago(FIRST, LAST)))
    assert (decision.value, decision.score) == (0.5, 3.5)
    assert texts(decision) == ["E5", "C3", "G7"] and GO9.move_text(decision.move) == "E5"


@pytest.mark.parametrize(("moves", "value", "score"), [((), -0.8, -7.5), (("E4",), 0.8, 7.5)])
def test_katago_s_network_stands_in_for_a_short_search(
    tmp_path: Path, moves: tuple[str, ...], value: float, score: float
) -> None:
    decision = analysed(mock(tmp_path, katago()), *moves)
    assert (round(decision.value, 9), decision.score) == (value, score)
    assert texts(decision) == ["E5"]


def test_an_answer_without_a_win_rate_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(GtpError, match="answered the analysis with 'info move E5"):
        build_engine(mock(tmp_path, katago("info move E5 visits 3")), GO9).analyse(
            GameState.new_game(GO9))


@pytest.mark.parametrize(("answer", "score"), [
    ("B+6.6 (upper bound: 7.0, lower: 1.0)", 6.6), ("W+20.0", -20), ("0.0", 0)])
def test_gnu_go_s_estimate_is_a_score_and_a_share(
    tmp_path: Path, answer: str, score: float
) -> None:
    code = answering({"list_commands": "reg_genmove\nestimate_score", "reg_genmove": "C3",
                      "estimate_score": answer})
    first = analysed(mock(tmp_path, code))
    assert (first.score, texts(first)) == (score, ["C3"])
    assert first.value * score >= 0 and abs(first.value) < 1 and (first.value == 0) == (score == 0)
    second = analysed(mock(tmp_path, code), "E5")  # for white
    assert (second.value, second.score) == (-first.value, -score)


def test_a_program_that_only_plays_judges_nothing(tmp_path: Path) -> None:
    decision = analysed(mock(tmp_path, "def odd(name, words, number): return False"))
    assert decision.value is None and decision.score is None and texts(decision) == ["B1"]


@needs_gnugo
@pytest.mark.slow
def test_gnu_go_reviews_a_game() -> None:
    moves = "E5 G5 E3 E7 C7 A1 D7 A2"  # white's A1 and A2 are worth nothing
    state = GameState.new_game(GO9).play(*moves.split())
    review, _ = review_game(state, f"gtp:{GNUGO} --mode gtp --level 1 --chinese-rules")
    assert review.problem == ""
    assert 6 in {verdict.turn.number for verdict in review.mistakes() if verdict.sure}
    assert all(value.lead is not None for value in review.values)
    assert review.values[-1].share(Player.black) > 0.7
    assert any(" points ahead)" in line for line in review_lines(review, SavedGame(state)))
