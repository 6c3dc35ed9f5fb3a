"""What a GTP program thinks of a position: its move, its win rate, its score.

KataGo searches with `kata-genmove_analyze` and tells both, see its docs/GTP_Extensions.md; the
outputs of its network (`kata-raw-nn`) stand in where a search was too short to tell anything. GNU
Go estimates the score (`estimate_score`) and names a move without making it (`reg_genmove`).
Programs that know neither only play.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from dlgo.api import Player
from dlgo.gtp import GtpError, shown
from engines.gtp.process import GtpProgram

# A convention for a program that tells only a score: such a lead is 73% by the logistic curve. Near
# an even game, 2, 4 and 11 points are then 5%, 10% and 25%, the least losses that a review names.
POINTS_PER_LOGIT = 10.0
# Centiseconds between KataGo's reports: each is a line, and the last one counts. Moves of a report.
_REPORT = ("10", "maxmoves", "3")


@dataclass(frozen=True)
class Judgement:
    """A program's opinion, for the player to move."""

    move: str  # as the program writes it
    played: bool  # whether it has made the move on its own board
    value: float | None = None  # -1 to 1
    score: float | None = None  # points by which the player leads
    line: tuple[str, ...] = ()  # the expected moves, `move` first; () if they are not told


def judge(program: GtpProgram, commands: set[str], player: Player) -> Judgement:
    """The opinion of a program with these commands. Raises GtpError."""
    if "kata-genmove_analyze" in commands:
        return _by_katago(program, player)
    if {"reg_genmove", "estimate_score"} <= commands:
        score = _score(program, player)
        value = math.tanh(score / 2 / POINTS_PER_LOGIT)  # of 2 p - 1, if p is logistic
        return Judgement(program.ask("reg_genmove", player.name), False, value, score)
    return Judgement(program.ask("genmove", player.name), True)


def _by_katago(program: GtpProgram, player: Player) -> Judgement:
    answer = program.ask("kata-genmove_analyze", player.name, *_REPORT)
    lines = answer.splitlines() or [""]
    move = lines[-1].removeprefix("play ").strip()
    reports = [line for line in lines if line.startswith("info ")]
    try:
        if reports:  # of the best move first
            best = _values(reports[-1].split("info ")[1])
            share, lead, line = float(best["winrate"][0]), float(best["scoreLead"][0]), best["pv"]
        else:
            answer, is_white = program.ask("kata-raw-nn", "0"), player is Player.white
            network = _values(answer)
            share = float(network["whiteWin" if is_white else "whiteLoss"][0])
            lead, line = float(network["whiteLead"][0]) * (1 if is_white else -1), []
    except (KeyError, IndexError, ValueError):
        raise GtpError(f"{program.label} answered the analysis with {shown(answer)}") from None
    return Judgement(move, True, 2 * share - 1, lead, tuple(line) if line[:1] == [move] else ())


def _score(program: GtpProgram, player: Player) -> float:
    """The lead of `player` by GNU Go's `W+12.5 (upper bound: 14.0, lower: 11.0)`."""
    answer = program.ask("estimate_score")
    found = re.match(r"(?:([BW])\+)?(\d+(?:\.\d*)?)\b", answer)
    if found is None or (found[1] is None and float(found[2])):
        raise GtpError(f"{program.label} answered estimate_score with {shown(answer)}")
    return float(found[2]) if found[1] == player.name[0].upper() else -float(found[2])


def _values(text: str) -> dict[str, list[str]]:
    """Keys, each followed by its values. Moves are in capitals, but for `pass`."""
    values: dict[str, list[str]] = {}
    key = ""
    for word in text.split():
        if re.fullmatch("[a-z][A-Za-z]+", word) and word not in ("pass", "nan", "inf"):
            key = word
            values[key] = []
        elif key:
            values[key].append(word)
    return values
