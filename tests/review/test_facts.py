"""Explanations: each sentence is taken apart, and its claim is checked by playing it out.

Nothing of `facts.py` is used for that: texts of moves are played, and exact values come from the
solvers.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, reduce

import pytest

from dlgo import GameState, Move, Player, get_game
from dlgo.display import player_text, position_info
from engines.base import Decision
from engines.registry import EngineSpec
from engines.solver.solver import Solver
from experiments.measures.connect4 import plies_left, shipped_positions
from experiments.measures.tictactoe import all_states
from experiments.play.cell_moves import turn_text
from experiments.review.facts import explain, words_of
from experiments.review.game_review import evaluation_of
from tests.conftest import RUN_ALL
from tests.studio.client import KINDS_GAME

NUMBER = {"wins": 1, "win": 1, "draws": 0, "draw": 0, "loses": -1, "lose": -1, "loss": -1}


def turns(state: GameState, made: tuple[Move, ...] = ()) -> Iterator[tuple[Move, ...]]:
    """Every turn of the player to move."""
    for move in state.legal_moves():
        after = state.apply_move(move)
        if after.is_over() or after.next_player is not state.next_player:
            yield (*made, move)
        else:
            yield from turns(after, (*made, move))


def replies(state: GameState) -> dict[str, GameState]:
    """The positions after all turns, by their texts; none after the end."""
    return {} if state.is_over() else {
        turn_text(state.game, moves): reduce(GameState.apply_move, moves, state)
        for moves in turns(state)
    }


def has_won(state: GameState, player: Player) -> bool:
    return state.is_over() and state.winner() is player


def winning(state: GameState) -> set[str]:
    """The turns that win at once."""
    return {text for text, after in replies(state).items() if has_won(after, state.next_player)}


def pieces(state: GameState, player: Player) -> int:
    return sum(piece >= 0 and piece % 2 == player.index for piece in position_info(state)["cells"])


def named(text: str) -> tuple[list[str], int]:
    """The turns of a list in a sentence, and how many more there are."""
    parts = re.split(r", | and ", text)
    more = re.fullmatch(r"(\d+) more", parts[-1])
    turns = [part.removeprefix("column ") for part in (parts[:-1] if more else parts)]
    return ["pass" if turn == "a pass" else turn for turn in turns], int(more[1]) if more else 0


def are(text: str, expected: set[str]) -> bool:
    """Whether a list in a sentence is of these turns."""
    turns, more = named(text)
    return len({*turns}) + more == len(expected) and {*turns} <= expected


class Claim:
    """A turn, and what sentences may say of it."""

    def __init__(
        self, state: GameState, moves: tuple[Move, ...], outcomes: dict[str, int] | None = None,
        decision: Decision | None = None,
    ) -> None:
        self.state, self.text = state, turn_text(state.game, moves)
        self.decision, self.outcomes, self.first = decision, outcomes, moves[0]
        self.all = replies(state)
        self.after = self.all[self.text]
        self.others = [after for text, after in self.all.items() if text != self.text]
        self.mover, self.rival = state.next_player, state.next_player.other
        self.answers = replies(self.after)

    def is_player(self, name: str, player: Player) -> bool:
        return name == player_text(self.state.game, player)

    def holds(self, sentence: str) -> bool:
        """Whether the claim of a sentence is true. KeyError if the test does not know it."""
        for pattern, check in _CLAIMS.items():
            if match := re.fullmatch(pattern, sentence):
                return bool(check(self, *match.groups()))
        raise KeyError(sentence)

    def wins(self) -> bool:
        return has_won(self.after, self.mover)

    def misses(self, names: str) -> bool:
        return not self.wins() and are(names, winning(self.state))

    def stops(self, names: str) -> bool:
        others = [winning(after) for after in self.others if not after.is_over()]
        return are(names, set.intersection(*others) - winning(self.after))

    def allows(self, rival: str, names: str) -> bool:
        return self.is_player(rival, self.rival) and are(names, winning(self.after))

    def hopeless(self, rival: str) -> bool:
        return self.is_player(rival, self.rival) and all(map(winning, self.all.values()))

    def unstoppable(self, name: str) -> bool:
        (turn,), _ = named(name)
        return all(turn in winning(after) for after in self.answers.values())

    def double(self, one: str, other: str, rival: str) -> bool:
        pair = {*named(one)[0], *named(other)[0]}
        wins = [winning(after) & pair for after in self.answers.values()]
        return all(wins) and {len(found) for found in wins} >= {1} and (
            self.is_player(rival, self.rival)
            and all(any(turn not in found for found in wins) for turn in pair)
        )

    def wins_anyway(self, rival: str, mover: str) -> bool:
        return all(map(winning, self.answers.values())) and (
            self.is_player(rival, self.rival) and self.is_player(mover, self.mover)
        )

    def must_play(self, name: str, rival: str) -> bool:
        return self.stopped_by(name, name) and self.is_player(rival, self.rival)

    def stopped_by(self, threat: str, answer: str) -> bool:
        (turn,), (only,) = named(threat)[0], named(answer)[0]
        return only in self.answers and all(
            (turn in winning(after)) == (text != only) for text, after in self.answers.items()
        )

    def any_but(self, answer: str, mover: str) -> bool:
        (only,), _ = named(answer)
        return self.is_player(mover, self.mover) and all(
            bool(winning(after)) == (text != only) for text, after in self.answers.items()
        )

    def refuted(self, rival: str, name: str, mover: str) -> bool:
        reached = self.answers[named(name)[0][0]]
        return self.is_player(rival, self.rival) and self.is_player(mover, self.mover) and (
            not reached.is_over() and all(map(winning, replies(reached).values())))

    def captures(self, count: str, noun: str) -> bool:
        taken = pieces(self.state, self.rival) - pieces(self.after, self.rival)
        return taken == int(count) > 0 and self.is_noun(noun, taken)

    def is_noun(self, noun: str, count: int) -> bool:
        singular = "stone" if self.state.game.name == "go" else "piece"
        return noun == singular + "s" * (count > 1)

    def loses(
        self, rival: str, count: str, noun: str, name: str, mover: str | None, back: str | None
    ) -> bool:
        def most(after: GameState) -> int:
            return max([0, *(pieces(after, self.mover) - pieces(last, self.mover)
                             for last in replies(after).values())])

        reached = self.answers[named(name)[0][0]]
        lost = pieces(self.after, self.mover) - pieces(reached, self.mover)
        given = [0, *(pieces(reached, self.rival) - pieces(last, self.rival)
                      for last in replies(reached).values())]
        return (
            lost == int(count) == most(self.after) and self.is_noun(noun, lost)
            and max(given) == int(back or 0) < lost and all(most(o) < lost for o in self.others)
            and self.is_player(rival, self.rival)
            and (mover is None or self.is_player(mover, self.mover))
        )

    def only(self, verb: str, rest: str) -> bool:
        counts = Counter(self.outcomes.values())
        value = NUMBER[verb]
        told = {NUMBER[word]: int(n) for n, word in re.findall(r"(\d+) others? (\w+)", rest)}
        return self.outcomes[self.text] == value and counts.pop(value) == 1 and told == counts

    def every(self, verb: str) -> bool:
        return {*self.outcomes.values()} == {NUMBER[verb]}

    def one_of(self, count: str, verb: str) -> bool:
        value = self.outcomes[self.text]
        return value == NUMBER[verb] == max(self.outcomes.values()) and int(count) == [
            *self.outcomes.values()].count(value) > 1

    def worse(self, verb: str, names: str, best: str) -> bool:
        top = max(self.outcomes.values())
        return self.outcomes[self.text] == NUMBER[verb.lower()] < top == NUMBER[best] and are(
            names, {turn for turn, result in self.outcomes.items() if result == top})

    def proved(self, name: str, word: str, plies: str | None, noun: str, score: str | None) -> bool:
        value = self.outcomes[self.text]
        if not self.is_player(name, self.mover) or NUMBER[word] != value:
            return False
        if noun and noun != ("ply" if int(plies) == 1 else "plies"):
            return False
        if score is not None and int(score) != -_solver().score(self.after):
            return False
        return value == 0 or plies is None or int(plies) == _plies_to_end(self.after)

    def found(self, result: str, count: str, plural: str) -> bool:
        cost, value = self.decision.cost.simulations, max(self.outcomes.values())
        return NUMBER[result] == value == self.outcomes[self.text] and (
            int(count.replace(",", "")) == cost and plural == "s" * (cost > 1))

    def visits(self, share: str, best: str | None, name: str | None) -> bool:
        counts = self.decision.visits
        total, top = sum(counts.values()), max(counts.values())
        told = abs(int(share) / 100 - counts.get(self.first, 0) / total) <= 0.00501
        if best is None:
            return told and counts.get(self.first) == top
        favourite = self.state.game.parse_move(self.state, named(name)[0][0])
        return told and counts[favourite] == top and abs(int(best) / 100 - top / total) <= 0.00501


_CLAIMS: dict[str, Callable[..., object]] = {
    r"Wins at once\.": Claim.wins,
    r"Misses (.+), which would win at once\.": Claim.misses,
    r"Only this move stops (.+), which would win at once\.": Claim.stops,
    r"Lets (\w+) win at once with (.+)\.": Claim.allows,
    r"Every move lets (\w+) win at once\.": Claim.hopeless,
    r"Threatens (.+), and no reply stops it\.": Claim.unstoppable,
    r"Threatens (.+) and (.+); (\w+) can stop only one of them\.": Claim.double,
    r"Whatever (\w+) replies, (\w+) then wins at once\.": Claim.wins_anyway,
    r"Threatens (.+); (\w+) must play there\.": Claim.must_play,
    r"Threatens (.+); only (.+) stops it\.": Claim.stopped_by,
    r"After any reply but (.+), (\w+) wins at once\.": Claim.any_but,
    r"Lets (\w+) play (.+), and then win at once whatever (\w+) replies\.": Claim.refuted,
    r"Captures (\d+) (\w+)\.": Claim.captures,
    r"Only this move lets (\w+) capture (\d+) (\w+), with ([^;]+?)"
    r"(?:; (\w+) can capture (\d+) in return)?\.": Claim.loses,
    r"The only move that (\w+); (.+)\.": Claim.only,
    r"Every move (\w+)\.": Claim.every,
    r"One of (\d+) moves that (\w+)\.": Claim.one_of,
    r"(Wins|Draws|Loses); (.+) (\w+)\.": Claim.worse,
    r"After it, (\w+) has a proved (\w+)(?: in (\d+) (\w+))?(?: \(score ([-+]\d+)\))?\.":
        Claim.proved,
    r"mcts:sims=50 proves the (win|draw) after ([\d,]+) simulation(s?)\.": Claim.found,
    r"(\d+)% of the visits of mcts:sims=50 go there(?:, (\d+)% to (.+))?\.": Claim.visits,
}


@cache
def _solver() -> Solver:
    return Solver()


def _plies_to_end(state: GameState) -> int:
    """How long the game lasts by perfect play: Connect Four by its score, others by full search."""
    if state.is_over():
        return 0
    if state.game.name == "connect4":
        return plies_left(len(state.moves()), _solver().score(state))
    return _searched(state)[1]


def _searched(state: GameState) -> tuple[int, int]:
    """Result for the player to move, and plies: a win as soon as possible, a loss as late."""
    if state.is_over():
        winner = state.winner()
        return 0 if winner is None else 1 if winner is state.next_player else -1, 0
    found = [(-value, plies + 1) for value, plies in map(_searched, replies(state).values())]
    return max(found, key=lambda one: (one[0], -one[0] * one[1]))


def told(claim: Claim, moves: tuple[Move, ...], **known: object) -> Counter[str]:
    """The kinds of facts about a turn, each of them checked."""
    facts = explain(claim.state, moves, **known)
    for fact in facts:
        assert claim.holds(fact.text), f"{claim.text}: {fact.text}\n{claim.state}"
    return Counter(fact.kind for fact in facts)


def exact_claims(state: GameState, outcomes: dict[str, int], solver: str) -> Counter[str]:
    """All turns of a position, with exact values and a search."""
    exact = EngineSpec.parse(solver).build(state.game, 1)
    search = EngineSpec.parse("mcts:sims=50").build(state.game, 1)
    decision, kinds = search.analyse(state), Counter[str]()
    for moves in turns(state):
        after = reduce(GameState.apply_move, moves, state)
        value = None if after.is_over() else evaluation_of(after, exact.analyse(after), solver)
        kinds += told(
            Claim(state, moves, outcomes, decision), moves,
            outcomes=outcomes, decision=decision, engine="mcts:sims=50", evaluation=value,
        )
    return kinds


def test_connect_four_by_the_solver() -> None:
    positions = [one for one in shipped_positions() if len(one.name) >= 16 and one.asks]
    positions = positions[:: 1 if RUN_ALL else len(positions) // 30][: None if RUN_ALL else 30]
    kinds = Counter[str]()
    for position in positions:
        outcomes = {str(action + 1): value for action, value in position.outcomes.items()}
        kinds += exact_claims(position.state, outcomes, "solver")
    assert len(positions) >= 30 and kinds["visits"] > 100 and kinds["found"]
    assert {"wins", "misses", "stops", "allows", "fork", "forces", "only", "worse"} <= {*kinds}


def test_tic_tac_toe_by_full_search() -> None:
    states = [state for state in all_states() if len(state.moves()) > 2]
    kinds = Counter[str]()
    for state in states if RUN_ALL else random.Random(47).sample(states, 60):
        outcomes = {
            text: -_searched(after)[0] for text, after in replies(state).items()
        }
        kinds += exact_claims(state, outcomes, "alphabeta:depth=10,solve=yes")
    assert {"wins", "stops", "fork", "forces", "only", "worse", "value"} <= {*kinds}


@pytest.mark.parametrize(("spec", "wanted"), [
    ("connect4", {"wins", "stops", "fork", "forces", "hopeless", "refuted"}),
    ("connectn:cols=6,rows=6,n=4,gravity=no", {"stops", "fork", "forces", "allows"}),
    ("draughts", {"captures", "loses"}),
    ("go:size=4", {"captures", "loses", "allows"}),
    (KINDS_GAME, {"captures"}),
])
def test_random_games_by_the_rules(spec: str, wanted: set[str]) -> None:
    draw, game, kinds = random.Random(48), get_game(spec), Counter[str]()
    for _ in range(60 if RUN_ALL else 20):
        state = GameState.new_game(game)
        while not state.is_over() and len(state.moves()) < 60:
            moves = draw.choice([*turns(state)])
            if len(moves) > 1 or draw.random() < 0.2:
                kinds += told(Claim(state, moves), moves)
            state = reduce(GameState.apply_move, moves, state)
    assert wanted <= {*kinds}


def test_nothing_is_said_where_nothing_is_known() -> None:
    state = get_game("go:size=9").start()
    assert explain(state, [state.read_move("E5")]) == []
    assert explain(state, [Move.resign()]) == []
    state = get_game("connect4").start()
    assert explain(state, [state.read_move("4")]) == []
    state = get_game("draughts").from_fen("B:W14,23:B9,K1")  # 9x18x27 is one turn
    assert explain(state, state.game.parse_moves(state, "9x18x27")[:1]) == []


@pytest.mark.parametrize(("spec", "moves", "turn", "words"), [
    ("connect4", "4 4 3 3", "5",
     "Threatens column 2 and column 6; yellow can stop only one of them."),
    ("connect4", "4 1 4 1 4", "4", "Only this move stops column 4, which would win at once."),
    ("connect4", "4 1 4 1 4", "1", "Lets red win at once with column 4."),
    ("connect4", "4 1 4 1", "4", "Threatens column 4; yellow must play there."),
    ("connect4", "4 4 3", "1",
     "Lets red play column 5, and then win at once whatever yellow replies."),
    ("tictactoe", "B2 A2 A1", "C3", "Only this move stops C3, which would win at once. "
     "Lets X play B1, and then win at once whatever O replies."),
    ("go:size=5", "A1 A2 E5", "B1", "Captures 1 stone."),
])
def test_sentences_of_known_positions(spec: str, moves: str, turn: str, words: str) -> None:
    state = get_game(spec).start().play(*moves.split())
    assert words_of(explain(state, [state.read_move(turn)])) == words
