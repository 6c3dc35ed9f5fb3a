"""The loss of a move by repeated searches, and how far chance may have moved it.

The position after the move and the one after the engine's choice are searched several times, each
time with another seed. The difference of the means is the loss, and the spread of the searches says
how exact it is; this assumes nothing about the engine. If an engine gives the same value three
times, it is not asked again, and the margin is 0.

The margin covers chance only, not what the engine misses in every search.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import fmean, variance

from dlgo import GameState, Move, Player
from dlgo.text import number_of
from engines.base import Decision

# Searches of each position.
SAMPLES = 4
# Standard errors of a 95% interval by Student's t-distribution, by degrees of freedom: the errors
# are estimates by few searches.
_T = {2 * SAMPLES - 2: 2.447, SAMPLES - 1: 3.182}


@dataclass(frozen=True)
class Evaluation:
    """The value of a position."""

    black: float  # black's expected share of the point
    proven: bool  # then it is 0, 1/2 or 1
    # How soon a proved win can be forced, or a proved loss put off to; None if unknown.
    plies_to_end: int | None = None
    line: tuple[Move, ...] = ()  # the moves that are expected, best first
    lead: float | None = None  # points by which black leads, if the engine estimates them

    def share(self, player: Player) -> float:
        """The share of the point that `player` can expect."""
        return self.black if player is Player.black else 1 - self.black

    def with_line(self, line: tuple[Move, ...]) -> Evaluation:
        """The same value with another line."""
        return replace(self, line=line)


def share_of(value: float | None, player: Player) -> float | None:
    """Black's share of the point, if `player` expects `value`, -1 to 1."""
    if value is None:
        return None
    value = min(max(value, -1.0), 1.0)
    return (1 + (value if player is Player.black else -value)) / 2


def black_share(decision: Decision, player: Player) -> float | None:
    """Black's share of the point by an engine that has searched for `player`; None if unknown."""
    return share_of(decision.value if decision.proven is None else decision.proven, player)


def lead_of(score: float | None, player: Player) -> float | None:
    """Black's lead, if `player` leads by `score` points."""
    return score if score is None or player is Player.black else -score


def value_text(state: GameState, evaluation: Evaluation, player: Player) -> str:
    """The value of a position for `player`: `61%`, `draw`, `win in 9 plies (score +5)`; with an
    estimate of points `61% (5.5 points ahead)`."""
    share, plies = evaluation.share(player), evaluation.plies_to_end
    if not evaluation.proven:
        if evaluation.lead is None:
            return f"{share:.0%}"
        lead = evaluation.lead if player is Player.black else -evaluation.lead
        return f"{share:.0%} ({abs(lead):.1f} points {'ahead' if lead >= 0 else 'behind'})"
    if share == 0.5:
        return "draw"
    text = "win" if share == 1 else "loss"
    if plies:
        text += f" in {number_of(plies, 'ply', 'plies')}"
    score = score_of(state, evaluation)
    if score is not None:
        text += f" (score {score if player is state.next_player else -score:+d})"
    return text


def score_of(state: GameState, evaluation: Evaluation) -> int | None:
    """The score of a solved Connect Four position, as the solver and its test sets count it.

    +v if the player to move wins with their (22 - v)th stone, -v if the other one does, 0 for a
    draw. None in any other game, and where the value is not proved.
    """
    if state.game.name != "connect4" or not evaluation.proven or state.is_over():
        return None
    share, plies = evaluation.share(state.next_player), evaluation.plies_to_end
    if share == 0.5:
        return 0
    if plies is None:
        return None
    stones = len(state.moves())
    if share > 0.5:  # the last stone is the mover's
        return 22 - (stones // 2 + (plies + 1) // 2)
    return -(22 - ((stones + 1) // 2 + plies // 2))


@dataclass
class Comparison:
    """Searches of the positions after the move played and after a better one."""

    played: list[Evaluation] = field(default_factory=list)
    better: list[Evaluation] = field(default_factory=list)
    failed: bool = False  # the engine has not answered

    def add(self, better: bool, evaluation: Evaluation) -> None:
        """Add a search; one that has proved its value replaces the others."""
        values = self.better if better else self.played
        if evaluation.proven:
            values.clear()
        values.append(evaluation)

    @property
    def wants_better(self) -> bool:
        """Whether the next search is of the position after the better move; they take turns."""
        return not _is_enough(self.better) and (
            len(self.better) <= len(self.played) or _is_enough(self.played))

    @property
    def is_complete(self) -> bool:
        """Whether there are enough searches."""
        return self.failed or (_is_enough(self.better) and _is_enough(self.played))

    def loss(self, player: Player) -> float:
        """What the move has cost, as a share of the point."""
        return _mean(self.better, player) - _mean(self.played, player)

    @property
    def margin(self) -> float:
        """Half of the 95% confidence interval of the loss."""
        several = [values for values in (self.better, self.played) if len(values) == SAMPLES]
        if not several:
            return 0.0
        error = sum(variance(value.black for value in values) / SAMPLES for values in several)
        return _T[len(several) * (SAMPLES - 1)] * error**0.5

    @property
    def instead(self) -> Evaluation:
        """The value after the better move: the mean of its searches."""
        return _mean_evaluation(self.better)

    @property
    def after(self) -> Evaluation:
        """The value after the move played, likewise."""
        return _mean_evaluation(self.played)


def _is_enough(values: list[Evaluation]) -> bool:
    if values and values[0].proven:
        return True
    is_unanimous = len(values) == 3 and len({value.black for value in values}) == 1
    return is_unanimous or len(values) == SAMPLES


def _mean_evaluation(values: list[Evaluation]) -> Evaluation:
    leads = [value.lead for value in values if value.lead is not None]
    return replace(
        values[0], black=_mean(values, Player.black), lead=fmean(leads) if leads else None)


def _mean(values: list[Evaluation], player: Player) -> float:
    return fmean(value.share(player) for value in values)
