"""Why a move is good or bad: facts that rules and numbers prove, each as one sentence.

    facts = explain(state, [move])
    words_of(facts)  ->  "Only this move stops E4, which would win at once."

The rules give the facts about the next plies: every reply is tried. A search, exact values and the
value of the position after the move give more. A *turn* is all moves of a player until the other
one moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from dlgo import GameSpec, GameState, Move, Player, kernels
from dlgo.display import look_of, player_text
from dlgo.text import number_of
from engines.base import Decision
from experiments.play.cell_moves import turn_text
from experiments.review.comparison import Evaluation, value_text

# Most positions to try for the facts about the next plies; they take half a second.
_MOST_POSITIONS = 60_000
# Other turns up to which all are compared.
_SMALL = 90
# Turns that a sentence names.
_NAMED = 3
_VERBS = {1: "wins", 0: "draws", -1: "loses"}
_PLURAL = {1: "win", 0: "draw", -1: "lose"}


@dataclass(frozen=True)
class Fact:
    """One fact about a turn."""

    kind: str
    text: str  # a sentence


def words_of(facts: Sequence[Fact]) -> str:
    """The facts as a text."""
    return " ".join(fact.text for fact in facts)


def explain(
    state: GameState, moves: Sequence[Move], *, decision: Decision | None = None, engine: str = "",
    evaluation: Evaluation | None = None, outcomes: Mapping[str, int] | None = None,
) -> list[Fact]:
    """The facts about a turn, the most important ones first.

    Args:
        state: the position before the turn.
        moves: the turn.
        decision: the answer of `engine` in `state`.
        engine: its name in the facts; "the search" if it is empty.
        evaluation: the value of the position after the turn, by `engine` or proved.
        outcomes: the exact result of each turn for the player to move (1, 0, -1), by its text.
    """
    if moves[-1].is_resign:
        return []
    facts: list[Fact] = []
    with suppress(_TooMuch):
        facts.extend(_by_rules(_Look(state, tuple(moves))))
    text = turn_text(state.game, moves)
    if outcomes is not None:
        facts += _by_outcomes(state.game, text, outcomes)
    if evaluation is not None and not (facts and facts[0].kind == "wins"):
        facts.append(_by_value(state, moves, evaluation, engine))
    if decision is not None and decision.visits:
        facts += _by_search(state.game, moves[0], decision, engine)
    return facts


def turns_of(
    state: GameState, first_moves: tuple[Move, ...] = ()
) -> Iterator[tuple[str, GameState]]:
    """Every turn by its text, and the position after it; `first_moves` begin it."""
    for move in state.legal_moves():
        successor, moves = state.apply_move(move), (*first_moves, move)
        if successor.is_over() or successor.next_player is not state.next_player:
            yield turn_text(state.game, moves), successor
        else:
            yield from turns_of(successor, moves)


class _TooMuch(Exception):
    """The position has more turns than can be tried."""


class _Look:
    """The plies around a turn, tried when they are needed."""

    def __init__(self, state: GameState, moves: tuple[Move, ...]) -> None:
        self.state, self.game, self.mover = state, state.game, state.next_player
        self.name, self.rival = (
            player_text(self.game, player) for player in (self.mover, self.mover.other))
        self._left = _MOST_POSITIONS
        self.text = turn_text(self.game, moves)
        self.after = state.play(*moves)
        self.others = {
            text: successor for text, successor in self.turns(state) if text != self.text
        }

    def turns(self, state: GameState) -> Iterator[tuple[str, GameState]]:
        """Every turn, as `turns_of` gives them. Raises _TooMuch after many."""
        for turn in turns_of(state):
            self._left -= 1
            if self._left < 0:
                raise _TooMuch
            yield turn

    def wins(self, state: GameState) -> list[str]:
        """The turns that win at once for the player to move."""
        return [
            text for text, successor in self.turns(state)
            if successor.is_over() and successor.winner() is state.next_player
        ]

    def named(self, turns: Sequence[str]) -> str:
        """Turns as a sentence names them."""
        return _names(self.game, turns)

    def pieces(self, state: GameState, player: Player) -> int:
        """The number of a player's pieces."""
        cells = range(self.game.board_rows * self.game.board_cols)
        owners = (int(kernels.piece(state.kernel_state, cell)) for cell in cells)
        return sum(piece >= 0 and piece % 2 == player.index for piece in owners)


def _by_rules(look: _Look) -> Iterator[Fact]:
    over, winner = look.after.is_over(), look.after.winner()
    if not over and look.after.next_player is look.mover:  # only the beginning of a turn
        return
    if over and winner is look.mover:
        yield Fact("wins", "Wins at once.")
        return
    missed = [text for text, successor in look.others.items()
              if successor.is_over() and successor.winner() is look.mover]
    if missed:
        yield Fact("misses", f"Misses {look.named(missed)}, which would win at once.")
    if over:
        return
    danger = look.wins(look.after)
    yield from _defence(look, danger)
    yield from _captures(look)
    if not danger:
        yield from _attack(look)
        yield from _refutation(look)


def _defence(look: _Look, danger: list[str]) -> Iterator[Fact]:
    """What the opponent could do at once: `danger` still, and what only this turn stops."""
    stopped_wins: set[str] | None = None  # after every other turn these win
    hopeless = bool(danger)
    for successor in look.others.values():
        threats = set() if successor.is_over() else set(look.wins(successor))
        hopeless = hopeless and bool(threats)
        if not successor.is_over():
            stopped_wins = threats - set(danger) if stopped_wins is None else stopped_wins & threats
        if not hopeless and stopped_wins is not None and not stopped_wins:
            break
    if stopped_wins:
        yield Fact("stops", f"Only this move stops {look.named(sorted(stopped_wins))}, which would "
                   "win at once.")
    if hopeless:
        yield Fact("hopeless", f"Every move lets {look.rival} win at once.")
    elif danger:
        yield Fact("allows", f"Lets {look.rival} win at once with {look.named(danger)}.")


def _attack(look: _Look) -> Iterator[Fact]:
    """Whether the mover wins at once after every reply, or after every reply but one."""
    safe: list[str] = []
    wins: list[list[str]] = []
    for text, successor in look.turns(look.after):
        winning = [] if successor.is_over() else look.wins(successor)
        if winning:
            wins.append(winning)
        else:
            safe.append(text)
        if len(safe) > 1:
            return
    if not wins:
        return
    common = [text for text in wins[0] if all(text in reply_wins for reply_wins in wins)]
    threat = common and f"Threatens {look.named(common[:1])}"
    if not safe:
        text = f"Whatever {look.rival} replies, {look.name} then wins at once."
        if common:
            text = f"{threat}, and no reply stops it."
        elif pair := _pair(wins):
            text = f"Threatens {look.named(pair)}; {look.rival} can stop only one of them."
        yield Fact("fork", text)
        return
    answer = look.named(safe)
    text = f"After any reply but {answer}, {look.name} wins at once."
    if safe[0] in common:
        text = f"Threatens {answer}; {look.rival} must play there."
    elif common:
        text = f"{threat}; only {answer} stops it."
    yield Fact("forces", text)


def _refutation(look: _Look) -> Iterator[Fact]:
    """A reply after which the opponent wins at once, whatever the mover does."""
    if len(look.others) > _SMALL:
        return
    for text, successor in look.turns(look.after):
        if not successor.is_over() and all(
            not last.is_over() and look.wins(last) for _, last in look.turns(successor)
        ):
            yield Fact("refuted", f"Lets {look.rival} play {look.named([text])}, and then win at "
                       f"once whatever {look.name} replies.")
            return


def _pair(wins: list[list[str]]) -> tuple[str, ...]:
    """Two turns of which one wins after each reply; () if there are none."""
    turns = list(dict.fromkeys(text for winning in wins for text in winning))[:20]
    pairs = itertools.combinations(turns, 2)
    return next((pair for pair in pairs if all({*pair} & {*winning} for winning in wins)), ())


def _captures(look: _Look) -> Iterator[Fact]:
    """Pieces that the turn takes, and those that it lets the opponent take."""
    rival = look.mover.other
    gain = look.pieces(look.state, rival) - look.pieces(look.after, rival)
    if gain > 0:
        yield Fact("captures", f"Captures {_pieces(look.game, gain)}.")
    if len(look.others) > _SMALL:
        return
    text, loss, back = _worst_reply(look, look.after)
    if loss > back and all(
        _worst_reply(look, successor)[1] < loss for successor in look.others.values()
    ):
        returned = f"; {look.name} can capture {back} in return" if back else ""
        yield Fact("loses", f"Only this move lets {look.rival} capture "
                   f"{_pieces(look.game, loss)}, with {look.named([text])}{returned}.")


def _worst_reply(look: _Look, state: GameState) -> tuple[str, int, int]:
    """The reply that captures most: its text, how many, and how many can be captured in return."""
    player, worst = state.next_player, ("", 0, 0)
    if state.is_over():
        return worst
    count = look.pieces(state, player.other)
    for text, successor in look.turns(state):
        loss = count - look.pieces(successor, player.other)
        if loss > worst[1]:
            pieces = look.pieces(successor, player)
            back = [pieces - look.pieces(last, player) for _, last in look.turns(successor)]
            worst = text, loss, max([0, *back])
    return worst


def _by_outcomes(game: GameSpec, text: str, outcomes: Mapping[str, int]) -> Iterator[Fact]:
    value, best = outcomes[text], max(outcomes.values())
    counts = {
        result: sum(outcome == result for outcome in outcomes.values()) for result in (1, 0, -1)}
    if value < best:
        better = [turn for turn, result in outcomes.items() if result == best]
        verb = _VERBS[best] if len(better) == 1 else _PLURAL[best]
        yield Fact("worse", f"{_VERBS[value].capitalize()}; {_names(game, better)} {verb}.")
    elif counts[value] == len(outcomes):
        if len(outcomes) > 1:
            yield Fact("only", f"Every move {_VERBS[value]}.")
    elif counts[value] == 1:
        alternatives = [f"1 other {_VERBS[result]}" if n == 1 else f"{n} others {_PLURAL[result]}"
                        for result, n in counts.items() if n and result < value]
        yield Fact("only", f"The only move that {_VERBS[value]}; {' and '.join(alternatives)}.")
    else:
        yield Fact("only", f"One of {counts[value]} moves that {_PLURAL[value]}.")


def _by_value(state: GameState, moves: Sequence[Move], evaluation: Evaluation, engine: str) -> Fact:
    player, reached = state.next_player, state.play(*moves)
    name, value = player_text(state.game, player), value_text(reached, evaluation, player)
    if evaluation.proven:
        return Fact("value", f"After it, {name} has a proved {value}.")
    return Fact("value", f"After it, {engine or 'the search'} expects {value} for {name}.")


def _by_search(game: GameSpec, move: Move, decision: Decision, engine_name: str) -> Iterator[Fact]:
    if decision.proven is not None and decision.proven >= 0 and decision.move == move:
        result, count = ("draw", "win")[decision.proven], decision.cost.simulations
        if count:
            yield Fact("found", f"{engine_name or 'The search'} proves the {result} after "
                       f"{number_of(count, 'simulation')}.")
            return
    total = sum(decision.visits.values())
    if not total:
        return
    share, engine = decision.visits.get(move, 0) / total, engine_name or "the search"
    text = f"{share:.0%} of the visits of {engine} go there"
    favourite = max(decision.visits, key=lambda candidate: decision.visits[candidate])
    if favourite == move:
        yield Fact("visits", f"{text}.")
        return
    best, name = decision.visits[favourite] / total, game.move_text(favourite)
    yield Fact("visits", f"{text}, {best:.0%} to {turn_name(game, name)}.")


def turn_name(game: GameSpec, text: str) -> str:
    """What a sentence calls a turn."""
    if text == "pass":
        return "a pass"
    return f"column {text}" if look_of(game) == "drop" and text.isdigit() else text


def _names(game: GameSpec, turns: Sequence[str]) -> str:
    names = [turn_name(game, text) for text in turns]
    if len(names) > _NAMED:
        names = [*names[:_NAMED], f"{len(names) - _NAMED} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _pieces(game: GameSpec, count: int) -> str:
    return number_of(count, "stone" if look_of(game) == "lines" else "piece")
