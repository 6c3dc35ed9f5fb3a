"""The conformance kit: every rule of the protocol that a game can be seen to break.

    from dlgo.conformance import check_game
    check_game(MyGame())

plays random games of the game and raises `RuleBroken` with the first rule that does not
hold, in words, and the moves that lead there:

    turn: to_move is 2, neither 0 nor 1 (tictactoe, after A1 B2)

The rules, in the order in which they are looked at, are those of `RULES`; each is a function
that can be called alone on a `Sample` (random games, or any others). Nothing here depends on
a particular game, and a game's author need not be one of this project. What the kit cannot
know, whether a finished game is won or lost above all, the author may say: see `Facts`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Collection
from typing import TypeVar

from dlgo.api import GameSpec
from dlgo.conformance import encoding, keys, playing, rules, states
from dlgo.conformance.sample import Facts, Line, RuleBroken, Sample, draw_sample, play_line
from dlgo.errors import BotError, SpecError
from dlgo.jit import wall_time

__all__ = [
    "RULES", "Facts", "Line", "RuleBroken", "Sample", "check_game", "check_sample",
    "draw_sample", "in_time", "play_line",
]

T = TypeVar("T")

# Wall seconds for one rule before it counts as an endless loop; the compiler's do not count.
SECONDS_PER_RULE = 300.0
# The first rule that plays games to their end does it a few times only.
SECONDS = {"rollout seeds": 5.0}

# The rules by name. Basic ones first: a game that breaks one of these breaks others, too.
RULES: dict[str, Callable[[Sample], None]] = {
    "rollout seeds": playing.check_rollout_seeds,
    "queries": states.check_queries,
    "copies": states.check_copies,
    "bounds": states.check_bounds,
    "spec": rules.check_spec,
    "turn": rules.check_turn,
    "legality": rules.check_legality,
    "forced": rules.check_forced,
    "batches": states.check_batches,
    "reset": states.check_reset,
    "moves": rules.check_moves,
    "notation": rules.check_notation,
    "result": rules.check_result,
    "end": rules.check_end,
    "render": states.check_render,
    "keys": keys.check_keys,
    "rebuilding": keys.check_rebuilding,
    "immutability": states.check_immutability,
    "perft": rules.check_perft,
    "rollout": playing.check_rollout,
    "rollout chances": playing.check_rollout_chances,
    "heavy rollout": playing.check_heavy_rollout,
    "hints": playing.check_hints,
    "move features": playing.check_move_features,
    "evaluate": playing.check_evaluate,
    "side of evaluate": playing.check_evaluate_side,
    "margin": rules.check_margin,
    "pieces": encoding.check_pieces,
    "colours": encoding.check_colours,
    "planes": encoding.check_planes,
    "all is seen": encoding.check_all_is_seen,
    "images": encoding.check_images,
    "ownership": encoding.check_ownership,
    "pickling": states.check_pickling,
    "fresh process": keys.check_fresh_process,
}


def check_game(
    game: GameSpec, facts: Facts | None = None, seed: int = 0, skip: Collection[str] = (),
    games: int = 6, plies: int | None = None,
) -> Sample:
    """Check a game against every rule of the protocol.

    Args:
        game: the game, its options chosen.
        facts: what its author knows about it.
        seed: of the random games.
        skip: names of `RULES` to leave out.
        games: how many random games to play at least; plies: see `draw_sample`.

    Returns:
        The sample, for checks of your own.

    Raises:
        RuleBroken: for the first rule that the game breaks.
        ValueError: if `skip` names no rule.
    """
    def draw() -> Sample:
        return draw_sample(game, facts, seed, games, plies)

    sample = in_time("end", f"a random game of {game}", draw)
    check_sample(sample, skip)
    return sample


def check_sample(sample: Sample, skip: Collection[str] = ()) -> None:
    """Check the games of a sample against every rule; see `check_game`."""
    if unknown := set(skip) - set(RULES):
        raise ValueError(f"no such rules: {sorted(unknown)}; rules are {', '.join(RULES)}")
    for name, check in RULES.items():
        if name not in skip:
            seconds = SECONDS.get(name, SECONDS_PER_RULE)
            in_time(name, f"the check of {sample.game}", functools.partial(check, sample), seconds)


def in_time(
    rule: str, what: str, work: Callable[[], T], seconds: float = SECONDS_PER_RULE
) -> T:
    """The result of `work`, which breaks the rule if it crashes or does not end.

    Args:
        rule: its name. what: what is checked, for messages.
        seconds: how long it may take, not counting the compiler.

    Raises:
        RuleBroken: see above.
        DlgoError: as `work` raises it.
    """
    results: list[T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:
            errors.append(error)

    # Compiled code cannot be interrupted; a daemon thread at least lets the message out.
    thread = threading.Thread(target=run, daemon=True)
    began = wall_time()
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        if wall_time() - began > seconds:
            raise RuleBroken(f"{rule}: {what} has not ended after {seconds:g} s")
    if errors and isinstance(errors[0], RuleBroken | SpecError | BotError):
        raise errors[0]
    if errors:
        text = f"{type(errors[0]).__name__}: {str(errors[0])[:200]}"
        raise RuleBroken(f"{rule}: {what} met an exception, {text}") from errors[0]
    return results[0]
