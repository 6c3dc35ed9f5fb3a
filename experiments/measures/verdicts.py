"""How often a review is sure and wrong, by a judge that knows better.

    python -m experiments.measures.verdicts FILES --engine mcts:sims=1000 --judge solver
    python -m experiments.measures.verdicts FILES --judge "gtp:gnugo --mode gtp --chinese-rules"

Of each game, turns that are spread over it are reviewed by `--engine`, and the judge values what
the review claims: that a move is surely a mistake (wrong if the judge does not prefer what the
review calls better), or that it is none (wrong if the judge's own choice is worth 10% of the point
more). Its agreement with itself (`experiments/review/reliability.py`) tells which games the engine
can judge; the last lines count all games, and these alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from dlgo import GameState, Player
from engines.base import Engine
from engines.isolation.describe import read_spec
from experiments.play.game_file import read_game_file
from experiments.review.comparison import score_of
from experiments.review.game_review import (
    KINDS,
    GameReview,
    Question,
    Verdict,
    end_value,
    evaluation_of,
    first_turn,
)
from experiments.review.reliability import PLACES, places_to_check

_MISTAKE = KINDS[1][1]


class Counts:
    """Claims of reviews, and how many of them are wrong."""

    def __init__(self) -> None:
        self.sure = self.sure_wrong = self.fine = self.fine_wrong = self.games = 0

    def add(self, other: Counts) -> None:
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)

    def __str__(self) -> str:
        return (f"sure mistakes {self.sure}, wrong {self.sure_wrong}; "
                f"no mistake {self.fine}, wrong {self.fine_wrong}")


def reviewed(state: GameState, engine: Engine, spec: str, checked: bool) -> GameReview:
    """A game of which the turns before the places to check are reviewed."""
    review = GameReview(state, checked=checked)
    wanted = {place for end in places_to_check(len(review.states)) for place in (end - 1, end)}
    for place in set(range(len(review.states))) - wanted:
        review.give_up(Question(review.states[place], place))
    while (question := review.next_question()) is not None:
        if checked and review.reliability.count == PLACES:
            break
        engine.new_game(question.seed)
        review.answer(question, engine.analyse(question.state), spec)
    return review


def judged(review: GameReview, judge: Engine, spec: str) -> Counts:
    """The claims of a review by a judge."""
    counts = Counts()
    counts.games = 1

    def share(state: GameState, player: Player) -> float:
        if state.is_over():
            return end_value(state).share(player)
        evaluation = evaluation_of(state, judge.analyse(state), spec)
        assert evaluation is not None, "the judge values positions"
        score = score_of(state, evaluation) or 0  # to lose later is better
        return evaluation.share(player) + score / (1000 if player is state.next_player else -1000)

    def better(verdict: Verdict, by: float, best: bool) -> bool:
        before, player = review.states[verdict.turn.number - 1], verdict.turn.player
        moves = verdict.best
        if best:
            choice = judge.analyse(before)
            moves = first_turn(before, choice.pv or (choice.move,)) or verdict.turn.moves
        after = review.states[verdict.turn.number]
        return share(before.play(*moves), player) - share(after, player) >= by

    for verdict in review.verdicts():
        if verdict.kind and verdict.sure:
            counts.sure += 1
            counts.sure_wrong += not better(verdict, 1e-9, False)
        elif not verdict.kind:
            counts.fine += 1
            counts.fine_wrong += better(verdict, _MISTAKE, True)
    return counts


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--engine", "spec", default="mcts:sims=1000", show_default=True,
              help="Engine that reviews.")
@click.option("--judge", "judge_spec", required=True, help="Engine that knows better.")
def main(files: Sequence[Path], spec: str, judge_spec: str) -> None:
    """Review FILES and judge the reviews."""
    totals = {"all games": Counts(), "games that it can judge": Counts()}
    for file in files:
        state = read_game_file(file).state
        engine = read_spec(spec).build(state.game, 1)
        judge = read_spec(judge_spec).build(state.game, 1)
        try:
            reliability = reviewed(state, engine, spec, True).reliability
            counts = judged(reviewed(state, engine, spec, False), judge, judge_spec)
        finally:
            engine.close()
            judge.close()
        same = f"same choice {reliability.same:2} of {reliability.count:2}"
        print(f"{file.name:40} {same}; {counts}", flush=True)
        for name, total in totals.items():
            if name == "all games" or reliability.can_judge:
                total.add(counts)
    for name, total in totals.items():
        print(f"{name}: {total.games}; {total}")


if __name__ == "__main__":
    main()
