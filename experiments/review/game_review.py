"""The values of a game's positions, and its mistakes.

    review = GameReview(state)
    while (question := review.next_question()) is not None:
        review.answer(question, engine.analyse(question.state), "mcts:sims=1000")
    for verdict in review.mistakes(): ...

A position is worth the expected result, told as black's share of the point: 1 if black wins, 0 if
white does, 1/2 for a draw. A move's loss is what it has cost its player of that share.

Where the values before and after a move are proved, the loss is exact: a win has become a draw or
a loss, or a draw a loss. Elsewhere two searches of different positions disagree a little even if
the move was the best one. So a move that seems to have lost something is compared with the
engine's own choice (`comparison.py`): several searches of the position after each, and the
difference counts if it is larger than chance explains. A move that the engine would also play is
never a mistake, nor is a resignation.

Some positions are searched twice before the others. If they show that the engine cannot judge the
game (`reliability.py`), it is asked no more, and only what is proved is judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dlgo import GameSpec, GameState, Move, Player
from dlgo.game_tree import grouped_turns
from engines.base import Decision
from experiments.play.cell_moves import turns_played
from experiments.play.game_file import positions
from experiments.review.comparison import Comparison, Evaluation, black_share, lead_of
from experiments.review.reliability import Reliability, cannot_judge, places_to_check

# Losses from which a move is called so, as shares of the point.
KINDS = (("blunder", 0.25), ("mistake", 0.10), ("inaccuracy", 0.05))
SMALLEST = KINDS[-1][1]
# A loss is sure if chance leaves at least this much of it. Of 442 sure verdicts in Connect Four, by
# mcts:sims=1000, mcts:sims=8000 and alphazero:sims=100, 93% named a move that the solver prefers.
_SURE = KINDS[1][1]
# Cells of a board that is solved whole, move by move, without a solver of its own.
_SMALL = 16
# Wall seconds to solve a position while a person waits. The solver with its book needs less for
# nearly all.
SECONDS = 10.0
# The seed of the first search of each position.
SEED = 1
# Number of moves of a line within which its first turn ends; no capture has this many jumps.
_JUMPS = 16


@dataclass(frozen=True)
class Turn:
    """One turn of a player: one move, or several in a row."""

    number: int  # from 1
    plies: int  # moves of the game after it
    player: Player
    moves: tuple[Move, ...]  # one, or all jumps of a capture


@dataclass(frozen=True)
class Question:
    """A position for an engine to evaluate."""

    state: GameState
    place: int  # it comes after that many turns of the game
    better: bool = False  # it comes after the turn that the engine would have played instead
    exact: bool = False  # only a proved value is an answer
    sample: int = 0  # 0: the first search of the position; the others are for a comparison
    again: bool = False  # a second search of the position, to check the engine

    @property
    def seed(self) -> int:
        """The seed of the search."""
        return SEED + (1 if self.again else self.sample)


@dataclass(frozen=True)
class Verdict:
    """The cost of a turn for its player."""

    turn: Turn
    loss: float  # share of the point
    kind: str  # one of `KINDS`, or ""
    # Whether the value after it is proved, and that of the position before it or after `best`.
    exact: bool
    best: tuple[Move, ...]  # what the engine would have played; () if the same, or unknown
    # Of the positions before and after the turn. If it was compared and is not exact: means of the
    # searches after `best` and after the turn, whose difference is `loss`.
    before: Evaluation
    after: Evaluation
    instead: Evaluation | None = None  # of the position after `best`, if the two were compared
    margin: float | None = None  # `loss` is that far from the mean of all searches in 1 of 20 cases

    @property
    def cost(self) -> str:
        """The loss in per cent, as `before` and `after` show it when rounded."""
        player = self.turn.player
        before, after = (round(100 * value.share(player)) for value in (self.before, self.after))
        return f"{max(before - after, 0)}%"

    @property
    def sure(self) -> bool:
        """Whether chance in the searches leaves a mistake."""
        return self.exact or self.loss - (self.margin or 0.0) >= _SURE - 1e-9


class GameReview:
    """A game and the results of its review so far.

    Args:
        state: the last position; all of its moves are reviewed.
        exact: whether an engine that proves values is asked first. It begins at the end, where
            positions are soon solved; once one is not (`give_up`), those before it are left to
            the other engine.
        checked: whether the engine is checked first.
    """

    def __init__(self, state: GameState, exact: bool = False, checked: bool = True) -> None:
        states = positions(state)
        self.turns: list[Turn] = []
        plies = 0
        for number, (player, moves) in enumerate(turns_played(state), 1):
            plies += len(moves)
            self.turns.append(Turn(number, plies, player, tuple(moves)))
        self.states = [states[0], *(states[turn.plies] for turn in self.turns)]
        # By state; None where unknown.
        self.evaluations: list[Evaluation | None] = [None] * len(self.states)
        self._best: dict[int, tuple[Move, ...]] = {}
        self._comparisons: dict[int, Comparison] = {}
        self.most_compared = len(self.states)  # turns that are compared, the largest drops first
        # Comparisons that were not proved; and what is left to solve is before this place.
        self._unsolved: set[int] = set() if exact else set(range(len(self.states)))
        self._solvable = len(self.states) if exact else 0
        self._missing: set[int] = set()
        self._to_check = places_to_check(len(self.states)) if checked else []
        self._first_decisions: dict[int, Decision] = {}  # of the places to check
        self.reliability = Reliability()
        self._engine = ""
        if state.is_over():
            self.evaluations[-1] = end_value(state)

    @property
    def game_state(self) -> GameState:
        """The last position."""
        return self.states[-1]

    @property
    def values(self) -> list[Evaluation | None]:
        """The value of each position; around mistakes, those from which their cost comes."""
        values = list(self.evaluations)
        mistakes = [verdict for verdict in self.verdicts() if verdict.kind and not verdict.exact]
        for verdict in mistakes:
            values[verdict.turn.number - 1] = verdict.before
        for verdict in mistakes:
            values[verdict.turn.number] = verdict.after
        return values

    @property
    def done(self) -> int:
        """The number of evaluated positions."""
        return sum(evaluation is not None for evaluation in self.evaluations)

    @property
    def begun(self) -> int:
        """The number of turns whose comparison has begun."""
        return len(self._comparisons)

    @property
    def problem(self) -> str:
        """That the engine cannot judge this game, in a sentence; "" if it can."""
        if self._to_check or self.reliability.can_judge:
            return ""
        return cannot_judge(self._engine, self.game_state.game, self.reliability)

    def next_question(self) -> Question | None:
        """The next position for an engine; None if the review is complete."""
        for place in range(self._solvable - 1, -1, -1):
            if self._open(place):
                return Question(self.states[place], place, exact=True)
        while self._to_check:
            place = self._to_check[0]
            if self._open(place) or place in self._first_decisions:
                again = place in self._first_decisions
                return Question(self.states[place], place, again=again)
            del self._to_check[0]
        if self.problem:
            return None
        for place in range(len(self.states)):
            if self._open(place):
                return Question(self.states[place], place)
        for place in self.suspects()[: self.most_compared]:
            if (question := self._comparison(place)) is not None:
                return question
        return None

    def _open(self, place: int) -> bool:
        return self.evaluations[place] is None and place not in self._missing

    def suspects(self) -> list[int]:
        """The turns that seem to have lost something to the engine's choice, the most first."""
        drops = {turn.number: self._drop(turn) for turn in self.turns}
        return sorted((n for n in drops if drops[n] >= SMALLEST), key=lambda n: -drops[n])

    def _drop(self, turn: Turn) -> float:
        """What a turn seems to have cost; 0 where there is nothing to compare."""
        previous, current = self.evaluations[turn.number - 1], self.evaluations[turn.number]
        if previous is None or current is None or (previous.proven and current.proven):
            return 0.0
        if turn.moves[-1].is_resign or not self._other_choice(turn.number):
            return 0.0
        return previous.share(turn.player) - current.share(turn.player)

    def _comparison(self, place: int) -> Question | None:
        """The next search of the comparison of the turn before `place`; None if it is complete."""
        state, evaluation = self.states[place - 1], self.evaluations[place]
        assert evaluation is not None  # a suspect
        if (comparison := self._comparisons.get(place)) is None:
            comparison = self._comparisons[place] = Comparison()
            if evaluation.proven:
                comparison.played.append(evaluation)
        if comparison.is_complete:
            return None
        better = comparison.wants_better
        if not better:
            return Question(self.states[place], place, sample=len(comparison.played) + 1)
        state = state.play(*self._best[place - 1])
        if state.is_over():
            comparison.better.append(end_value(state))
            return self._comparison(place)
        # Where the value after the move is proved, the other one may be, too.
        exact = evaluation.proven and place not in self._unsolved
        return Question(state, place, True, exact, len(comparison.better) + 1)

    def _other_choice(self, place: int) -> tuple[Move, ...]:
        """What the engine would have played instead of the turn before `place`; () if nothing."""
        best, turn = self._best.get(place - 1, ()), self.turns[place - 1]
        n_moves = min(len(best), len(turn.moves))  # a line may end within a capture
        return () if best[:n_moves] == turn.moves[:n_moves] else best

    def answer(self, question: Question, decision: Decision, engine: str) -> None:
        """Take the answer of `engine`; one without proof leaves an exact question open."""
        state = question.state
        evaluation = evaluation_of(state, decision, engine)
        if evaluation is None or (question.exact and not evaluation.proven):
            self.give_up(question)
        elif question.sample:
            self._comparisons[question.place].add(question.better, evaluation)
        elif question.again:
            self.reliability.add(self._first_decisions.pop(question.place), decision)
        else:
            if decision.values and question.place in self._to_check and not question.exact:
                self._engine = engine
                self._first_decisions[question.place] = decision
            self.evaluations[question.place] = evaluation
            self._best[question.place] = first_turn(state, evaluation.line)

    def give_up(self, question: Question) -> None:
        """Skip a question. After an exact question, earlier positions are skipped as well."""
        if question.better and question.exact:
            self._unsolved.add(question.place)
        elif question.exact:
            self._solvable = 0
        elif question.sample:
            self._comparisons[question.place].failed = True
        elif question.again:
            del self._first_decisions[question.place]
        else:
            self._missing.add(question.place)

    def verdict(self, number: int) -> Verdict | None:
        """The cost of turn `number`, from 1; None if it is not known yet."""
        turn = self.turns[number - 1]
        previous, current = self.evaluations[number - 1], self.evaluations[number]
        if previous is None or current is None:
            return None
        best, comparison = self._other_choice(number), self._comparisons.get(number)
        if comparison is not None and (not comparison.is_complete or comparison.failed):
            comparison = None
        instead = None if comparison is None else comparison.instead
        exact = current.proven and (previous.proven or (instead is not None and instead.proven))
        if self.problem and not exact:
            return None
        loss, margin = previous.share(turn.player) - current.share(turn.player), None
        if comparison is not None:
            loss, margin = comparison.loss(turn.player), comparison.margin
            if not exact:
                previous = comparison.instead.with_line(previous.line)
                current = comparison.after.with_line(current.line)
        elif not exact and (not best or loss >= SMALLEST):
            loss = 0.0
        if turn.moves[-1].is_resign:  # it only says what the position was worth
            loss = 0.0
        loss = max(loss, 0.0)
        # Shares are sums of binary fractions, and 0.6 - 0.5 is less than 0.1 among them.
        kind = next((name for name, least in KINDS if loss >= least - 1e-9), "")
        if margin is not None and loss <= margin:  # it may be chance
            kind = ""
        return Verdict(
            turn, loss, kind, exact, best, previous, current, instead, None if exact else margin)

    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts of all turns that can be judged, in order."""
        for turn in self.turns:
            verdict = self.verdict(turn.number)
            if verdict is not None:
                yield verdict

    def mistakes(self) -> list[Verdict]:
        """Turns that have a `kind`, the largest loss first."""
        verdicts = [verdict for verdict in self.verdicts() if verdict.kind]
        return sorted(verdicts, key=lambda verdict: -verdict.loss)


def legal_part(state: GameState, line: tuple[Move, ...]) -> list[tuple[Player, Move]]:
    """The moves of a line as far as the rules allow them, with who makes each."""
    moves = []
    for move in line:
        if move.is_resign or not state.is_valid_move(move):
            break
        moves.append((state.next_player, move))
        state = state.apply_move(move)
    return moves


def first_turn(state: GameState, line: tuple[Move, ...]) -> tuple[Move, ...]:
    """The turn that an expected line begins with; () if it is not legal."""
    turns = grouped_turns(state.game, legal_part(state, line[:_JUMPS]))
    return tuple(turns[0][1]) if turns else ()


def end_value(state: GameState) -> Evaluation:
    """The value of a finished game."""
    return Evaluation((1 + state.result()) / 2, True, plies_to_end=0)


def evaluation_of(state: GameState, decision: Decision, engine: str) -> Evaluation | None:
    """An engine's answer as black's share; None if the engine does not estimate positions."""
    value, proven = decision.value, decision.proven is not None
    plies = decision.plies_to_end if proven else None
    if engine.partition(":")[0] == "solver":
        if state.game.name == "draughts":  # by tables, which count turns
            proven = proven or value in (-1.0, 0.0, 1.0)
        elif proven:
            plies = decision.depth  # its line goes to the end of the game
    black = black_share(decision, state.next_player)
    return None if black is None else Evaluation(
        black, proven, plies, decision.pv or (decision.move,),
        lead_of(decision.score, state.next_player))


def exact_engine(game: GameSpec) -> str | None:
    """The engine that proves the result of any position of a game; None if there is none."""
    cells = game.board_rows * game.board_cols
    if game.name == "connect4":
        return "solver"
    if game.name in ("tictactoe", "connectn", "hex", "othello") and cells <= _SMALL:
        return f"alphabeta:depth={2 * cells},solve=yes"  # passes and a swap are moves, too
    return None
